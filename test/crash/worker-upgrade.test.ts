import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { bundleWorkflowCode } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BUNDLE, buildIdOf, builtWorkflows } from '../../workflows/bundle.ts';
import { openClient } from '../../workflows/temporal.ts';
import { type Merchant, sdkFor } from '../support/api.ts';
import { cards, payByCard } from '../support/cards.ts';
import { newCustomer, newInvoice } from '../support/factories.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Installed, type Program, type Stack, startStack, until } from '../support/stack.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const STARTED_MS = 180_000;
const TEST_MS = 600_000;
const SELLERS = 3;
/** Between two sales of a seller: the workers have to keep up on a slow machine, too. */
const SALE_MS = 1_000;
/** The load before a worker is exchanged, and beside both, in seconds. */
const LOAD_SECONDS = 6;
const SETTLED_MS = 180_000;
/** Tasks that were on their way to the former worker have come there. */
const HANDED_OVER_MS = 2_000;
/** Beside the load a program takes long to begin; a rollback is taken up as soon as nobody runs the newer build. */
const CURRENT_MS = 180_000;

const { EVENT_TYPE_WORKFLOW_TASK_FAILED } = temporal.api.enums.v1.EventType;
const HOUR = 3_600;
const DEPLOYMENT = 'fatura-sandbox';

/** The next release: its cases ask twice at each look, in a way that the one before it cannot go on with. */
async function nextRelease(folder: string): Promise<Installed & { readonly buildId: string }> {
  const copied = ['contract', 'server', 'workflows', 'ops', 'web/page', 'dev/embedded', '.fatura/build'];
  for (const part of copied) cpSync(join(REPOSITORY, part), join(folder, part), { recursive: true });
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  const manifest = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: '0.2.0' }));
  const path = join(folder, 'workflows/cases/case.ts');
  const text = readFileSync(path, 'utf8');
  const changed = text
    .replace('import { continueAsNew,', 'import { continueAsNew, patched,')
    .replace('const step = ', `if (patched('asks-twice')) await caseStep({ kind, key });\n    const step = `);
  expect(changed).not.toBe(text);
  writeFileSync(path, changed);
  const quiet = () => {};
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(folder, 'workflows/workflows.ts'),
    workflowInterceptorModules: [join(folder, 'workflows/cases/trace-header.ts')],
    failureConverterPath: join(folder, 'workflows/failures.ts'),
    logger: { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  writeFileSync(join(folder, '.fatura/build', BUNDLE), code);
  const codePath = join(folder, '.fatura/build', BUNDLE);
  return { folder, command: [process.execPath], buildId: buildIdOf({ codePath }).replace(/^[^-]+/, '0.2.0') };
}

let folder: string;
let stack: Stack;
let receiver: Receiver;
let client: Client;
let shop: Merchant;
let next: Awaited<ReturnType<typeof nextRelease>>;
let newer: Program;
const present = buildIdOf(builtWorkflows());

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fatura-next-'));
  next = await nextRelease(folder);
  stack = await startStack();
  newer = stack.newWorker(next);
  receiver = await startReceiver();
  const to = { address: stack.temporalAddress, namespace: 'default', apiKey: null, tls: null };
  client = openClient(to, await stack.secretBox());
  const merchant = await stack.newMerchant();
  // Its client repeats nothing: what became of a charge is left to its case.
  shop = { ...merchant, fatura: sdkFor(stack.baseUrl, merchant.sandboxKey) };
}, STARTED_MS);

