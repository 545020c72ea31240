import { type PspExchange, PspHttp, refusedCall, unbookedCall } from '../http.ts';
import type { PspRefusal } from '../port.ts';
import { readRefusal } from './reading.ts';
import { type PagarmeSettings, pagarmeUrls } from './settings.ts';

/** One call of Pagar.me's core API. */
export interface PagarmeCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Each segment is escaped. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Under which a repeat within a day answers the first result. */
  readonly idempotencyKey?: string;
  readonly withinMs?: number;
}

/** Calls Pagar.me for one merchant. */
export class PagarmeClient {
  readonly settings: PagarmeSettings;
  readonly #http = new PspHttp({ own: null, ca: null });
  readonly #base: string;
  readonly #authorization: string;
  readonly #onRefusal: (refusal: PspRefusal) => void;

  constructor(settings: PagarmeSettings, onRefusal: (refusal: PspRefusal) => void = () => {}) {
    this.settings = settings;
    this.#onRefusal = onRefusal;
    this.#base = pagarmeUrls(settings).base;
    this.#authorization = `Basic ${Buffer.from(`${settings.secretKey}:`).toString('base64')}`;
  }

  async call(call: PagarmeCall): Promise<PspExchange> {
    const { method, path, body, idempotencyKey, withinMs } = call;
    const headers: Record<string, string> = { accept: 'application/json', authorization: this.#authorization };
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const exchange = await this.#http.exchange({
      method,
      url: this.#urlOf(call),
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(withinMs === undefined ? {} : { withinMs }),
    });
    const refused = refusedCall(exchange, { call: `${method} ${path[0]}`, tell: this.tell });
    if (refused !== null) this.#onRefusal(refused);
    return exchange;
  }

  /** What a browser sends of a card, without the card: whether a page of ours may send any. */
  tokenize(origin: string): Promise<PspExchange> {
    return this.#http.exchange({
      method: 'POST',
      url: tokensUrl(this.settings),
      headers: { accept: 'application/json', 'content-type': 'application/json', origin },
      body: JSON.stringify({ type: 'card', card: {} }),
    });
  }

  /** An answer that a program cannot read, or that contradicts another, is told to an operator: nothing is booked by it. */
  tellOperator(call: string, why: string): void {
    this.#onRefusal(unbookedCall(call, why));
  }

  /** How a call ended, in words for an operator. */
  tell(exchange: PspExchange): string {
    if (exchange.kind !== 'answered') return exchange.why;
    const said = readRefusal(exchange.body);
    return said === null ? `status ${exchange.status}` : `status ${exchange.status}: ${said}`;
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  #urlOf({ path, query }: PagarmeCall): string {
    const url = new URL(`${this.#base}/${path.map(encodeURIComponent).join('/')}`);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    return url.href;
  }
}

/** Where a browser sends a card: the merchant is named in the query, and nothing else proves it. */
export const tokensUrl = (settings: PagarmeSettings): string => {
  const url = new URL(`${pagarmeUrls(settings).base}/tokens`);
  url.searchParams.set('appId', settings.publicKey);
  return url.href;
};
