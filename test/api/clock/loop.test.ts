import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Deps } from '../../../server/deps.ts';
import type { SendOnce } from '../../../server/events/deliveries/attempt.ts';
import type { SendResult } from '../../../server/events/deliveries/http/sender.ts';
import { createRecorder, type Recorder } from '../../../server/events/deliveries/results.ts';
import { LADDER } from '../../../server/events/deliveries/rules.ts';
import { SendingWindow, WINDOW_LIMITS } from '../../../server/events/deliveries/window.ts';
import { perMode } from '../../../server/kernel/mode.ts';
import { refundSettlementStep } from '../../../server/payments/refunds/settlement.ts';
import { advanceSlice } from '../../../server/test-clock/loop.ts';
import { ungrouped } from '../../../server/unit-of-work/grouped.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { cards, payByCard } from '../../support/cards.ts';
import { newInvoice, newProduct } from '../../support/factories.ts';
import { startReceiver } from '../../support/receiver.ts';
import { subscribeByCard } from '../../support/subscriptions.ts';
import { beginAdvance } from '../../support/test-clock.ts';
import { deliverFrom } from '../../workflows/support.ts';

/** The module with a memory of its own, as another process has it. */
const ANOTHER_PROCESS = '../../../server/test-clock/loop.ts?elsewhere';
const MINUTE = 60;
const DAY = 86_400;

let api: TestApi;
let recorder: Recorder;
let shop: Merchant;
beforeAll(async () => {
  api = await startApi();
  recorder = createRecorder(api.composition.deps);
});
afterAll(async () => {
  await recorder.close();
  await api.stop();
});
beforeEach(async () => {
  shop = await api.newMerchant();
});

const now = () => api.clock.now();
const deps = (): Deps => api.composition.deps;
const rows = async (sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> =>
  (await deps().pool.query(sql, values)).rows;

const TIMED_OUT: SendResult = {
  ok: false,
  failure: 'timeout',
  status: null,
  durationMs: 1,
  retryAfterSeconds: null,
  detail: 'no answer in time',
  answer: null,
};

/** A receiver that never answers, and how long each attempt was given. */
function hanging(): { sendOnce: SendOnce; givenMs: number[] } {
  const givenMs: number[] = [];
  const sendOnce: SendOnce = async (_, __, limits) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    givenMs.push(limits?.timeoutMs ?? 0);
    return TIMED_OUT;
  };
  return { sendOnce, givenMs };
}

const accepting: SendOnce = async () => ({ ok: true, status: 200, durationMs: 1, answer: null });

const never = (): boolean => false;

/** One slice of the advance, as a worker makes it. */
const slice = (
  sendOnce: SendOnce = hanging().sendOnce,
  { of = deps(), by = advanceSlice, isStopping = never, window = new SendingWindow(WINDOW_LIMITS) } = {},
) =>
  by(
    of,
    { deps: of, sendOnce, recorder, windows: perMode(() => window), ladder: LADDER },
    { accountId: shop.accountId, isStopping },
  );

const begin = (to: number) => beginAdvance(api.baseUrl, shop, to);

const attemptsMade = async (): Promise<unknown[]> => {
  const made = await rows(
    `SELECT a.at FROM delivery d JOIN delivery_attempt a USING (day, event_id, endpoint_id, ladder)
     WHERE d.account_id = $1 ORDER BY a.attempt`,
    shop.accountId,
  );
  return made.map(({ at }) => at);
};

const listen = () => shop.fatura.webhookEndpoints.create({ url: 'http://127.0.0.1:9/', event_types: ['*'] });

test('regression-23-attempts that time out at one instant count each', async () => {
  const { current_period_end: end } = await subscribeByCard(shop);
  await listen();
  await begin((end ?? 0) + 2 * MINUTE);
  const { sendOnce, givenMs } = hanging();
  while (!(await slice(sendOnce)).done);
  // Six events of the renewal, and their second attempts a minute later.
  expect(givenMs).toEqual([...Array(6).fill(2_000), ...Array(6).fill(50)]);
});

test('regression-50-a burst of an advance is sent within the window of all deliveries', async () => {
  const { id: endpointId } = await listen();
  for (let count = 0; count < 30; count += 1) await newProduct(shop);
  const endpoint = { first: 3, quick: 5, slow: 2, least: 1 };
  const window = new SendingWindow({ ...WINDOW_LIMITS, quick: 6, unknown: 6, slow: 0, endpoint });
  const taken = ['we_one', 'we_two'].flatMap((other) =>
    [0, 1, 2].map(() => ({
      other,
      ticket: window.begin({ endpointId: other, accountId: other, unwell: false }),
    })),
  );
  const [sentTo, underWay] = [new Set<string>(), { now: 0, most: 0 }];
  const sendOnce: SendOnce = async (delivery) => {
    sentTo.add(delivery.eventId);
    underWay.now += 1;
    underWay.most = Math.max(underWay.most, underWay.now);
    await sleep(5);
    underWay.now -= 1;
    return { ok: true, status: 200, durationMs: 5, answer: null };
  };
  await begin(now() + MINUTE);
  const advance = slice(sendOnce, { window });
  await sleep(300);
  expect(sentTo.size).toBe(0); // other receivers fill the window
  for (const { other, ticket } of taken) window.end(other, ticket, { durationMs: 5, answered: true });
  expect(await advance).toMatchObject({ done: true });
  expect(sentTo.size).toBe(30);
  expect(underWay.most).toBe(5);
  expect(window.allowances().byEndpoint[endpointId]).toBe(5);
  expect(window.inFlight).toBe(0);
});