afterAll(async () => {
  await newer?.stop();
  await client?.connection.close();
  await stack?.stop();
  await receiver?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function currentBuild(): Promise<string | null> {
  const of = { namespace: 'default', deploymentName: DEPLOYMENT };
  // The server of a busy machine may not say in time.
  const { workerDeploymentInfo } = await client.workflowService
    .describeWorkerDeployment(of)
    .catch(() => ({ workerDeploymentInfo: null }));
  return workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId ?? null;
}

const untilCurrent = (buildId: string): Promise<void> =>
  until(`${buildId} to be current`, async () => (await currentBuild()) === buildId, CURRENT_MS);

/** Buyers whose charges get no answer, so that a case has to find out; answers the invoices once the load is over. */
function beginLoad(): { end(): Promise<string[]> } {
  const invoices: string[] = [];
  let isOver = false;
  const sell = async (): Promise<void> => {
    while (!isOver) {
      const { id } = await newInvoice(shop, {});
      await expect(payByCard(shop, id, { number: cards.answer_lost })).rejects.toMatchObject({
        code: 'ACQUIRER_TIMEOUT',
      });
      invoices.push(id);
      await sleep(SALE_MS);
    }
  };
  const sellers = Array.from({ length: SELLERS }, sell);
  return {
    async end() {
      isOver = true;
      await Promise.all(sellers);
      return invoices;
    },
  };
}

const untilPaid = (invoices: readonly string[]): Promise<void> =>
  until(
    `${invoices.length} invoices to be paid`,
    async () => {
      const { rows } = await stack.withDatabase(({ pool }) =>
        pool.query(`SELECT id FROM invoice WHERE id = ANY ($1) AND status <> 'paid'`, [invoices]),
      );
      return rows.length === 0;
    },
    SETTLED_MS,
  );

/** Moves the next attempt of the ladder. */
const putOff = (seconds: number) =>
  stack.withDatabase(({ pool }) =>
    pool.query(`UPDATE delivery SET next_attempt_at = next_attempt_at + $1 WHERE stage = 'ladder'`, [seconds]),
  );

/** Has the case of the ladder begin, for an attempt that is due when the test says so; answers its id. */
async function ladderWaits(): Promise<string> {
  await until('the first attempt', async () => (await putOff(HOUR)).rowCount === 1);
  const begins = `UPDATE outbox SET due_at = now() WHERE kind = 'webhook-delivery' RETURNING kind || '/' || key AS id`;
  const { rows } = await stack.withDatabase(({ pool }) => pool.query<{ id: string }>(begins));
  const [{ id } = { id: '' }] = rows;
  await until(`${id} to begin`, () =>
    client.workflow
      .getHandle(id)
      .describe()
      .then(
        () => true,
        () => false,
      ),
  );
  return id;
}

/** A case with when it began, how it ended, and which builds did its workflow tasks, in their order. */
interface Case {
  readonly id: string;
  readonly begun: Date;
  readonly status: string;
  readonly builds: readonly string[];
  /** Whether a worker could not go on with its history. */
  readonly failed: boolean;
}

async function readCases(): Promise<Case[]> {
  const cases: Case[] = [];
  const query = `TaskQueue = '${DEPLOYMENT}' AND TemporalScheduledById IS NULL`;
  for await (const { workflowId: id, runId, status, startTime: begun } of client.workflow.list({ query })) {
    const { events } = await client.workflow.getHandle(id, runId).fetchHistory();
    const builds = (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: done }) =>
      done ? [done.deploymentVersion?.buildId ?? 'none'] : [],
    );
    const failed = (events ?? []).some(({ eventType }) => eventType === EVENT_TYPE_WORKFLOW_TASK_FAILED);
    cases.push({ id, begun, status: status.name, builds, failed });
  }
  return cases;
}

/** All cases once none goes on. */
async function untilEnded(): Promise<Case[]> {
  let cases: Case[] = [];
  await until(
    'all cases to end',
    async () => {
      cases = await readCases();
      return cases.every(({ status }) => status !== 'RUNNING');
    },
    SETTLED_MS,
  );
  return cases;
}

test('a worker takes its build into use by itself', { timeout: TEST_MS }, async () => {
  await untilCurrent(present);
});

test('an upgrade under load loses nothing, does nothing twice, and ends what the former build began', {
  timeout: TEST_MS,
}, async () => {
  const customer = await newCustomer(shop, {});
  const endpoint = await shop.fatura.webhookEndpoints.create({ url: receiver.url, event_types: ['customer.updated'] });
  receiver.secret = endpoint.secret ?? '';
  receiver.answer = () => 503;
  await shop.fatura.customers.update(customer.id, { name: 'Maria Clara' });
  const ladderCase = await ladderWaits();

  const load = beginLoad();
  await sleep(LOAD_SECONDS * 1_000);
  await newer.start();
  await untilCurrent(next.buildId);
  const takenOver = new Date(Date.now() + HANDED_OVER_MS);
  await sleep(LOAD_SECONDS * 1_000);
  await stack.worker.stop();
  await sleep(LOAD_SECONDS * 1_000);
  const invoices = await load.end();
  await untilPaid(invoices);
  receiver.answer = () => 200;
  await putOff(-2 * HOUR);
  await client.workflow.getHandle(ladderCase).signal('lookAgain');
  await until('the ladder to end', async () => receiver.accepted.length === 1, SETTLED_MS);

  expect(invoices.length).toBeGreaterThan(10);
  const ended = await untilEnded();
  expect(ended.filter(({ status, failed }) => status !== 'COMPLETED' || failed)).toEqual([]);
  expect(ended.length).toBeGreaterThanOrEqual(invoices.length);
  // Both ran at the same time, and no case went back; that of the ladder was begun by the one and ended by the other.
  const wentBack = ended.filter(
    ({ builds }) => builds.lastIndexOf(present) > builds.indexOf(next.buildId) && builds.includes(next.buildId),
  );
  expect(wentBack).toEqual([]);
  const late = ended.filter(({ begun }) => begun > takenOver);
  expect(late.length).toBeGreaterThan(0);
  expect(late.filter(({ builds }) => builds.includes(present))).toEqual([]);
  const ladder = ended.find(({ id }) => id.startsWith('webhook-delivery/'));
  expect([ladder?.builds.at(0), ladder?.builds.at(-1)]).toEqual([present, next.buildId]);
  // Charged once each: the books of the sandbox's acquirer are compared with ours, too.
  expect(await stack.audit()).toEqual([]);
});

test('whoever goes back to the former build has that go on', { timeout: TEST_MS }, async () => {
  await newer.stop();
  await stack.worker.start();
  await untilCurrent(present);
  const load = beginLoad();
  await sleep(LOAD_SECONDS * 1_000);
  await untilPaid(await load.end());
  expect(await stack.audit()).toEqual([]);
});
