import { randomBytes } from 'node:crypto';
import type { Subscription, WebhookEndpoint } from '@fatura/sdk';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../dev/embedded/ports.ts';
import { openPool } from '../../server/db/database.ts';
import { createKeyRing } from '../../server/kernel/key-ring.ts';
import { sealedColumns } from '../../server/sealing/sealed-columns.ts';
import { headOf, keyIdIn } from '../../server/sealing/secret-box.ts';
import { openClient } from '../../workflows/temporal.ts';
import type { Merchant } from '../support/api.ts';
import { newPrice, newProduct } from '../support/factories.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { textOf } from '../support/secret-box.ts';
import { type Program, type Stack, startStack, until } from '../support/stack.ts';
import { newMonthly, subscribeByCard } from '../support/subscriptions.ts';
import { type RunningCommand, startCommand } from './command.ts';
import { RingLoad } from './ring-load.ts';

const TEST_MS = 480_000;
const LONG_MS = 120_000;
const LANES = 2;
/** So many rounds of the load pass between two steps of the operator. */
const ROUNDS = 4;
const KILLS = 4;
const HOUR = 3_600;
const MONTH = 32 * 24 * HOUR;

const next = randomBytes(32);
const idOf = (key: Uint8Array): string => createKeyRing([key]).first.id;

let stack: Stack;
let former: Uint8Array;
let other: Awaited<ReturnType<Stack['newApi']>>;
let receiver: Receiver;
let pool: pg.Pool;
/** Nobody listens there. */
let spare: number;

beforeAll(async () => {
  stack = await startStack();
  former = stack.keys[0] ?? next;
  other = await stack.newApi();
  await other.start();
  await untilAnswers(other.baseUrl);
  receiver = await startReceiver();
  spare = await freePort();
  pool = openPool(stack.databaseUrl, { size: 2 });
}, TEST_MS);
afterAll(async () => {
  await pool.end();
  await other.stop();
  await stack.stop();
  await receiver.stop();
}, TEST_MS);

const untilAnswers = (baseUrl: string): Promise<void> =>
  until(`${baseUrl} to be ready`, async () => (await fetch(`${baseUrl}/readyz`).catch(() => null))?.status === 200);

const query = async <Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> =>
  (await pool.query<Row>(sql, values)).rows;

/** Each process in its turn, the next only when the one before answers: of the APIs one always does. */
async function restartAll(keys: readonly Uint8Array[]): Promise<void> {
  stack.useKeys(keys);
  await stack.worker.stop();
  await stack.worker.start();
  await stack.untilReady();
  await restart(stack.api, stack.baseUrl);
  await restart(other, other.baseUrl);
}

async function restart(api: Program, baseUrl: string): Promise<void> {
  await api.stop();
  await api.start();
  await untilAnswers(baseUrl);
}

const PROGRAMS = {
  api: ['server/main.ts'],
  worker: ['workflows/main.ts'],
  admin: ['ops/admin/main.ts', 'key', 're-encrypt'],
} as const;

/** Starts another process beside the others. */
const startWith = (program: keyof typeof PROGRAMS, keys: readonly Uint8Array[], port = spare): RunningCommand =>
  startCommand(PROGRAMS[program], {
    ...stack.environment(program),
    PORT: String(port),
    ENCRYPTION_KEYS: textOf(keys),
  });

/** Whatever is started with these keys ends at once, and says why. */
async function expectRefused(keys: readonly Uint8Array[], why: string): Promise<void> {
  // The keys of a literal are those of its type.
  const programs = Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[];
  const started = programs.map((program) => startWith(program, keys));
  for (const refused of started) {
    expect(await refused.ended, refused.said()).toBe(1);
    expect(refused.said()).toContain(why);
  }
}

