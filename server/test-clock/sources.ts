import { run, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { Timestamp } from '../kernel/time.ts';
import { type Source, type Waiting, waitingPlaces } from '../waiting.ts';

export interface DueItem {
  readonly source: Source;
  readonly id: string;
  readonly at: Timestamp;
}

/** Its place among what falls at one instant (docs/product/collection.md#order-at-one-instant): settlements, charges, overdue, suspension, cycles, then e-mails. */
interface Ranked extends DueItem {
  readonly rank: number;
}

/** The first that falls due of one source; what rests is looked at when its rest has ended. */
const firstOf = (source: string, { table, key, waits, due, rank, doneAfter = 0 }: Waiting): string =>
  `(SELECT '${source}' AS source, ${key} AS id, ${due.at} + ${doneAfter} AS at, ${rank} AS rank FROM ${table} w
    WHERE w.account_id = :accountId AND NOT w.live_mode AND ${waits} AND ${due.at} <= :upTo::bigint - ${doneAfter} AND ${key} <> ALL (:resting::text[])
    ORDER BY ${due.at}, rank, id LIMIT 1)`;

const findItems = statement<Ranked>(
  'find_due_on_test_clock',
  waitingPlaces.flatMap(([name, place]) => (place.rank === undefined ? [] : firstOf(name, place))).join(' UNION ALL '),
);

/** What the acquirer has in process is looked at again no sooner than it said. */
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
  const found = await run(deps.pool, findItems, { accountId, upTo, resting });
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
