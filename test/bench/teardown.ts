interface Stoppable {
  stop(): Promise<void>;
}

/** What a run started, to be stopped in reverse order whenever and however it ends. */
export class Teardown {
  #parts: Array<() => Promise<void>> = [];
  #begun: Promise<void> | null = null;

  /** Owns a part from the moment its start begins, so that an interrupted start is stopped as well. */
  async own<T extends Stoppable>(starting: Promise<T>): Promise<T> {
    this.#parts.push(async () => {
      const part = await starting.catch(() => null);
      await part?.stop();
    });
    const part = await starting;
    if (this.#begun !== null) throw new Error('the run was interrupted');
    return part;
  }

  /** Owns something that needs no start. */
  add(stop: () => Promise<void>): void {
    this.#parts.push(stop);
  }

  /** Whether the end has begun: what fails from then on fails because of it. */
  get hasBegun(): boolean {
    return this.#begun !== null;
  }

  /** Stops everything once; every caller waits for the same end. */
  run(): Promise<void> {
    this.#begun ??= this.#stopAll();
    return this.#begun;
  }

  async #stopAll(): Promise<void> {
    for (let stop = this.#parts.pop(); stop !== undefined; stop = this.#parts.pop()) {
      await stop().catch((error: unknown) => console.error(`clean-up: ${error}`));
    }
  }
}
