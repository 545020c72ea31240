import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { instantText } from '../../../server/kernel/time.ts';
import { recoverCases } from '../../../server/outbox/recovery.ts';
import { places } from '../../../server/sealing/sealed-columns.ts';
import type { RunningWorker } from '../../../workflows/worker.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newProduct } from '../../support/factories.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { newSecretBox } from '../../support/secret-box.ts';
import {
  beginNow,
  clientOf,
  eventOf,
  eventually,
  keepHistory,
  QUICK_LADDER,
  register,
  settled,
  workerFor,
} from '../support.ts';

let api: TestApi;
let client: Client;
let worker: RunningWorker;

beforeAll(async () => {
  api = await startApi();
  client = clientOf(api);
  worker = workerFor(api, { ladder: QUICK_LADDER });
  await eventually('the worker', async () => worker.isTemporalUp);
});

afterAll(async () => {
  await worker.stop();
  await client.connection.close();
  await api.stop();
});

const pool = () => api.composition.deps.pool;

interface Sale {
  shop: Merchant;
  target: Receiver;
  event: string;
  endpoint: string;
  workflowId: string;
}

/** An event on its way to a receiver that answers as told. */
async function sale(answer: Receiver['answer']): Promise<Sale> {
  const [shop, target] = [await api.newMerchant(), await startReceiver()];
  onTestFinished(() => target.stop());
  target.answer = answer;
  const { id: endpoint } = await register(shop, target, ['product.created']);
  const event = await eventOf(shop, (await newProduct(shop)).id, 'product.created');
  return { shop, target, event, endpoint, workflowId: `webhook-delivery/${event}/${endpoint}/1` };
}

const describeCase = (workflowId: string) =>
  eventually(`the case ${workflowId}`, () =>
    client.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => null),
  );

/** Once it has looked, so that it is known to wait: whatever changes before that, it sees by itself. */
const attributesOf = (workflowId: string) =>
  eventually(`the attributes of ${workflowId}`, async () => {
    const { searchAttributes } = await describeCase(workflowId);
    return searchAttributes.FaturaNextDue !== undefined && searchAttributes;
  });

