import { type Statement, statement } from '../db/statement.ts';
import { deleteSome, inBatches, ROWS_PER_BATCH } from '../jobs/batched-delete.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { byDay, type EventsOfDay, removeEventsOfDay } from './event-removal.ts';
import { scopedTables } from './scoped-tables.ts';

const ofSandbox = 'account_id = $1 AND NOT live_mode';
/** The bank has no other accounts than sandboxes. */
const ofBank = 'account_id = $1';
const cob = `txid IN (SELECT txid FROM sandbox_bank.cob WHERE ${ofBank})`;
const charge = `IN (SELECT reference FROM sandbox_bank.charge WHERE ${ofBank})`;

/** What a reset keeps, the account with its people and keys, its looks and settings and what was done to it; and what it removes in ways of their own, below. */
export const tablesApart = [
  'api_key',
  'live_acquirer',
  'account_look',
  'collection_settings',
  'staff_member',
  'staff_invitation',
  'audit_log',
  'event',
  'event_delivery_status',
  'delivery',
  'invoice_cycle',
  'invoice_external_code',
];

/** Which rows of each table are of the account's sandbox; a table is emptied before those it refers to. */
export const sandboxTables: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    scopedTables.filter(({ name }) => !tablesApart.includes(name)).map(({ name }) => [name, ofSandbox]),
  ),
  'sandbox_bank.devolucao': `end_to_end_id IN (SELECT end_to_end_id FROM sandbox_bank.pix WHERE ${cob})`,
  'sandbox_bank.pix': cob,
  'sandbox_bank.cobr': cob,
  'sandbox_bank.rec': ofBank,
  'sandbox_bank.cob': ofBank,
  'sandbox_bank.estorno': `charge ${charge}`,
  'sandbox_bank.charge': ofBank,
  'sandbox_bank.card': ofBank,
  'sandbox_bank.behaviour': ofBank,
};

const findEvents = statement<EventsOfDay>(
  'find_events_to_reset',
  byDay(`SELECT e.day, e.id FROM event e WHERE e.account_id = $1 AND NOT e.live_mode LIMIT ${ROWS_PER_BATCH}`),
);

/** The statements that remove the data of an account's sandbox, in their order. */
const removals: readonly Statement[] = Object.entries(sandboxTables).map(([table, rows]) =>
  statement(`reset_${table}`, deleteSome(table, rows)),
);

/** Answers how many. */
async function removeEvents(tx: Tx): Promise<number> {
  const days = await tx.query(findEvents, [tx.scope.accountId]);
  for (const { day, ids } of days) await tx.query(removeEventsOfDay, { day, ids });
  return days.flatMap(({ ids }) => ids).length;
}

/** Requests that were admitted before the clock was held may write while it is emptied. */
const PASSES_MAX = 1_000;

/** Removes everything of the account's sandbox, until there is nothing left. */
export async function emptySandbox(tx: Tx): Promise<void> {
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    let removed = await inBatches(() => removeEvents(tx));
    for (const removal of removals) removed += await inBatches(() => tx.query(removal, [tx.scope.accountId]));
    if (removed === 0) return;
  }
  throw new Error(`the sandbox of ${tx.scope.accountId} fills up as it is emptied`);
}
