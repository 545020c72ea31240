import { run } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { MINUTE, type Timestamp } from '../kernel/time.ts';
import { dueRank, stepRank } from '../subscriptions/order.ts';

/** What falls due on an account's clock: a return or a confirmed PIX at the bank, a step of an invoice, a cycle of a subscription. */
export type Source = 'return' | 'pix' | 'step' | 'cycle';

export interface DueItem {
  readonly source: Source;
  readonly id: string;
  readonly at: Timestamp;
}

/** Its place among what falls at one instant (docs/product/collection.md#order-at-one-instant): settlements, charges, overdue, suspension, cycles, then e-mails. */
interface Ranked extends DueItem {
  readonly rank: number;
}

/** A confirmed payment is settled about this long afterwards; what the bank has in process it tells when it is asked. */
const SETTLED_SECONDS = MINUTE;

const findItems = statement(
  'find_due_on_test_clock',
  `(SELECT 'step' AS source, id, step_at AS at,
      ${stepRank('step')} AS rank
    FROM invoice WHERE account_id = $1 AND NOT live_mode AND step_at <= $2 AND id <> ALL ($3::text[]) ORDER BY step_at, rank, id LIMIT 1)
   UNION ALL
   (SELECT 'cycle', id, due_at, ${dueRank('due')} AS rank
    FROM subscription WHERE account_id = $1 AND NOT live_mode AND due_at <= $2 AND id <> ALL ($3::text[]) ORDER BY due_at, rank, id LIMIT 1)
   UNION ALL
   SELECT 'return', intent_id, min(coalesce(retry_at, created)), 0
   FROM refund_part WHERE status = 'refunding' AND account_id = $1 AND NOT live_mode GROUP BY intent_id
   UNION ALL
   SELECT 'pix', id, confirmed_at + ${SETTLED_SECONDS}, 0
   FROM pix_charge WHERE confirmed_at IS NOT NULL AND account_id = $1 AND NOT live_mode`,
);

/** What the bank has in process is looked at again no sooner than it said. */
export type NotBefore = ReadonlyMap<string, Timestamp>;

/** The next instant at which something is looked at again; null: nothing rests. */
export function restEnds(notBefore: NotBefore, heldAt: Timestamp): Timestamp | null {
  const ahead = [...notBefore.values()].filter((at) => at > heldAt);
  return ahead.length === 0 ? null : Math.min(...ahead);
}

/** The first thing that falls due up to an instant; null: nothing does. */
export async function firstDue(
  deps: Pick<Deps, 'pool'>,
  {
    accountId,
    heldAt,
    upTo,
    notBefore,
  }: { accountId: string; heldAt: Timestamp; upTo: Timestamp; notBefore: NotBefore },
): Promise<DueItem | null> {
  const resting = [...notBefore].flatMap(([id, at]) => (at > heldAt ? [id] : []));
  const found = await run<Ranked & Record<string, unknown>>(deps.pool, findItems, [accountId, upTo, resting]);
  let first: Ranked | null = null;
  for (const item of found) {
    const known = { ...item, at: Math.max(item.at, notBefore.get(item.id) ?? item.at) };
    if (known.at <= upTo && (first === null || isBefore(known, first))) first = known;
  }
  return first;
}

function isBefore(one: Ranked, other: Ranked): boolean {
  if (one.at !== other.at) return one.at < other.at;
  if (one.rank !== other.rank) return one.rank < other.rank;
  return one.id < other.id;
}
