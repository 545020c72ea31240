import { z } from 'zod';
import { isSuccess } from '../http.ts';
import type { PspClient } from './client.ts';
import { profileOf } from './profiles.ts';

const Webhook = z.object({ webhookUrl: z.string() });

/** What callbacks are about: payments, mandates, or debits by them. */
export type Topic = 'webhook' | 'webhookrec' | 'webhookcobr';

/** The callbacks of payments are those of the Pix key. */
const segmentsOf = ({ settings }: PspClient, topic: Topic): string[] => (topic === 'webhook' ? [settings.pixKey] : []);

/** Has the PSP send its callbacks to an address; answers why it does not, null: it does. */
export async function registerWebhook(client: PspClient, topic: Topic, webhookUrl: string): Promise<string | null> {
  const { profile, callbackCa } = client.settings;
  const headers = profileOf(profile).webhookHeaders(callbackCa !== null);
  const segments = segmentsOf(client, topic);
  const exchange = await client.call({ method: 'PUT', resource: topic, segments, headers, body: { webhookUrl } });
  return isSuccess(exchange) ? null : client.tell(exchange);
}

/** The address that the PSP has; null: none, or it does not say. */
export async function readWebhook(client: PspClient, topic: Topic): Promise<string | null> {
  const exchange = await client.call({ method: 'GET', resource: topic, segments: segmentsOf(client, topic) });
  const { data } = Webhook.safeParse(exchange.kind === 'answered' ? exchange.body : null);
  return data?.webhookUrl ?? null;
}
