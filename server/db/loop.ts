import { Bell } from './bell.ts';
import { type Log, Outage } from './outage.ts';

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

/** Takes turns until it is stopped: at once while there is more to do, else after a wait that a ring of the bell ends. */
export class Loop {
  readonly #options: LoopOptions;
  readonly #bell = new Bell();
  readonly #outage: Outage;
  readonly #running: Promise<void>;
  #stopping = false;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#outage = new Outage(options.logger, options.what);
    this.#running = this.#run();
  }

  wake(): void {
    this.#bell.ring();
  }

  /** Resolves when the turn under way has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#bell.ring();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { spacingMs = 0 } = this.#options;
    while (!this.#stopping) {
      const startedMs = performance.now();
      const waitMs = await this.#turn();
      if (waitMs > 0 && !this.#stopping) await this.#bell.wait(waitMs);
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
