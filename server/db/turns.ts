interface Bounds {
  /** So many are taken at once, by all holders together. */
  readonly total: number;
  /** So many of them by one holder, which may change from time to time. */
  readonly each: number | (() => number);
  /** The last ones are for holders that have none. */
  readonly spare: number;
  /** So many wait for one holder; absent: however many come. */
  readonly waitingMax?: number;
  /** So long waits whoever waits. */
  readonly waitMs: number;
}

/** Nobody's turn came: `busy`, as too many of the holder wait already, or `late`, as it waited for so long as it may. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn';
  readonly why: 'busy' | 'late';
  constructor(why: 'busy' | 'late') {
    super(`no turn: ${why}`);
    this.why = why;
  }
}

type Begin = () => void;

/**
 * Hands out places in turn: whoever has fewest comes next, and of those who have as few, whoever waited longest for one. So
 * a holder with a thousand that wait is no later and no sooner than one with a single one.
 */
export class Turns {
  readonly #bounds: Bounds;
  readonly #held = new Map<string, number>();
  /** The holder that was served last stands last. */
  readonly #waiting = new Map<string, Set<Begin>>();
  #free: number;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
    this.#free = bounds.total;
  }

  /** How many are taken, and how many wait. */
  get use(): { readonly taken: number; readonly waiting: number } {
    let waiting = 0;
    for (const queue of this.#waiting.values()) waiting += queue.size;
    return { taken: this.#bounds.total - this.#free, waiting };
  }

  /** Takes a place, at once or when its turn comes; what is returned gives it back and may be called again. */
  take(holder: string): Promise<() => void> {
    const queue = this.#waiting.get(holder) ?? new Set();
    if (queue.size === 0 && this.#mayTake(holder)) return Promise.resolve(this.#begin(holder));
    if (queue.size >= (this.#bounds.waitingMax ?? Number.POSITIVE_INFINITY)) return Promise.reject(new NoTurn('busy'));
    this.#waiting.set(holder, queue);
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve(this.#begin(holder));
      };
      const timer = setTimeout(() => {
        this.#forget(holder, begin);
        reject(new NoTurn('late'));
      }, this.#bounds.waitMs);
      queue.add(begin);
    });
  }

  #mayTake(holder: string): boolean {
    const held = this.#held.get(holder) ?? 0;
    if (held === 0) return this.#free > 0;
    const { each, spare } = this.#bounds;
    return held < (typeof each === 'number' ? each : each()) && this.#free > spare;
  }

  #begin(holder: string): () => void {
    this.#free -= 1;
    this.#held.set(holder, (this.#held.get(holder) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#end(holder);
    };
  }

  #end(holder: string): void {
    this.#free += 1;
    const left = (this.#held.get(holder) ?? 1) - 1;
    if (left === 0) this.#held.delete(holder);
    else this.#held.set(holder, left);
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const [begin] = this.#waiting.get(next) ?? [];
      if (begin === undefined) return;
      const queue = this.#forget(next, begin);
      if (queue !== undefined) {
        this.#waiting.delete(next);
        this.#waiting.set(next, queue);
      }
      begin();
    }
  }

  #next(): string | null {
    let next: string | null = null;
    let fewest = Number.POSITIVE_INFINITY;
    for (const holder of this.#waiting.keys()) {
      const held = this.#held.get(holder) ?? 0;
      if (held < fewest && this.#mayTake(holder)) [next, fewest] = [holder, held];
    }
    return next;
  }

  /** The queue of the holder, where others of it wait. */
  #forget(holder: string, begin: Begin): Set<Begin> | undefined {
    const queue = this.#waiting.get(holder);
    queue?.delete(begin);
    if (queue?.size !== 0) return queue;
    this.#waiting.delete(holder);
    return undefined;
  }
}
