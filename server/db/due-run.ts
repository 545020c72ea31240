import type pg from 'pg';
import { type AlarmTools, raiseAlarm } from '../kernel/alarms.ts';
import { type Clock, realTimeMs, SECOND_MS, type Timestamp } from '../kernel/time.ts';
import { run, type Statement } from './statement.ts';

/** Rows that a run takes at once from the database. */
export const BATCH_MAX = 500;
/** Charges wait for the acquirer without a connection; the database's pool bounds the rest. */
export const AT_ONCE_DEFAULT = 64;
/** What is left then is done by the next run. Milliseconds. */
const RUN_MAX_MS = 20 * 60 * SECOND_MS;
/** A pass may make more due: cycles that an outage left out, one after the other. */
const PASSES_MAX = 1_000;

/** A row that is due, and since when in real time. */
export interface DueRow {
  readonly id: string;
  readonly wakeAt: Timestamp;
}

/** Rows that fall due, and the use case that does what is due of one and answers what it came to. */
export interface DueWork {
  /** Takes `now`, and `wakeAt` and `id` of the row where the last batch ended. */
  readonly claim: Statement<DueRow>;
  readonly perform: (id: string) => Promise<string>;
}

/** What a run needs of the composition. */
export interface DueTools extends AlarmTools {
  readonly pool: pg.Pool;
  readonly clock: Clock;
}

/** Answers that say that nothing was done. */
const UNDONE: readonly string[] = ['not_due', 'postponed', 'failed'];

/** How often each thing was come to; `due` is how many there were to do. */
export type DueCounts = { due: number } & Record<string, number>;

export interface DueRun {
  /** Called as long as the run is at work. */
  readonly told: () => void;
  readonly atOnce?: number;
}

/** Does everything of these kinds that is due, in passes over the kinds in their order, until a pass finds nothing to do. */
export async function runDue(
  tools: DueTools,
  { told, atOnce = AT_ONCE_DEFAULT }: DueRun,
  kinds: readonly DueWork[],
): Promise<DueCounts> {
  const counts: DueCounts = { due: 0 };
  const endsAtMs = realTimeMs() + RUN_MAX_MS;
  // One that failed is the next run's: later passes would fail with it again, and say so each time.
  const failed = new Set<string>();
  const performOne = async ({ perform }: DueWork, id: string): Promise<boolean> => {
    if (failed.has(id)) return false;
    const outcome = await perform(id).catch((error: unknown) => {
      raiseAlarm(tools, 'billing_failed', { err: error, id, message: 'what is due could not be done' });
      failed.add(id);
      return 'failed';
    });
    told();
    if (outcome !== 'not_due') counts.due += 1;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    return !UNDONE.includes(outcome);
  };
  for (let pass = 0; pass < PASSES_MAX && realTimeMs() < endsAtMs; pass += 1) {
    let isDone = false;
    for (const kind of kinds) {
      // Several take from one source, so that none waits for the slowest of a batch.
      const source = dueRows(tools, kind.claim, endsAtMs);
      const work = async (): Promise<void> => {
        for await (const id of source) if (await performOne(kind, id)) isDone = true;
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    }
    if (!isDone) break;
  }
  return counts;
}

async function* dueRows({ pool, clock }: DueTools, claim: Statement<DueRow>, endsAtMs: number): AsyncGenerator<string> {
  let last: DueRow = { wakeAt: Number.MIN_SAFE_INTEGER, id: '' };
  const now = clock.real();
  while (realTimeMs() < endsAtMs) {
    const batch = await run(pool, claim, { now, ...last });
    for (const { id } of batch) yield id;
    last = batch.at(-1) ?? last;
    if (batch.length < BATCH_MAX) return;
  }
}
