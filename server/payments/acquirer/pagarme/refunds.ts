import { SECOND_MS, type Timestamp } from '../../../kernel/time.ts';
import { isAbsent, isSuccess, type PspExchange, unknownBy } from '../http.ts';
import type { AcquirerAnswer, CardRefundRequest, Chargeback, Merchant, RefundStatus } from '../port.ts';
import { findByReference } from './charges.ts';
import type { PagarmeClient } from './client.ts';
import { type ReadCharge, type ReadTransaction, readChargePage, readTransactions } from './reading.ts';

const RETURNED = /^(?:refunded|partial_refunded|voided|partial_void|canceled)$/;
const NOT_RETURNED = /^(?:error_on_refunding|error_on_voiding|failed|with_error|not_authorized)$/;

/** The charge of a reference; an error where it is of no charge that was paid. */
async function paidCharge(client: PagarmeClient, reference: string): Promise<AcquirerAnswer<ReadCharge>> {
  const found = await findByReference(client, reference);
  if (!found.known) return found;
  if (found.value === null) throw new Error(`Pagar.me has no charge ${reference} to return`);
  return { known: true, value: found.value };
}

async function transactionsOf(
  client: PagarmeClient,
  chargeId: string,
): Promise<AcquirerAnswer<readonly ReadTransaction[]>> {
  const exchange = await client.call({
    method: 'GET',
    path: ['charges', chargeId, 'transactions'],
    query: { size: '100' },
  });
  const page = isSuccess(exchange) ? readTransactions(exchange.body) : null;
  return page === null ? unknownBy(exchange) : { known: true, value: page.data };
}

function statusOf({ status, created_at: at }: ReadTransaction, now: number): RefundStatus {
  if (RETURNED.test(status ?? '')) return { status: 'completed', at: at ?? now };
  return NOT_RETURNED.test(status ?? '') ? { status: 'refused' } : { status: 'processing' };
}

/** By the reference that it was asked under, which its transaction repeats. */
export async function findRefund(
  client: PagarmeClient,
  merchant: Merchant,
  { reference, charge }: CardRefundRequest,
): Promise<AcquirerAnswer<RefundStatus>> {
  const paid = await paidCharge(client, charge);
  if (!paid.known) return paid;
  const transactions = await transactionsOf(client, paid.value.id);
  if (!transactions.known) return transactions;
  const own = transactions.value.filter((each) => each.operation_reference === reference);
  // The last word on it: one that failed may have been asked for anew under the same reference.
  const last = own.toSorted((one, other) => (one.created_at ?? 0) - (other.created_at ?? 0)).at(-1);
  return { known: true, value: last === undefined ? { status: 'unknown_to_acquirer' } : statusOf(last, merchant.now) };
}

const REFUSED = [400, 412, 422];

/** Asks for a return, once for its reference; whatever is not the return itself is decided by looking. */
export async function refundCard(
  client: PagarmeClient,
  merchant: Merchant,
  request: CardRefundRequest,
): Promise<AcquirerAnswer<RefundStatus>> {
  const { reference, amount } = request;
  const paid = await paidCharge(client, request.charge);
  if (!paid.known) return paid;
  const exchange = await client.call({
    method: 'DELETE',
    path: ['charges', paid.value.id],
    body: { amount, operation_reference: reference },
    idempotencyKey: reference,
  });
  if (exchange.kind === 'not_sent') return unknownBy(exchange);
  const found = await findRefund(client, merchant, request);
  if (!found.known || found.value.status !== 'unknown_to_acquirer') return found;
  return isRefused(exchange) ? { known: true, value: { status: 'refused' } } : unknownBy(exchange);
}

const isRefused = (exchange: PspExchange): boolean =>
  exchange.kind === 'answered' && (isAbsent(exchange) || REFUSED.includes(exchange.status));

/** Pagar.me tells no more of a chargeback than that the money is gone: whoever defends it does so in its dashboard. */
export async function findChargebacks(
  client: PagarmeClient,
  reference: string,
): Promise<AcquirerAnswer<readonly Chargeback[]>> {
  const found = await findByReference(client, reference);
  if (!found.known) return found;
  if (found.value === null) return { known: true, value: [] };
  const { id, amount, status } = found.value;
  const transactions = await transactionsOf(client, id);
  if (!transactions.known) return transactions;
  const taken = transactions.value.filter((each) => each.status === 'chargedback');
  if (taken.length === 0 && status === 'chargedback') return { known: true, value: [{ id, amount }] };
  return { known: true, value: taken.map((each) => ({ id: each.id ?? id, amount: each.amount ?? amount })) };
}

const PAGE = 100;
const PAGES_MAX = 20;

/** Charges of which money was taken back, newest first as Pagar.me lists them. */
export async function findChargedBack(
  client: PagarmeClient,
  since: Timestamp,
): Promise<AcquirerAnswer<readonly string[]>> {
  const references: string[] = [];
  const created_since = new Date(since * SECOND_MS).toISOString();
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const query = { status: 'chargedback', created_since, page: String(page), size: String(PAGE) };
    const exchange = await client.call({ method: 'GET', path: ['charges'], query });
    const found = isSuccess(exchange) ? readChargePage(exchange.body) : null;
    if (found === null) return unknownBy(exchange);
    references.push(...found.data.flatMap(({ code, order }) => order?.code ?? code ?? []));
    if (found.data.length < PAGE) break;
  }
  return { known: true, value: references };
}
