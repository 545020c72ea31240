/** How many exchanges may be in flight at once. */
export interface WindowLimits {
  /** With receivers that answer quickly: however many others there are, these have room of their own. */
  readonly quick: number;
  /** With receivers of which nothing is known yet, beside those that turned out to be slow. */
  readonly unknown: number;
  /** With receivers that keep us waiting: however many there are, new ones have room beside them. */
  readonly slow: number;
  /** With one receiver: until its first answer, at most while it is quick, at most while it is slow, and at least. */
  readonly endpoint: { readonly first: number; readonly quick: number; readonly slow: number; readonly least: number };
  /** With all receivers of one account: it has several, and they must not make up the room of all. */
  readonly account: { readonly quick: number; readonly slow: number };
  /** An answer that takes longer makes a receiver slow. */
  readonly slowAfterMs: number;
}

/** The window of a mode. */
export const WINDOW_LIMITS: WindowLimits = {
  quick: 512,
  unknown: 512,
  slow: 512,
  endpoint: { first: 8, quick: 128, slow: 32, least: 2 },
  account: { quick: 256, slow: 96 },
  slowAfterMs: 1_000,
};

const FORGOTTEN_AFTER_MS = 600_000;
const ENDPOINTS_MAX = 10_000;

/** What is known of how soon a receiver answers. */
type Speed = 'quick' | 'unknown' | 'slow';

/** Who is sent to. */
export interface Receiver {
  readonly endpointId: string;
  readonly accountId: string;
  /** Its last attempts failed. */
  readonly unwell: boolean;
}

interface EndpointState {
  readonly accountId: string;
  /** When each exchange in flight began, oldest first. */
  readonly inFlight: Map<number, number>;
  limit: number;
  speed: Speed;
  usedAtMs: number;
}

/** An exchange that waits for room. */
interface Waiting {
  readonly receiver: Receiver;
  readonly begun: (ticket: number) => void;
}

/** How many more may begin, in all and with each account that has some in flight. */
interface Rooms extends Record<Speed, number> {
  readonly accounts: Map<string, { quick: number; slow: number }>;
}

/** What the next claim may take: of each known endpoint, of any other one, and together. */
export interface Allowances {
  readonly total: number;
  readonly byEndpoint: Record<string, number>;
  readonly byDefault: number;
  /** Of any other one whose last attempts failed. */
  readonly byDefaultUnwell: number;
}

/** How an exchange ended, as far as the window cares. */
export interface ExchangeEnd {
  readonly durationMs: number;
  /** Whether the receiver answered at all, whatever it said. */
  readonly answered: boolean;
}

/**
 * Bounds what is in flight to each receiver, to those of each account, and in all.
 *
 * A receiver's limit grows by one with each quick answer and halves when none comes. Those that keep us waiting for a second, and
 * those that never answered yet, count against rooms of their own: receivers that never answer, however many and however new,
 * cannot fill the window of those that do.
 */
export class SendingWindow {
  readonly #limits: WindowLimits;
  readonly #now: () => number;
  readonly #endpoints = new Map<string, EndpointState>();
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #listeners: ((accountId: string) => void)[] = [];
  /** Together: many receivers may turn out to be slow at the same time. */
  readonly #most: number;
  #tickets = 0;
  #total = 0;

  constructor(limits: WindowLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#most = limits.quick + limits.unknown + limits.slow;
    this.#now = now;
  }

  get inFlight(): number {
    return this.#total;
  }

