import { clockOf } from '../../accounts/scope.ts';
import { acrossAccounts, run } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { idDay } from '../../kernel/ids.ts';
import { instantText, type Timestamp } from '../../kernel/time.ts';
import {
  type AttemptTools,
  attemptOnce,
  DELIVERY_COLUMNS,
  DELIVERY_JOINS,
  type DeliveryRow,
  windowOf,
} from './attempt.ts';
import { putOff } from './claim.ts';
import type { DeliveryRef } from './results.ts';

/** Where a ladder stands, and when to look at it again. */
export type LadderStep =
  | { readonly done: true; readonly status: 'delivered' | 'failed'; readonly note: string }
  | {
      readonly done: false;
      readonly status: 'pending';
      readonly note: string;
      /** Real seconds until there is something to do; 0: now. */
      readonly dueInSeconds: number;
    };

export interface LadderTools extends AttemptTools {
  readonly deps: Pick<Deps, 'pool' | 'clock' | 'metrics' | 'posts'>;
}

/** When the receiver has as much in flight as it may have, the attempt waits without holding anything. */
const CROWDED_WAIT_SECONDS = 5;
/** Whatever advances the account's clock makes the attempts that fall due, and tells when it is done. */
const HELD_WAIT_SECONDS = 60;
/** A first attempt that is still ahead starts this ladder anew if it fails. */
const FRESH_WAIT_SECONDS = 60;

interface LadderRow extends DeliveryRow {
  status: 'pending' | 'delivered' | 'failed';
  stage: 'fresh' | 'ladder' | 'done';
  nextAttemptAt: Timestamp | null;
  lastFailure: string | null;
  lastStatusCode: number | null;
}

const findDelivery = acrossAccounts<LadderRow>(
  'find_delivery',
  `SELECT ${DELIVERY_COLUMNS}, d.status, d.stage, d.next_attempt_at AS "nextAttemptAt",
     t.failure AS "lastFailure", t.status_code AS "lastStatusCode"
   FROM delivery d ${DELIVERY_JOINS}
   LEFT JOIN delivery_attempt t ON t.day = :day AND t.event_id = :eventId AND t.endpoint_id = :endpointId AND t.ladder = :ladder AND t.attempt = d.attempts
   WHERE d.day = :day AND d.event_id = :eventId AND d.endpoint_id = :endpointId AND d.ladder = :ladder`,
);

async function readDelivery({ deps }: LadderTools, ref: DeliveryRef): Promise<LadderRow | null> {
  const { eventId, endpointId, ladder } = ref;
  const [row] = await run(deps.pool, findDelivery, { day: idDay(eventId), eventId, endpointId, ladder });
  return row ?? null;
}

function lastWords({ lastFailure: failure, lastStatusCode: code }: LadderRow): string {
  if (failure === null) return 'accepted';
  return code === null ? failure : `${failure} ${code}`;
}

function stepOf({ deps, ladder }: LadderTools, row: LadderRow | null): LadderStep {
  if (row === null) return { done: true, status: 'failed', note: 'the event was removed after its retention' };
  const tried = `${row.attempts} of ${ladder.length} attempts made; last: ${lastWords(row)}`;
  if (row.status !== 'pending') return { done: true, status: row.status, note: `${row.status}; ${tried}` };
  if (row.gone) return { done: false, status: 'pending', note: 'the endpoint was switched off', dueInSeconds: 0 };
  if (row.heldAt !== null)
    return {
      done: false,
      status: 'pending',
      note: `the test clock is advanced; ${tried}`,
      dueInSeconds: HELD_WAIT_SECONDS,
    };
  if (row.stage === 'fresh' || row.nextAttemptAt === null) {
    return { done: false, status: 'pending', note: 'attempt 1 is still ahead', dueInSeconds: FRESH_WAIT_SECONDS };
  }
  const attempt = `attempt ${row.attempts + 1} of ${ladder.length} due ${instantText(row.nextAttemptAt)}`;
  const dueInSeconds = Math.max(0, row.nextAttemptAt - deps.clock.now(clockOf(row)));
  return { done: false, status: 'pending', note: `${attempt}; last: ${lastWords(row)}`, dueInSeconds };
}

/** What is due of a ladder, by the database and the account's clock. */
export async function ladderStep(tools: LadderTools, ref: DeliveryRef): Promise<LadderStep> {
  return stepOf(tools, await readDelivery(tools, ref));
}

/** Makes the attempt that is due, if one is: a repeat after a crash finds it made, or makes it again. */
export async function attemptDelivery(tools: LadderTools, ref: DeliveryRef): Promise<LadderStep> {
  const row = await readDelivery(tools, ref);
  const step = stepOf(tools, row);
  if (row === null || step.done || step.dueInSeconds > 0) return step;
  if (!row.gone && !windowOf(tools, row).admits(row)) {
    return { ...step, note: `${step.note}; the receiver is busy`, dueInSeconds: CROWDED_WAIT_SECONDS };
  }
  const waits = row.gone ? null : await tools.deps.posts.take(row);
  if (waits !== null)
    return { ...step, note: `${step.note}; the posts of this minute are used up`, dueInSeconds: waits };
  await attemptOnce(tools, row, { at: tools.deps.clock.now(clockOf(row)) });
  return ladderStep(tools, ref);
}

/**
 * Makes the first attempt of a delivery that nobody else takes for now; answers after how many seconds it will be made where the
 * posts of this minute are used up, else null.
 */
export async function attemptFirst(tools: LadderTools, ref: DeliveryRef): Promise<number | null> {
  const row = await readDelivery(tools, ref);
  if (row === null || row.stage !== 'fresh') return null;
  const at = tools.deps.clock.now(clockOf(row));
  if (row.gone) {
    await attemptOnce(tools, row, { at });
    return null;
  }
  const waits = await tools.deps.posts.take(row);
  if (waits !== null) {
    const { day, eventId, endpointId, ladder } = row;
    await run(tools.deps.pool, putOff, { day, eventId, endpointId, ladder, seconds: waits });
    return waits;
  }
  await attemptOnce(tools, row, { at, ticket: await windowOf(tools, row).enter(row) });
  return null;
}
