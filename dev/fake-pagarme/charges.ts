import { type Answer, notFound, Refused, read } from './answer.ts';
import type { Card, Charge, Customer, Merchant, Order, Transaction } from './books.ts';
import { cardOf, customerOf, takeCustomer } from './cards.ts';
import { CancelForm, type OrderBody, OrderForm } from './forms.ts';
import { declined, SUSPECTED_DOCUMENT, type Verdict } from './issuer.ts';
import type { Desk } from './operations.ts';
import { viewCharge, viewListedCharge, viewOrder, viewPage, viewTransaction } from './views.ts';

const EXPIRED = '54';

function verdictNow(desk: Desk, merchant: Merchant, card: Card): Verdict {
  const now = new Date(desk.now());
  const isExpired = card.expYear * 12 + card.expMonth < now.getUTCFullYear() * 12 + now.getUTCMonth() + 1;
  if (isExpired || card.status === 'expired') return declined(EXPIRED);
  if (customerOf(merchant, card.customer).body.document === SUSPECTED_DOCUMENT) return { kind: 'suspected' };
  return card.verdict;
}

const sale = (desk: Desk, merchant: Merchant, amount: number): Transaction => ({
  id: merchant.id('tran'),
  createdMs: desk.now(),
  operation: 'auth_and_capture',
  amount,
  reference: null,
  status: 'processing',
  code: null,
  message: null,
  isSuspected: false,
});

type Decided = Exclude<Verdict, { kind: 'processing' }>;

/** What becomes of a charge once its issuer has spoken. */
function decide(desk: Desk, charge: Charge, verdict: Decided): void {
  const transaction = charge.transactions[0];
  if (transaction === undefined) throw new Error('a charge has its sale');
  const isApproved = verdict.kind === 'approved';
  charge.status = isApproved ? 'paid' : 'failed';
  charge.paidMs = isApproved ? desk.now() : null;
  transaction.status = isApproved ? 'captured' : 'not_authorized';
  transaction.code = verdict.kind === 'declined' ? verdict.code : isApproved ? '00' : null;
  transaction.message = verdict.kind === 'declined' ? verdict.message : null;
  transaction.isSuspected = verdict.kind === 'suspected';
}

/** The simulator's charges in process end by themselves so soon. */
const PROCESSED_MS = 3_000;

/** Ends what is due: whoever asks sees it ended. */
export function endDue(desk: Desk, merchant: Merchant): void {
  for (const { id, status, ends } of merchant.charges.values())
    if (status === 'processing' && ends !== null && ends.atMs <= desk.now())
      settleCharge(desk, merchant, id, ends.isApproved);
}

/** Ends a charge that is at the acquirer. */
export function settleCharge(desk: Desk, merchant: Merchant, id: string, isApproved: boolean): void {
  const charge = chargeOf(merchant, id);
  if (charge.status !== 'processing') throw new Refused(412, 'The charge is not at the acquirer.');
  decide(desk, charge, isApproved ? { kind: 'approved' } : declined('05'));
  desk.tell(merchant, isApproved ? 'charge.paid' : 'charge.payment_failed', viewListedCharge(merchant, charge));
}

function customerOfOrder(desk: Desk, merchant: Merchant, { customer_id: id, customer }: OrderBody): Customer {
  if (id !== undefined) return customerOf(merchant, id);
  if (customer !== undefined) return takeCustomer(desk, merchant, customer);
  throw new Refused(422, 'The request is invalid.', { 'order.customer': ['A customer or its id is required.'] });
}

export function createOrder(desk: Desk, merchant: Merchant, body: unknown): Answer {
  const form: OrderBody = read(OrderForm, body, 'order');
  const [payment] = form.payments;
  if (payment === undefined) throw new Error('the form has one payment');
  const { credit_card: asked } = payment;
  const customer = customerOfOrder(desk, merchant, form);
  const card = cardOf(merchant, customer.id, asked.card_id);
  const total = form.items.reduce((sum, { amount, quantity }) => sum + amount * quantity, 0);
  const amount = payment.amount ?? total;
  const origin = asked.payment_origin?.charge_id ?? null;
  if (asked.recurrence_cycle === 'subsequent' && origin === null && asked.payment_origin?.brand_id === undefined)
    throw new Refused(422, 'The request is invalid.', {
      'order.payments[0].credit_card.payment_origin': ['The origin of a subsequent charge is required.'],
    });
  const verdict = verdictNow(desk, merchant, card);
  const isHeld = desk.strikes('stays_processing', 'createOrder', merchant) !== null;
  const orderId = merchant.id('or');
  const charge: Charge = {
    id: merchant.id('ch'),
    code: form.code,
    order: orderId,
    customer: customer.id,
    card: card.id,
    amount,
    installments: asked.installments ?? 1,
    createdMs: desk.now(),
    recurrence: { cycle: asked.recurrence_cycle ?? null, origin },
    status: 'processing',
    ends: verdict.kind === 'processing' ? { atMs: desk.now() + PROCESSED_MS, isApproved: verdict.isApproved } : null,
    paidMs: null,
    canceledAmount: 0,
    canceledMs: null,
    transactions: [sale(desk, merchant, amount)],
  };
  if (verdict.kind !== 'processing' && !isHeld) decide(desk, charge, verdict);
  const items = form.items.map((item) => ({ id: merchant.id('oi'), type: 'product', status: 'active', ...item }));
  const order: Order = {
    id: orderId,
    code: form.code,
    customer: customer.id,
    items,
    metadata: form.metadata ?? {},
    createdMs: desk.now(),
    charge: charge.id,
  };
  merchant.orders.set(order.id, order);
  merchant.charges.set(charge.id, charge);
  const types = { paid: 'charge.paid', failed: 'charge.payment_failed' } as const;
  const type = charge.status === 'paid' || charge.status === 'failed' ? types[charge.status] : 'charge.processing';
  desk.tell(merchant, type, viewListedCharge(merchant, charge));
  return { status: 200, body: viewOrder(merchant, order) };
}

