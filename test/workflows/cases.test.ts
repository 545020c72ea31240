import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { workflowsUrl } from '../../dashboard/parts/workflows-url.ts';
import type { CaseStep } from '../../server/kernel/case-step.ts';
import { builtWorkflows } from '../../workflows/bundle.ts';
import { connectWorker, dataConverter, openClient } from '../../workflows/temporal.ts';
import type { RunningWorker } from '../../workflows/worker.ts';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { troubleBank } from '../support/bank.ts';
import { cards, payByCard } from '../support/cards.ts';
import { newCustomer, newInvoice, newProduct } from '../support/factories.ts';
import { startReceiver } from '../support/receiver.ts';
import { eventually, keepHistory, register, workerFor } from './support.ts';

const TEMPORAL = () => ({ address: inject('temporalAddress'), namespace: 'default', apiKey: null, tls: null });

let api: TestApi;
let client: Client;
let worker: RunningWorker;

beforeAll(async () => {
  api = await startApi();
  client = openClient(TEMPORAL(), api.composition.deps.secretBox);
  worker = workerFor(api);
  await eventually('the worker', async () => worker.isTemporalUp);
});

afterAll(async () => {
  await worker.stop();
  await client.connection.close();
  await api.stop();
});

const describeCase = (id: string) =>
  eventually(`the case ${id}`, () =>
    client.workflow
      .getHandle(id)
      .describe()
      .catch(() => null),
  );

const untilStatus = (id: string, status: string) =>
  eventually(`${id} to be ${status}`, async () => {
    const shown = await describeCase(id);
    return (shown.searchAttributes.FaturaStatus as string[] | undefined)?.[0] === status && shown;
  });

async function openPix(shop: Merchant): Promise<{ invoice: string; intent: string }> {
  const { id: invoice } = await newInvoice(shop);
  const charged = await shop.fatura.invoices.checkout(invoice, { payment_method_type: 'pix' });
  return { invoice, intent: charged.payment_intent ?? '' };
}

describe('a case', () => {
  test('returns a surplus payment by itself', async () => {
    const shop = await api.newMerchant();
    const { invoice, intent } = await openPix(shop);
    await shop.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid_twice' });
    const surplus = await eventually('the surplus', async () => {
      const { data } = await shop.fatura.paymentIntents.list({ invoice_id: invoice }).page();
      return data.find((other) => other.id !== intent);
    });
    const id = `refund-settlement/${surplus.id}`;
    const { searchAttributes, type } = await untilStatus(id, 'at acquirer');
    expect(type).toBe('refund-settlement');
    expect(searchAttributes).toMatchObject({ FaturaAccount: [shop.accountId], FaturaObject: [surplus.id] });
    const query = URL.parse(workflowsUrl('http://temporal.test', [surplus.id, shop.accountId]))?.searchParams.get(
      'query',
    );
    await eventually('the case to be found as the dashboard looks for it', async () => {
      for await (const { workflowId } of client.workflow.list({ query: query ?? '' }))
        if (workflowId === id) return true;
      return false;
    });
    api.clock.advance(10);
    await client.workflow.getHandle(id).signal('lookAgain');
    await client.workflow.getHandle(id).result();
    await keepHistory(client, id, 'refund-settlement');
    expect(await shop.fatura.paymentIntents.retrieve(surplus.id)).toMatchObject({ status: 'refunded' });
  });

  test('settles a payment that was only confirmed at first', async () => {
    const shop = await api.newMerchant();
    const { invoice, intent } = await openPix(shop);
    await shop.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'confirmed_not_settled' });
    const { rows } = await api.composition.deps.pool.query('SELECT id FROM pix_charge WHERE intent_id = $1', [intent]);
    api.clock.advance(61);
    await api.composition.deps.pool.query('UPDATE outbox SET due_at = now() WHERE key = $1', [rows[0].id]);
    await describeCase(`pix-settlement/${rows[0].id}`);
    await eventually('the settlement', async () => (await shop.fatura.invoices.retrieve(invoice)).status === 'paid');
    await client.workflow.getHandle(`pix-settlement/${rows[0].id}`).result();
    await keepHistory(client, `pix-settlement/${rows[0].id}`, 'pix-settlement');
  });

  test('asks a bank that was away again to end a QR code', async () => {
    const bank = troubleBank(api);
    const shop = await api.newMerchant();
    const { invoice, intent } = await openPix(shop);
    bank.meets('expirePix', 'unreachable');
    await shop.fatura.invoices.void(invoice);
    const { rows } = await api.composition.deps.pool.query('SELECT id FROM pix_charge WHERE intent_id = $1', [intent]);
    const id = `pix-expiry/${rows[0].id}`;
    await api.composition.deps.pool.query('UPDATE outbox SET due_at = now() WHERE key = $1', [rows[0].id]);
    await untilStatus(id, 'acquirer silent');
    bank.recovers();
    await client.workflow.getHandle(id).signal('lookAgain');
    await client.workflow.getHandle(id).result();
    await keepHistory(client, id, 'pix-expiry');
    const after = await api.composition.deps.pool.query('SELECT state FROM pix_charge WHERE intent_id = $1', [intent]);
    expect(after.rows).toEqual([{ state: 'ended' }]);
  });

  test('finds out what became of a charge by card, from 2 s after it is unknown and by itself', async () => {
    const bank = troubleBank(api);
    const shop = await api.newMerchant();
    const { id: invoice } = await newInvoice(shop);
    bank.meets('findCharge', 'unreachable');
    await expect(payByCard(shop, invoice, { number: cards.answer_lost })).rejects.toMatchObject({
      code: 'ACQUIRER_TIMEOUT',
    });
    const { payment_intent: intent } = await shop.fatura.invoices.retrieve(invoice);
    const id = `charge-reconciliation/${intent}`;
    const { searchAttributes, type } = await untilStatus(id, 'acquirer silent');
    expect(type).toBe('charge-reconciliation');
    expect(searchAttributes).toMatchObject({ FaturaAccount: [shop.accountId], FaturaObject: [intent] });
    expect(await shop.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'open' });
    bank.recovers();
    await client.workflow.getHandle(id).result();
    await keepHistory(client, id, 'charge-reconciliation');
    expect(await shop.fatura.invoices.retrieve(invoice)).toMatchObject({ status: 'paid', payment_intent: intent });
    expect(bank.calls).toEqual(['findCharge']);
  });
});

