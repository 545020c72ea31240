import { execFile } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { audit, checks, countRows } from '../../../server/audit/audit.ts';
import { realTime } from '../../../server/kernel/time.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { chargeFaults } from '../../support/audit/card-faults.ts';
import { collectionFaults } from '../../support/audit/collection-faults.ts';
import { disputeFaults } from '../../support/audit/dispute-faults.ts';
import { factFaults } from '../../support/audit/event-faults.ts';
import { findingsWith, sql, withoutForeignKeys } from '../../support/audit/fault.ts';
import { logFaults } from '../../support/audit/log-faults.ts';
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
  ...collectionFaults,
  ...factFaults,
  ...sessionFaults,
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
async function runProgram(): Promise<{ code: number; lines: string[] }> {
  const env = { DATABASE_URL: api.urls.audit, ENCRYPTION_KEY: Buffer.from(api.encryptionKey).toString('base64') };
  const { promise, resolve } = Promise.withResolvers<{ code: number; lines: string[] }>();
  execFile(process.execPath, ['server/audit/main.ts'], { env: { ...process.env, ...env } }, (error, stdout) => {
    resolve({ code: Number(error?.code ?? 0), lines: stdout.trim().split('\n') });
  });
  return promise;
}

test('the program says what it proved, and fails with what it found', async () => {
  const move = async (seconds: number) => {
    await shop.pool.query('UPDATE account SET sandbox_offset_seconds = $1', [seconds]);
    await shop.pool.query('UPDATE subscription SET wake_at = due_at - $1::bigint WHERE NOT live_mode', [seconds]);
    await shop.pool.query('UPDATE invoice SET wake_at = step_at - $1::bigint WHERE NOT live_mode', [seconds]);
    await shop.pool.query('UPDATE checkout_session SET wake_at = due_at - $1::bigint WHERE NOT live_mode', [seconds]);
  };
  await move(api.clock.now() - realTime());
  const sound = await runProgram();
  expect(sound).toEqual({
    code: 0,
    lines: [expect.stringMatching(new RegExp(`^${checks.length} checks over \\d+ rows: all hold$`))],
  });
  const refund = (amount: number) =>
    shop.pool.query('UPDATE invoice SET amount_refunded = $1 WHERE id = $2', [amount, shop.sold.invoice]);
  await refund(1);
  const broken = await runProgram();
  await refund(0);
  await move(0);
  expect(broken.code).toBe(1);
  expect(broken.lines).toEqual([
    `${shop.sold.invoice} shows amount_refunded 1, its completed refunds come to 0 [invoice-refunded]`,
    expect.stringMatching(/: 1 finding$/),
  ]);
});
