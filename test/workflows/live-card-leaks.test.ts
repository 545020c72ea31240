import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakePagarme, startFakePagarme } from '../../dev/fake-pagarme/pagarme.ts';
import type { RunningWorker } from '../../workflows/worker.ts';
import { type CardShop, openCardShop } from '../api/live/card-shop.ts';
import { type RealTimeApi, startRealTimeApi } from '../support/api.ts';
import { newInvoice } from '../support/factories.ts';
import { findLeaks, LEAK_PATTERN, leaksInHistories, patternOf } from '../support/leaks.ts';
import { clientOf, eventually, temporalFiles, workerFor } from './support.ts';

const taskQueue = `test-${randomBytes(6).toString('hex')}`;
const GOOD = '4000000000000010';

let api: RealTimeApi;
let client: Client;
let worker: RunningWorker;
let fake: FakePagarme;
let shop: CardShop;
/** All that nobody may find. */
const secrets: string[] = [GOOD];

beforeAll(async () => {
  api = await startRealTimeApi();
  client = clientOf(api);
  worker = workerFor(api, { taskQueue });
  await eventually('the worker', async () => worker.isTemporalUp);
  fake = await startFakePagarme();
  shop = await openCardShop({ api, fake });
  secrets.push(shop.own.secretKey, new URL(shop.noticeUrl).pathname.split('/').at(-1) ?? '');
});
afterAll(async () => {
  await worker.stop();
  await client.connection.close();
  await fake.close();
  await api.stop();
});

async function pay(): Promise<{ id: string; paid: Promise<unknown> }> {
  const { id } = await newInvoice(shop, { amount: 4_000 });
  const card = await shop.byToken(GOOD);
  secrets.push(card.card_token);
  return { id, paid: shop.fatura.invoices.checkout(id, card, { idempotencyKey: id }) };
}

test('a sale, one whose answer was lost, one that is refused, a refund and a chargeback, by a worker', async () => {
  const { id, paid } = await pay();
  await paid;
  const { payment_intent: intent } = await shop.fatura.invoices.retrieve(id);
  await shop.fatura.refunds.create({ payment_intent: intent ?? '', amount: 1_500 });
  const troubled = (kind: 'answer_lost' | 'fault' | 'unauthorized') =>
    fake.troubles.set({ kind, operation: 'createOrder', merchant: shop.own.secretKey, next: 1 });
  for (const kind of ['answer_lost', 'fault'] as const) {
    troubled(kind);
    const lost = await pay();
    await expect(lost.paid).rejects.toMatchObject({ code: 'ACQUIRER_TIMEOUT' });
    await eventually('the charge', async () => (await shop.fatura.invoices.retrieve(lost.id)).status === 'paid');
  }
  troubled('unauthorized');
  await expect((await pay()).paid).rejects.toMatchObject({ code: 'ACQUIRER_TIMEOUT' });
  const [charge] = [...shop.own.charges.values()];
  fake.chargeback(shop.own, charge?.id ?? '', 2_500);
  const disputes = () => shop.fatura.disputes.list({ invoice_id: id }).all({ max: 10 });
  await eventually('the dispute', async () => (await disputes()).length === 1);
});

test('leave no number, token or key in logs, tables, events, stored answers, histories or files of Temporal', async () => {
  const { pool, secretBox, metrics } = api.composition.deps;
  const left = { pool, secretBox, log: api.logged(), metrics: await metrics.registry.metrics() };
  expect(left.log).toContain('an acquirer did not do what it was asked');
  const pattern = patternOf(secrets);
  for (const each of [pattern, LEAK_PATTERN]) {
    expect(await findLeaks(left, each)).toEqual([]);
    expect(await leaksInHistories(client, `TaskQueue = "${taskQueue}"`, each)).toEqual([]);
  }
  const files = temporalFiles();
  expect(files.includes(taskQueue)).toBe(true);
  expect(secrets.filter((secret) => files.includes(secret))).toEqual([]);
});