describe('a ladder', () => {
  test('ends as delivered with the attempt that is accepted', async () => {
    const answers = [500, 503, 200];
    const { shop, target, event, workflowId } = await sale(() => answers.shift() ?? 200);
    const { deliveries } = await settled(shop, event, 'delivered');
    expect(deliveries.data[0]?.attempts.map(({ attempt, status_code }) => [attempt, status_code])).toEqual([
      [1, 500],
      [2, 503],
      [3, 200],
    ]);
    expect(target.accepted.map(({ id }) => id)).toEqual([event]);
    expect(await client.workflow.getHandle(workflowId).result()).toBe(
      'delivered; 3 of 10 attempts made; last: accepted',
    );
  });

  test('ends as failed with its tenth attempt', async () => {
    const { shop, target, event, workflowId } = await sale(() => 500);
    const { deliveries } = await settled(shop, event, 'failed');
    expect(deliveries.data[0]).toMatchObject({ status: 'failed', next_attempt: null });
    expect(deliveries.data[0]?.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(target.requests).toBe(10);
    const words = 'failed; 10 of 10 attempts made; last: http_status 500';
    expect(await client.workflow.getHandle(workflowId).result()).toBe(words);
    await keepHistory(client, workflowId, 'webhook-delivery');
    const { searchAttributes } = await describeCase(workflowId);
    expect(searchAttributes).toMatchObject({
      FaturaAccount: [shop.accountId],
      FaturaObject: [event],
      FaturaStatus: ['failed'],
    });
  });
});

describe('a resend', () => {
  test('opens a ladder of its own, under the same id, which its case climbs', async () => {
    const answers = [200, 500, 500, 200];
    const { shop, target, event, endpoint } = await sale(() => answers.shift() ?? 200);
    await settled(shop, event, 'delivered');
    await shop.fatura.events.resend(event);
    const { deliveries } = await eventually('the second ladder to end', async () => {
      const told = await shop.fatura.events.deliveries(event);
      return told.deliveries.data[0]?.status === 'delivered' && told.deliveries.data.length === 2 && told;
    });
    expect(
      deliveries.data.map(({ ladder, attempts }) => [ladder, attempts.map(({ status_code: code }) => code)]),
    ).toEqual([
      [2, [500, 500, 200]],
      [1, [200]],
    ]);
    expect(target.accepted.map(({ id }) => id)).toEqual([event, event]);
    const words = 'delivered; 3 of 10 attempts made; last: accepted';
    expect(await client.workflow.getHandle(`webhook-delivery/${event}/${endpoint}/2`).result()).toBe(words);
  });
});

describe('a ladder whose secret can no longer be opened', () => {
  test('is climbed to its end', async () => {
    const foreign = newSecretBox().seal('whsec_AAAA', places.webhookSecret('acct_1', 'we_1'));
    const sold = Promise.withResolvers<string>();
    const { shop, target, event, workflowId } = await sale(async () => {
      await pool().query('UPDATE webhook_endpoint SET secret = $2 WHERE url = $1', [await sold.promise, foreign]);
      return 500;
    });
    sold.resolve(target.url);
    await settled(shop, event, 'failed');
    expect(target.requests).toBe(1);
    const words = 'failed; 10 of 10 attempts made; last: connection';
    expect(await client.workflow.getHandle(workflowId).result()).toBe(words);
  });
});

describe('a ladder that waits', () => {
  /** One whose next attempt is an hour ahead. */
  async function waiting(answer: Receiver['answer']): Promise<Sale> {
    const gate = Promise.withResolvers<void>();
    const started = await sale(async () => {
      await gate.promise;
      return answer();
    });
    await eventually('the first attempt', async () => started.target.requests === 1);
    // The ladder of this file leaves no time between attempts: the second one is put off before the first is answered.
    await pool().query(`CREATE OR REPLACE FUNCTION put_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      NEW.next_attempt_at := NEW.next_attempt_at + 3600; NEW.claimable_at := NEW.claimable_at + interval '1 hour'; RETURN NEW; END $$`);
    await pool().query(`CREATE OR REPLACE TRIGGER put_off BEFORE UPDATE ON delivery FOR EACH ROW
      WHEN (NEW.stage = 'ladder' AND NEW.attempts = 1 AND OLD.stage = 'fresh') EXECUTE FUNCTION put_off()`);
    gate.resolve();
    await beginNow(pool(), started.workflowId);
    await attributesOf(started.workflowId);
    await pool().query('DROP TRIGGER put_off ON delivery');
    return started;
  }

  const hasten = (event: string) =>
    pool().query(`UPDATE delivery SET next_attempt_at = next_attempt_at - 3600 WHERE event_id = $1`, [event]);

  test('shows what it waits for, and looks again when it is told to', async () => {
    const answers = [500, 200];
    const { shop, event, workflowId } = await waiting(() => answers.shift() ?? 200);
    const handle = client.workflow.getHandle(workflowId);
    expect(await attributesOf(workflowId)).toMatchObject({ FaturaStatus: ['pending'], FaturaObject: [event] });
    const due = instantText(api.clock.now() + 3_600);
    const metadata = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(metadata.currentDetails).toBe(`attempt 2 of 10 due ${due}; last: http_status 500`);
    await hasten(event);
    await handle.signal('lookAgain');
    await settled(shop, event, 'delivered');
    await handle.result();
  });

  test('ends when its endpoint is deleted', async () => {
    const { shop, event, endpoint, workflowId, target } = await waiting(() => 500);
    await shop.fatura.webhookEndpoints.delete(endpoint);
    expect(await shop.fatura.events.deliveries(event)).toMatchObject({ delivery_status: 'failed' });
    const handle = client.workflow.getHandle(workflowId);
    await handle.signal('lookAgain');
    expect(await handle.result()).toMatch(/^failed; 1 of 10/);
    expect(target.requests).toBe(1);
  });

  test('is begun anew from the database when Temporal lost it', async () => {
    const answers = [500, 200];
    const { shop, event, workflowId } = await waiting(() => answers.shift() ?? 200);
    await client.workflow.getHandle(workflowId).terminate('lost');
    await hasten(event);
    await pool().query(`UPDATE delivery SET claimable_at = now() - interval '1 hour' WHERE event_id = $1`, [event]);
    expect(await recoverCases(pool(), { mode: 'sandbox' })).toMatchObject({ 'webhook-delivery': 1 });
    await settled(shop, event, 'delivered');
  });
});
