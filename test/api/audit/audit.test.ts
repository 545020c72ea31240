import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { audit, checks, countRows } from '../../../ops/audit/audit.ts';
import { migrationsList } from '../../../server/db/migrations/index.ts';
import { realTime } from '../../../server/kernel/time.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { chargeFaults } from '../../support/audit/card-faults.ts';
import { collectionFaults } from '../../support/audit/collection-faults.ts';
import { disputeFaults } from '../../support/audit/dispute-faults.ts';
import { factFaults } from '../../support/audit/event-faults.ts';
import { exportFaults } from '../../support/audit/export-faults.ts';
import { findingsWith, sql, withoutForeignKeys } from '../../support/audit/fault.ts';
import { logFaults } from '../../support/audit/log-faults.ts';
import { mandateFaults } from '../../support/audit/mandate-faults.ts';
import { moneyFaults } from '../../support/audit/money-faults.ts';
import { otherFaults } from '../../support/audit/other-faults.ts';
import { refundFaults } from '../../support/audit/refund-faults.ts';
import { sessionFaults } from '../../support/audit/session-faults.ts';
import { openShop, type Shop } from '../../support/audit/shop.ts';
import { subscriptionFaults } from '../../support/audit/subscription-faults.ts';
import { rolesOf } from '../../support/roles.ts';

const faults = [
  ...moneyFaults,
  ...chargeFaults,
  ...refundFaults,
  ...disputeFaults,
  ...subscriptionFaults,
  ...mandateFaults,
  ...collectionFaults,
  ...factFaults,
  ...sessionFaults,
  ...exportFaults,
  ...otherFaults,
  ...logFaults,
];

let api: TestApi;
let shop: Shop;

beforeAll(async () => {
  api = await startApi();
  shop = await openShop(api);
  await withoutForeignKeys(shop);
});
afterAll(() => api.stop());

test('a database in which everything was done by the service is found right', async () => {
  expect(await audit(rolesOf(shop.pool).auditor, { now: shop.now })).toEqual([]);
  expect(await countRows(rolesOf(shop.pool).auditor)).toBeGreaterThan(100);
});

test.each(faults.map((fault) => [fault.name, fault] as const))('%s', async (_, { plant, breaks }) => {
  const found = await findingsWith(shop, plant(shop));
  expect([...new Set(found.map(({ check }) => check))].sort()).toEqual(breaks);
});

test('every check is seen to fail', () => {
  const seen = new Set(faults.flatMap(({ breaks }) => breaks));
  expect(checks.map(({ name }) => name).sort()).toEqual([...seen].sort());
});

test('a finding is a sentence that names the ids', async () => {
  const { sold } = shop;
  const { rows } = await shop.pool.query('SELECT id FROM pix_receipt WHERE txid = $1', [sold.txid]);
  const found = await findingsWith(shop, [sql`UPDATE pix_receipt SET amount = 999 WHERE txid = ${sold.txid}`]);
  const receipt = String(rows[0]?.id);
  expect(found.map(({ sentence }) => sentence)).toEqual([
    expect.stringContaining(`the receipt ${receipt} is of 999 for ${sold.txid}`),
    `${sold.intent} is paid with an amount of 1000, and 1 receipts brought 999: ${receipt}`,
  ]);
});

test('a fault that is everywhere is shown twenty times and counted', async () => {
  const found = await findingsWith(shop, [sql`UPDATE event SET body_digest = md5('')::uuid`]);
  expect(found).toHaveLength(21);
  expect(found.at(-1)?.sentence).toMatch(/^\d+ more of the same were found$/);
});

test('patience is what its caller has', async () => {
  const late = sql`UPDATE outbox SET due_at = now() - interval '30 seconds' WHERE key = ${shop.surplus}`;
  expect(await findingsWith(shop, [late])).toEqual([]);
  expect((await findingsWith(shop, [late], { patienceSeconds: 10 })).map(({ check }) => check)).toContain(
    'outbox-stuck',
  );
});

/** The program as an operator runs it. */
async function runProgram(url: string = api.urls.audit): Promise<{ code: number; lines: string[]; err: string }> {
  const env = { DATABASE_URL: url, ENCRYPTION_KEY: Buffer.from(api.encryptionKey).toString('base64') };
  const { promise, resolve } = Promise.withResolvers<{ code: number; lines: string[]; err: string }>();
  execFile(process.execPath, ['ops/audit/main.ts'], { env: { ...process.env, ...env } }, (error, stdout, err) => {
    resolve({ code: Number(error?.code ?? 0), lines: stdout.trim().split('\n'), err });
  });
  return promise;
}

