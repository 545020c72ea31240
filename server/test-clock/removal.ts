import type pg from 'pg';
import { lockMovingClock } from '../accounts/clock.ts';
import { readScope } from '../accounts/scope.ts';
import { acrossAccounts, mine, run, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { inBatches } from '../jobs/batched-delete.ts';
import { raiseAlarm } from '../kernel/alarms.ts';
import { firstSuffixAt } from '../kernel/ids.ts';
import { DAY, realTimeMs, SECOND_MS } from '../kernel/time.ts';
import { openedToken } from '../payments/intents/rows.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import {
  customerRemovals,
  findCards,
  findEvents,
  findEventsOfSessions,
  findOrphanedWork,
  findSessions,
  removeCards,
  removeOrphanedWork,
  removeSessions,
} from './customer-tables.ts';
import { removeEventsOfDay } from './event-removal.ts';

/** A customer of a sandbox of which nothing changed for so long is removed (docs/product/sandbox.md#removal). */
export const KEPT_DAYS = 90;

/** Customers that are looked at in one statement. */
const BATCH = 500;
/** What is left then is removed by the next run. Milliseconds. */
const RUN_MAX_MS = 20 * 60 * SECOND_MS;

/** Ids and the last events of objects say when in real time they were made and last changed, whatever the account's clock says. */
const changedSince = (row: string): string =>
  `right(${row}.id, 26) >= :since OR right(${row}.last_event_id, 26) >= :since`;

const hasChanged = (table: string): string =>
  `EXISTS(SELECT FROM ${table} x WHERE x.customer_id = c.id AND (${changedSince('x')}))`;

/** Whatever is charged, paid, returned or decided on is told by an event of one of these; a subscription that runs goes on changing. */
const IS_TOUCHED = [
  changedSince('c'),
  `EXISTS(SELECT FROM subscription s WHERE s.customer_id = c.id AND s.status <> 'inactive')`,
  ...['subscription', 'invoice', 'payment_intent', 'checkout_session', 'dispute', 'promotion_code'].map(hasChanged),
  `EXISTS(SELECT FROM invoice i JOIN mail m ON m.invoice_id = i.id WHERE i.customer_id = c.id AND right(m.id, 26) >= :since)`,
].join(' OR ');

interface Candidate {
  readonly id: string;
  readonly accountId: string;
  readonly isTouched: boolean;
}

const findCandidates = acrossAccounts<Candidate>(
  'find_old_sandbox_customers',
  `SELECT c.id, c.account_id AS "accountId", coalesce(${IS_TOUCHED}, false) AS "isTouched"
   FROM (SELECT * FROM customer WHERE NOT live_mode AND id > :after AND id < 'cus_' || :since::text ORDER BY id LIMIT ${BATCH}) c
   ORDER BY c.id`,
);

/** Whoever is at work on the customer changes it: it is left to another day. */
const lockCustomer = statement<{ isTouched: boolean }>(
  'lock_old_sandbox_customer',
  `SELECT c.id FROM customer c WHERE ${mine('c')} AND c.id = :customerId FOR NO KEY UPDATE SKIP LOCKED`,
);
const lockSubscriptions = statement(
  'lock_subscriptions_to_remove',
  `SELECT FROM subscription s WHERE ${mine('s')} AND s.customer_id = :customerId ORDER BY s.id FOR UPDATE`,
);
const lockInvoices = statement(
  'lock_invoices_to_remove',
  `SELECT FROM invoice i WHERE ${mine('i')} AND i.customer_id = :customerId ORDER BY i.id FOR UPDATE`,
);
const lookAgain = statement<{ isTouched: boolean }>(
  'look_again_at_old_customer',
  `SELECT coalesce(${IS_TOUCHED}, false) AS "isTouched" FROM customer c WHERE ${mine('c')} AND c.id = :customerId`,
);

/** What the customer redeemed stands no more. */
const uncountRedemptions = (['coupon', 'promotion_code'] as const).map((table) =>
  statement(
    `uncount_removed_redemptions_of_${table}`,
    `UPDATE ${table} c SET times_redeemed = c.times_redeemed - gone.times
     FROM (SELECT r.${table}_id AS id, count(*)::integer AS times FROM redemption r
       WHERE ${mine('r')} AND r.customer_id = :customerId AND r.status <> 'released' GROUP BY 1) gone
     WHERE ${mine('c')} AND c.id = gone.id`,
  ),
);

