import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issue, newAuthority } from '../../dev/fake-psp/certificates.ts';
import type { ApiPixAcquirer } from '../../server/payments/acquirer/api-pix/adapter.ts';
import type { ApiPixSettings } from '../../server/payments/acquirer/api-pix/settings.ts';
import type { RunningWorker } from '../../workflows/worker.ts';
import { LiveShop, openLiveShop } from '../api/live/live-shop.ts';
import { settingsFor } from '../api/live/psp.ts';
import { runAdmin } from '../support/admin.ts';
import { type RealTimeApi, startRealTimeApi } from '../support/api.ts';
import { findLeaks, leaksInHistories, leaksInText, patternOf } from '../support/leaks.ts';
import { configureLive } from '../support/live-settings.ts';
import { clientOf, eventually, temporalFiles, workerFor } from './support.ts';

const taskQueue = `test-${randomBytes(6).toString('hex')}`;

let api: RealTimeApi;
let client: Client;
let worker: RunningWorker;
let shop: LiveShop;
/** All that nobody may find. */
const secrets: string[] = [];
/** What commands printed. */
let printed = '';

/** The last line of a PEM text may be a few letters, which come up by chance. */
const linesOf = (pem: string): string[] =>
  pem.split('\n').filter((line) => line.length >= 32 && !line.startsWith('-----'));

beforeAll(async () => {
  api = await startRealTimeApi();
  client = clientOf(api);
  worker = workerFor(api, { taskQueue });
  await eventually('the worker', async () => worker.isTemporalUp);
  shop = await openLiveShop(api);
  const { credentials, noticeUrl } = shop;
  const { clientId, clientSecret, certificatePem, keyPem } = credentials;
  secrets.push(clientId, clientSecret, new URL(noticeUrl).pathname.split('/').at(-1) ?? '');
  secrets.push(...linesOf(certificatePem), ...linesOf(keyPem), ...linesOf(shop.psp.caPem));
});
afterAll(async () => {
  await worker.stop();
  await client.connection.close();
  await shop.psp.close();
  await api.stop();
});

/** A sale by settings that the PSP does not take. */
async function sellInVain(wrong: Partial<ApiPixSettings>): Promise<void> {
  const { accountId, live } = await api.newMerchant();
  const sound = settingsFor(shop.psp, shop.credentials, 'standard');
  await configureLive(api, accountId, { ...sound, days: 365, ...wrong });
  const failing = new LiveShop({ ...shop, merchant: { ...shop.merchant, accountId, fatura: live } });
  await expect(failing.sell()).rejects.toMatchObject({ code: 'ACQUIRER_UNAVAILABLE' });
}

/** The token that the PSP gave to the account's adapter. */
async function tokenOf({ merchant }: LiveShop): Promise<string> {
  // In live mode an adapter of API Pix is what moves money by PIX.
  const acquirer = (await api.composition.deps.acquirers.live.pix(merchant.accountId)) as ApiPixAcquirer | null;
  const { token = null } = (await acquirer?.client.token()) ?? {};
  if (token === null) throw new Error('the PSP gives no token');
  return token;
}

const post = (url: string, body: string) => fetch(url, { method: 'POST', body }).then(({ status }) => status);

async function run(...args: string[]): Promise<number> {
  const { code, out, err } = await runAdmin(api, ['acquirer', ...args], { PUBLIC_URL: api.baseUrl });
  printed += out + err;
  return code;
}

test('a sale and its refund, by a worker', async () => {
  const { invoice, intent, txid } = await shop.sell();
  shop.pay(txid);
  await eventually('the payment', async () => (await shop.fatura.invoices.retrieve(invoice)).status === 'paid');
  await shop.fatura.refunds.create({ payment_intent: intent, amount: 1_500 }, { idempotencyKey: 'refund' });
  await eventually('the refund', async () => (await shop.fatura.refunds.retrieve(intent)).status === 'refunded');
  secrets.push(await tokenOf(shop));
});

