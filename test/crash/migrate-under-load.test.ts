import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { freePort } from '../../dev/embedded/ports.ts';
import { audit } from '../../ops/audit/audit.ts';
import { realTime } from '../../server/kernel/time.ts';
import { sdkFor } from '../support/api.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { CPF } from '../support/factories.ts';
import { until } from '../support/stack.ts';
import { checkOutFormer, runIn } from './former-version.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const ROUNDS = Number(process.env.MIGRATION_ROUNDS ?? 1);
const ANSWERED_WITHIN_MS = 2_000;
const SELLERS_EACH = 2;
const PAUSE_MS = 200;
const SETTINGS = { ENCRYPTION_KEYS: randomBytes(32).toString('base64'), WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };

type Fatura = ReturnType<typeof sdkFor>;

interface Shop {
  readonly key: string;
  readonly customer_id: string;
  readonly price_id: string;
}

/** How long each request of the sales took, or why it failed. */
interface Sales {
  readonly ms: number[];
  readonly failed: string[];
}

async function startApiIn(folder: string, databaseUrl: string): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, ['server/main.ts'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      LOG_LEVEL: 'warn',
      ...SETTINGS,
      PORT: String(port),
      DATABASE_URL: databaseUrl,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const baseUrl = `http://127.0.0.1:${port}`;
  const listens = () =>
    fetch(`${baseUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('the API to listen', listens, 60_000);
  return baseUrl;
}

async function openShop(baseUrl: string, key: string): Promise<Shop> {
  const fatura = sdkFor(baseUrl, key);
  await fatura.webhookEndpoints.create({ url: 'http://127.0.0.1:9/', event_types: ['invoice.paid'] });
  const { id: product_id } = await fatura.products.create({ name: 'Plano Ouro' });
  const { id: price_id } = await fatura.prices.create({ product_id, unit_amount: 9990, type: 'one_time' });
  const { id: customer_id } = await fatura.customers.create({
    name: 'Maria',
    identifier: CPF,
    email: 'maria@loja.test',
  });
  return { key, customer_id, price_id };
}

async function sell(
  fatura: Fatura,
  { customer_id, price_id }: Shop,
  timed: <T>(work: Promise<T>) => Promise<T>,
): Promise<void> {
  const invoice = await timed(fatura.invoices.create({ customer_id, line_items: [{ price_id, quantity: 1 }] }));
  const charged = await timed(fatura.invoices.checkout(invoice.id, { payment_method_type: 'pix' }));
  await timed(fatura.testHelpers.paymentIntents.payPix(charged.payment_intent, { scenario: 'paid' }));
  await timed(fatura.invoices.list({ limit: 5 }).page());
}

/** Sells at each address until it is told to stop. */
function keepSelling(baseUrls: readonly string[], shop: Shop): { stop(): Promise<Sales> } {
  const sales: Sales = { ms: [], failed: [] };
  let isOver = false;
  const seller = async (baseUrl: string): Promise<void> => {
    const fatura = sdkFor(baseUrl, shop.key);
    const timed = async <T>(work: Promise<T>): Promise<T> => {
      const began = performance.now();
      const answer = await work;
      sales.ms.push(performance.now() - began);
      return answer;
    };
    while (!isOver) {
      await sell(fatura, shop, timed).catch((error: unknown) => sales.failed.push(String(error)));
      await sleep(PAUSE_MS);
    }
  };
  const all = baseUrls.flatMap((baseUrl) => Array.from({ length: SELLERS_EACH }, () => seller(baseUrl)));
  return {
    async stop() {
      isOver = true;
      await Promise.all(all);
      return sales;
    },
  };
}

/** Runs this version's `npm run migrate`. */
async function migrateNow(databaseUrl: string): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, ['server/migrate.ts'], {
    cwd: REPOSITORY,
    env: { PATH: process.env.PATH, ...SETTINGS, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code, said };
}

test.for(Array.from({ length: ROUNDS }, (_, round) => round + 1))(
  'the version before sells while this one migrates, and both sell afterwards (%i)',
  { timeout: 300_000 },
  async (round, { skip }) => {
    const former = await formerVersion;
    if (former === null) return skip('the history of the repository is not here');
    const { folder } = former;
    const database = await createEmptyDatabase();
    onTestFinished(() => database.drop());
    await runIn(folder, ['server/migrate.ts'], { ...SETTINGS, DATABASE_URL: database.urls.migrator });
    const operator = { ...SETTINGS, DATABASE_URL: database.urls.admin };
    const account = JSON.parse(
      await runIn(
        folder,
        ['server/admin.ts', 'account', 'create', '--name', 'Loja', '--email', 'dono@loja.test', '--city', 'Recife'],
        operator,
      ),
    ) as { id: string; sandbox_key: string };
    await runIn(folder, ['server/admin.ts', 'account', 'set-limits', account.id, '--general', '60000'], operator);
    const apis = await Promise.all([startApiIn(folder, database.urls.api), startApiIn(folder, database.urls.api)]);
    const shop = await openShop(apis[0] ?? '', account.sandbox_key);

    const selling = keepSelling(apis, shop);
    await sleep(2_000);
    const migrated = await migrateNow(database.urls.migrator);
    await sleep(2_000);
    const sales = await selling.stop();
    const longest = Math.round(Math.max(...sales.ms));
    console.log(`round ${round}: ${sales.ms.length} answers, the longest after ${longest} ms`);
    expect(migrated).toEqual({ code: 0, said: '' });
    expect(sales.failed).toEqual([]);
    expect(sales.ms.length).toBeGreaterThan(20);
    expect(longest).toBeLessThan(ANSWERED_WITHIN_MS);

    const now = await startApiIn(REPOSITORY, database.urls.api);
    const both = keepSelling([...apis, now], shop);
    await sleep(1_000);
    const { failed } = await both.stop();
    expect(failed).toEqual([]);
    expect(await auditOf(database)).toEqual([]);
  },
);

async function auditOf({ url }: TestDatabase): Promise<string[]> {
  const pool = new pg.Pool({ connectionString: url });
  try {
    return await audit(pool, { now: realTime(), inFlightSeconds: 120 });
  } finally {
    await pool.end();
  }
}

const formerVersion = checkOutFormer(join(inject('runFolder'), `former-${randomBytes(4).toString('hex')}`));
