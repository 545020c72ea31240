import { createPublicKey, verify } from 'node:crypto';
import { realTimeMs, SECOND_MS } from '../../../kernel/time.ts';
import { isSuccess, PspHttp } from '../http.ts';
import { type ReadKey, readWebhookKeys } from './reading.ts';

export const SIGNATURE_HEADER = 'x-webhook-asymmetric-signature';

const KEPT_MS = 86_400 * SECOND_MS;
/** Whoever sends signatures of unknown keys has the keys fetched no oftener. */
const ANEW_AFTER_MS = 60 * SECOND_MS;

/** `alg=RS256; kid=…; signature=…` in any order. */
function parse(header: string): { kid: string; signature: Buffer } | null {
  const parts = new Map(
    header.split(';').map((part) => {
      const [name = '', ...value] = part.trim().split('=');
      return [name, value.join('=')] as const;
    }),
  );
  const kid = parts.get('kid');
  const signature = parts.get('signature');
  if (parts.get('alg') !== 'RS256' || !kid || !signature) return null;
  return { kid, signature: Buffer.from(signature, 'base64url') };
}

const signs = ({ n, e, kty }: ReadKey, text: string, signature: Buffer): boolean =>
  verify('RSA-SHA256', Buffer.from(text), createPublicKey({ key: { kty, n, e }, format: 'jwk' }), signature);

/** The public keys that Pagar.me signs its webhooks with, by where it shows them. */
export class WebhookKeys {
  readonly #url: string;
  readonly #http = new PspHttp({ own: null, ca: null });
  #keys: readonly ReadKey[] = [];
  #fetchedAtMs = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Whether a text came from Pagar.me as it is; null: its keys cannot be read now. */
  async signed(text: string, header: string): Promise<boolean | null> {
    const given = parse(header);
    if (given === null) return false;
    if (this.#isOld(KEPT_MS) || (this.#of(given.kid) === undefined && this.#isOld(ANEW_AFTER_MS))) {
      if ((await this.fetch()) !== null) return null;
    }
    const key = this.#of(given.kid);
    return key !== undefined && signs(key, text, given.signature);
  }

  /** Null: they were fetched; else why not, in words for an operator. */
  async fetch(): Promise<string | null> {
    const exchange = await this.#http.exchange({
      method: 'GET',
      url: this.#url,
      headers: { accept: 'application/json' },
    });
    const keys = isSuccess(exchange) ? readWebhookKeys(exchange.body) : null;
    if (keys === null) return exchange.kind === 'answered' ? `status ${exchange.status}, and no keys` : exchange.why;
    this.#keys = keys;
    this.#fetchedAtMs = realTimeMs();
    return null;
  }

  readonly #isOld = (ms: number): boolean => realTimeMs() - this.#fetchedAtMs >= ms;

  readonly #of = (kid: string): ReadKey | undefined => this.#keys.find((key) => key.kid === kid);
}
