import type { PerLane } from '../../kernel/lane.ts';

/** How many exchanges may be under way at once. */
export interface WindowLimits {
  /** With receivers that answer quickly, or are not known yet. */
  readonly quick: number;
  /** With receivers that keep us waiting: however many there are, the quick ones have room of their own. */
  readonly slow: number;
  /** Together: many receivers may turn out to be slow at the same time. */
  readonly most: number;
  /** With one receiver: at first, at most while it is quick, at most while it is slow, and at least. */
  readonly endpoint: { readonly first: number; readonly quick: number; readonly slow: number; readonly least: number };
  /** With all receivers of one account: it has several, and they must not make up the room of all. */
  readonly account: { readonly quick: number; readonly slow: number };
  /** An answer that takes longer makes a receiver slow. */
  readonly slowAfterMs: number;
}

/** Each lane has a window of its own, so that no flood of a sandbox takes room from live deliveries. */
export const WINDOW_LIMITS: PerLane<WindowLimits> = {
  live: {
    quick: 512,
    slow: 512,
    most: 1_536,
    endpoint: { first: 8, quick: 128, slow: 32, least: 2 },
    account: { quick: 256, slow: 96 },
    slowAfterMs: 1_000,
  },
  sandbox: {
    quick: 256,
    slow: 256,
    most: 512,
    endpoint: { first: 8, quick: 64, slow: 16, least: 2 },
    account: { quick: 128, slow: 32 },
    slowAfterMs: 1_000,
  },
};

const FORGOTTEN_AFTER_MS = 600_000;
const ENDPOINTS_MAX = 10_000;

/** Who is sent to. */
export interface Receiver {
  readonly endpointId: string;
  readonly accountId: string;
  /** Its last attempts failed. */
  readonly unwell: boolean;
}

interface EndpointState {
  readonly accountId: string;
  /** When each exchange under way began, oldest first. */
  readonly underWay: Map<number, number>;
  limit: number;
  wasSlow: boolean;
  usedAtMs: number;
}

/** An exchange that waits for room. */
interface Waiting {
  readonly receiver: Receiver;
  readonly begun: (ticket: number) => void;
}

/** How many more may begin, in all and with each account that has some under way. */
interface Rooms {
  quick: number;
  slow: number;
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
 * Bounds what is under way to each receiver, to those of each account, and in all.
 *
 * A receiver's limit grows by one with each quick answer and halves when none comes. One that keeps us waiting for a
 * second counts against a room of its own, so that receivers that never answer cannot fill the window of those that do.
 */
export class SendingWindow {
  readonly #limits: WindowLimits;
  readonly #now: () => number;
  readonly #endpoints = new Map<string, EndpointState>();
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #listeners: (() => void)[] = [];
  #tickets = 0;
  #total = 0;

