import { run } from '../../db/database.ts';
import { type Statement, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { realTimeMs, SECOND_MS, type Timestamp } from '../../kernel/time.ts';
import { performStep } from '../collection/step.ts';
import { performDue } from './due.ts';

const BATCH_MAX = 500;
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

/** Rows that are due by real time, from where the last batch ended; those of a held clock have no such time. */
const claimDue = statement<DueRow>(
  'claim_due_subscriptions',
  `SELECT id, wake_at AS "wakeAt" FROM subscription WHERE wake_at <= :now AND (wake_at, id) > (:wakeAt::bigint, :id::text) ORDER BY wake_at, id LIMIT ${BATCH_MAX}`,
);
/** A case performs the steps of its own invoices, so the run skips them. */
const claimSteps = statement<DueRow>(
  'claim_due_invoices',
  `SELECT id, wake_at AS "wakeAt" FROM invoice WHERE wake_at <= :now AND (wake_at, id) > (:wakeAt::bigint, :id::text) AND NOT in_case
   ORDER BY wake_at, id LIMIT ${BATCH_MAX}`,
);

/** How often each thing was come to; `due` is how many there were to do. */
export type DueCounts = Record<string, number>;

export interface DueRun {
  /** Called as long as the run is at work. */
  readonly told: () => void;
  readonly atOnce?: number;
}

/** Rows of one kind that fall due, and what does one of them; `postponed` and `not_due` say that nothing was done. */
export interface DueKindOf {
  readonly claim: Statement<DueRow>;
  readonly perform: (deps: Deps, id: string) => Promise<string>;
}

const UNDONE: readonly string[] = ['not_due', 'failed', 'postponed'];

/** Does what falls due by the calendar: steps of invoices that are in no case, and cycles of subscriptions (docs/design/outbox-and-cases.md#runs). */
export const runBilling = (deps: Deps, options: DueRun): Promise<DueCounts> =>
  runDue(deps, options, [
    { claim: claimSteps, perform: performStep },
    { claim: claimDue, perform: performDue },
  ]);

/** Does everything of these kinds that is due, in passes over the kinds in their order, until a pass does nothing. */
export async function runDue(
  deps: Deps,
  { told, atOnce = AT_ONCE_DEFAULT }: DueRun,
  kinds: readonly DueKindOf[],
): Promise<DueCounts> {
  const counts: DueCounts = { due: 0 };
  const endsAtMs = realTimeMs() + RUN_MAX_MS;
  // One that failed is the next run's: later passes would fail with it again, and say so each time.
  const failed = new Set<string>();
  const perform = async (work: () => Promise<string>, id: string): Promise<boolean> => {
    if (failed.has(id)) return false;
    const outcome = await work().catch((error: unknown) => {
      deps.metrics.alarms.inc({ kind: 'billing_failed' });
      deps.logger.error({ err: error, id }, 'what is due could not be done');
      failed.add(id);
      return 'failed';
    });
    told();
    for (const name of outcome === 'not_due' ? [outcome] : ['due', outcome]) counts[name] = (counts[name] ?? 0) + 1;
    return !UNDONE.includes(outcome);
  };
  const passes = { deps, atOnce, endsAtMs };
  for (let pass = 0; pass < PASSES_MAX && realTimeMs() < endsAtMs; pass += 1) {
    let done = false;
    for (const { claim, perform: doOne } of kinds)
      if (await eachDue(passes, claim, (id) => perform(() => doOne(deps, id), id))) done = true;
    if (!done) break;
  }
  return counts;
}

/** Goes once through all that is due, a bounded number at once; answers whether anything was done. */
async function eachDue(
  { deps, atOnce, endsAtMs }: { deps: Deps; atOnce: number; endsAtMs: number },
  claim: Statement<DueRow>,
  perform: (id: string) => Promise<boolean>,
): Promise<boolean> {
  let done = false;
  // Several take from one source, so that none waits for the slowest of a batch.
  const source = dueRows(deps, claim, endsAtMs);
  const work = async (): Promise<void> => {
    for await (const id of source) if (await perform(id)) done = true;
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return done;
}

async function* dueRows(deps: Deps, claim: Statement<DueRow>, endsAtMs: number): AsyncGenerator<string> {
  let last: DueRow = { wakeAt: Number.MIN_SAFE_INTEGER, id: '' };
  const now = deps.clock.real();
  while (realTimeMs() < endsAtMs) {
    const batch = await run(deps.pool, claim, { now, ...last });
    for (const { id } of batch) yield id;
    last = batch.at(-1) ?? last;
    if (batch.length < BATCH_MAX) return;
  }
}
