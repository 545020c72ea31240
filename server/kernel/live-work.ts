/** Whoever asked for nothing for so long is gone. */
const LATELY_MS = 2_000;

/** Whether live accounts had something done lately: then all sandboxes together leave room for it (docs/design/budgets.md#beside-live-work). */
export class LiveWork {
  #seenMs = Number.NEGATIVE_INFINITY;

  saw(): void {
    this.#seenMs = performance.now();
  }

  get isThere(): boolean {
    return performance.now() - this.#seenMs < LATELY_MS;
  }
}
