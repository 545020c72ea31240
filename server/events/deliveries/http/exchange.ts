import type { Dispatcher } from 'undici';
import { retryAfterSeconds } from '../../../kernel/retry-after.ts';
import { oneLine } from '../../../kernel/text.ts';
import type { ConnectionPool, ReceiverConnection } from './connection-pool.ts';
import { bounded, describe, failureOf, isClosedByPeer, lateDial, type SendFailure } from './failures.ts';
import type { Target } from './target-url.ts';

/** What came of one delivery attempt; only a 2xx answer is `ok`. `answer` is the beginning of its body, if it had one. */
export type SendResult =
  | { ok: true; status: number; durationMs: number; answer: string | null }
  | {
      ok: false;
      failure: SendFailure;
      status: number | null;
      durationMs: number;
      /** What a 429 or 503 asked for. */
      retryAfterSeconds: number | null;
      /** For the endpoint's owner: bounded, printable, fit for the database. */
      detail: string;
      answer: string | null;
    };

/** How long each stage may take. */
export type ExchangeLimits = { connectTimeoutMs: number; responseTimeoutMs: number; bodyTimeoutMs: number };

type Content = { headers: Record<string, string>; body: string | Uint8Array };

const DRAINED_BYTES_MAX = 64 * 1_024;
/** Of the whole answer: announcements, headers and trailers may be without end as well. */
const ANSWER_BYTES_MAX = 2 * DRAINED_BYTES_MAX;
/** Characters of an answer that its owner is shown. */
const ANSWER_MAX = 1_024;
const EXCERPT_BYTES_MAX = 4 * ANSWER_MAX; // no character has more bytes in UTF-8

