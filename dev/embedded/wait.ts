import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 25;
const TELL_EVERY_MS = 10_000;

type Patience = { limitMs: number; tell?: (waited: string) => void };

/** Looks again and again, and tells every ten seconds how long it waits. False: it took longer than the limit. */
export async function waitFor(isSo: () => boolean | Promise<boolean>, patience: Patience): Promise<boolean> {
  const startedAt = performance.now();
  for (let tellAtMs = TELL_EVERY_MS; !(await isSo()); ) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > patience.limitMs) return false;
    if (waitedMs > tellAtMs) {
      patience.tell?.(`${Math.round(waitedMs / 1000)} s`);
      tellAtMs += TELL_EVERY_MS;
    }
    await sleep(POLL_MS);
  }
  return true;
}
