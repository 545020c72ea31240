import type { Invoice as InvoiceView } from '../../contract/invoices.ts';
import { limitOf } from '../admission/limits.ts';
import { mine, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { Invoice } from '../invoices/entity.ts';
import { lockInvoice } from '../invoices/life.ts';
import { viewInvoice } from '../invoices/view.ts';
import { BillingError } from '../kernel/errors.ts';
import { DAY, type Timestamp } from '../kernel/time.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { writeToBuyer } from './bill-letters.ts';
import { mailsSpentFor } from './limits.ts';

/** Letters that a merchant may send about one invoice within a day (docs/product/mail.md#sent-by-the-merchant). */
const SENT_MAX = 3;

const findSent = statement<{ created: Timestamp }>(
  'find_letters_sent',
  `SELECT m.created FROM mail m WHERE m.invoice_id = :invoiceId AND m.occasion = 'sent' AND m.created > :since AND ${mine('m')}
   ORDER BY m.created DESC LIMIT ${SENT_MAX}`,
);

/** Mails an open invoice to its buyer, as often as a day allows. */
export const sendInvoice = (deps: Deps, scope: Scope, id: string): Promise<InvoiceView> =>
  deps.transaction(scope, async (tx) => {
    const invoice = await lockOpen(tx, id);
    await refuseTooMany(tx, id);
    await refuseSpent(deps, scope);
    return writeSent(tx, invoice);
  });

/** The same for an operator, who may do it more often. */
export const resendInvoice = (deps: Deps, scope: Scope, id: string): Promise<InvoiceView> =>
  deps.transaction(scope, async (tx) => {
    const invoice = await lockOpen(tx, id);
    await refuseSpent(deps, scope);
    return writeSent(tx, invoice);
  });

async function lockOpen(tx: Tx, id: string): Promise<Invoice> {
  const invoice = await lockInvoice(tx, id);
  if (invoice.status === 'open') return invoice;
  throw new BillingError('INVOICE_NOT_OPEN', { message: `${id} is ${invoice.status}: only an open invoice is sent` });
}

async function writeSent(tx: Tx, invoice: Invoice): Promise<InvoiceView> {
  const welcome = await writeToBuyer(tx, { invoice, occasion: { kind: 'sent' } });
  if (welcome === 'none') {
    const message = `The buyer of ${invoice.id} typed the e-mail address on a page and was asked to confirm it, which has not happened`;
    throw new BillingError('INVALID_STATE', { message });
  }
  return tx.answer(viewInvoice(tx, invoice));
}

/** Told at once, where it would only be held (docs/product/mail.md#limits). */
async function refuseSpent({ pool, clock }: Deps, scope: Scope): Promise<void> {
  const retryAfterSeconds = await mailsSpentFor(pool, scope, clock.real());
  if (retryAfterSeconds === null) return;
  const message = `The account has sent the ${limitOf('mails', scope)} e-mails of a day; repeat in ${retryAfterSeconds} s`;
  throw new BillingError('RATE_LIMITED', { message, retryAfterSeconds });
}

async function refuseTooMany(tx: Tx, invoiceId: string): Promise<void> {
  const sent = await tx.query(findSent, { invoiceId, since: tx.now - DAY });
  const first = sent[SENT_MAX - 1];
  if (first === undefined) return;
  const retryAfterSeconds = first.created + DAY - tx.now;
  const message = `${invoiceId} was sent ${SENT_MAX} times within a day; send it again in ${retryAfterSeconds} s`;
  throw new BillingError('RATE_LIMITED', { message, retryAfterSeconds });
}