describe('the case of a recovery', () => {
  test('sends again, one behind the other, what an endpoint missed, and ends', async () => {
    const shop = await api.newMerchant();
    const receiver = await startReceiver();
    const { id } = await register(shop, receiver, ['product.created']);
    const since = api.clock.now() - 1;
    await shop.fatura.webhookEndpoints.update(id, { status: 'disabled' });
    const missed = 60;
    for (let nth = 0; nth < missed; nth += 1) await newProduct(shop);
    await shop.fatura.webhookEndpoints.enable(id);
    api.clock.advance(1);
    await shop.fatura.webhookEndpoints.recover(id, { since });
    const { searchAttributes } = await describeCase(`webhook-recovery/${id}`);
    expect(searchAttributes).toMatchObject({ FaturaAccount: [shop.accountId], FaturaObject: [id] });
    await client.workflow.getHandle(`webhook-recovery/${id}`).result();
    await keepHistory(client, `webhook-recovery/${id}`, 'webhook-recovery');
    await eventually('the last of them', async () => receiver.accepted.length === missed);
    const ids = receiver.accepted.map((event) => event.id);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(missed);
    await receiver.stop();
  });
});

describe('the case of an export', () => {
  test('writes its file, tells of it once, and ends', async () => {
    const shop = await api.newMerchant();
    const receiver = await startReceiver();
    await register(shop, receiver, ['export.completed']);
    const customer = await newCustomer(shop);
    const { id } = await shop.fatura.exports.create({ type: 'customers', columns: ['id'] });
    const { searchAttributes } = await describeCase(`export-file/${id}`);
    expect(searchAttributes).toMatchObject({ FaturaAccount: [shop.accountId], FaturaObject: [id] });
    await client.workflow.getHandle(`export-file/${id}`).result();
    await keepHistory(client, `export-file/${id}`, 'export-file');
    const written = await shop.fatura.exports.retrieve(id);
    expect(written).toMatchObject({ status: 'completed', rows: 1 });
    await eventually('its event', async () => receiver.accepted.length === 1);
    expect(receiver.accepted[0]?.object).toEqual(written);
    const file = await fetch(`${api.baseUrl}${new URL(written.url ?? '').pathname}`);
    expect(await file.text()).toBe(`Cliente\r\n${customer.id}\r\n`);
    await receiver.stop();
  });
});

describe('a case whose steps are made up', () => {
  /** Runs a case over these steps; each may take its time. */
  async function play(steps: (() => Promise<CaseStep>)[]) {
    const taskQueue = `test-${randomBytes(6).toString('hex')}`;
    const key = randomBytes(6).toString('hex');
    const asked: object[] = [];
    const connection = await connectWorker(TEMPORAL());
    const caseStep = async (what: object): Promise<CaseStep> => {
      asked.push(what);
      return (await steps.shift()?.()) ?? { done: true };
    };
    const made = await Worker.create({
      connection,
      taskQueue,
      workflowBundle: builtWorkflows(),
      dataConverter: dataConverter(api.composition.deps.secretBox),
      activities: { caseStep },
    });
    const ask = () =>
      client.workflow.signalWithStart('pix-expiry', {
        workflowId: `pix-expiry/${key}`,
        taskQueue,
        args: [key],
        signal: 'lookAgain',
      });
    return { made, asked, ask, key, close: () => connection.close() };
  }

  const later = (dueInSeconds: number): CaseStep => ({ done: false, dueInSeconds, status: 'waiting', note: 'later' });

  test('waits as long as a step says, and asks once for signals that came together', async () => {
    const { made, asked, ask, key, close } = await play([async () => later(1), async () => later(3_600)]);
    await made.runUntil(async () => {
      const handle = await ask();
      await eventually('the second step', async () => asked.length === 2);
      await Promise.all([ask(), ask(), ask()]);
      await handle.result();
    });
    expect(asked.length).toBeGreaterThanOrEqual(3);
    expect(asked[0]).toEqual({ kind: 'pix-expiry', key });
    await close();
  });

  test('does not end with a signal unheard, and may begin again afterwards', async () => {
    const steps = [
      () => sleep(500).then((): CaseStep => ({ done: true })),
      async (): Promise<CaseStep> => ({ done: true }),
    ];
    const { made, asked, ask, close } = await play(steps);
    await made.runUntil(async () => {
      const handle = await ask();
      await eventually('the first step', async () => asked.length === 1);
      await ask();
      await handle.result();
      expect(asked).toHaveLength(2);
      await (await ask()).result();
      expect(asked).toHaveLength(3);
    });
    await close();
  });

  test('repeats a step that failed', async () => {
    const failing = () => Promise.reject(new Error('the database is away'));
    const { made, asked, ask, close } = await play([failing, failing]);
    await made.runUntil(async () => {
      await (await ask()).result();
    });
    expect(asked).toHaveLength(3);
    await close();
  });
});
