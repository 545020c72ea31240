import pg from 'pg';
import { beginIn, EVERYBODY } from '../../server/db/reach.ts';
import { refuseOtherSchema } from '../../server/db/schema-version.ts';
import type { Timestamp } from '../../server/kernel/time.ts';
import { bankChecks } from './bank.ts';
import { cardChecks } from './cards.ts';
import { type Check, queryOf, sentence } from './check.ts';
import { sessionChecks } from './checkout-sessions.ts';
import { clearTextChecks } from './clear-text.ts';
import { collectionAuditChecks } from './collection.ts';
import { couponChecks } from './coupons.ts';
import { customerChecks } from './customers.ts';
import { deadlineChecks } from './deadlines.ts';
import { deliveryChecks } from './deliveries.ts';
import { disputeChecks } from './disputes.ts';
import { eventChecks } from './events.ts';
import { exportChecks } from './exports.ts';
import { intentChecks } from './intents.ts';
import { invoiceItemChecks } from './invoice-items.ts';
import { invoiceChecks } from './invoices.ts';
import { logChecks } from './log.ts';
import { mailChecks } from './mails.ts';
import { mandateChecks } from './mandates.ts';
import { paymentLinkChecks } from './payment-links.ts';
import { portalLinkChecks } from './portal-links.ts';
import { refundChecks } from './refunds.ts';
import { scopeChecks } from './scopes.ts';
import { changeChecks } from './subscription-changes.ts';
import { subscriptionChecks } from './subscriptions.ts';
import { auditedTables } from './tables.ts';

export const checks: readonly Check[] = [
  ...invoiceChecks,
  ...intentChecks,
  ...bankChecks,
  ...cardChecks,
  ...mandateChecks,
  ...couponChecks,
  ...paymentLinkChecks,
  ...invoiceItemChecks,
  ...customerChecks,
  ...refundChecks,
  ...disputeChecks,
  ...subscriptionChecks,
  ...changeChecks,
  ...sessionChecks,
  ...portalLinkChecks,
  ...mailChecks,
  ...collectionAuditChecks,
  ...exportChecks,
  ...eventChecks,
  ...deliveryChecks,
  ...scopeChecks,
  ...deadlineChecks,
  ...clearTextChecks,
  ...logChecks,
];

/** A pool is audited in one snapshot of its own; a connection as its transaction sees the database. */
export type AuditTarget = pg.Pool | pg.ClientBase;

export interface AuditOptions {
  /** The instant on the clock of live accounts; a sandbox's own offset is added to it. */
  readonly now: Timestamp;
  /** How long work may lie about before it counts as stuck. */
  readonly patienceSeconds?: number;
  /** How long a workflow may hold work that no row of ours shows; none when everything has come to rest. */
  readonly inFlightSeconds?: number;
}

export interface Finding {
  readonly check: string;
  readonly sentence: string;
}

const PATIENCE_SECONDS_DEFAULT = 15 * 60;
/** A broken invariant breaks a thousand times as easily as once; so many are shown of each. */
const SHOWN_MAX = 20;
/** So many rows are judged by a check that takes more than SQL. */
const JUDGED_MAX = 100_000;
/** Reading everything takes longer than any statement of the service may. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000;

/** Proves the invariants of the whole database and the acquirer's books; each finding is one sentence (docs/design/audit.md#what-it-proves). */
export async function audit(target: AuditTarget, options: AuditOptions): Promise<string[]> {
  const found = await findings(target, options);
  return found.map((finding) => `${finding.sentence} [${finding.check}]`);
}

/** The audit's findings with the check that each broke. */
export function findings(target: AuditTarget, options: AuditOptions): Promise<Finding[]> {
  return inSnapshot(target, async (client) => {
    const found: Finding[] = [];
    for (const check of checks) found.push(...(await run(client, check, options)));
    return found;
  });
}

/** What is not seen breaks nothing: an audit that does not see all would prove everything. */
export class NotAllIsSeen extends Error {}

const ISOLATION = 'repeatable read';

/** Whom a connection was told to reach as it began says nothing behind a pooler: another connection may serve the transaction. */
const begin = (client: pg.ClientBase): string =>
  beginIn(client, EVERYBODY, `BEGIN ISOLATION LEVEL ${ISOLATION} READ ONLY`);

const TOLD = `SELECT current_setting('fatura.live', true) AS live, current_setting('fatura.sandbox', true) AS sandbox,
  current_setting('transaction_isolation') AS isolation`;

/** Refuses a transaction that is not what it began as, as where a pooler hands on each statement by itself. */
async function refuseLess(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<Record<string, string | null>>(TOLD);
  const expected = { ...EVERYBODY, isolation: ISOLATION };
  const differing = Object.entries(expected).filter(([name, value]) => rows[0]?.[name] !== value);
  if (differing.length === 0) return;
  const told = differing.map(([name, value]) => `${name} is "${rows[0]?.[name] ?? ''}" and not "${value}"`).join(', ');
  throw new NotAllIsSeen(
    `Nothing was audited: the database does not show all rows of one moment (${told}). Connect to PostgreSQL itself and not to a pooler.`,
  );
}

async function inSnapshot<T>(target: AuditTarget, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  if (!(target instanceof pg.Pool)) return work(target);
  const client = await target.connect();
  try {
    await client.query(begin(client));
    await refuseLess(client);
    await refuseOtherSchema(client);
    await client.query(`SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
    // Millions of rows are hashed, and no query runs twice.
    await client.query(`SET LOCAL work_mem = '128MB'`);
    await client.query(`SET LOCAL jit = off`);
    return await work(client);
  } finally {
    // Nothing was written: what is left of the transaction ends with the connection.
    client.release(true);
  }
}

async function run(client: pg.ClientBase, check: Check, options: AuditOptions): Promise<Finding[]> {
  const values = [options.now, options.patienceSeconds ?? PATIENCE_SECONDS_DEFAULT, options.inFlightSeconds ?? 0];
  // Its name keeps the plan for whoever audits again on the same connection.
  const { isBreach } = check;
  const query = { name: `audit ${check.name}`, text: queryOf(check, isBreach ? JUDGED_MAX : SHOWN_MAX), values };
  const { rows } = await client.query<Record<string, unknown>>(query);
  const found = isBreach ? rows.filter(isBreach) : rows;
  const shown = found.slice(0, SHOWN_MAX).map((row) => ({ check: check.name, sentence: sentence(check, row) }));
  const breaches = isBreach ? found.length : Number(rows[0]?.breaches ?? 0);
  if (breaches <= SHOWN_MAX) return shown;
  return [...shown, { check: check.name, sentence: `${breaches - SHOWN_MAX} more of the same were found` }];
}

/** Rows of all tables that the audit reads. */
export function countRows(target: AuditTarget): Promise<number> {
  const counts = auditedTables.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ');
  return inSnapshot(target, async (client) => {
    const { rows } = await client.query<{ rows: number }>(`SELECT ${counts} AS rows`);
    return Number(rows[0]?.rows ?? 0);
  });
}