test('refused tokens, certificates and callbacks', async () => {
  const wrongSecret = `wrong-${randomBytes(12).toString('hex')}`;
  const foreign = await issue(await newAuthority('nobody'), { name: 'loja', days: 1 });
  secrets.push(wrongSecret, ...linesOf(foreign.certificatePem), ...linesOf(foreign.keyPem));
  await sellInVain({ clientSecret: wrongSecret });
  await sellInVain({ certificate: foreign.certificatePem, key: foreign.keyPem });
  await sellInVain({ ca: null });
  expect(await post(shop.noticeUrl, 'x'.repeat(300_000))).toBe(413);
  expect(await post(shop.noticeUrl, '{"pix":')).toBe(400);
  expect(await post(`${shop.noticeUrl}/pix?hmac=x`, '{"pix":[]}')).toBe(200);
  expect(await post(`${shop.noticeUrl}/another`, '{}')).toBe(404);
  expect((await fetch(shop.noticeUrl)).status).toBe(404);
});

test('commands of the operator', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fatura-leaks-'));
  const { merchant, credentials, psp } = shop;
  const files = { secret: credentials.clientSecret, pem: credentials.certificatePem, key: credentials.keyPem };
  const [secret = '', pem = '', key = ''] = Object.entries({ ...files }).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  writeFileSync(join(folder, 'ca'), psp.caPem);
  const identity = ['--client-id', credentials.clientId, '--client-secret-file', secret, '--certificate', pem];
  const place = ['--base-url', psp.baseUrl, '--token-url', psp.tokenUrl, '--ca', join(folder, 'ca')];
  const all = ['--live', 'pix', '--profile', 'standard', ...identity, ...place, '--pix-key', credentials.pixKey];
  expect(await run('set', merchant.accountId, ...all, '--key', pem)).toBe(1);
  expect(await run('set', merchant.accountId, ...all, '--key', key)).toBe(0);
  for (const command of ['test', 'show']) expect(await run(command, merchant.accountId, '--live', 'pix')).toBe(0);
  expect(await run('list')).toBe(0);
  rmSync(folder, { recursive: true });
});

test('leave no secret in logs, errors, events, requests for workflows, stored answers or histories', async () => {
  const { pool, secretBox, metrics } = api.composition.deps;
  const pattern = patternOf(secrets);
  const left = { pool, secretBox, log: api.logged(), metrics: await metrics.registry.metrics() };
  expect(left.log).toContain('/acquirer/notices/:token');
  expect(left.log).toContain('an acquirer did not do what it was asked');
  expect(await findLeaks(left, pattern)).toEqual([]);
  expect(leaksInText('commands', printed, pattern)).toEqual([]);
  expect(await leaksInHistories(client, `TaskQueue = "${taskQueue}"`, pattern)).toEqual([]);
});

test('nor in the files of the Temporal server', () => {
  const files = temporalFiles();
  // What is sealed stands beside what is not.
  for (const known of [taskQueue, 'binary/encrypted', shop.merchant.accountId])
    expect(files.includes(known)).toBe(true);
  expect(secrets.filter((secret) => files.includes(secret))).toEqual([]);
});

test('and one that is left is found', async () => {
  const { pool, secretBox } = api.composition.deps;
  const pattern = patternOf(secrets);
  for (const secret of secrets.slice(0, 3)) {
    await pool.query(`UPDATE live_acquirer SET profile = $1, notice_hash = notice_hash`, [secret]);
    expect(await findLeaks({ pool, secretBox, log: '', metrics: '' }, pattern)).not.toEqual([]);
    await pool.query(`UPDATE live_acquirer SET profile = 'standard', settings = $1`, [Buffer.from(secret)]);
    expect(await findLeaks({ pool, secretBox, log: '', metrics: '' }, pattern)).not.toEqual([]);
  }
  await pool.query('DELETE FROM live_acquirer');
});
