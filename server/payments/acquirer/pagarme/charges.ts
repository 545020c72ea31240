import { clip } from '../../../kernel/text.ts';
import { realTimeMs } from '../../../kernel/time.ts';
import { isAbsent, isSuccess, type PspExchange, unknownBy } from '../http.ts';
import type {
  AcquirerAnswer,
  ChargeAnswer,
  ChargeFinding,
  ChargeRequest,
  ChargeSeries,
  Decline,
  Merchant,
} from '../port.ts';
import { meaningOf } from './abecs.ts';
import type { PagarmeClient } from './client.ts';
import { partsOf, type ReadCharge, type ReadOrder, type ReadTransaction, readOrder, readOrders } from './reading.ts';

const DESCRIPTION_MAX = 256;

/** Nothing came of it: what was asked is refused, whoever asks it again. Who asks, how often and when are other matters. */
const REFUSED = [400, 412, 422];

/** Of all that an order names the card alone may be gone: deleted there, or stored at another account. */
const CARD_GONE: Decline = { status: 'declined', reason: 'invalid_card_data', code: 'http 404', isReversible: false };

/** Sends a charge once: nothing of it is made by a call that comes after its deadline, or that Pagar.me refuses. */
export async function chargeCard(
  client: PagarmeClient,
  merchant: Merchant,
  request: ChargeRequest,
): Promise<AcquirerAnswer<ChargeAnswer>> {
  const withinMs = request.deadlineMs - realTimeMs();
  if (withinMs <= 0) return { known: false, why: 'refused' };
  const { reference: idempotencyKey } = request;
  const body = orderBody(client, merchant, request);
  const exchange = await client.call({ method: 'POST', path: ['orders'], body, idempotencyKey, withinMs });
  const order = isSuccess(exchange) ? readOrder(exchange.body) : null;
  const charge = order === null ? undefined : order.charges[0];
  if (charge !== undefined) return { known: true, value: outcomeOfCharge(charge) };
  if (isAbsent(exchange)) return { known: true, value: CARD_GONE };
  if (exchange.kind === 'answered' && REFUSED.includes(exchange.status))
    return { known: true, value: declined(`http ${exchange.status}`, null) };
  return unknownBy(exchange);
}

/** A stored card alone: with the number went its security code, when the card was taken in. */
function orderBody({ settings }: PagarmeClient, merchant: Merchant, request: ChargeRequest): object {
  const { reference, orderId, token, amount, installments, series } = request;
  const { customer, card } = partsOf(token);
  return {
    code: reference,
    customer_id: customer,
    items: [{ code: orderId, amount, quantity: 1, description: clip(merchant.name, DESCRIPTION_MAX) }],
    payments: [
      {
        payment_method: 'credit_card',
        credit_card: {
          card_id: card,
          installments,
          operation_type: 'auth_and_capture',
          ...(settings.softDescriptor === null ? {} : { statement_descriptor: settings.softDescriptor }),
          ...(series === null ? {} : seriesBody(series)),
        },
      },
    ],
    closed: true,
    metadata: { order: orderId },
  };
}

/** Visa and Elo want to know of each charge of a subscription which was its first. */
const seriesBody = ({ origin, isRetry }: ChargeSeries): object => ({
  recurrence_cycle: origin === null ? 'first' : 'subsequent',
  recurrence_model: 'subscription',
  ...(origin === null ? {} : { payment_origin: { charge_id: origin } }),
  ...(isRetry ? { initiated_type: 'retry' } : {}),
});

const PAID = ['paid', 'overpaid', 'underpaid', 'chargedback', 'refunded', 'partial_refunded', 'partial_canceled'];
const UNPAID = ['failed', 'canceled', 'not_authorized', 'with_error'];

/** What became of a charge, also after money of it went back. */
export function outcomeOfCharge(charge: ReadCharge): ChargeAnswer {
  const { id: origin, status, paid_at: paidAt, last_transaction: last } = charge;
  if (PAID.includes(status) || paidAt != null) return { status: 'approved', origin };
  // A word that is new to us ends nothing: it is asked again.
  if (!UNPAID.includes(status)) return { status: 'processing' };
  return declined(codeOf(last ?? null), last ?? null);
}

function codeOf(transaction: ReadTransaction | null): string | null {
  return transaction?.acquirer_return_code ?? null;
}

/** Refused by the acquirer's own rules against fraud, before an issuer saw it. */
const isSuspected = (transaction: ReadTransaction | null): boolean =>
  /^(reproved|refused|denied)$/.test(transaction?.antifraud_response?.status ?? '');

function declined(code: string | null, transaction: ReadTransaction | null): ChargeAnswer {
  if (code === null && isSuspected(transaction))
    return { status: 'declined', reason: 'suspected_fraud', code: 'antifraud', isReversible: true };
  const isIssuers = code !== null && !code.startsWith('http') && transaction?.status !== 'with_error';
  const meaning = meaningOf(transaction?.card?.brand ?? null, isIssuers ? code : null);
  return { status: 'declined', ...meaning, code: code ?? transaction?.gateway_response?.code ?? 'unknown' };
}

/** The charge of a reference as Pagar.me has it; null: it has none. */
export async function findByReference(
  client: PagarmeClient,
  reference: string,
): Promise<AcquirerAnswer<ReadCharge | null>> {
  const query = { code: reference, size: '10' };
  const exchange = await client.call({ method: 'GET', path: ['orders'], query });
  const orders = isSuccess(exchange) ? readOrders(exchange.body) : null;
  if (orders === null) return isAbsent(exchange) ? { known: true, value: null } : unknownBy(exchange);
  const ours = orders.data.filter(({ code }) => code === reference);
  if (ours.length > 1) client.tellOperator('GET orders', `the code ${reference} has ${ours.length} orders`);
  return chargeAmong(client, ours);
}

/** Of several the one that is paid: the money that moved is what counts. */
async function chargeAmong(
  client: PagarmeClient,
  orders: readonly ReadOrder[],
): Promise<AcquirerAnswer<ReadCharge | null>> {
  const oldestFirst = orders.toSorted((one, other) => (one.created_at ?? 0) - (other.created_at ?? 0));
  const charges = oldestFirst.flatMap((order) => order.charges);
  const found = charges.find((charge) => outcomeOfCharge(charge).status === 'approved') ?? charges[0];
  const [first] = oldestFirst;
  if (found !== undefined || first === undefined) return { known: true, value: found ?? null };
  const exchange: PspExchange = await client.call({ method: 'GET', path: ['orders', first.id] });
  const charge = isSuccess(exchange) ? readOrder(exchange.body)?.charges[0] : undefined;
  return charge === undefined ? unknownBy(exchange) : { known: true, value: charge };
}

export async function findOrderedCharge(
  client: PagarmeClient,
  reference: string,
): Promise<AcquirerAnswer<ChargeFinding>> {
  const found = await findByReference(client, reference);
  if (!found.known) return found;
  return { known: true, value: found.value === null ? { status: 'not_found' } : outcomeOfCharge(found.value) };
}