/** The program reads real time: the clocks of the shop are moved to that meanwhile. */
async function inRealTime(work: () => Promise<void>): Promise<void> {
  const move = async (seconds: number) => {
    await shop.pool.query('UPDATE account SET sandbox_offset_seconds = $1', [seconds]);
    await shop.pool.query('UPDATE subscription SET wake_at = due_at - $1::bigint WHERE NOT live_mode', [seconds]);
    await shop.pool.query('UPDATE invoice SET wake_at = step_at - $1::bigint WHERE NOT live_mode', [seconds]);
    await shop.pool.query('UPDATE checkout_session SET wake_at = due_at - $1::bigint WHERE NOT live_mode', [seconds]);
  };
  await move(api.clock.now() - realTime());
  try {
    await work();
  } finally {
    await move(0);
  }
}

/** An invoice shows a refund that nobody made. */
async function withWrongRefund<T>(work: () => Promise<T>): Promise<T> {
  const refund = (amount: number) =>
    shop.pool.query('UPDATE invoice SET amount_refunded = $1 WHERE id = $2', [amount, shop.sold.invoice]);
  await refund(1);
  try {
    return await work();
  } finally {
    await refund(0);
  }
}

const wrongRefund = async () => [
  `${shop.sold.invoice} shows amount_refunded 1, its completed refunds come to 0 [invoice-refunded]`,
  `${checks.length} checks over ${await countRows(rolesOf(shop.pool).auditor)} rows: 1 finding`,
];

test('the program says what it proved, and fails with what it found', () =>
  inRealTime(async () => {
    expect(await runProgram()).toEqual({
      code: 0,
      lines: [expect.stringMatching(new RegExp(`^${checks.length} checks over \\d+ rows: all hold$`))],
      err: '',
    });
    expect(await withWrongRefund(runProgram)).toEqual({ code: 1, lines: await wrongRefund(), err: '' });
  }));

/** Whose rows are reached, set for a connection and not for a transaction. */
const FOR_THE_CONNECTION = /(?<!LOCAL )fatura\.(?=live =|sandbox =)/g;
const EVERYWHERE = /fatura\.(?=live =|sandbox =)/g;

/** A way to the database on which settings are lost, as those of a connection are behind a pooler that hands out others. */
async function losing(settings: RegExp): Promise<string> {
  const { hostname, port } = new URL(api.urls.audit);
  const server = createServer((socket) => {
    const behind = connect(Number(port), hostname);
    // Another name of the same length: the messages tell how long they are.
    socket.on('data', (sent) => behind.write(sent.toString('latin1').replaceAll(settings, 'nobody.'), 'latin1'));
    behind.pipe(socket);
    for (const [one, other] of [[socket, behind] as const, [behind, socket] as const])
      one.on('close', () => other.destroy()).on('error', () => other.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const here = server.address() as AddressInfo; // it listens on a port and not on a path
  return Object.assign(new URL(api.urls.audit), { host: `127.0.0.1:${here.port}` }).href;
}

test('regression-175-the program finds the same on a connection that was not told whose rows it reaches', () =>
  inRealTime(async () => {
    const url = await losing(FOR_THE_CONNECTION);
    expect(await withWrongRefund(() => runProgram(url))).toEqual({ code: 1, lines: await wrongRefund(), err: '' });
  }));

test('the program proves nothing where it does not see every row', async () => {
  const { code, lines, err } = await runProgram(await losing(EVERYWHERE));
  expect([code, lines]).toEqual([1, ['']]);
  expect(err).toBe(
    'Nothing was audited: the database does not show all rows of one moment (live is "" and not "*", sandbox is "" and not "*"). ' +
      'Connect to PostgreSQL itself and not to a pooler.\n',
  );
});

test.each([
  [
    'is not there yet',
    "UPDATE migration SET steps_done = 1 WHERE name = '0001-schema'",
    'the database lacks 0001-schema: run `npm run migrate` with this code',
  ],
  [
    'is another version’s',
    "INSERT INTO migration (name) VALUES ('9999-of-tomorrow')",
    'the database has 9999-of-tomorrow beside it: use the newer code',
  ],
])('the program proves nothing of a schema that %s', async (_, change, told) => {
  await shop.pool.query(change);
  try {
    const { code, lines, err } = await runProgram();
    expect([code, lines]).toEqual([1, ['']]);
    expect(err).toBe(
      `Nothing was audited. This code needs the schema of ${migrationsList.at(-1)?.name}, and ${told}.\n`,
    );
  } finally {
    await shop.pool.query("DELETE FROM migration WHERE name = '9999-of-tomorrow'");
    await shop.pool.query('UPDATE migration SET steps_done = NULL');
  }
});
