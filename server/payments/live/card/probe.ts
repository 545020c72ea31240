import { createPagarmeAcquirer } from '../../acquirer/pagarme/adapter.ts';
import type { PagarmeClient } from '../../acquirer/pagarme/client.ts';
import { type PagarmeSettings, pagarmeUrls } from '../../acquirer/pagarme/settings.ts';
import { WebhookKeys } from '../../acquirer/pagarme/signature.ts';
import { hintOf } from '../hints.ts';
import type { ProbeStep } from '../method.ts';

const UNPROCESSABLE = 422;
const BAD_REQUEST = 400;

/** Asks for the orders with the key, for a token from the address of our pages, and for the keys of webhooks. No money moves. */
export async function* probeCards(
  accountId: string,
  settings: PagarmeSettings,
  noticeUrl: string,
): AsyncGenerator<ProbeStep> {
  const { client, close } = createPagarmeAcquirer(accountId, settings);
  try {
    const key = await probeKey(client);
    yield key;
    if (!key.ok) return;
    yield await probeDomain(client, new URL(noticeUrl).origin);
    yield await probeWebhookKeys(settings);
    yield {
      step: 'webhook',
      ok: true,
      detail: `register ${noticeUrl} in the dashboard of Pagar.me, for all events of charge and card: its API registers none`,
    };
  } finally {
    await close();
  }
}

function failed(step: string, why: string): ProbeStep {
  const hint = hintOf(why);
  return { step, ok: false, detail: hint === null ? why : `${why}. ${hint}` };
}

async function probeKey(client: PagarmeClient): Promise<ProbeStep> {
  const exchange = await client.call({ method: 'GET', path: ['orders'], query: { size: '1' } });
  const isTaken = exchange.kind === 'answered' && exchange.status < 300;
  return isTaken ? { step: 'secret key', ok: true, detail: null } : failed('secret key', client.tell(exchange));
}

/** A card that is empty is refused where a page may send one, and nothing of it is read where it may not. */
async function probeDomain(client: PagarmeClient, origin: string): Promise<ProbeStep> {
  const exchange = await client.tokenize(origin);
  const isReached = exchange.kind === 'answered' && [BAD_REQUEST, UNPROCESSABLE].includes(exchange.status);
  if (isReached) return { step: 'public key', ok: true, detail: origin };
  const why = client.tell(exchange);
  return failed('public key', `${why}: is the domain of ${origin} registered in the dashboard of Pagar.me?`);
}

async function probeWebhookKeys(settings: PagarmeSettings): Promise<ProbeStep> {
  const url = pagarmeUrls(settings).jwks;
  const why = await new WebhookKeys(url).fetch();
  return why === null ? { step: 'webhook keys', ok: true, detail: url } : failed('webhook keys', why);
}
