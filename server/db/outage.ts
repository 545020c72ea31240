export interface Log {
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
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
