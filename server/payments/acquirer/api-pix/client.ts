import { isAbsent, isSuccess, type PspExchange, PspHttp, refusedCall, unbookedCall, unknownBy } from '../http.ts';
import type { AcquirerAnswer, PspRefusal } from '../port.ts';
import { type PspProfile, profileOf, scopesOf } from './profiles.ts';
import { readProblem } from './reading.ts';
import { type ApiPixSettings, type PspUrls, urlsOf } from './settings.ts';
import { AccessToken, type TokenAnswer } from './token.ts';

const UNAUTHORIZED = 401;

/** One call of API Pix. */
export interface PspCall {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST';
  readonly resource: keyof PspProfile['paths'];
  /** What follows the resource, each segment escaped. */
  readonly segments: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Calls one PSP for one client: token, certificate, and what its profile adds. */
export class PspClient {
  readonly settings: ApiPixSettings;
  readonly #http: PspHttp;
  readonly #token: AccessToken;
  readonly #urls: PspUrls;
  readonly #profile: PspProfile;
  readonly #onRefusal: (refusal: PspRefusal) => void;

  constructor(settings: ApiPixSettings, onRefusal: (refusal: PspRefusal) => void = () => {}) {
    const { certificate, key, ca, clientId, clientSecret } = settings;
    this.settings = settings;
    this.#onRefusal = onRefusal;
    this.#profile = profileOf(settings.profile);
    this.#urls = urlsOf(settings);
    this.#http = new PspHttp({ own: { certificate, key }, ca });
    const { tokenStyle: style } = this.#profile;
    const scopes = scopesOf(settings);
    this.#token = new AccessToken(this.#http, { url: this.#urls.token, style, scopes, clientId, clientSecret });
  }

  /** The token as a test of the settings shows it. */
  token(): Promise<TokenAnswer> {
    return this.#token.get();
  }

  /** A token that the PSP no longer takes is renewed once: it refused the call, so nothing happened. */
  async call(call: PspCall): Promise<PspExchange> {
    const exchange = await this.#callRenewing(call);
    const refused = refusedCall(exchange, { call: `${call.method} ${call.resource}`, tell: this.tell });
    if (refused !== null) this.#onRefusal(refused);
    return exchange;
  }

  /** One thing as the PSP has it; null: it has none. */
  async find<T>(
    of: Pick<PspCall, 'resource' | 'segments' | 'query'>,
    read: (body: unknown) => T | null,
  ): Promise<AcquirerAnswer<T | null>> {
    const exchange = await this.call({ method: 'GET', ...of });
    if (isAbsent(exchange)) return { known: true, value: null };
    const found = isSuccess(exchange) ? read(exchange.body) : null;
    if (found === null && isSuccess(exchange)) this.unreadable(`GET ${of.resource}`);
    return found === null ? unknownBy(exchange) : { known: true, value: found };
  }

  /** An answer that a program cannot read is told to an operator: nothing is booked by it. */
  unreadable(call: string): void {
    this.#onRefusal(unbookedCall(call, 'the answer cannot be read'));
  }

  /** How a call ended, in words for an operator. */
  tell(exchange: PspExchange): string {
    if (exchange.kind !== 'answered') return exchange.why;
    const said = readProblem(exchange.body);
    return said === null ? `status ${exchange.status}` : `status ${exchange.status}: ${said}`;
  }

  async #callRenewing(call: PspCall): Promise<PspExchange> {
    const first = await this.#callOnce(call);
    if (first.exchange.kind !== 'answered' || first.exchange.status !== UNAUTHORIZED || first.token === null)
      return first.exchange;
    await this.#token.forget(first.token);
    return (await this.#callOnce(call)).exchange;
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  async #callOnce(call: PspCall): Promise<{ exchange: PspExchange; token: string | null }> {
    const answer = await this.#token.get();
    if (answer.token === null) return { exchange: { kind: 'not_sent', why: answer.why }, token: null };
    const headers = { ...this.#headers(), ...call.headers, authorization: `Bearer ${answer.token}` };
    const { method, body } = call;
    const exchange = await this.#http.exchange({
      method,
      url: this.#urlOf(call),
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { exchange, token: answer.token };
  }

  #headers(): Record<string, string> {
    const { clientIdHeader, extras } = this.#profile;
    const headers: Record<string, string> = { accept: 'application/json' };
    if (clientIdHeader !== null) headers[clientIdHeader] = this.settings.clientId;
    for (const { name, as } of extras) {
      const value = this.settings.extras[name];
      if ('header' in as && value !== undefined) headers[as.header] = value;
    }
    return headers;
  }

  #urlOf({ resource, segments, query }: PspCall): string {
    const path = [this.#profile.paths[resource], ...segments.map(encodeURIComponent)].join('/');
    const url = new URL(this.#urls.base + path);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    for (const { name, as } of this.#profile.extras) {
      const value = this.settings.extras[name];
      if ('query' in as && value !== undefined) url.searchParams.set(as.query, value);
    }
    return url.href;
  }
}
