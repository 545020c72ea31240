export interface Log {
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
}

export interface LoopOptions {
  readonly logger: Log;
  /** What is out of reach while turns fail, for the log. */
  readonly what: string;
  /** Does what there is to do, and answers how long to wait for more; calls `reached` when the database has answered. */
  readonly turn: (reached: () => void) => Promise<number>;
  /** How long to wait after a turn that failed. */
  readonly retryMs: number;
  /** The least time from turn to turn. */
  readonly spacingMs?: number;
}

/** Takes turns until it is stopped: at once while there is more to do, else after a wait that a wake-up ends. */
export class Loop {
  readonly #options: LoopOptions;
  readonly #wakeUp = new WakeUp();
  readonly #outage: Outage;
  readonly #running: Promise<void>;
  #stopping = false;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#outage = new Outage(options.logger, options.what);
    this.#running = this.#run();
  }

  wake(): void {
    this.#wakeUp.signal();
  }

  /** Resolves when the current turn has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wakeUp.signal();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { spacingMs = 0 } = this.#options;
    // Not within the constructor: a turn may use what whoever makes the loop makes after it.
    await null;
    while (!this.#stopping) {
      const startedMs = performance.now();
      const waitMs = await this.#turn();
      if (waitMs > 0 && !this.#stopping) await this.#wakeUp.wait(waitMs);
      const restMs = spacingMs - (performance.now() - startedMs);
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  }

  async #turn(): Promise<number> {
    try {
      return await this.#options.turn(() => this.#outage.end());
    } catch (error) {
      this.#outage.begin(error);
      return this.#options.retryMs;
    }
  }
}

/** Tells the log of a fault that lasts: once when it begins and once when it ends, however often it is met. */
export class Outage {
  readonly #log: Log;
  readonly #what: string;
  #isOn = false;

  constructor(log: Log, what: string) {
    this.#log = log;
    this.#what = what;
  }

  begin(error: unknown): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#log.warn({ err: error }, `${this.#what}: away`);
  }

  end(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#log.info({}, `${this.#what}: back`);
  }
}

/** A wake-up signal for one loop: one that comes before the wait counts. */
class WakeUp {
  #answer: (() => void) | null = null;
  #isSignalled = false;

  signal(): void {
    this.#isSignalled = true;
    this.#answer?.();
  }

  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isSignalled) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, timeoutMs);
      this.#answer = resolve;
      await promise;
      clearTimeout(timer);
      this.#answer = null;
    }
    this.#isSignalled = false;
  }
}
