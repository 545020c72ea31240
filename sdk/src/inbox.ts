import type { WebhookEvent } from './webhooks.ts';

const LEASE_SECONDS = 60;
/** The service waits 15 seconds for an answer. */
const WAIT_SECONDS = 10;
const LOOK_EVERY_MS = 100;
const MEMORY_EVENTS_MAX = 100_000;

/** One try to handle one event. */
export interface InboxClaim {
  /** The event's id, `evt_…`. */
  readonly event: string;
  /** What the event tells of, such as `invoice:in_…`; the event's own id where it tells of nothing (`webhook.test`). */
  readonly object: string;
  /** Where the event stands among those of its object: `created`, then id. Compare as bytes (`COLLATE "C"`). */
  readonly position: string;
  /** Names this try; whoever claims the event anew after the lease has another. */
  readonly token: string;
  /** For how long nobody else may claim an event of this object. Seconds. */
  readonly leaseSeconds: number;
  /** Whether an event older than one of its object that was handled is refused as `stale`. */
  readonly dropsStale: boolean;
}

/**
 * What a store says to a claim: `duplicate`: this event is done; `stale`: a later one of its object is done; `busy`:
 * an event of this object is claimed and its lease runs; `claimed`: it is yours to handle.
 */
export type InboxVerdict = 'claimed' | 'duplicate' | 'stale' | 'busy';

/**
 * Where the inbox remembers what was handled; yours, so that all your processes share it. Rows may be forgotten after 40
 * days: the service sends nothing that old. What it throws makes the service send the event again.
 */
export interface InboxStore {
  /** Judges and claims in one atomic step: of two processes at once only one may be told `claimed`. */
  claim(claim: InboxClaim): Promise<InboxVerdict>;
  /** Remembers that the event was handled, and ends the claim of this `token`. */
  done(claim: InboxClaim): Promise<void>;
  /** Ends the claim of this `token`: the event was not handled. */
  release(claim: InboxClaim): Promise<void>;
}

/** Why an event was dropped: it was handled before, or a later one of its object was. */
export type InboxDrop = 'duplicate' | 'stale';

export interface EventInboxOptions {
  /** Shared by all processes that receive; `MemoryInboxStore` will do for one process that may forget. */
  store: InboxStore;
  /**
   * Called with each event that is to be handled, one at a time for each object. What it throws frees the event, and the
   * service sends it again. A process that dies within it leaves the event to be handled anew after the lease.
   */
  onEvent: (event: WebhookEvent) => Promise<void> | void;
  /**
   * What becomes of an event that comes after a later one of its object: `drop` it (the default), for receivers that copy
   * `data.object`, whose later state they have; or `handle` it once, for receivers that wait for certain types.
   */
  stale?: 'drop' | 'handle' | undefined;
  /** Told of each event that is dropped. */
  onDrop?: ((event: WebhookEvent, why: InboxDrop) => void) | undefined;
  /** For how long a process that died keeps an event from being handled by another. Seconds, default 60; longer than `onEvent` takes. */
  leaseSeconds?: number | undefined;
  /** For how long to wait while another event of the same object is handled. Seconds, default 10. */
  waitSeconds?: number | undefined;
}

/** Another event of the object was being handled for too long; answer 500, and this one is sent again. */
export class InboxBusyError extends Error {
  override readonly name = 'InboxBusyError';
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Refund parts are told under the id of their payment intent, so the kind of object counts. */
function objectOf({ id, live_mode, data }: WebhookEvent): string {
  const told = data.object as { object?: unknown; id?: unknown } | null;
  if (typeof told?.id !== 'string') return id;
  return `${live_mode ? 'live' : 'sandbox'}:${String(told.object)}:${told.id}`;
}

/**
 * Receives deliveries so that each event is handled once and none after a later one of its object, whichever process gets
 * it and however often it comes. `receive` is what the handlers want as `onEvent`.
 */
export class EventInbox {
  readonly #options: EventInboxOptions;

  constructor(options: EventInboxOptions) {
    const { store, onEvent } = options;
    if (typeof onEvent !== 'function') throw new TypeError(`onEvent must be a function, got ${typeof onEvent}`);
    if (typeof store?.claim !== 'function')
      throw new TypeError('store must be an InboxStore, such as MemoryInboxStore');
    this.#options = options;
  }

  /**
   * Handles an event or drops it; resolves when it may be answered 2xx.
   * Rejects with what `onEvent` or the store threw, or with {@link InboxBusyError}; then answer 500: it is sent again.
   */
  readonly receive = async (event: WebhookEvent): Promise<void> => {
    const { store, onEvent, onDrop } = this.#options;
    const claim = this.#claimOf(event);
    const verdict = await this.#verdictOn(claim);
    if (verdict !== 'claimed') return onDrop?.(event, verdict);
    try {
      await onEvent(event);
    } catch (error) {
      // The lease ends by itself where the store is away.
      await store.release(claim).catch(() => {});
      throw error;
    }
    await store.done(claim);
  };

  #claimOf(event: WebhookEvent): InboxClaim {
    const { leaseSeconds = LEASE_SECONDS, stale = 'drop' } = this.#options;
    return {
      event: event.id,
      object: objectOf(event),
      position: `${String(event.created).padStart(12, '0')} ${event.id}`,
      token: crypto.randomUUID(),
      leaseSeconds,
      dropsStale: stale === 'drop',
    };
  }

  async #verdictOn(claim: InboxClaim): Promise<'claimed' | InboxDrop> {
    const { store, waitSeconds = WAIT_SECONDS } = this.#options;
    const deadlineMs = Date.now() + waitSeconds * 1_000;
    for (;;) {
      const verdict = await store.claim(claim);
      if (verdict !== 'busy') return verdict;
      if (Date.now() >= deadlineMs) {
        throw new InboxBusyError(`an event of ${claim.object} has been under way for more than ${waitSeconds} s`);
      }
      await sleep(LOOK_EVERY_MS);
    }
  }
}

/** Forgets the oldest where there is one too many. */
function bound(kept: { size: number; keys(): Iterator<string>; delete(key: string): boolean }, max: number): void {
  if (kept.size <= max) return;
  const { value } = kept.keys().next();
  if (value !== undefined) kept.delete(value);
}

/** A store in the memory of one process, for tests and trials: it remembers the last 100,000 events until the process ends. */
export class MemoryInboxStore implements InboxStore {
  readonly #handled = new Set<string>();
  readonly #latest = new Map<string, string>();
  readonly #claims = new Map<string, { token: string; untilMs: number }>();

  async claim({ event, object, position, token, leaseSeconds, dropsStale }: InboxClaim): Promise<InboxVerdict> {
    if (this.#handled.has(event)) return 'duplicate';
    if (dropsStale && (this.#latest.get(object) ?? '') > position) return 'stale';
    if ((this.#claims.get(object)?.untilMs ?? 0) > Date.now()) return 'busy';
    this.#claims.set(object, { token, untilMs: Date.now() + leaseSeconds * 1_000 });
    return 'claimed';
  }

  async done(claim: InboxClaim): Promise<void> {
    const { event, object, position } = claim;
    this.#handled.add(event);
    const latest = this.#latest.get(object) ?? '';
    this.#latest.delete(object); // set anew, it is forgotten last
    this.#latest.set(object, [latest, position].sort().at(-1) ?? position);
    bound(this.#handled, MEMORY_EVENTS_MAX);
    bound(this.#latest, MEMORY_EVENTS_MAX);
    await this.release(claim);
  }

  async release({ object, token }: InboxClaim): Promise<void> {
    if (this.#claims.get(object)?.token === token) this.#claims.delete(object);
  }
}
