import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Merchant } from './books.ts';
import type { PagarmeTroubles, TroubleKind } from './troubles.ts';

interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: object;
}

const RSA_BITS = 2_048;
const TIMEOUT_MS = 5_000;
/** After a webhook that was not taken. */
const RETRIES_MS = [100, 400, 1_600] as const;

function newKey(kid: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: RSA_BITS });
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } };
}

/** Sends webhooks, each signed over the bytes of its body, and shows the public keys. */
export class Hooks {
  readonly #troubles: PagarmeTroubles;
  readonly #now: () => number;
  readonly #inFlight = new Set<Promise<void>>();
  #keys: readonly SigningKey[] = [newKey('key-1')];
  readonly #hidden = newKey('key-of-nobody');
  #isClosed = false;

  constructor(troubles: PagarmeTroubles, now: () => number) {
    this.#troubles = troubles;
    this.#now = now;
  }

  jwks(): object {
    return { keys: this.#keys.map(({ jwk }) => jwk) };
  }

  /** A new key signs from now on; the former ones are shown for a while. */
  rotate(): void {
    this.#keys = [newKey(`key-${this.#keys.length + 1}`), ...this.#keys];
  }

  tell(merchant: Merchant, type: string, data: object): void {
    const { hookUrl } = merchant;
    if (hookUrl === null || this.#strikes('hook_none', merchant) !== null) return;
    const times = this.#strikes('hook_twice', merchant) === null ? 1 : 2;
    const hook = { id: merchant.id('hook'), type, url: hookUrl, answers: [] };
    merchant.hooks.push(hook);
    const account = { id: merchant.accountId, name: 'Loja' };
    const body = JSON.stringify({ id: hook.id, account, type, created_at: new Date(this.#now()).toISOString(), data });
    for (let each = 0; each < times; each += 1) {
      const sending = this.#send(merchant, hook, body).finally(() => this.#inFlight.delete(sending));
      this.#inFlight.add(sending);
    }
  }

  #strikes(kind: TroubleKind, { secretKey }: Merchant) {
    return this.#troubles.strikes(kind, { merchant: secretKey, operation: 'hook' });
  }

  async #send(merchant: Merchant, hook: { url: string; answers: (number | string)[] }, body: string): Promise<void> {
    const lateMs = this.#strikes('hook_late', merchant)?.milliseconds ?? 0;
    const isUnknown = this.#strikes('hook_unknown_key', merchant) !== null;
    const isForged = this.#strikes('hook_forged', merchant) !== null;
    const key = isUnknown ? this.#hidden : (this.#keys[0] ?? this.#hidden);
    const signature = sign('RSA-SHA256', Buffer.from(body), key.privateKey).toString('base64url');
    const headers = {
      'content-type': 'application/json',
      'x-webhook-asymmetric-signature': `alg=RS256; kid=${key.kid}; signature=${signature}`,
    };
    await sleep(lateMs);
    for (const waitMs of [...RETRIES_MS, null]) {
      if (this.#isClosed) return;
      const answer = await this.#post(hook.url, headers, isForged ? body.replace('"charge.', '"charge.x') : body);
      hook.answers.push(answer);
      if (waitMs === null || (typeof answer === 'number' && answer < 300)) return;
      await sleep(waitMs);
    }
  }

  async #post(url: string, headers: Record<string, string>, body: string): Promise<number | string> {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await request(url, { method: 'POST', headers, body, signal });
      await answer.body.dump();
      return answer.statusCode;
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : 'failed';
    }
  }

  /** Until every webhook that was to be sent has been answered or given up. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.settled();
  }
}
