import { lookIn } from '../accounts/look.ts';
import type { Customer } from '../customers/entity.ts';
import { mine, statement } from '../db/statement.ts';
import type { Tx } from '../db/tx.ts';
import type { Invoice } from '../invoices/entity.ts';
import { purposeOf } from '../invoices/purpose.ts';
import type { ReminderDay } from '../invoices/rules.ts';
import { newId } from '../kernel/ids.ts';
import { oneLine } from '../kernel/text.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Letter } from './letter.ts';
import type { MailOccasion } from './rules.ts';
import { type Occasion, writeLetter } from './wording.ts';

export const insertMail = statement(
  'insert_mail',
  `INSERT INTO mail (id, account_id, live_mode, created, invoice_id, endpoint_id, certificate_ends_at, occasion, step, recipient, recipient_name,
     subject, body_text, body_html, message_id)
   VALUES (:id, :accountId, :liveMode, :created, :invoiceId, :endpointId, to_timestamp(:certificateEndsAt), :occasion, :step, :recipient, :recipientName,
     :subject, :text, :html, :messageId)
   ON CONFLICT (invoice_id, step) DO NOTHING`,
);

/** A letter, what it is about, and whom it goes to. */
export interface QueuedLetter {
  readonly about:
    | { readonly invoiceId: string }
    | { readonly endpointId: string }
    | { readonly certificateEndsAt: Timestamp }
    /** The account itself. */
    | Readonly<Record<never, never>>;
  readonly occasion: MailOccasion;
  /** The day of a reminder. */
  readonly step?: ReminderDay;
  readonly recipient: string;
  readonly recipientName: string;
  readonly letter: Letter;
}

/** The row of a letter, but for whose it is; `host` is that of our links. */
export function mailOf(
  { about, step, letter, ...whom }: QueuedLetter,
  { created, host }: { readonly created: Timestamp; readonly host: string },
) {
  const id = newId('mail');
  const subject = { invoiceId: null, endpointId: null, certificateEndsAt: null, ...about };
  return { id, created, step: step ?? null, messageId: `<${id}@${host}>`, ...subject, ...whom, ...letter };
}

/** Queues a letter with the commit; of a reminder that was queued before nothing is. */
export const queueMail = (tx: Tx, queued: QueuedLetter): void =>
  tx.write(insertMail, mailOf(queued, { created: tx.now, host: tx.links.host }));

interface Code {
  readonly copyPaste: string;
  readonly expiresAt: Timestamp;
}

const findCode = statement<Code>(
  'find_code_of_letter',
  `SELECT c.copy_paste AS "copyPaste", c.expires_at AS "expiresAt" FROM pix_charge c JOIN invoice i ON i.id = c.invoice_id
   WHERE i.id = :invoiceId AND ${mine('i')} AND c.state = 'active' AND c.expires_at > :now`,
);

/**
 * Writes to the buyer of an open invoice, a reminder once a step; whoever was anonymized is not written to.
 * The caller holds the lock of the invoice, so that no anonymization passes between its reading and this.
 */
export async function writeToBuyer(
  tx: Tx,
  { invoice, occasion }: { invoice: Invoice; occasion: Occasion },
): Promise<void> {
  const recipient = invoice.customerEmail ?? null;
  if (recipient === null) return;
  const { id: invoiceId, subscriptionId, liveMode } = invoice;
  const [look, [code = null]] = await Promise.all([lookIn(tx), tx.query(findCode, { invoiceId, now: tx.now })]);
  const buyer = oneLine(invoice.customerName);
  const letter = writeLetter({
    ...{ occasion, liveMode, look, buyer, code },
    logo: look.logoDigest === null ? null : tx.links.logo(look.logoDigest),
    amount: invoice.total - invoice.amountPaid,
    dueAt: invoice.dueAt,
    purpose: purposeOf(invoice),
    link:
      occasion.kind === 'declined' && subscriptionId != null
        ? tx.links.updatePayment(subscriptionId)
        : tx.links.payment(invoiceId),
    isOfSubscription: subscriptionId != null,
  });
  const step = occasion.kind === 'reminder' ? { step: occasion.step } : {};
  queueMail(tx, { about: { invoiceId }, occasion: occasion.kind, ...step, recipient, recipientName: buyer, letter });
}

const eraseCopies = statement(
  'erase_mails',
  `UPDATE mail m SET recipient = NULL, recipient_name = NULL, subject = NULL, body_text = NULL, body_html = NULL, last_error = NULL,
     status = CASE WHEN m.status IN ('queued', 'held') THEN 'dropped' ELSE m.status END
   FROM invoice i WHERE i.id = m.invoice_id AND ${mine('i')} AND i.customer_id = :customerId`,
);

/** What was written to an anonymized customer goes with it, and what waits is not sent. Runs behind the locks of its invoices. */
export async function eraseMails(tx: Tx, customer: Customer): Promise<void> {
  await tx.query(eraseCopies, { customerId: customer.id });
}