test('regression-24-a receiver that hung in an advance which another process ended is no longer thought to', async () => {
  const { current_period_end: end } = await subscribeByCard(shop);
  await listen();
  await begin((end ?? 0) + 90 * MINUTE);
  const { sendOnce, givenMs } = hanging();
  await slice(sendOnce, { isStopping: () => givenMs.length >= 24 });
  const elsewhere: typeof import('../../../server/test-clock/loop.ts') = await import(ANOTHER_PROCESS);
  expect(elsewhere.advanceSlice).not.toBe(advanceSlice);
  while (!(await slice(accepting, { by: elsewhere.advanceSlice })).done);
  await begin((end ?? 0) + 33 * DAY);
  givenMs.length = 0;
  await slice(sendOnce, { isStopping: () => givenMs.length >= 6 });
  expect(givenMs[0]).toBe(2_000);
});

test('regression-25-what could not be done is tried again a day later, not at the end of the advance', async () => {
  const { id, current_period_end: end } = await subscribeByCard(shop);
  await begin((end ?? 0) + 10 * DAY);
  let failures = 0;
  const transaction: Deps['transaction'] = (...call) => {
    failures += 1;
    if (failures <= 5) throw new Error('the database is away');
    return deps().transaction(...call);
  };
  const of = { ...deps(), transaction, grouped: ungrouped(transaction) };
  for (let tries = 0; tries < 6; tries += 1) await slice(undefined, { of }).catch(() => {});
  expect(await shop.fatura.testClock.retrieve()).toMatchObject({ status: 'ready' });
  const { latest_invoice: renewal } = await shop.fatura.subscriptions.retrieve(id);
  expect(await shop.fatura.invoices.retrieve(renewal ?? '')).toMatchObject({ created: (end ?? 0) + DAY });
});

test('regression-26-what was told and not sent when an advance began is sent at its instant', async () => {
  await listen();
  await newProduct(shop);
  const from = now();
  await begin(from + 10 * DAY);
  while (!(await slice()).done);
  const attempts = await attemptsMade();
  expect(attempts[0]).toBe(from);
  expect(attempts).toHaveLength(LADDER.length);
});

test('regression-29-the ladder of an attempt under way when an advance began goes on in its own time', async () => {
  const receiver = await startReceiver();
  receiver.answer = () => sleep(1_500).then(() => 500);
  await shop.fatura.webhookEndpoints.create({ url: receiver.url, event_types: ['*'] });
  const from = now();
  const first = deliverFrom(api);
  await newProduct(shop);
  await expect.poll(() => receiver.requests).toBe(1);
  await begin(from + 10 * DAY);
  while (!(await slice()).done);
  await first.stop();
  await receiver.stop();
  const attempts = await attemptsMade();
  expect(attempts.slice(0, 2)).toEqual([from, from + MINUTE]);
  expect(attempts).toHaveLength(LADDER.length);
});

test('regression-27-a return is completed five seconds after it was asked for, whenever the advance begins', async () => {
  const invoice = await newInvoice(shop);
  const { payment_intent: intent } = await shop.fatura.invoices.checkout(invoice.id, { payment_method_type: 'pix' });
  await shop.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
  const { created } = await shop.fatura.refunds.create({ payment_intent: intent ?? '' });
  await refundSettlementStep(deps(), intent ?? '');
  api.clock.advance(3);
  await begin(created + MINUTE);
  while (!(await slice()).done);
  const { data } = await shop.fatura.events.list({ type: ['refund.updated'] }).page();
  expect(data.map((event) => event.created - created)).toEqual([5]);
});

test('regression-28-a charge at the acquirer when an advance begins is waited for, and booked before the clock moves', async () => {
  const invoice = await newInvoice(shop);
  const paying = payByCard(shop, invoice.id, { number: cards.slow });
  await expect
    .poll(() => rows(`SELECT FROM sandbox_bank.charge WHERE account_id = $1`, shop.accountId))
    .toHaveLength(1);
  api.clock.advance(2);
  const from = now();
  await begin(from + 10 * DAY);
  while (!(await slice()).done);
  expect(await paying).toMatchObject({ status: 'paid', status_transitions: { paid_at: from } });
});

test('a buyer who opened a payment link and left holds its last sale for an hour of the clock', async () => {
  const { paymentLinks, checkoutSessions } = shop.fatura;
  const link = await paymentLinks.create({ amount: 7_500, description: 'Aula avulsa', max_sales: 1 });
  const page = api.baseUrl + new URL(link.url ?? '').pathname;
  const open = async () => (await fetch(page, { method: 'POST', redirect: 'manual' })).status;
  expect([await open(), await open()]).toEqual([303, 200]);
  const [held] = (await checkoutSessions.list({ payment_link_id: link.id }).page()).data;
  await begin(now() + 60 * MINUTE);
  while (!(await slice(accepting)).done);
  expect(await checkoutSessions.retrieve(held?.id ?? '')).toMatchObject({ status: 'expired' });
  expect(await paymentLinks.retrieve(link.id)).toMatchObject({ sales: 0, reserved: 0 });
  expect(await open()).toBe(303);
});
