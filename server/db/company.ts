import { amountOf, type BudgetName, besideOthers } from '../kernel/budgets.ts';

/** Whoever asked for nothing for so long is gone. */
const LATELY_MS = 2_000;

/** Which accounts asked for something lately, each in one of its modes. */
export class Company {
  /** Whoever was seen last stands last. */
  readonly #seenMs = new Map<string, number>();

  saw(holder: string): void {
    this.#seenMs.delete(holder);
    this.#seenMs.set(holder, performance.now());
  }

  /** Whether there are several. */
  get isShared(): boolean {
    const sinceMs = performance.now() - LATELY_MS;
    for (const [holder, seenMs] of this.#seenMs) {
      if (seenMs >= sinceMs) break;
      this.#seenMs.delete(holder);
    }
    return this.#seenMs.size > 1;
  }

  /** What each may have of a budget now. */
  amountOf(budget: BudgetName, mode: { readonly liveMode: boolean }): number {
    return (this.isShared ? besideOthers : amountOf)(budget, mode);
  }
}
