import { newSuffix } from '../../kernel/ids.ts';
import { MINUTE, realTime } from '../../kernel/time.ts';
import { createApiPixAcquirer } from '../acquirer/api-pix/adapter.ts';
import { profileOf } from '../acquirer/api-pix/profiles.ts';
import type { ApiPixSettings } from '../acquirer/api-pix/settings.ts';
import { readWebhook, registerWebhook } from '../acquirer/api-pix/webhook.ts';
import type { Merchant } from '../acquirer/port.ts';

/** What one step of a test of settings found. */
export interface ProbeStep {
  readonly step: 'token' | 'charge' | 'find' | 'remove' | 'webhook' | 'webhook registered';
  readonly ok: boolean;
  readonly detail: string | null;
}

const ONE_CENT = 1;

/** What the PSP granted without a word; a PSP that does not say what is taken at its word. */
function missingScopes({ profile }: ApiPixSettings, granted: readonly string[] | null): string | null {
  const missing = (profileOf(profile).scopes ?? []).filter((scope) => granted?.includes(scope) === false);
  return missing.length === 0
    ? null
    : `the token lacks ${missing.join(', ')}: ask the PSP to allow them to this client`;
}

/** Tries settings at the acquirer itself, step by step; ends where nothing further can succeed. No money moves. */
export async function* probe(
  accountId: string,
  { settings, noticeUrl }: { settings: ApiPixSettings; noticeUrl: string },
): AsyncGenerator<ProbeStep> {
  let refusal: string | null = null;
  const acquirer = createApiPixAcquirer(accountId, settings, ({ call, why }) => {
    refusal = `${call}: ${why}`;
  });
  try {
    const { client } = acquirer;
    const token = await client.token();
    if (token.token === null) return yield { step: 'token', ok: false, detail: token.why };
    const missing = missingScopes(settings, token.scopes);
    yield { step: 'token', ok: missing === null, detail: missing };
    const merchant: Merchant = { accountId, liveMode: true, name: 'TESTE', city: 'SAO PAULO', now: realTime() };
    const txid = newSuffix();
    const request = { txid, amount: ONE_CENT, expiresAt: realTime() + 5 * MINUTE, isRepeat: false };
    const made = await acquirer.createPix(merchant, request);
    yield { step: 'charge', ok: made.known, detail: made.known ? `txid ${txid}` : refusal };
    if (made.known) {
      const found = await acquirer.findPix(merchant, txid);
      yield { step: 'find', ok: found.known && found.value !== null, detail: found.known ? null : refusal };
      const removed = await acquirer.expirePix(merchant, txid);
      yield { step: 'remove', ok: removed.known, detail: removed.known ? null : refusal };
    }
    const registered = await registerWebhook(client, noticeUrl);
    yield { step: 'webhook', ok: registered === null, detail: registered ?? noticeUrl };
    const told = await readWebhook(client);
    yield {
      step: 'webhook registered',
      ok: told === noticeUrl,
      detail: told === noticeUrl ? null : `the acquirer has ${told ?? 'none'}`,
    };
  } finally {
    await acquirer.close();
  }
}