/**
 * One POST and its answer, from the dial to the result.
 *
 * The answer is known when its headers are. The body is read only to keep the connection and to quote from a refusal:
 * one that is too long or too slow costs the connection, never the result.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #pool: ConnectionPool;
  readonly #limits: ExchangeLimits;
  readonly #target: Target;
  readonly #content: Content;
  readonly #hides: (address: string) => boolean;
  readonly #resolve: (result: SendResult) => void;
  readonly #startedAt = performance.now();
  #connection: ReceiverConnection;
  #timer: NodeJS.Timeout | undefined;
  #isLastTimer = false;
  #settled = false;
  #answered = false;
  #status: number | null = null;
  #remoteAddress: string | null = null;
  #answeredAt = 0;
  #retryAfterSeconds: number | null = null;
  #received = 0;
  #excerpt: Buffer[] = [];

  constructor(options: {
    pool: ConnectionPool;
    limits: ExchangeLimits;
    target: Target;
    delivery: Content;
    /** Whether what an address answers is nobody's but the operator's. */
    hides: (address: string) => boolean;
    resolve: (result: SendResult) => void;
  }) {
    this.#pool = options.pool;
    this.#limits = options.limits;
    this.#target = options.target;
    this.#content = options.delivery;
    this.#hides = options.hides;
    this.#resolve = options.resolve;
    this.#connection = this.#pool.take(this.#target);
  }

  /** Sends the request over the connection; calls back with the result exactly once. */
  start(): void {
    const isNew = this.#connection.served === 0;
    this.#arm(isNew ? this.#limits.connectTimeoutMs : this.#limits.responseTimeoutMs);
    this.#connection.bound(ANSWER_BYTES_MAX);
    const { headers, body } = this.#content;
    this.#connection.client.dispatch({ path: this.#target.path, method: 'POST', headers, body }, this);
  }

  onRequestStart(): void {
    this.#remoteAddress = this.#connection.socket?.remoteAddress ?? null;
    if (!this.#settled && this.#connection.served === 0) this.#arm(this.#limits.responseTimeoutMs); // connected
  }

  onResponseStarted(): void {
    this.#answered = true;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#settled || status < 200) return; // 1xx announces the answer
    this.#status = status;
    this.#answeredAt = performance.now();
    if (status === 429 || status === 503) this.#retryAfterSeconds = retryAfterSeconds(headers);
    this.#arm(this.#limits.bodyTimeoutMs);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    if (this.#received < EXCERPT_BYTES_MAX && this.#status !== null) this.#excerpt.push(chunk);
    this.#received += chunk.length;
    if (this.#received > DRAINED_BYTES_MAX) this.#settleByStatus({ keepConnection: false });
  }

  onResponseEnd(): void {
    if (!this.#settled) this.#settleByStatus({ keepConnection: true });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#settled) return;
    // A receiver may close a kept-alive connection just as we write to it. It cannot have answered; if it worked all
    // the same, it knows the repeat by its webhook-id. The repeat goes over a connection that has served nothing, so
    // it is the only one.
    const isStale = this.#connection.served > 0 && !this.#answered && isClosedByPeer(error);
    if (this.#status !== null) this.#settleByStatus({ keepConnection: false });
    else if (isStale) this.#retry();
    else this.#fail(failureOf(error, this.#connection), describe(error));
  }

  #retry(): void {
    const stale = this.#connection;
    this.#connection = this.#pool.open(this.#target);
    this.#pool.discard(stale);
    this.start();
  }

  #arm(delayMs: number): void {
    clearTimeout(this.#timer);
    const leftMs = this.#startedAt + this.#limits.responseTimeoutMs - performance.now();
    this.#isLastTimer = leftMs <= delayMs;
    this.#timer = setTimeout(() => this.#onTimeout(), Math.max(0, Math.min(delayMs, leftMs)));
  }

  #onTimeout(): void {
    if (this.#status !== null) this.#settleByStatus({ keepConnection: false });
    else if (this.#isLastTimer) this.#fail('timeout', `no answer within ${this.#limits.responseTimeoutMs} ms`);
    else this.#fail(...lateDial(this.#connection.stage, this.#target.hostname, this.#limits.connectTimeoutMs));
  }

  #settleByStatus({ keepConnection }: { keepConnection: boolean }): void {
    const status = this.#status ?? 0; // callers know it
    const durationMs = Math.round(this.#answeredAt - this.#startedAt);
    const address = this.#remoteAddress;
    const quoted = address === null || this.#hides(address) ? '' : quote(this.#excerpt);
    const answer = quoted === '' ? null : bounded(quoted, ANSWER_MAX);
    if (status < 300) {
      this.#settle({ ok: true, status, durationMs, answer }, keepConnection);
      return;
    }
    const failure = status < 400 ? 'redirect_refused' : 'http_status';
    const isQuoted = quoted !== '' && status >= 400;
    const detail = bounded(isQuoted ? `HTTP ${status}: ${quoted}` : `HTTP ${status}`);
    const retryAfterSeconds = this.#retryAfterSeconds;
    this.#settle({ ok: false, failure, status, durationMs, retryAfterSeconds, detail, answer }, keepConnection);
  }

  #fail(failure: SendFailure, detail: string): void {
    const durationMs = Math.round(performance.now() - this.#startedAt);
    this.#settle(
      {
        ok: false,
        failure,
        status: null,
        durationMs,
        retryAfterSeconds: null,
        detail: bounded(detail),
        answer: null,
      },
      false,
    );
  }

  #settle(result: SendResult, keepConnection: boolean): void {
    this.#settled = true;
    clearTimeout(this.#timer);
    if (keepConnection) this.#pool.release(this.#connection);
    else this.#pool.discard(this.#connection);
    this.#resolve(result);
  }
}

/** The beginning of an answer's body, without a character that the cut left half. */
function quote(chunks: readonly Buffer[]): string {
  const bytes = Buffer.concat(chunks).subarray(0, EXCERPT_BYTES_MAX);
  return oneLine(new TextDecoder().decode(bytes, { stream: true }));
}
