import { newSuffix } from '../../../kernel/ids.ts';
import { MINUTE, realTime } from '../../../kernel/time.ts';
import { type ApiPixAcquirer, createApiPixAcquirer } from '../../acquirer/api-pix/adapter.ts';
import { profileOf } from '../../acquirer/api-pix/profiles.ts';
import type { ApiPixSettings } from '../../acquirer/api-pix/settings.ts';
import { readWebhook, registerWebhook, type Topic } from '../../acquirer/api-pix/webhook.ts';
import type { Merchant } from '../../acquirer/port.ts';
import { hintOf } from '../hints.ts';
import type { ProbeStep } from '../method.ts';

const ONE_CENT = 1;

/** What the PSP left out without a word; a PSP that does not say what it granted is taken at its word. */
function missingScopes({ profile }: ApiPixSettings, granted: readonly string[] | null): string | null {
  const missing = (profileOf(profile).scopes ?? []).filter((scope) => granted?.includes(scope) === false);
  return missing.length === 0
    ? null
    : `the token lacks ${missing.join(', ')}: ask the PSP to allow them to this client`;
}

function withHint(step: ProbeStep): ProbeStep {
  const hint = step.ok || step.detail === null ? null : hintOf(step.detail);
  return hint === null ? step : { ...step, detail: `${step.detail}. ${hint}` };
}

const probing = (accountId: string): Merchant => ({
  ...{ accountId, liveMode: true, name: 'TESTE', city: 'SAO PAULO' },
  now: realTime(),
});

/** Asks for a token, makes, finds and removes a charge of one cent, and registers the address of callbacks; where there are mandates, theirs too. */
export async function* probePix(
  accountId: string,
  settings: ApiPixSettings,
  noticeUrl: string,
): AsyncGenerator<ProbeStep> {
  let refusal: string | null = null;
  const acquirer = createApiPixAcquirer(accountId, settings, ({ call, why }) => {
    refusal = `${call}: ${why}`;
  });
  try {
    const { client } = acquirer;
    const answer = await client.token();
    if (answer.token === null) return yield withHint({ step: 'token', ok: false, detail: answer.why });
    const missing = missingScopes(settings, answer.scopes);
    yield { step: 'token', ok: missing === null, detail: missing };
    for await (const step of probeCharge(accountId, acquirer, () => refusal)) yield withHint(step);
    for await (const step of probeWebhook(acquirer, 'webhook', noticeUrl)) yield withHint(step);
    if (!acquirer.offersMandates) return;
    yield withHint(await probeMandates(accountId, acquirer, () => refusal));
    for (const topic of ['webhookrec', 'webhookcobr'] as const)
      for await (const step of probeWebhook(acquirer, topic, noticeUrl)) yield withHint(step);
  } finally {
    await acquirer.close();
  }
}

async function* probeCharge(
  accountId: string,
  acquirer: ApiPixAcquirer,
  refusal: () => string | null,
): AsyncGenerator<ProbeStep> {
  const merchant = probing(accountId);
  const txid = newSuffix();
  const request = { txid, amount: ONE_CENT, expiresAt: realTime() + 5 * MINUTE, isRepeat: false };
  const made = await acquirer.createPix(merchant, request);
  yield { step: 'charge', ok: made.known, detail: made.known ? `txid ${txid}` : refusal() };
  if (!made.known) return;
  const found = await acquirer.findPix(merchant, txid);
  const isFound = found.known && found.value !== null;
  yield { step: 'find', ok: isFound, detail: found.known ? (isFound ? null : 'the PSP does not show it') : refusal() };
  const removed = await acquirer.expirePix(merchant, txid);
  yield { step: 'remove', ok: removed.known, detail: removed.known ? null : refusal() };
}

/** A place for a mandate is no mandate, and costs nothing. */
async function probeMandates(
  accountId: string,
  acquirer: ApiPixAcquirer,
  refusal: () => string | null,
): Promise<ProbeStep> {
  const placed = await acquirer.placeMandate(probing(accountId));
  return { step: 'mandates', ok: placed.known, detail: placed.known ? null : refusal() };
}

async function* probeWebhook({ client }: ApiPixAcquirer, topic: Topic, url: string): AsyncGenerator<ProbeStep> {
  const refused = await registerWebhook(client, topic, url);
  const isHttps = url.startsWith('https://');
  const ofHttp = isHttps ? '' : '. PUBLIC_URL is not https://, which PSPs demand';
  yield { step: topic, ok: refused === null, detail: refused === null ? url : refused + ofHttp };
  const told = await readWebhook(client, topic);
  const detail = told === url ? null : `the PSP has ${told ?? 'no address, or does not say which'}`;
  yield { step: `${topic} registered`, ok: told === url, detail };
}
