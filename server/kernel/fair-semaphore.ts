interface Bounds {
  /** Permits of all keys together; absent: as many as the keys may have. */
  readonly total?: number;
  /** Permits of one key. */
  readonly each: number;
  /** Requests of one key that wait; absent: however many come. */
  readonly queue?: number;
  /** How long a request waits. Milliseconds; absent: for as long as it takes. */
  readonly timeoutMs?: number;
}

/** No permit: the queue of the key is `full`, or the wait ended at its `timeout`. */
export class NoPermit extends Error {
  override readonly name = 'NoPermit';
  readonly why: 'full' | 'timeout';
  constructor(why: 'full' | 'timeout') {
    super(`no permit: ${why}`);
    this.why = why;
  }
}

/** Gives permits back; further calls do nothing. */
export type Release = () => void;

interface Waiter {
  readonly weight: number;
  readonly begin: () => void;
}

/**
 * A weighted semaphore that is fair between keys: the next permit goes to the key that holds fewest, and among those that hold
 * as few to the one that was served longest ago. Within a key requests are served in the order they came.
 */
export class FairSemaphore {
  readonly #bounds: Required<Bounds>;
  readonly #held = new Map<string, number>();
  /** The key that was served last stands last. */
  readonly #queues = new Map<string, Set<Waiter>>();
  #taken = 0;

  constructor({ total = Infinity, each, queue = Infinity, timeoutMs = Infinity }: Bounds) {
    this.#bounds = { total, each, queue, timeoutMs };
  }

  /** How many permits are taken, and how many requests wait. */
  get use(): { readonly taken: number; readonly waiting: number } {
    let waiting = 0;
    for (const queue of this.#queues.values()) waiting += queue.size;
    return { taken: this.#taken, waiting };
  }

  /** Whether a permit is left for some key. */
  get hasRoom(): boolean {
    return this.#taken < this.#bounds.total;
  }

  /** How many permits a key may take now. */
  left(key: string): number {
    if (this.#queues.has(key)) return 0;
    const { each, total } = this.#bounds;
    return Math.min(each - (this.#held.get(key) ?? 0), total - this.#taken);
  }

  /** Takes permits at once; null where there are too few. */
  tryAcquire(key: string, weight = 1): Release | null {
    return this.left(key) < weight ? null : this.#take(key, weight);
  }

  /** Takes permits, at once or in turn; rejects with `NoPermit`. */
  acquire(key: string, weight = 1): Promise<Release> {
    const release = this.tryAcquire(key, weight);
    if (release !== null) return Promise.resolve(release);
    const queue = this.#queues.get(key) ?? new Set();
    if (queue.size >= this.#bounds.queue) return Promise.reject(new NoPermit('full'));
    this.#queues.set(key, queue);
    return new Promise((resolve, reject) => {
      const waiter = {
        weight,
        begin: () => {
          clearTimeout(timer);
          resolve(this.#take(key, weight));
        },
      };
      const timeOut = () => {
        this.#leave(key, waiter);
        reject(new NoPermit('timeout'));
        // A lighter request may stand behind it.
        this.#serve();
      };
      const { timeoutMs } = this.#bounds;
      const timer = timeoutMs === Infinity ? undefined : setTimeout(timeOut, timeoutMs);
      queue.add(waiter);
    });
  }

  #take(key: string, weight: number): Release {
    this.#taken += weight;
    this.#held.set(key, (this.#held.get(key) ?? 0) + weight);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#taken -= weight;
      const left = (this.#held.get(key) ?? weight) - weight;
      if (left === 0) this.#held.delete(key);
      else this.#held.set(key, left);
      this.#serve();
    };
  }

  #serve(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const [key, waiter] = next;
      const queue = this.#leave(key, waiter);
      if (queue !== undefined) {
        this.#queues.delete(key);
        this.#queues.set(key, queue);
      }
      waiter.begin();
    }
  }

  #next(): [string, Waiter] | null {
    let next: [string, Waiter] | null = null;
    let fewest = Infinity;
    for (const [key, queue] of this.#queues) {
      const held = this.#held.get(key) ?? 0;
      const [waiter] = queue;
      if (waiter === undefined || held >= fewest || !this.#fits(held, waiter)) continue;
      [next, fewest] = [[key, waiter], held];
    }
    return next;
  }

  #fits(held: number, { weight }: Waiter): boolean {
    return held + weight <= this.#bounds.each && this.#taken + weight <= this.#bounds.total;
  }

  /** The queue of the key, where others of it wait. */
  #leave(key: string, waiter: Waiter): Set<Waiter> | undefined {
    const queue = this.#queues.get(key);
    queue?.delete(waiter);
    if (queue?.size !== 0) return queue;
    this.#queues.delete(key);
    return undefined;
  }
}
