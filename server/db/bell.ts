/** Wakes one loop that waits: a ring before the wait counts, and no wait is longer than told. */
export class Bell {
  #answer: (() => void) | null = null;
  #rung = false;

  ring(): void {
    this.#rung = true;
    this.#answer?.();
  }

  async wait(timeoutMs: number): Promise<void> {
    if (!this.#rung) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, timeoutMs);
      this.#answer = resolve;
      await promise;
      clearTimeout(timer);
      this.#answer = null;
    }
    this.#rung = false;
  }
}
