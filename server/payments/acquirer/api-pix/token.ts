import { realTimeMs, SECOND_MS } from '../../../kernel/time.ts';
import { isSuccess, type PspHttp } from '../http.ts';
import type { TokenStyle } from './profiles.ts';
import { readProblem, readToken } from './reading.ts';

/** Where a PSP does not say how long a token lasts. */
const SECONDS_DEFAULT = 240;
/** A token is renewed so long before its end, or after half its life. */
const MARGIN_SECONDS = 30;
/** After a refusal no other token is asked for, twice as long each time: PSPs lock out addresses that ask on and on. */
const REFUSED_PAUSE_MS = SECOND_MS;
const REFUSED_PAUSE_MAX_MS = 60 * SECOND_MS;

export interface TokenClient {
  readonly url: string;
  readonly style: TokenStyle;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly scopes: readonly string[] | null;
}

export type TokenAnswer =
  | { readonly token: string; readonly scopes: readonly string[] | null }
  /** Without a token nothing can have happened. */
  | { readonly token: null; readonly why: string };

interface Kept {
  readonly answer: Promise<TokenAnswer>;
  untilMs: number;
}

/** Keeps the access token of one client: asked for once, however many wait for it, and renewed before it ends. */
export class AccessToken {
  readonly #http: PspHttp;
  readonly #client: TokenClient;
  #kept: Kept | null = null;
  #refusals = 0;

  constructor(http: PspHttp, client: TokenClient) {
    this.#http = http;
    this.#client = client;
  }

  get(): Promise<TokenAnswer> {
    if (this.#kept !== null && realTimeMs() < this.#kept.untilMs) return this.#kept.answer;
    // Until it answers, everybody waits for the same.
    const { promise, resolve } = Promise.withResolvers<TokenAnswer>();
    const kept: Kept = { answer: promise, untilMs: Number.POSITIVE_INFINITY };
    void this.#ask().then(({ answer, untilMs }) => {
      kept.untilMs = untilMs;
      resolve(answer);
    });
    this.#kept = kept;
    return kept.answer;
  }

  /** The PSP does not take this token any more, whatever it said of its life. */
  forget(token: string): Promise<void> {
    const kept = this.#kept;
    return kept === null
      ? Promise.resolve()
      : kept.answer.then((answer) => {
          if (answer.token === token && this.#kept === kept) this.#kept = null;
        });
  }

  async #ask(): Promise<{ answer: TokenAnswer; untilMs: number }> {
    const exchange = await this.#http.exchange({
      method: 'POST',
      url: this.#client.url,
      ...tokenRequest(this.#client),
    });
    const nowMs = realTimeMs();
    if (isSuccess(exchange)) {
      const read = readToken(exchange.body);
      if (read !== null) {
        this.#refusals = 0;
        const seconds = read.seconds ?? SECONDS_DEFAULT;
        const untilMs = nowMs + Math.max(seconds - MARGIN_SECONDS, seconds / 2) * SECOND_MS;
        return { answer: { token: read.value, scopes: read.scopes }, untilMs };
      }
    }
    const isRefused = exchange.kind === 'answered' && exchange.status >= 400 && exchange.status < 500;
    const pauseMs = Math.min(REFUSED_PAUSE_MAX_MS, REFUSED_PAUSE_MS * 2 ** this.#refusals);
    if (isRefused) this.#refusals += 1;
    const untilMs = isRefused ? nowMs + pauseMs : nowMs;
    return { answer: { token: null, why: refusalOf(exchange) }, untilMs };
  }
}

function refusalOf(exchange: Awaited<ReturnType<PspHttp['exchange']>>): string {
  if (exchange.kind !== 'answered') return `the token endpoint does not answer (${exchange.why})`;
  const said = readProblem(exchange.body);
  return `the token endpoint answered ${exchange.status}${said === null ? '' : `: ${said}`}`;
}

const GRANT = { grant_type: 'client_credentials' };

function tokenRequest({ style, clientId, clientSecret, scopes }: TokenClient): {
  headers: Record<string, string>;
  body: string;
} {
  const wanted = { ...GRANT, ...(scopes === null ? {} : { scope: scopes.join(' ') }) };
  const accept = { accept: 'application/json' };
  const form = { ...accept, 'content-type': 'application/x-www-form-urlencoded' };
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret ?? ''}`).toString('base64')}`;
  switch (style) {
    case 'basic_form':
      return { headers: { ...form, authorization: basic }, body: String(new URLSearchParams(wanted)) };
    case 'basic_json':
      return {
        headers: { ...accept, 'content-type': 'application/json', authorization: basic },
        body: JSON.stringify(wanted),
      };
    case 'form':
      return {
        headers: form,
        body: String(new URLSearchParams({ ...wanted, client_id: clientId, client_secret: clientSecret ?? '' })),
      };
    case 'form_without_secret':
      return { headers: form, body: String(new URLSearchParams({ ...wanted, client_id: clientId })) };
  }
}
