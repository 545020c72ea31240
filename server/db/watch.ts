const EVERY_MS = 5_000;

export interface Watch {
  /** Resolves when the current look has ended. */
  stop(): Promise<void>;
}

/** Looks at the database every five seconds; a database that is away shows by itself. */
export function watch(look: () => Promise<void>): Watch {
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    last = look().catch(() => {});
  }, EVERY_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await last;
    },
  };
}
