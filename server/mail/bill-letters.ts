import { mine, statement } from '../db/statement.ts';
import type { Invoice } from '../invoices/entity.ts';
import { leftToPay } from '../invoices/late-fees.ts';
import { purposeOf } from '../invoices/purpose.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Tx } from '../unit-of-work/tx.ts';
import { type AboutBuyer, queueToBuyer } from './queue.ts';
import { senderIn } from './settings.ts';
import { CONFIRMABLE_FOR, type Welcome, welcomeOf } from './typed-email.ts';
import { isAboutMethod, type Occasion, wordsOfBill, wordsOfConfirmation } from './wording.ts';

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
  const welcome = await welcomeOf(tx, { customerId: invoice.customerId, email: recipient });
  if (welcome === 'any') await writeOf(tx, { invoice, occasion, recipient });
  if (welcome === 'confirmation') {
    const { id: invoiceId, subscriptionId, customerId, lineItems } = invoice;
    const about = { customerId, invoiceId, subscriptionId };
    const amount = leftToPay(invoice, tx.now);
    await askToConfirm(tx, { about, recipient, purpose: purposeOf(lineItems), amount });
  }
  return welcome;
}

async function writeOf(
  tx: Tx,
  { invoice, occasion, recipient }: { invoice: Invoice; occasion: Occasion; recipient: string },
): Promise<void> {
  const { id: invoiceId, subscriptionId, customerId, customerName: name, liveMode, dueAt } = invoice;
  const [{ look }, [code = null]] = await Promise.all([senderIn(tx), tx.query(findCode, { invoiceId, now: tx.now })]);
  const words = wordsOfBill({
    ...{ occasion, liveMode, code, dueAt },
    merchant: look.name,
    amount: leftToPay(invoice, tx.now),
    purpose: purposeOf(invoice.lineItems),
    link:
      isAboutMethod(occasion) && subscriptionId != null
        ? tx.links.updatePayment({ id: subscriptionId, liveMode })
        : tx.links.payment(invoice),
    suspends: subscriptionId != null && invoice.collection !== 'final',
  });
  await queueToBuyer(tx, {
    ...{ recipient, name, words },
    about: { customerId, invoiceId, subscriptionId },
    occasion: occasion.kind,
    reminder: occasion.kind === 'reminder' ? { step: occasion.step, dueAt } : undefined,
  });
}

/** What an address is asked to confirm for. */
interface Confirmed {
  readonly about: AboutBuyer;
  readonly recipient: string;
  readonly purpose: string;
  readonly amount: number | null;
}

/** Calls nobody by a name: whoever reads it may be another than the buyer who typed both. */
export async function askToConfirm(tx: Tx, { about, recipient, purpose, amount }: Confirmed): Promise<void> {
  const { look } = await senderIn(tx);
  const words = wordsOfConfirmation({
    ...{ amount, purpose },
    merchant: look.name,
    link: tx.links.confirmation({ id: about.customerId, liveMode: tx.scope.liveMode }),
    until: tx.now + CONFIRMABLE_FOR,
  });
  await queueToBuyer(tx, { about, occasion: 'confirmation', recipient, name: null, words });
}
