import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { HEAVY, type LimitName, limitOf, QUEUE_TIMEOUT_MS } from '../admission/limits.ts';
import type { Overload } from '../admission/overload.ts';
import { type Caller, callerKey, workFor } from '../admission/tenant.ts';
import type { Deps } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { FairSemaphore, NoPermit, type Release } from '../kernel/fair-semaphore.ts';
import { isLive, modeOf, type PerMode, perMode } from '../kernel/mode.ts';
import { mostBytesOf, SMALL_BODY_BYTES } from './body.ts';
import type { IdempotentRunner } from './idempotency.ts';
import { tellLimit } from './rate-limit-headers.ts';
import { asyncMiddleware, routeOf } from './request.ts';
import { zodOf } from './request-schema.ts';

/** The limit of a caller's requests in flight. */
const limitNames = { merchant: 'inflight', buyer: 'buyers', acquirer: 'notices' } as const satisfies Record<
  Caller['by'],
  LimitName
>;

/** What a refused client is told to wait. */
const RETRY_SECONDS = 1;

const semaphoresOf = (limit: LimitName): PerMode<FairSemaphore> =>
  perMode((mode) => {
    const of = { liveMode: isLive(mode) };
    return new FairSemaphore({ each: limitOf(limit, of), queue: limitOf('queue', of), timeoutMs: QUEUE_TIMEOUT_MS });
  });

/** A request in flight: it ends when its work has come to its end and its answer has left, or nobody takes it. */
class InFlight {
  readonly #release: Release;
  #parts = 1;
  #endHeavy: Release = () => {};

  constructor(response: Response, release: Release) {
    this.#release = release;
    if (response.closed) this.#endPart();
    else response.once('close', () => this.#endPart());
  }

  /** Holds a permit for heavy work, until the work or the request ends. */
  hold(release: Release): void {
    if (this.#parts === 0) release();
    else this.#endHeavy = release;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#parts += 1;
    try {
      return await work();
    } finally {
      this.#endHeavy();
      this.#endPart();
    }
  }

  /** From here on the request waits, and does next to nothing. */
  leave(): void {
    this.#endHeavy();
    this.#release();
  }

  #endPart(): void {
    this.#parts -= 1;
    if (this.#parts === 0) this.leave();
  }
}

/** Pages follow one another by cursors; so does the feed. */
function isList(request: Request): boolean {
  const query = zodOf(routeOf(request).query);
  return query instanceof z.ZodObject && ('starting_after' in query.shape || 'cursor' in query.shape);
}

/** A list, or an answer of which its route says that it may be as large. */
const isLarge = (request: Request): boolean => isList(request) || routeOf(request).metadata.heavy === true;

const weightOf = (request: Request): number =>
  isLarge(request) || mostBytesOf(request.headers) > SMALL_BODY_BYTES ? HEAVY : 1;

/**
 * A tenant has one list worked on at a time, and one large body, since each can keep a core busy by itself. They are counted
 * apart: a body may come slowly.
 */
const HEAVY_AT_ONCE = { each: 1, timeoutMs: QUEUE_TIMEOUT_MS } as const;

/** The semaphores of callers; what has no permit left is refused. */
function createPermits({ metrics }: Pick<Deps, 'metrics'>) {
  const semaphores = {
    merchant: semaphoresOf('inflight'),
    buyer: semaphoresOf('buyers'),
    acquirer: semaphoresOf('notices'),
  };
  const heavy = new FairSemaphore(HEAVY_AT_ONCE);
  const semaphoreOf = (caller: Caller): FairSemaphore => semaphores[caller.by][modeOf(caller)];

  const refusal = (caller: Caller, { why }: NoPermit): BillingError => {
    const limit = why === 'full' ? 'queue' : limitNames[caller.by];
    metrics.limits.refuse(limit, caller);
    const most = limitOf(limit, caller);
    const what =
      why === 'full' ? `${most} are queued already` : `none of ${most} ended in ${QUEUE_TIMEOUT_MS / 1_000} s`;
    const message = `Too many concurrent requests of this account in this mode: ${what}. Repeat in ${RETRY_SECONDS} s`;
    return new BillingError('RATE_LIMITED', { message, retryAfterSeconds: RETRY_SECONDS });
  };
  const refusing = (caller: Caller, acquired: Promise<Release>): Promise<Release> =>
    acquired.catch((error: unknown) => {
      throw error instanceof NoPermit ? refusal(caller, error) : error;
    });

  return {
    left: (caller: Caller): number => Math.max(0, semaphoreOf(caller).left(callerKey(caller))),
    take: (caller: Caller, weight: number) => refusing(caller, semaphoreOf(caller).acquire(callerKey(caller), weight)),
    takeHeavy: (caller: Caller, what: 'list' | 'body') =>
      refusing(caller, heavy.acquire(`${callerKey(caller)} ${what}`)),
  };
}

/** Holds each tenant to its requests in flight, and all of them to what the process can do (docs/design/admission.md). */
export function createAdmission(deps: Pick<Deps, 'metrics'>, overload: Overload) {
  const permits = createPermits(deps);
  const inFlight = new WeakMap<Request, InFlight>();

  const begin = async (request: Request, caller: Caller, weight: number): Promise<InFlight> => {
    const { res: response } = request;
    if (response === undefined) throw new Error('a request without its answer');
    const begun = new InFlight(response, await permits.take(caller, weight));
    const leave = (): void => begun.leave();
    request.leave = leave;
    inFlight.set(request, begun);
    return begun;
  };

  const work = <T>(request: Request, caller: Caller, what: () => Promise<T>): Promise<T> => {
    const run = () => workFor(callerKey(caller), what);
    return inFlight.get(request)?.run(run) ?? run();
  };

  /** Behind the authentication, and before a body is read. */
  const admitKeys: RequestHandler = asyncMiddleware(async (request, response) => {
    overload.admit('keys');
    const { accountId, liveMode } = request.identity;
    const caller: Caller = { accountId, liveMode, by: 'merchant' };
    const weight = weightOf(request);
    tellLimit(response, {
      policy: `"inflight";q=${limitOf('inflight', caller)};qu="concurrent-requests"`,
      left: `"inflight";r=${Math.max(0, permits.left(caller) - weight)}`,
    });
    const begun = await begin(request, caller, weight);
    if (weight === HEAVY) begun.hold(await permits.takeHeavy(caller, isLarge(request) ? 'list' : 'body'));
  });

  return {
    admitKeys,
    /** Does what is asked for with a link, or by a callback. */
    async run<T>(request: Request, caller: Caller, what: () => Promise<T>): Promise<T> {
      const isBuyer = caller.by === 'buyer';
      if (isBuyer) overload.admit('links');
      await begin(request, caller, isBuyer && request.method === 'GET' ? HEAVY : 1);
      return work(request, caller, what);
    },
    /** A runner of requests whose connections are counted as the caller's. */
    runnerFor:
      (runner: IdempotentRunner, by: Caller['by']): IdempotentRunner =>
      (request, response, handle) => {
        const { accountId, liveMode } = request.identity;
        return work(request, { accountId, liveMode, by }, () => runner(request, response, handle));
      },
  };
}

export type Admission = ReturnType<typeof createAdmission>;