/** What the customer bought or held by payment links is no sale, and held no more. */
const uncountSales = statement(
  'uncount_removed_sales_of_payment_link',
  `UPDATE payment_link k SET sales = k.sales - gone.paid, reserved = k.reserved - gone.open
   FROM (SELECT c.payment_link_id AS id, count(*) FILTER (WHERE c.status = 'complete')::integer AS paid,
       count(*) FILTER (WHERE c.status = 'open')::integer AS open
     FROM checkout_session c WHERE ${mine('c')} AND c.customer_id = :customerId AND c.payment_link_id IS NOT NULL GROUP BY 1) gone
   WHERE ${mine('k')} AND k.id = gone.id`,
);

/** What a run did. */
export type RemovalCounts = Record<'removed' | 'kept' | 'busy' | 'failed' | 'sessions', number>;

interface Removal {
  /** Called as long as the run is at work. */
  readonly told: () => void;
  /** For tests only: another moment than this one, in milliseconds of real time. */
  readonly nowMs?: number;
}

/**
 * Removes the customers of sandboxes of which nothing changed for 90 days of real time, each whole in one transaction; then
 * sessions that expired before anybody was their customer. Any number of times: what was removed is not found again.
 */
export async function removeOldCustomers(deps: Deps, { told, nowMs = realTimeMs() }: Removal): Promise<RemovalCounts> {
  const since = firstSuffixAt(nowMs - KEPT_DAYS * DAY * SECOND_MS);
  const endsAtMs = realTimeMs() + RUN_MAX_MS;
  const counts: RemovalCounts = { removed: 0, kept: 0, busy: 0, failed: 0, sessions: 0 };
  let after = '';
  while (realTimeMs() < endsAtMs) {
    const batch = await run(deps.pool, findCandidates, { since, after });
    for (const candidate of batch) {
      told();
      counts[await removeIfUntouched(deps, candidate, since)] += 1;
    }
    after = batch.at(-1)?.id ?? after;
    if (batch.length < BATCH) break;
  }
  counts.sessions = await inBatches(() => removeSomeSessions(deps.pool, since));
  return counts;
}

/** Their events first: what is broken off is found again by the sessions. Answers how many of these. */
async function removeSomeSessions(pool: pg.Pool, since: string): Promise<number> {
  const ids = (await run(pool, findSessions, { since })).map(({ id }) => id);
  for (const found of await run(pool, findEventsOfSessions, { ids })) await run(pool, removeEventsOfDay, { ...found });
  await run(pool, removeSessions, { ids });
  return ids.length;
}

async function removeIfUntouched(
  deps: Deps,
  { id, accountId, isTouched }: Candidate,
  since: string,
): Promise<keyof RemovalCounts> {
  if (isTouched) return 'kept';
  try {
    return await removeCustomer(deps, { id, accountId, since });
  } catch (error) {
    raiseAlarm(deps, 'removal_failed', {
      err: error,
      id,
      message: 'an old customer of a sandbox could not be removed',
    });
    return 'failed';
  }
}

type Asked = { readonly id: string; readonly accountId: string; readonly since: string };

/**
 * Locks in the order of all (docs/design/transactions.md#locks), looks again behind the locks, and removes the customer with
 * all that hangs on it. A clock that is being moved has work of its own on the way: its sandbox is left to another day.
 */
async function removeCustomer(deps: Deps, { id, accountId, since }: Asked): Promise<'removed' | 'kept' | 'busy'> {
  const scope = await readScope(deps.pool, { accountId, liveMode: false });
  const values = { customerId: id };
  return deps.transaction(scope, async (tx) => {
    if ((await lockMovingClock(tx)).target !== null) return 'busy';
    const [locked] = await tx.query(lockCustomer, values);
    if (locked === undefined) return 'busy';
    await tx.query(lockSubscriptions, values);
    await tx.query(lockInvoices, values);
    const [found] = await tx.query(lookAgain, { ...values, since });
    if (found?.isTouched !== false) return 'kept';
    await removeAll(tx, values);
    return 'removed';
  });
}

async function removeAll(tx: Tx, values: { readonly customerId: string }): Promise<void> {
  const tokens = (await tx.query(findCards, values)).map((card) => card.token ?? openedToken(card, tx.secretBox).token);
  for (const { day, ids } of await tx.query(findEvents, values)) await tx.query(removeEventsOfDay, { day, ids });
  for (const uncount of [...uncountRedemptions, uncountSales]) await tx.query(uncount, values);
  for (const removal of customerRemovals) await inBatches(() => tx.query(removal, values));
  await tx.query(removeCards, { tokens });
  const ids = (await tx.query(findOrphanedWork, {})).map(({ id }) => id);
  await tx.query(removeOrphanedWork, { ids });
}
