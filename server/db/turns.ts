/** What is done for an account. */
interface OfAccount {
  readonly accountId: string;
}

/** An account may have so many times as much under way as is free: one alone nearly all, and the next one finds room at once. */
const SHARE_OF_FREE = 7;

/**
 * Work of several accounts for so many hands: accounts take turns, one thing each, and none takes all hands, so that what
 * waits for an acquirer that hangs never makes another account's wait.
 */
export class Turns<Item extends OfAccount> {
  readonly #waiting = new Map<string, Item[]>();
  readonly #underWay = new Map<string, number>();
  #free: number;

  constructor(hands: number) {
    this.#free = hands;
  }

  /** Whether a hand has nothing to do; what waits then is of accounts that have their share. */
  get hasRoom(): boolean {
    return this.#free > 0;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** The accounts of which something waits here. */
  get accounts(): string[] {
    return [...this.#waiting.keys()];
  }

  add(items: readonly Item[]): void {
    for (const item of items) {
      const before = this.#waiting.get(item.accountId);
      if (before === undefined) this.#waiting.set(item.accountId, [item]);
      else before.push(item);
    }
  }

  /** The next thing to do; null when nothing may be begun now. Whoever takes it ends it. */
  take(): Item | null {
    for (const [accountId, items] of this.#waiting) {
      const own = this.#underWay.get(accountId) ?? 0;
      if (own >= SHARE_OF_FREE * this.#free) continue;
      this.#waiting.delete(accountId); // its next turn is the last
      const [item, ...rest] = items;
      if (rest.length > 0) this.#waiting.set(accountId, rest);
      if (item === undefined) continue;
      this.#underWay.set(accountId, own + 1);
      this.#free -= 1;
      return item;
    }
    return null;
  }

  end({ accountId }: OfAccount): void {
    const left = (this.#underWay.get(accountId) ?? 0) - 1;
    if (left > 0) this.#underWay.set(accountId, left);
    else this.#underWay.delete(accountId);
    this.#free += 1;
  }
}
