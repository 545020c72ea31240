import { z } from 'zod';
import { isSuccess } from '../http.ts';
import type { PspClient } from './client.ts';
import { profileOf } from './profiles.ts';

const Webhook = z.object({ webhookUrl: z.string() });

/** Has the PSP send its callbacks to an address; answers why it does not, null: it does. */
export async function registerWebhook(client: PspClient, webhookUrl: string): Promise<string | null> {
  const { profile, pixKey, callbackCa } = client.settings;
  const headers = profileOf(profile).webhookHeaders(callbackCa !== null);
  const body = { webhookUrl };
  const exchange = await client.call({ method: 'PUT', resource: 'webhook', segments: [pixKey], headers, body });
  return isSuccess(exchange) ? null : client.tell(exchange);
}

/** The address that the PSP has; null: none, or it does not say. */
export async function readWebhook(client: PspClient): Promise<string | null> {
  const exchange = await client.call({ method: 'GET', resource: 'webhook', segments: [client.settings.pixKey] });
  const { data } = Webhook.safeParse(exchange.kind === 'answered' ? exchange.body : null);
  return data?.webhookUrl ?? null;
}
