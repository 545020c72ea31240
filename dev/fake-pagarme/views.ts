import type { Card, CardData, Charge, Customer, Merchant, Order, Token, Transaction } from './books.ts';

/** Answers in the fields of the SDK's models (SOURCES.md). */

const instant = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 19)}Z`;

const TOKEN_MS = 60_000;

const shownCard = ({ first6, last4, brand, holderName, expMonth, expYear }: CardData) => ({
  first_six_digits: first6,
  last_four_digits: last4,
  brand,
  holder_name: holderName,
  exp_month: expMonth,
  exp_year: expYear,
});

export const viewToken = (token: Token) => ({
  id: token.id,
  type: 'card',
  created_at: instant(token.createdMs),
  expires_at: instant(token.createdMs + TOKEN_MS),
  card: shownCard(token),
});

export const viewCustomer = ({ id, createdMs, body }: Customer) => ({
  id,
  ...body,
  delinquent: false,
  created_at: instant(createdMs),
  updated_at: instant(createdMs),
});

export const viewCard = (card: Card) => ({
  id: card.id,
  ...shownCard(card),
  status: card.status,
  type: 'credit',
  ...(card.billingAddress === null ? {} : { billing_address: card.billingAddress }),
  created_at: instant(card.createdMs),
  updated_at: instant(card.createdMs),
  ...(card.status === 'deleted' ? { deleted_at: instant(card.createdMs) } : {}),
  customer: { id: card.customer },
});

const FAILED = /^(?:not_authorized|with_error|error_on_refunding|failed)$/;

export const viewTransaction = (transaction: Transaction, { installments }: Charge, card: Card | undefined) => ({
  id: transaction.id,
  transaction_type: 'credit_card',
  gateway_id: hexOf(transaction.id),
  amount: transaction.amount,
  status: transaction.status,
  success: !FAILED.test(transaction.status),
  installments,
  operation_type: transaction.operation,
  ...(transaction.reference === null ? {} : { operation_reference: transaction.reference }),
  acquirer_name: 'pagarme',
  acquirer_tid: hexOf(transaction.id),
  acquirer_nsu: hexOf(transaction.id),
  acquirer_affiliation_code: '',
  ...(FAILED.test(transaction.status) ? {} : { acquirer_auth_code: hexOf(transaction.id).slice(-6) }),
  ...(transaction.code === null ? {} : { acquirer_return_code: transaction.code }),
  ...(transaction.message === null ? {} : { acquirer_message: transaction.message }),
  ...(card === undefined ? {} : { card: viewCard(card) }),
  gateway_response: { code: '200', errors: [] },
  antifraud_response: transaction.isSuspected ? { status: 'reproved', provider_name: 'pagarme' } : {},
  created_at: instant(transaction.createdMs),
  updated_at: instant(transaction.createdMs),
  metadata: {},
});

const hexOf = (id: string): string => Buffer.from(id).toString('hex').slice(-10);

export function viewCharge(merchant: Merchant, charge: Charge) {
  const card = merchant.cards.get(charge.card);
  const last = charge.transactions.at(-1);
  const customer = merchant.customers.get(charge.customer);
  const { cycle, origin } = charge.recurrence;
  return {
    id: charge.id,
    code: charge.code,
    gateway_id: hexOf(charge.id),
    amount: charge.amount,
    ...(charge.paidMs === null ? {} : { paid_amount: charge.amount, paid_at: instant(charge.paidMs) }),
    ...(charge.canceledAmount === 0 ? {} : { canceled_amount: charge.canceledAmount }),
    ...(charge.canceledMs === null ? {} : { canceled_at: instant(charge.canceledMs) }),
    status: charge.status,
    currency: 'BRL',
    payment_method: 'credit_card',
    ...(cycle === null ? {} : { recurrence_cycle: cycle }),
    ...(origin === null ? {} : { payment_origin: { charge_id: origin } }),
    created_at: instant(charge.createdMs),
    updated_at: instant(charge.createdMs),
    ...(customer === undefined ? {} : { customer: viewCustomer(customer) }),
    ...(last === undefined ? {} : { last_transaction: viewTransaction(last, charge, card) }),
    metadata: {},
  };
}

const orderStatuses: Readonly<Record<Charge['status'], string>> = {
  pending: 'pending',
  processing: 'pending',
  paid: 'paid',
  chargedback: 'paid',
  failed: 'failed',
  canceled: 'canceled',
};

/** What a charge says of its order. */
export const viewOrderOf = (order: Order, charge: Charge) => ({
  id: order.id,
  code: order.code,
  amount: charge.amount,
  closed: true,
  currency: 'BRL',
  status: orderStatuses[charge.status],
  created_at: instant(order.createdMs),
  updated_at: instant(order.createdMs),
  metadata: order.metadata,
});

export function viewOrder(merchant: Merchant, order: Order) {
  const charge = merchant.charges.get(order.charge);
  if (charge === undefined) throw new Error('an order has its charge');
  const customer = merchant.customers.get(order.customer);
  return {
    ...viewOrderOf(order, charge),
    items: order.items,
    ...(customer === undefined ? {} : { customer: viewCustomer(customer) }),
    closed_at: instant(order.createdMs),
    charges: [viewCharge(merchant, charge)],
  };
}

export function viewListedCharge(merchant: Merchant, charge: Charge) {
  const order = merchant.orders.get(charge.order);
  return { ...viewCharge(merchant, charge), ...(order === undefined ? {} : { order: viewOrderOf(order, charge) }) };
}

/** A page of a list, newest first. */
export function viewPage<T>(all: readonly T[], query: URLSearchParams, view: (one: T) => object): object {
  const size = Math.min(Number(query.get('size') ?? 10), 1_000);
  const page = Number(query.get('page') ?? 1);
  return { data: all.slice((page - 1) * size, page * size).map(view), paging: { total: all.length } };
}
