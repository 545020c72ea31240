import { codeOf } from '../kernel/errors.ts';
import { realTimeMs } from '../kernel/time.ts';

/** A recovery replays all that was written since the last checkpoint. */
const RECOVERY_MS = 10 * 60_000;
/** A restart takes its port within this time; where nobody listens for longer, the address is wrong. */
const REFUSED_MS = 5_000;
const RETRY_MS = 500;

/** SQLSTATE of a server that ends, that lost a process, and that starts or recovers. */
const ENDING_OR_STARTING: readonly (string | null)[] = ['57P01', '57P02', '57P03'];
const UNREACHED: readonly (string | null)[] = ['ECONNREFUSED', 'ECONNRESET'];

/** For how long work that failed so is tried again. */
function patienceMs(error: unknown): number {
  if (!(error instanceof Error)) return 0;
  const code = codeOf(error);
  if (ENDING_OR_STARTING.includes(code)) return RECOVERY_MS;
  return UNREACHED.includes(code) || /Connection terminated/.test(error.message) ? REFUSED_MS : 0;
}

/** Does work that can be begun anew, again while PostgreSQL starts or recovers. */
export async function untilReady(work: () => Promise<void>, tell: (reason: string) => void): Promise<void> {
  const beganAtMs = realTimeMs();
  let isTold = false;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const patience = patienceMs(error);
      if (realTimeMs() - beganAtMs >= patience) throw error;
      if (patience === RECOVERY_MS && !isTold) tell(error instanceof Error ? error.message : '');
      isTold ||= patience === RECOVERY_MS;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
