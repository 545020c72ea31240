/** Places for work that requests wait for: so many for an account, and so many for all of them together. */
export class Places {
  readonly #limits: { accountMax: number; allMax: number };
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(limits: { accountMax: number; allMax: number }) {
    this.#limits = limits;
  }

  hasRoom(accountId: string): boolean {
    const own = this.#taken.get(accountId) ?? 0;
    return own < this.#limits.accountMax && this.#all < this.#limits.allMax;
  }

  /** Takes a place, and answers what leaves it; null when there is none. */
  enter(accountId: string): (() => void) | null {
    if (!this.hasRoom(accountId)) return null;
    this.#taken.set(accountId, (this.#taken.get(accountId) ?? 0) + 1);
    this.#all += 1;
    return () => {
      const left = (this.#taken.get(accountId) ?? 0) - 1;
      if (left > 0) this.#taken.set(accountId, left);
      else this.#taken.delete(accountId);
      this.#all -= 1;
    };
  }
}