export function listOrders(desk: Desk, merchant: Merchant, query: URLSearchParams): Answer {
  const code = query.get('code');
  const lag = desk.strikes('lagging', 'listOrders', merchant)?.milliseconds ?? 0;
  const found = [...merchant.orders.values()].filter(
    (order) => (code === null || order.code === code) && desk.now() - order.createdMs >= lag,
  );
  return { status: 200, body: viewPage(found.reverse(), query, (order) => viewOrder(merchant, order)) };
}

export function getOrder(_desk: Desk, merchant: Merchant, id: string): Answer {
  const order = merchant.orders.get(id);
  if (order === undefined) throw notFound('Order');
  return { status: 200, body: viewOrder(merchant, order) };
}

export function chargeOf(merchant: Merchant, id: string): Charge {
  const charge = merchant.charges.get(id);
  if (charge === undefined) throw notFound('Charge');
  return charge;
}

export function listCharges(_desk: Desk, merchant: Merchant, query: URLSearchParams): Answer {
  const code = query.get('code');
  const status = query.get('status');
  const sinceMs = Date.parse(query.get('created_since') ?? '1970-01-01');
  const found = [...merchant.charges.values()].filter(
    (charge) =>
      (code === null || charge.code === code) &&
      (status === null || charge.status === status) &&
      charge.createdMs >= sinceMs,
  );
  return { status: 200, body: viewPage(found.reverse(), query, (charge) => viewListedCharge(merchant, charge)) };
}

export function getCharge(_desk: Desk, merchant: Merchant, id: string): Answer {
  return { status: 200, body: viewListedCharge(merchant, chargeOf(merchant, id)) };
}

export function listTransactions(_desk: Desk, merchant: Merchant, id: string, query: URLSearchParams): Answer {
  const charge = chargeOf(merchant, id);
  const card = merchant.cards.get(charge.card);
  const view = (transaction: Transaction) => viewTransaction(transaction, charge, card);
  return { status: 200, body: viewPage(charge.transactions.toReversed(), query, view) };
}

const STANDING = /^(?:refunded|partial_refunded|pending_refund)$/;

/** What is left of a charge: neither returned nor on its way back. */
export const leftOf = (charge: Charge): number =>
  charge.transactions
    .filter(({ operation, status }) => operation === 'cancel' && STANDING.test(status))
    .reduce((left, { amount }) => left - amount, charge.amount);

export function cancelCharge(desk: Desk, merchant: Merchant, id: string, body: unknown): Answer {
  const charge = chargeOf(merchant, id);
  const { amount = leftOf(charge), operation_reference: reference = null } = read(CancelForm, body ?? {}, 'charge');
  if (charge.status !== 'paid') throw new Refused(412, 'This charge can not be canceled.');
  if (amount > leftOf(charge)) throw new Refused(412, 'The amount exceeds what is left of the charge.');
  const transaction: Transaction = {
    ...sale(desk, merchant, amount),
    operation: 'cancel',
    reference,
    status: 'pending_refund',
  };
  charge.transactions.push(transaction);
  if (desk.strikes('refund_fails', 'cancelCharge', merchant) !== null)
    settleRefund(desk, merchant, transaction.id, false);
  else if (desk.strikes('refund_stays', 'cancelCharge', merchant) === null)
    settleRefund(desk, merchant, transaction.id, true);
  return { status: 200, body: viewCharge(merchant, charge) };
}

/** Ends a refund that is pending. */
export function settleRefund(desk: Desk, merchant: Merchant, id: string, isMade: boolean): void {
  for (const charge of merchant.charges.values()) {
    const refund = charge.transactions.find((one) => one.id === id && one.status === 'pending_refund');
    if (refund === undefined) continue;
    if (!isMade) {
      refund.status = 'error_on_refunding';
    } else {
      charge.canceledAmount += refund.amount;
      const isWhole = charge.canceledAmount === charge.amount;
      refund.status = isWhole ? 'refunded' : 'partial_refunded';
      refund.code = '00';
      if (isWhole) Object.assign(charge, { status: 'canceled', canceledMs: desk.now() });
      desk.tell(merchant, isWhole ? 'charge.refunded' : 'charge.partial_canceled', viewListedCharge(merchant, charge));
    }
    return;
  }
  throw notFound('Refund');
}

/** The bank of the holder takes money back; the merchant is told, and not asked. */
export function takeBack(desk: Desk, merchant: Merchant, id: string, wanted?: number): void {
  const charge = chargeOf(merchant, id);
  if (charge.paidMs === null) throw new Refused(412, 'The charge was never paid.');
  const amount = wanted ?? charge.amount;
  const taken = { ...sale(desk, merchant, amount), operation: 'chargeback' as const, status: 'chargedback' };
  charge.transactions.push(taken);
  charge.status = 'chargedback';
  desk.tell(merchant, 'charge.chargedback', viewListedCharge(merchant, charge));
}
