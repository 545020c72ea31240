import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../dev/embedded/ports.ts';
import { findTemporal } from '../../dev/embedded/temporal/find.mjs';
import { newestBuild } from '../../workflows/deployment.ts';
import { openClient } from '../../workflows/temporal.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { cards, payByCard } from '../support/cards.ts';
import { newInvoice } from '../support/factories.ts';
import { clientOf, eventually, workerFor } from './support.ts';

describe('the current build', () => {
  const known = [
    { buildId: 'new', sinceMs: 3 },
    { buildId: 'old', sinceMs: 1 },
    { buildId: 'gone', sinceMs: 9 },
  ];
  test.each<[running: string[], current: string | null, why: string]>([
    [['old', 'new'], 'new', 'is the newest that runs'],
    [['old'], 'old', 'is the former one where nobody runs the newer'],
    [['old', 'unheard'], 'old', 'is none that Temporal has not heard of'],
    [['unheard'], null, 'is none as long as Temporal knows nobody'],
    [[], null, 'is none without workers'],
  ])('of %j is %s: it %s', (running, current) => {
    expect(newestBuild(known, running)).toBe(current);
  });
});

describe('a worker', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  async function findsOut(): Promise<void> {
    const shop = await api.newMerchant();
    const { id } = await newInvoice(shop);
    await expect(payByCard(shop, id, { number: cards.answer_lost })).rejects.toMatchObject({
      code: 'ACQUIRER_TIMEOUT',
    });
    await eventually(
      'the charge to be found out',
      async () => (await shop.fatura.invoices.retrieve(id)).status === 'paid',
    );
  }

  test('goes on with cases that began before there were builds', async () => {
    const taskQueue = 'before-builds';
    const client = clientOf(api);
    onTestFinished(() => client.connection.close());
    const before = workerFor(api, { taskQueue });
    await eventually('the worker', async () => before.isTemporalUp);
    const shop = await api.newMerchant();
    const { id } = await newInvoice(shop);
    await expect(payByCard(shop, id, { number: cards.answer_lost })).rejects.toMatchObject({
      code: 'ACQUIRER_TIMEOUT',
    });
    const { payment_intent: intent } = await shop.fatura.invoices.retrieve(id);
    const handle = client.workflow.getHandle(`charge-reconciliation/${intent}`);
    await eventually('the case', () => handle.describe().catch(() => null));
    await before.stop();
    const after = workerFor(api, { taskQueue, buildId: '1.0.0-first' });
    onTestFinished(() => after.stop());
    await handle.result();
    const { workerDeploymentInfo: info } = await client.workflowService.describeWorkerDeployment({
      namespace: 'default',
      deploymentName: `${taskQueue}-sandbox`,
    });
    expect(info?.routingConfig?.currentDeploymentVersion?.buildId).toBe('1.0.0-first');
  });

  test('runs cases on a Temporal without deployments as well', async () => {
    const port = await freePort();
    const program = findTemporal(process.env);
    if (program === null) throw new Error('there is no Temporal server here');
    const off = ['--dynamic-config-value', 'system.enableDeploymentVersions=false'];
    const args = ['server', 'start-dev', '--headless', '--port', String(port), '--log-level', 'error', ...off];
    const server = spawn(program, args, { stdio: 'ignore' });
    onTestFinished(async () => {
      server.kill();
      await once(server, 'exit');
    });
    const temporal = { address: `127.0.0.1:${port}`, namespace: 'default', apiKey: null, tls: null };
    const worker = workerFor(api, { temporal, buildId: '1.0.0-first' });
    onTestFinished(() => worker.stop());
    await eventually('the worker', async () => worker.isTemporalUp);
    await findsOut();
    expect(api.logged()).toContain('Temporal has no worker deployments');
    const client = openClient(temporal, api.composition.deps.secretBox);
    await client.connection.close();
  });
});