  /** Counts an exchange as in flight. */
  begin(receiver: Receiver): number {
    const nowMs = this.#now();
    const { endpointId } = receiver;
    const state = this.#endpoints.get(endpointId) ?? this.#newState(receiver);
    this.#endpoints.delete(endpointId); // to the end: the map is in the order of use
    this.#endpoints.set(endpointId, state);
    if (this.#endpoints.size > ENDPOINTS_MAX) this.#forgetIdle(Number.POSITIVE_INFINITY);
    this.#tickets += 1;
    state.inFlight.set(this.#tickets, nowMs);
    state.usedAtMs = nowMs;
    this.#total += 1;
    return this.#tickets;
  }

  end(endpointId: string, ticket: number, { durationMs, answered }: ExchangeEnd): void {
    const state = this.#endpoints.get(endpointId);
    if (state === undefined || !state.inFlight.delete(ticket)) return;
    const { endpoint, slowAfterMs } = this.#limits;
    this.#total -= 1;
    state.speed = durationMs >= slowAfterMs ? 'slow' : 'quick';
    if (!answered) state.limit = Math.max(endpoint.least, Math.floor(state.limit / 2));
    else state.limit = Math.min(state.limit + 1, state.speed === 'slow' ? endpoint.slow : endpoint.quick);
    this.#tellOfRoom(state);
  }

  /** Gives back a place that nothing was sent in: it says nothing of the receiver. */
  leave(endpointId: string, ticket: number): void {
    const state = this.#endpoints.get(endpointId);
    if (state === undefined || !state.inFlight.delete(ticket)) return;
    this.#total -= 1;
    this.#tellOfRoom(state);
  }

  /**
   * Counts an exchange as in flight as soon as its receiver has room: first come, first served. Whoever waits, waits for
   * exchanges in flight, each of which ends in its time; callers bound how many wait.
   */
  enter(receiver: Receiver): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    const before = this.#waiting.get(receiver.endpointId) ?? [];
    this.#waiting.set(receiver.endpointId, [...before, { receiver, begun: resolve }]);
    this.#admitWaiting();
    return promise;
  }

  /** Tells of each exchange that ended, whose it was: there may be room. */
  onRoom(listener: (accountId: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Whether one more exchange with this receiver may begin. */
  admits(receiver: Receiver): boolean {
    const state = this.#endpoints.get(receiver.endpointId) ?? this.#newState({ ...receiver, unwell: false });
    return this.#freeOf(state, this.#rooms()) > 0;
  }

  /** Those of some accounts; null: of all. */
  allowances(accounts: ReadonlySet<string> | null = null): Allowances {
    this.#forgetIdle(this.#now() - FORGOTTEN_AFTER_MS);
    const rooms = this.#rooms();
    const total = Math.min(rooms.quick + rooms.unknown + rooms.slow, this.#most - this.#total);
    const byEndpoint: Record<string, number> = {};
    for (const [id, state] of this.#endpoints) {
      if (accounts !== null && !accounts.has(state.accountId)) continue;
      // What one may have is kept from no other: most have nothing waiting. A claim goes beyond a room by its own size at most.
      byEndpoint[id] = this.#freeOf(state, rooms);
    }
    const { least } = this.#limits.endpoint;
    return {
      total,
      byEndpoint,
      byDefault: Math.min(least, rooms.unknown),
      byDefaultUnwell: Math.min(least, rooms.slow),
    };
  }

  #tellOfRoom({ accountId }: EndpointState): void {
    this.#admitWaiting();
    for (const listener of this.#listeners) listener(accountId);
  }

  #admitWaiting(): void {
    for (const [endpointId, waiting] of this.#waiting) {
      while (waiting[0] !== undefined && this.admits(waiting[0].receiver)) {
        const { receiver, begun } = waiting[0];
        waiting.shift();
        begun(this.begin(receiver));
      }
      if (waiting.length === 0) this.#waiting.delete(endpointId);
    }
  }

  #newState({ accountId, unwell }: Receiver): EndpointState {
    const { first, least } = this.#limits.endpoint;
    const speed = unwell ? 'slow' : 'unknown';
    return { accountId, inFlight: new Map(), limit: unwell ? least : first, speed, usedAtMs: 0 };
  }

  #speedOf({ inFlight, speed }: EndpointState): Speed {
    const [oldestMs] = inFlight.values();
    return oldestMs !== undefined && this.#now() - oldestMs >= this.#limits.slowAfterMs ? 'slow' : speed;
  }

  #freeOf(state: EndpointState, rooms: Rooms): number {
    const own = this.#accountRoom(rooms, state);
    const speed = this.#speedOf(state);
    const limit = speed === 'slow' ? Math.min(state.limit, this.#limits.endpoint.slow) : state.limit;
    const ofAccount = speed === 'slow' ? own.slow : own.quick;
    return Math.max(0, Math.min(limit - state.inFlight.size, rooms[speed], ofAccount));
  }

  #accountRoom({ accounts }: Rooms, { accountId }: EndpointState): { quick: number; slow: number } {
    const known = accounts.get(accountId) ?? { ...this.#limits.account };
    accounts.set(accountId, known);
    return known;
  }

  #rooms(): Rooms {
    const accounts: Rooms['accounts'] = new Map();
    const taken: Record<Speed, number> = { quick: 0, unknown: 0, slow: 0 };
    const rooms = { ...taken, accounts };
    for (const state of this.#endpoints.values()) {
      const under = state.inFlight.size;
      if (under === 0) continue;
      const own = this.#accountRoom(rooms, state);
      const speed = this.#speedOf(state);
      taken[speed] += under;
      own[speed === 'slow' ? 'slow' : 'quick'] -= under;
    }
    const { quick, unknown, slow } = this.#limits;
    // Unknown ones that turn out to be slow stay within what both have, so that the quick ones keep theirs.
    const left = Math.max(0, this.#most - this.#total);
    const leftOfOthers = Math.min(left, unknown + slow - taken.unknown - taken.slow);
    const room = (...bounds: number[]) => Math.max(0, Math.min(...bounds));
    rooms.quick = room(quick - taken.quick, left);
    rooms.unknown = room(unknown - taken.unknown, leftOfOthers);
    rooms.slow = room(slow - taken.slow, leftOfOthers);
    return rooms;
  }

  #forgetIdle(usedBeforeMs: number): void {
    for (const [id, state] of this.#endpoints) {
      if (state.usedAtMs >= usedBeforeMs) return;
      if (state.inFlight.size === 0) this.#endpoints.delete(id);
      if (usedBeforeMs === Number.POSITIVE_INFINITY && this.#endpoints.size <= ENDPOINTS_MAX) return;
    }
  }
}
