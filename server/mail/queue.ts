import type { MailOccasion } from '../../contract/mails.ts';
import { lookIn } from '../accounts/look.ts';
import type { Customer } from '../customers/entity.ts';
import { looksLikeName } from '../customers/name.ts';
import { mine, statement } from '../db/statement.ts';
import type { Invoice } from '../invoices/entity.ts';
import { purposeOf } from '../invoices/purpose.ts';
import type { ReminderDay } from '../invoices/rules.ts';
import { newId } from '../kernel/ids.ts';
import { oneLine } from '../kernel/text.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import type { Letter } from './letter.ts';
import { CONFIRMABLE_FOR, eraseTyped, type Welcome, welcomeOf } from './typed-email.ts';
import { isAboutMethod, type Occasion, writeConfirmation, writeLetter } from './wording.ts';

export const insertMail = statement(
  'insert_mail',
  `INSERT INTO mail (id, account_id, live_mode, created, invoice_id, endpoint_id, certificate_ends_at, occasion, step, due_at, recipient, recipient_name,
     subject, body_text, body_html, message_id)
   VALUES (:id, :accountId, :liveMode, :created, :invoiceId, :endpointId, to_timestamp(:certificateEndsAt), :occasion, :step, :dueAt, :recipient, :recipientName,
     :subject, :text, :html, :messageId)
   ON CONFLICT (invoice_id, step, due_at) DO NOTHING`,
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
  /** The day of a reminder, and the due date that it is counted from. */
  readonly reminder?: { readonly step: ReminderDay; readonly dueAt: Timestamp };
  readonly recipient: string;
  readonly recipientName: string;
  readonly letter: Letter;
}

/** The row of a letter, but for whose it is; `host` is that of our links. */
export function mailOf(
  { about, reminder, letter, ...whom }: QueuedLetter,
  { created, host }: { readonly created: Timestamp; readonly host: string },
) {
  const id = newId('mail');
  const subject = { invoiceId: null, endpointId: null, certificateEndsAt: null, ...about };
  return {
    id,
    created,
    ...(reminder ?? { step: null, dueAt: null }),
    messageId: `<${id}@${host}>`,
    ...subject,
    ...whom,
    ...letter,
  };
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
   WHERE i.id = :invoiceId AND ${mine('i')} AND c.state = 'active' AND c.copy_paste IS NOT NULL AND c.expires_at > :now`,
);

/**
 * Writes to the buyer of an open invoice, a reminder once a step; whoever was anonymized is not written to. An address that its
 * buyer typed is asked for its confirmation first, once; what was to be written is left out. Answers what may be written there.
 * The caller holds the lock of the invoice, so that no anonymization passes between its reading and this.
 */
export async function writeToBuyer(
  tx: Tx,
  { invoice, occasion }: { invoice: Invoice; occasion: Occasion },
): Promise<Welcome> {
  const recipient = invoice.customerEmail ?? null;
  if (recipient === null) return 'none';
  const welcome = await welcomeOf(tx, invoice);
  if (welcome === 'any') await writeOf(tx, { invoice, occasion, recipient });
  if (welcome === 'confirmation') await askToConfirm(tx, { invoice, recipient });
  return welcome;
}

async function writeOf(
  tx: Tx,
  { invoice, occasion, recipient }: { invoice: Invoice; occasion: Occasion; recipient: string },
): Promise<void> {
  const { id: invoiceId, subscriptionId, liveMode } = invoice;
  const [look, [code = null]] = await Promise.all([lookIn(tx), tx.query(findCode, { invoiceId, now: tx.now })]);
  const buyer = buyerName(invoice);
  const letter = writeLetter({
    ...{ occasion, liveMode, look, buyer, code },
    logo: look.logoDigest === null ? null : tx.links.logo(look.logoDigest),
    amount: invoice.total - invoice.amountPaid,
    dueAt: invoice.dueAt,
    purpose: purposeOf(invoice),
    link:
      isAboutMethod(occasion) && subscriptionId != null
        ? tx.links.updatePayment({ id: subscriptionId, liveMode })
        : tx.links.payment(invoice),
    isOfSubscription: subscriptionId != null,
  });
  const reminder = occasion.kind === 'reminder' ? { reminder: { step: occasion.step, dueAt: invoice.dueAt } } : {};
  const recipientName = buyer ?? '';
  queueMail(tx, { about: { invoiceId }, occasion: occasion.kind, ...reminder, recipient, recipientName, letter });
}

/** How a letter calls its buyer; null: by no name, since what was given for one may be any text. */
function buyerName({ customerName }: Invoice): string | null {
  const name = oneLine(customerName);
  return looksLikeName(name) ? name : null;
}

/** Calls nobody by a name: whoever reads it may be another than the buyer who typed both. */
async function askToConfirm(tx: Tx, { invoice, recipient }: { invoice: Invoice; recipient: string }): Promise<void> {
  const look = await lookIn(tx);
  const letter = writeConfirmation({
    ...{ liveMode: invoice.liveMode, look },
    logo: look.logoDigest === null ? null : tx.links.logo(look.logoDigest),
    amount: invoice.total - invoice.amountPaid,
    purpose: purposeOf(invoice),
    link: tx.links.confirmation({ id: invoice.customerId, liveMode: invoice.liveMode }),
    until: tx.now + CONFIRMABLE_FOR,
  });
  queueMail(tx, { about: { invoiceId: invoice.id }, occasion: 'confirmation', recipient, recipientName: '', letter });
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
  await tx.query(eraseTyped, { customerId: customer.id });
}
