import { switchedOccasions } from '../../contract/mails.ts';
import { readScope } from '../../server/accounts/scope.ts';
import { scopedReader } from '../../server/db/entity-reader.ts';
import { InvoiceSchema } from '../../server/invoices/entity.ts';
import { writeToBuyer } from '../../server/mail/bill-letters.ts';
import type { Merchant, TestApi } from './api.ts';

/** Writes to the buyer of an invoice, as collection does. */
export async function remindOf(
  { composition }: Pick<TestApi, 'composition'>,
  merchant: Merchant,
  { id, step, liveMode = false }: { id: string; step: number; liveMode?: boolean },
): Promise<void> {
  const { deps } = composition;
  const scope = await readScope(deps.pool, { accountId: merchant.accountId, liveMode });
  const invoice = await scopedReader(deps.orm, scope).findOne(InvoiceSchema, { id });
  if (invoice === null) throw new Error(`no such invoice: ${id}`);
  await deps.transaction(scope, (tx) =>
    writeToBuyer(tx, { invoice, occasion: { kind: 'reminder', step, daysLate: step, isLast: step === 7 } }),
  );
}

/** A mail as it stands in the database. */
export interface MailRow {
  readonly occasion: string;
  readonly step: number | null;
  readonly status: string;
  readonly attempts: number;
  readonly recipient: string | null;
  readonly recipient_name: string | null;
  readonly subject: string | null;
  readonly body_text: string | null;
  readonly body_html: string | null;
  readonly message_id: string;
  readonly last_error: string | null;
  readonly sent_at: Date | null;
  /** Seconds until the next try, rounded. */
  readonly wait: number;
}

/** What tells of something that has happened. */
const TELLING = switchedOccasions.filter((occasion) => occasion !== 'reminder');

/** The mails that ask for an invoice, by step; those that tell what became of it are others. */
export async function mailsOf({ composition }: Pick<TestApi, 'composition'>, invoice: string): Promise<MailRow[]> {
  const { rows } = await composition.deps.pool.query<MailRow>(
    `SELECT occasion, step, status, attempts, recipient, recipient_name, subject, body_text, body_html, message_id, last_error, sent_at,
       round(extract(epoch FROM next_try_at - now()))::integer AS wait
     FROM mail WHERE invoice_id = $1 AND occasion <> ALL ($2) ORDER BY step, id`,
    [invoice, TELLING],
  );
  return rows;
}
