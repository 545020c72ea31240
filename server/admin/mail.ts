import type { Command } from 'commander';
import { findAccount } from '../accounts/service.ts';
import type { Database } from '../db/database.ts';
import { run, statement } from '../db/statement.ts';
import { integerWithin, print, type WithDatabase } from './command.ts';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 1_000;

const findInvoice = statement<{ id: string }>('admin_find_invoice', 'SELECT id FROM invoice WHERE id = :invoice');

/** A row is printed as it is. */
const findMails = statement<Record<string, unknown>>(
  'admin_find_mails',
  `SELECT m.id, m.account_id AS account, m.live_mode, m.invoice_id AS invoice, m.endpoint_id AS endpoint, m.occasion, m.step, m.created, m.status, m.recipient,
     m.recipient_name, m.subject, m.body_text AS text, m.message_id, m.attempts,
     CASE WHEN m.status = 'queued' THEN m.next_try_at END AS next_try_at, m.sent_at, m.last_error
   FROM mail m WHERE (:account::text IS NULL OR m.account_id = :account) AND (:invoice::text IS NULL OR m.invoice_id = :invoice)
   ORDER BY m.id DESC LIMIT :limit`,
);

type ListOptions = { account?: string; invoice?: string; limit: number };

/** A mistyped id is told, or its list would just be empty. */
async function refuseUnknown({ orm, pool }: Database, { account, invoice }: ListOptions): Promise<void> {
  if (account !== undefined) await findAccount(orm, account);
  if (invoice === undefined) return;
  const [found] = await run(pool, findInvoice, { invoice });
  if (found === undefined) throw new Error(`No such invoice: ${invoice}`);
}

export function mailCommands(program: Command, withDatabase: WithDatabase): void {
  program
    .command('mail')
    .description('e-mails to buyers and merchants')
    .command('list')
    .description('list e-mails with their texts, the newest first, one a line')
    .option('--account <account>', 'those of an account')
    .option('--invoice <invoice>', 'those about an invoice')
    .option('--limit <n>', 'at most so many', integerWithin({ min: 1, max: LIMIT_MAX }), LIMIT_DEFAULT)
    .action((options: ListOptions) =>
      withDatabase(async (database) => {
        await refuseUnknown(database, options);
        const { account = null, invoice = null, limit } = options;
        const rows = await run(database.pool, findMails, { account, invoice, limit });
        rows.forEach(print);
      }),
    );
}