/** The ids of the keys in every sealed column. */
async function keysFound(): Promise<Set<string | null>> {
  const found = new Set<string | null>();
  for (const { table, column } of Object.values(sealedColumns))
    for (const { sealed } of await query<{ sealed: Buffer }>(
      `SELECT ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL`,
    ))
      found.add(keyIdIn(sealed));
  return found;
}

/** Somebody has a row of the old key locked: sealing anew cannot end, and is always in its midst. */
async function whileHeld(work: () => Promise<void>): Promise<void> {
  const holder = await pool.connect();
  try {
    await holder.query('BEGIN');
    // As long as it takes: who is idle for seconds is cut off else.
    await holder.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    const head = headOf(idOf(former));
    const sql = 'SELECT FROM customer WHERE substring(personal FOR $2) = $1 ORDER BY id LIMIT 1 FOR UPDATE';
    expect((await holder.query(sql, [head, head.length])).rowCount).toBe(1);
    await work();
    await holder.query('COMMIT');
  } finally {
    holder.release();
  }
}

/** Killed each time at another place: in its first pass, and between passes that meet what is held. */
async function sealAnewAndDie(): Promise<void> {
  const began = async () =>
    (await query(`SELECT FROM audit_log WHERE action = 'encryption.re_encryption_began'`)).length;
  for (let kills = 0; kills < KILLS; kills += 1) {
    const before = await began();
    const command = startWith('admin', [next, former]);
    if (kills % 2 === 0) await until('it to begin', async () => (await began()) > before);
    else await command.tells('held_by_others');
    await command.kill9();
    expect(command.said()).not.toContain('out_of_use');
    expect(await keysFound()).toEqual(new Set([idOf(former), idOf(next)]));
  }
}

/** As the operator does: until it says that nothing of the former key is left. */
async function sealAnew(): Promise<void> {
  await until(
    'everything to be sealed anew',
    async () => (await startWith('admin', [next, former]).ended) === 0,
    LONG_MS,
  );
}

/** Somebody started a process with the settings of an earlier step: it seals with the former key again. */
async function expectStillUsed(lacked: string): Promise<void> {
  const port = await freePort();
  const late = startWith('api', [former, next], port);
  await untilAnswers(`http://127.0.0.1:${port}`);
  await expectRefused([next], lacked);
  await late.kill9();
}

/** A merchant whose endpoint fails and whose subscription is to be renewed: it all goes on when the key is another. */
interface Lasting {
  readonly merchant: Merchant;
  readonly receiver: Receiver;
  readonly subscription: Subscription;
}

async function prepareLasting(): Promise<Lasting> {
  const [merchant, failing] = [await stack.newMerchant(), await startReceiver()];
  failing.answer = () => 500;
  const endpoint = await merchant.fatura.webhookEndpoints.create({ url: failing.url, event_types: ['*'] });
  failing.secret = endpoint.secret ?? '';
  const subscription = await subscribeByCard(merchant);
  await until('the first attempts', async () => failing.requests > 2);
  return { merchant, receiver: failing, subscription };
}

/** The stored card is charged, and the ladders end. */
async function expectGoesOn({ merchant, receiver: told, subscription }: Lasting): Promise<void> {
  const { fatura } = merchant;
  told.answer = () => 200;
  const { now } = await fatura.testClock.retrieve();
  await fatura.testClock.advance({ to: now + MONTH });
  const invoices = await fatura.invoices.list({ subscription_id: subscription.id }).all({ max: 10 });
  expect(invoices.map(({ status }) => status)).toEqual(['paid', 'paid']);
  const open = () =>
    query(`SELECT FROM delivery WHERE account_id = $1 AND status <> 'delivered'`, [merchant.accountId]);
  await until('every delivery', async () => (await open()).length === 0, LONG_MS);
  await told.stop();
}

