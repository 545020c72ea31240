import { isIP } from 'node:net';
import { codeOf } from '../../../kernel/errors.ts';
import type { Lookup, ResolvedAddress } from './name-lookup.ts';

/** A name with the account on whose behalf it is looked up. */
export type NameQuestion = { hostname: string; accountId: string; liveMode: boolean };

/** The host's name does not resolve, or was not looked up. */
export class UnresolvedName extends Error {
  override readonly name = 'UnresolvedName';
}

/** Names of one account and mode: its endpoints there, and what it registers meanwhile. */
const ACCOUNT_MAX = 8;
const UNDER_WAY_MAX = 256;
const WAITING_MAX = 2_048;
/** Less than the first step of a ladder, so that no attempt fails by the answer that the one before it got. */
const UNRESOLVED_KEPT_MS = 10_000;
const UNRESOLVED_MAX = 4_096;

/**
 * Looks names up, so many at once for an account and for all of them: an account that has reached its bound is told so
 * without a look-up, beyond the bound of all a look-up waits for its turn.
 *
 * Concurrent questions about one name share one look-up. An address is asked for anew each time; that there is none is
 * remembered for a short while.
 */
export class NameResolver {
  readonly #lookup: Lookup;
  readonly #timeoutMs: number;
  readonly #asked = new Map<string, Promise<ResolvedAddress[]>>();
  readonly #askedBy = new Map<string, number>();
  readonly #unresolved = new Map<string, { error: UnresolvedName; atMs: number }>();
  readonly #waiting = new Set<() => void>();
  #underWay = 0;

  constructor(options: { lookup: Lookup; timeoutMs: number }) {
    this.#lookup = options.lookup;
    this.#timeoutMs = options.timeoutMs;
  }

  /** Every address of a host, or throws `UnresolvedName`. */
  async resolve(question: NameQuestion): Promise<ResolvedAddress[]> {
    const { hostname } = question;
    const family = isIP(hostname);
    if (family !== 0) return [{ address: hostname, family }];
    const unresolved = this.#recallUnresolved(hostname);
    if (unresolved !== null) throw unresolved;
    const asked = this.#asked.get(hostname);
    if (asked !== undefined) return asked;
    const leave = this.#enter(question);
    const answer = this.#ask(hostname).finally(() => {
      this.#asked.delete(hostname);
      leave();
    });
    this.#asked.set(hostname, answer);
    return answer;
  }

  #recallUnresolved(hostname: string): UnresolvedName | null {
    const known = this.#unresolved.get(hostname);
    if (known === undefined) return null;
    if (performance.now() - known.atMs < UNRESOLVED_KEPT_MS) return known.error;
    this.#unresolved.delete(hostname);
    return null;
  }

  #enter({ hostname, accountId, liveMode }: NameQuestion): () => void {
    const asker = `${liveMode ? 'live' : 'sandbox'} ${accountId}`;
    const count = this.#askedBy.get(asker) ?? 0;
    if (count >= ACCOUNT_MAX) {
      throw new UnresolvedName(`${hostname} was not looked up: ${count} other names of the account do not answer`);
    }
    if (this.#waiting.size >= WAITING_MAX) throw new UnresolvedName(`${hostname} was not looked up: too many wait`);
    this.#askedBy.set(asker, count + 1);
    return () => {
      const left = (this.#askedBy.get(asker) ?? 0) - 1;
      if (left > 0) this.#askedBy.set(asker, left);
      else this.#askedBy.delete(asker);
    };
  }

  async #ask(hostname: string): Promise<ResolvedAddress[]> {
    const end = new AbortController();
    const late = new UnresolvedName(`${hostname} did not resolve within ${this.#timeoutMs} ms`);
    const timer = setTimeout(() => end.abort(late), this.#timeoutMs);
    try {
      await this.#takeTurn(end.signal);
      try {
        return await untilAborted(end.signal, addressesOf(hostname, this.#lookup(hostname, end.signal)));
      } catch (error) {
        if (error instanceof UnresolvedName) this.#remember(hostname, error);
        throw error;
      } finally {
        this.#endTurn();
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #takeTurn(signal: AbortSignal): Promise<void> {
    if (this.#underWay < UNDER_WAY_MAX) {
      this.#underWay += 1;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    signal.addEventListener('abort', () => {
      if (this.#waiting.delete(resolve)) reject(signal.reason);
    });
    return promise;
  }

  #endTurn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#underWay -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }

  #remember(hostname: string, error: UnresolvedName): void {
    this.#unresolved.delete(hostname); // to the end: the map is in the order of the answers
    this.#unresolved.set(hostname, { error, atMs: performance.now() });
    const [oldest] = this.#unresolved.keys();
    if (this.#unresolved.size > UNRESOLVED_MAX && oldest !== undefined) this.#unresolved.delete(oldest);
  }
}

async function addressesOf(hostname: string, lookup: Promise<ResolvedAddress[]>): Promise<ResolvedAddress[]> {
  let resolved: ResolvedAddress[];
  try {
    resolved = await lookup;
  } catch (cause) {
    throw new UnresolvedName(`${hostname} does not resolve: ${codeOf(cause) ?? 'unknown error'}`, { cause });
  }
  if (resolved.length === 0) throw new UnresolvedName(`${hostname} has no address`);
  return resolved;
}

function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return Promise.race([work, promise]);
}