  constructor(limits: WindowLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  get underWay(): number {
    return this.#total;
  }

  /** Counts an exchange as under way. */
  begin(receiver: Receiver): number {
    const nowMs = this.#now();
    const { endpointId } = receiver;
    const state = this.#endpoints.get(endpointId) ?? this.#newState(receiver);
    this.#endpoints.delete(endpointId); // to the end: the map is in the order of use
    this.#endpoints.set(endpointId, state);
    if (this.#endpoints.size > ENDPOINTS_MAX) this.#forgetIdle(Number.POSITIVE_INFINITY);
    this.#tickets += 1;
    state.underWay.set(this.#tickets, nowMs);
    state.usedAtMs = nowMs;
    this.#total += 1;
    return this.#tickets;
  }

  end(endpointId: string, ticket: number, { durationMs, answered }: ExchangeEnd): void {
    const state = this.#endpoints.get(endpointId);
    if (state === undefined || !state.underWay.delete(ticket)) return;
    const { endpoint, slowAfterMs } = this.#limits;
    this.#total -= 1;
    state.wasSlow = durationMs >= slowAfterMs;
    if (!answered) state.limit = Math.max(endpoint.least, Math.floor(state.limit / 2));
    else state.limit = Math.min(state.limit + 1, state.wasSlow ? endpoint.slow : endpoint.quick);
    this.#tellOfRoom();
  }

  /** Gives back a place that nothing was sent in: it says nothing of the receiver. */
  leave(endpointId: string, ticket: number): void {
    if (this.#endpoints.get(endpointId)?.underWay.delete(ticket) !== true) return;
    this.#total -= 1;
    this.#tellOfRoom();
  }

  /**
   * Counts an exchange as under way as soon as its receiver has room: first come, first served. Whoever waits, waits for
   * exchanges under way, each of which ends in its time; callers bound how many wait.
   */
  enter(receiver: Receiver): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    const before = this.#waiting.get(receiver.endpointId) ?? [];
    this.#waiting.set(receiver.endpointId, [...before, { receiver, begun: resolve }]);
    this.#admitWaiting();
    return promise;
  }

  /** Tells of each exchange that ended: there may be room. */
  onRoom(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Whether one more exchange with this receiver may begin. */
  admits(receiver: Receiver): boolean {
    const state = this.#endpoints.get(receiver.endpointId) ?? this.#newState({ ...receiver, unwell: false });
    return this.#freeOf(state, this.#rooms()) > 0;
  }

  allowances(): Allowances {
    this.#forgetIdle(this.#now() - FORGOTTEN_AFTER_MS);
    const rooms = this.#rooms();
    const total = Math.min(rooms.quick + rooms.slow, this.#limits.most - this.#total);
    const byEndpoint: Record<string, number> = {};
    for (const [id, state] of this.#endpoints) {
      // What one may have is kept from no other: most have nothing waiting. A claim goes beyond a room by its own size at most.
      byEndpoint[id] = this.#freeOf(state, rooms);
    }
    const { first, least } = this.#limits.endpoint;
    return {
      total,
      byEndpoint,
      byDefault: Math.min(first, rooms.quick),
      byDefaultUnwell: Math.min(least, Math.max(0, rooms.slow)),
    };
  }

  #tellOfRoom(): void {
    this.#admitWaiting();
    for (const listener of this.#listeners) listener();
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
    return { accountId, underWay: new Map(), limit: unwell ? least : first, wasSlow: unwell, usedAtMs: 0 };
  }

  #isSlow(state: EndpointState): boolean {
    const [oldestMs] = state.underWay.values();
    return state.wasSlow || (oldestMs !== undefined && this.#now() - oldestMs >= this.#limits.slowAfterMs);
  }

  #freeOf(state: EndpointState, rooms: Rooms): number {
    const own = this.#accountRoom(rooms, state);
    const isSlow = this.#isSlow(state);
    const limit = isSlow ? Math.min(state.limit, this.#limits.endpoint.slow) : state.limit;
    const room = isSlow ? Math.min(rooms.slow, own.slow) : Math.min(rooms.quick, own.quick);
    return Math.max(0, Math.min(limit - state.underWay.size, room));
  }

  #accountRoom({ accounts }: Rooms, { accountId }: EndpointState): { quick: number; slow: number } {
    const known = accounts.get(accountId) ?? { ...this.#limits.account };
    accounts.set(accountId, known);
    return known;
  }

  #rooms(): Rooms {
    const accounts: Rooms['accounts'] = new Map();
    const rooms = { quick: 0, slow: 0, accounts };
    let slow = 0;
    for (const state of this.#endpoints.values()) {
      const under = state.underWay.size;
      if (under === 0) continue;
      const own = this.#accountRoom(rooms, state);
      if (this.#isSlow(state)) {
        slow += under;
        own.slow -= under;
      } else own.quick -= under;
    }
    const left = Math.max(0, this.#limits.most - this.#total);
    const room = (max: number, taken: number) => Math.max(0, Math.min(max - taken, left));
    rooms.quick = room(this.#limits.quick, this.#total - slow);
    rooms.slow = room(this.#limits.slow, slow);
    return rooms;
  }

  #forgetIdle(usedBeforeMs: number): void {
    for (const [id, state] of this.#endpoints) {
      if (state.usedAtMs >= usedBeforeMs) return;
      if (state.underWay.size === 0) this.#endpoints.delete(id);
      if (usedBeforeMs === Number.POSITIVE_INFINITY && this.#endpoints.size <= ENDPOINTS_MAX) return;
    }
  }
}