/** In Temporal, also of ladders that began under the former key: what it keeps of them opens without that key. */
async function expectCasesOfLaddersEnd(): Promise<void> {
  const temporal = { address: stack.temporalAddress, namespace: 'default', apiKey: null, tls: null };
  const client = openClient(temporal, await stack.secretBox());
  const all = `WorkflowType = 'webhook-delivery'`;
  expect((await client.workflow.count(all)).count).toBeGreaterThan(0);
  const running = () => client.workflow.count(`${all} AND ExecutionStatus = 'Running'`).then(({ count }) => count);
  await until('the end of every ladder', async () => (await running()) === 0, LONG_MS);
  await client.connection.close();
}

/** With a secret of before, which signs beside the one in its place. */
async function register({ fatura }: Merchant): Promise<WebhookEndpoint> {
  const { id, secret } = await fatura.webhookEndpoints.create({ url: receiver.url, event_types: ['*'] });
  // What was sent with the first secret alone verifies as well: both sign for a day.
  receiver.secret = secret ?? '';
  return fatura.webhookEndpoints.rotateSecret(id);
}

async function expectAllDelivered({ accountId }: Merchant): Promise<void> {
  const open = () =>
    query(`SELECT FROM delivery WHERE account_id = $1 AND status <> 'delivered'`, [accountId]).then(
      ({ length }) => length,
    );
  await until('every delivery', async () => (await open()) === 0, LONG_MS);
  const untold = await query<{ id: string }>(
    `SELECT e.id FROM event e JOIN delivery d ON d.event_id = e.id WHERE e.account_id = $1 AND NOT e.id = ANY($2)`,
    [accountId, receiver.accepted.map(({ id }) => id)],
  );
  expect(untold).toEqual([]);
}

async function expectAuditClean(): Promise<void> {
  await until('the end of every case', async () => (await stack.audit()).length === 0, LONG_MS).catch(() => {});
  const audit = startCommand(['ops/audit/main.ts'], stack.environment('audit'));
  expect(await audit.ended, audit.said()).toBe(0);
  expect(audit.said()).toContain('all hold');
}

test(
  'the key is changed while everything runs, and nobody notices',
  async () => {
    const [merchant, lasting] = [await stack.newMerchant(), await prepareLasting()];
    await register(merchant);
    const price = await newPrice(merchant, { product_id: (await newProduct(merchant)).id });
    const load = new RingLoad({
      apiKey: merchant.sandboxKey,
      baseUrls: [stack.baseUrl, other.baseUrl],
      price: price.id,
      monthly: (await newMonthly(merchant)).id,
      lanes: LANES,
    });
    const onward = async (): Promise<void> => {
      const wanted = load.rounds + ROUNDS;
      await until('the load to go on', async () => load.rounds >= wanted || load.troubles.length > 0, LONG_MS);
      expect(load.troubles).toEqual([]);
    };
    await onward();
    await expectRefused([next], `The ring has the key ${idOf(next)}`);
    await restartAll([former, next]);
    await onward();
    await restartAll([next, former]);
    await onward();
    const lacked = `ENCRYPTION_KEYS lacks the key ${idOf(former)}`;
    await whileHeld(async () => {
      await sealAnewAndDie();
      await expectRefused([next], lacked);
      const both = [startWith('admin', [next, former]), startWith('admin', [next, former])];
      await Promise.all(both.map((command) => command.tells('held_by_others')));
    });
    await sealAnew();
    await expectStillUsed(lacked);
    await sealAnew();
    await onward();
    await restartAll([next]);
    await onward();
    await load.stop();
    expect(load.troubles).toEqual([]);
    await load.repeatAll();
    await expectGoesOn(lasting);
    await expectAllDelivered(merchant);
    await expectCasesOfLaddersEnd();
    expect(await keysFound()).toEqual(new Set([idOf(next)]));
    expect(await query('SELECT id FROM encryption_key')).toEqual([{ id: idOf(next) }]);
    await expectAuditClean();
    expect([load.repeats, load.pages].map((count) => count >= load.rounds / 2)).toEqual([true, true]);
  },
  TEST_MS,
);
