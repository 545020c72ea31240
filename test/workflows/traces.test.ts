import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tracing } from '../../server/kernel/tracing.ts';
import { openTracing } from '../../server/open-tracing.ts';
import type { RunningWorker } from '../../workflows/worker.ts';
import { send } from '../api/requests.ts';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { cards } from '../support/cards.ts';
import { newCustomer, newInvoice } from '../support/factories.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../support/otlp.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { eventually, QUICK_LADDER, register, workerFor } from './support.ts';

type Otlp = Awaited<ReturnType<typeof startOtlpReceiver>>;

let otlp: Otlp;
let tracing: Tracing;
let api: TestApi;
let worker: RunningWorker;
let receiver: Receiver;

beforeAll(async () => {
  otlp = await startOtlpReceiver();
  const to = { endpoint: otlp.endpoint, share: 1 };
  tracing = await openTracing({ to, service: 'fatura-test', logger: pino({ level: 'silent' }) });
  api = await startApi({ tracing });
  worker = workerFor(api, { ladder: QUICK_LADDER });
  receiver = await startReceiver();
  await eventually('the worker', async () => worker.isTemporalUp);
});

afterAll(async () => {
  await worker.stop();
  await api.stop();
  await receiver.stop();
  await otlp.stop();
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

/** A request of the merchant as a part of a trace of its own; answers its status. */
async function post(
  { sandboxKey: key }: Merchant,
  path: string,
  { body, traceparent }: { body: object; traceparent?: string },
): Promise<number> {
  const headers = traceparent === undefined ? {} : { traceparent };
  const answer = await send(api, { method: 'POST', path, key, body, headers });
  return answer.status;
}

const spansOf = (traceId: string): ReceivedSpan[] => otlp.spans.filter((span) => span.traceId === traceId);

const arrived = (traceId: string, name: string, times = 1): Promise<ReceivedSpan[]> =>
  eventually(`${times} of ${name} in the trace ${traceId}`, async () => {
    const spans = spansOf(traceId);
    return spans.filter((span) => span.name === name).length >= times && spans;
  });

/** The names of a span and of those that it follows from, the first of all last. */
function chain(spans: readonly ReceivedSpan[], span: ReceivedSpan | undefined): string[] {
  if (span === undefined) return [];
  return [
    span.name,
    ...chain(
      spans,
      spans.find(({ id }) => id === span.parentId),
    ),
  ];
}

const chainsOf = (spans: readonly ReceivedSpan[], name: string): string[][] =>
  spans.filter((span) => span.name === name).map((span) => chain(spans, span));

test('one trace leads from a request over the outbox, its case and the acquirer to the webhook', async () => {
  const shop = await api.newMerchant();
  await register(shop, receiver, ['invoice.paid']);
  const customer = await newCustomer(shop, { name: 'Beatriz Nogueira', email: 'beatriz@example.com' });
  const { id: invoice } = await newInvoice(shop, { customer_id: customer.id });
  const card = { number: cards.answer_lost, exp_month: 12, exp_year: 2040, cvc: '123' };
  const billing_details = { name: 'BEATRIZ NOGUEIRA', document: '52998224725' };
  const status = await post(shop, `/invoices/${invoice}/checkout`, {
    body: { payment_method_type: 'card', card, billing_details },
    traceparent: `00-${TRACE}-${CALLER}-01`,
  });
  expect(status).toBe(504);
  await eventually(
    'the case to find out',
    async () => (await shop.fatura.invoices.retrieve(invoice)).status === 'paid',
  );
  const spans = await arrived(TRACE, 'webhook delivery');

  const REQUEST = 'POST /api/v1/invoices/:invoice_id/checkout';
  const CASE = ['workflow charge-reconciliation', 'outbox charge-reconciliation', 'transaction', REQUEST];
  expect(chainsOf(spans, 'acquirer chargeCard')).toEqual([['acquirer chargeCard', REQUEST]]);
  expect(chainsOf(spans, 'activity caseStep')[0]).toEqual(['activity caseStep', ...CASE]);
  expect(chainsOf(spans, 'acquirer findCharge')[0]).toEqual(['acquirer findCharge', 'activity caseStep', ...CASE]);
  expect(chainsOf(spans, 'webhook delivery')).toEqual([
    ['webhook delivery', 'transaction', 'activity caseStep', ...CASE],
  ]);
  const root = spans.find(({ name }) => name === REQUEST);
  expect(root).toMatchObject({ parentId: CALLER, service: 'fatura-test', failed: true });
  const [delivery] = spans.filter(({ name }) => name === 'webhook delivery');
  expect(receiver.traceparent).toBe(`00-${TRACE}-${delivery?.id}-01`);
});

test('a trace tells ids, and nothing that a person typed', async () => {
  const names = new Set(otlp.spans.flatMap(({ attributes }) => Object.keys(attributes)));
  expect([...names].sort()).toEqual([
    'error.type',
    'fatura.account',
    'fatura.endpoint',
    'fatura.event',
    'fatura.mode',
    'fatura.object',
    'fatura.request',
    'http.request.method',
    'http.response.status_code',
    'http.route',
    'temporal.attempt',
    'temporal.run',
    'temporal.workflow',
  ]);
  const sent = otlp.bytes().toString('latin1');
  for (const typed of ['Beatriz', 'BEATRIZ', 'beatriz@example.com', '52998224725', '400000', 'sk_sandbox_', 'sk_live_'])
    expect(sent).not.toContain(typed);
});

test('every attempt of a ladder is a part of the trace that its event was recorded in', async () => {
  const shop = await api.newMerchant();
  await register(shop, receiver, ['customer.created']);
  receiver.answer = () => 500;
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const created = await post(shop, '/customers', {
    body: { customer: { name: 'Maria', identifier: '529.982.247-25', email: 'maria@example.com' } },
    traceparent: `00-${trace}-${CALLER}-01`,
  });
  expect(created).toBe(201);
  const spans = await arrived(trace, 'webhook delivery', 3);
  receiver.answer = () => 200;
  for (const each of chainsOf(spans, 'webhook delivery'))
    expect(each).toEqual(['webhook delivery', 'transaction', 'POST /api/v1/customers']);
});

test('a request without a trace begins one; of one that nobody keeps nothing is kept', async () => {
  const shop = await api.newMerchant();
  const body = { product: { name: 'Plano' } };
  const before = otlp.spans.length;
  await post(shop, '/products', { body, traceparent: `00-${'1'.repeat(32)}-${CALLER}-00` });
  await post(shop, '/products', { body });
  await post(shop, '/products', { body, traceparent: 'no traceparent' });
  const begun = await eventually('two traces', async () => {
    const found = otlp.spans.slice(before).filter(({ name }) => name === 'POST /api/v1/products');
    return found.length === 2 && found;
  });
  expect(begun.map(({ parentId }) => parentId)).toEqual(['', '']);
  expect(spansOf('1'.repeat(32))).toEqual([]);
  const { rows } = await api.composition.deps.pool.query(
    `SELECT traceparent FROM event WHERE account_id = $1 AND type = 'product.created' ORDER BY id`,
    [shop.accountId],
  );
  expect(rows.map(({ traceparent }) => traceparent !== null)).toEqual([false, true, true]);
});
