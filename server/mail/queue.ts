import type { Customer } from '../customers/entity.ts';
import { mine, statement } from '../db/statement.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { Invoice } from '../invoices/entity.ts';
import { purposeOf } from '../invoices/purpose.ts';
import type { ReminderDay } from '../invoices/rules.ts';
import { newId } from '../kernel/ids.ts';
import { oneLine, writeReminder } from './wording.ts';

const insertMail = statement(
  'insert_mail',
  `INSERT INTO mail (id, account_id, live_mode, created, invoice_id, step, recipient, recipient_name, subject, body_text,
     body_html, message_id)
   VALUES (:id, :accountId, :liveMode, :created, :invoiceId, :step, :recipient, :buyer, :subject, :text, :html, :messageId)
   ON CONFLICT (invoice_id, step) DO NOTHING`,
);

/**
 * Writes to the buyer of an invoice, once a step; whoever was anonymized is not written to.
 * The caller holds the lock of the invoice, so that no anonymization passes between its reading and this.
 */
export function remind(
  deps: Pick<Deps, 'settings'>,
  tx: Tx,
  { invoice, step }: { invoice: Invoice; step: ReminderDay },
): void {
  const recipient = invoice.customerEmail ?? null;
  if (recipient === null) return;
  const buyer = oneLine(invoice.customerName);
  const letter = writeReminder({
    step,
    buyer,
    liveMode: invoice.liveMode,
    merchant: tx.scope.account.name,
    amount: invoice.total - invoice.amountPaid,
    dueAt: invoice.dueAt,
    purpose: purposeOf(invoice),
    link: tx.links.payment(invoice.id),
    isOfSubscription: (invoice.subscriptionId ?? null) !== null,
  });
  const id = newId('mail');
  const messageId = `<${id}@${new URL(deps.settings.publicUrl).hostname}>`;
  const { subject, text, html } = letter;
  const about = { created: tx.now, invoiceId: invoice.id, step };
  tx.write(insertMail, { id, ...about, recipient, buyer, subject, text, html, messageId });
}

const eraseCopies = statement(
  'erase_mails',
  `UPDATE mail m SET recipient = NULL, recipient_name = NULL, subject = NULL, body_text = NULL, body_html = NULL, last_error = NULL,
     status = CASE WHEN m.status = 'queued' THEN 'dropped' ELSE m.status END
   FROM invoice i WHERE i.id = m.invoice_id AND ${mine('i')} AND i.customer_id = :customerId`,
);

/** What was written to an anonymized customer goes with it, and what waits is not sent. Runs behind the locks of its invoices. */
export async function eraseMails(tx: Tx, customer: Customer): Promise<void> {
  await tx.query(eraseCopies, { customerId: customer.id });
}
