import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../dev/embedded/ports.ts';
import { audit } from '../../ops/audit/audit.ts';
import { openDatabase, openPool } from '../../server/db/database.ts';
import { migrate } from '../../server/db/migrate.ts';
import { PARTITIONED_BY_MONTH } from '../../server/db/months.ts';
import { makePartition } from '../../server/db/partitions.ts';
import { entities } from '../../server/entities.ts';
import { codeOf } from '../../server/kernel/errors.ts';
import { realTime } from '../../server/kernel/time.ts';
import { runAdmin } from '../support/admin.ts';
import { sdkFor } from '../support/api.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { CPF } from '../support/factories.ts';
import { until } from '../support/stack.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const ROUNDS = Number(process.env.MIGRATION_ROUNDS ?? 1);
const ANSWERED_WITHIN_MS = 2_000;
const SELLERS_EACH = 2;
const PAUSE_MS = 200;
const MONTHS = 12;
const MADE_WITHIN_MS = 60_000;
const LOCK_NOT_AVAILABLE = '55P03';
const ENCRYPTION_KEY = randomBytes(32);
const SETTINGS = { ENCRYPTION_KEY: ENCRYPTION_KEY.toString('base64'), WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };

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

async function startApi(databaseUrl: string): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, ['server/main.ts'], {
    cwd: REPOSITORY,
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

/** What migrations do to tables that sales are written to. */
class Changes extends Migration {
  override up(): void {
    for (const table of ['customer', 'price', 'invoice', 'payment_intent', 'outbox']) {
      this.addSql(
        `ALTER TABLE ${table} ADD COLUMN made text, ADD CONSTRAINT ${table}_made CHECK (made <> '') NOT VALID`,
      );
      this.addSql(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${table}_made`);
      this.addSql(`CREATE INDEX CONCURRENTLY ${table}_made ON ${table} (made)`);
    }
    this.addSql('ALTER TABLE event ADD COLUMN made text');
    this.addSql(`CREATE TABLE made (id text PRIMARY KEY)`);
    this.addSql('ALTER TABLE invoice ADD CONSTRAINT invoice_made_fkey FOREIGN KEY (made) REFERENCES made NOT VALID');
    this.addSql('ALTER TABLE invoice VALIDATE CONSTRAINT invoice_made_fkey');
    this.addSql('CREATE FUNCTION made() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$');
    this.addSql('CREATE TRIGGER made BEFORE INSERT ON payment_intent FOR EACH ROW EXECUTE FUNCTION made()');
    this.addSql(`CREATE POLICY made ON invoice FOR SELECT USING (made IS NOT NULL)`);
  }
}

async function openAccount({ url: databaseUrl }: TestDatabase): Promise<string> {
  const operate = (...args: string[]) =>
    runAdmin({ databaseUrl, encryptionKey: ENCRYPTION_KEY }, args).then(({ code, out, err }) => {
      if (code !== 0) throw new Error(err);
      return out;
    });
  // The keys of a new account are printed as JSON.
  const { id, sandbox_key } = JSON.parse(
    await operate('account', 'create', '--name', 'Loja', '--email', 'dono@loja.test', '--city', 'Recife'),
  ) as { id: string; sandbox_key: string };
  await operate('account', 'set-limits', id, '--minute', '60000');
  return sandbox_key;
}

async function migrateWithChanges({ urls }: TestDatabase): Promise<string[]> {
  const said: string[] = [];
  const database = await openDatabase(urls.migrator, { entities, size: 4 });
  try {
    await migrate(database, {
      migrations: [{ name: 'made-of-test', class: Changes }],
      report: (line) => void said.push(line),
    });
  } finally {
    await database.close();
  }
  return said;
}

test.for(Array.from({ length: ROUNDS }, (_, round) => round + 1))(
  'a service sells while the tables that it sells with are changed (%i)',
  { timeout: 300_000 },
  async (round) => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const key = await openAccount(database);
    const apis = await Promise.all([startApi(database.urls.api), startApi(database.urls.api)]);
    const shop = await openShop(apis[0] ?? '', key);

    const selling = keepSelling(apis, shop);
    await sleep(2_000);
    const said = await migrateWithChanges(database);
    await sleep(2_000);
    const sales = await selling.stop();
    const longest = Math.round(Math.max(...sales.ms));
    console.log(`round ${round}: ${sales.ms.length} answers, the longest after ${longest} ms`);
    expect(said).toEqual([]);
    expect(sales.failed).toEqual([]);
    expect(sales.ms.length).toBeGreaterThan(20);
    expect(longest).toBeLessThan(ANSWERED_WITHIN_MS);

    const both = keepSelling([...apis, await startApi(database.urls.api)], shop);
    await sleep(1_000);
    expect((await both.stop()).failed).toEqual([]);
    expect(await auditOf(database)).toEqual([]);
  },
);

test('a service sells while months are made that its sales hang on', { timeout: 300_000 }, async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const key = await openAccount(database);
  const apis = await Promise.all([startApi(database.urls.api), startApi(database.urls.api)]);
  const shop = await openShop(apis[0] ?? '', key);
  const pool = openPool(database.urls.worker, { size: 1 });
  onTestFinished(() => pool.end());
  const ahead = Array.from({ length: MONTHS }, (_, later) =>
    new Date(Date.UTC(new Date().getUTCFullYear() + 1, later)).toISOString().slice(0, 10),
  );

  const selling = keepSelling(apis, shop);
  await sleep(2_000);
  let left = ahead.flatMap((day) => PARTITIONED_BY_MONTH.map((parent) => ({ parent, day })));
  const beganAtMs = performance.now();
  while (left.length > 0 && performance.now() - beganAtMs < MADE_WITHIN_MS) {
    const busy: typeof left = [];
    for (const part of left) {
      try {
        await makePartition(pool, part);
      } catch (error) {
        if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
        busy.push(part);
      }
    }
    left = busy;
  }
  await sleep(1_000);
  const sales = await selling.stop();
  const longest = Math.round(Math.max(...sales.ms));
  console.log(`${MONTHS} months: ${sales.ms.length} answers, the longest after ${longest} ms`);
  expect(left).toEqual([]);
  expect(sales.failed).toEqual([]);
  expect(sales.ms.length).toBeGreaterThan(20);
  expect(longest).toBeLessThan(ANSWERED_WITHIN_MS);
  expect(await auditOf(database)).toEqual([]);
});

async function auditOf({ url }: TestDatabase): Promise<string[]> {
  const pool = new pg.Pool({ connectionString: url });
  try {
    // The audit knows the schema of its own version alone.
    await pool.query(`DELETE FROM migration WHERE name = 'made-of-test'`);
    return await audit(pool, { now: realTime(), inFlightSeconds: 120 });
  } finally {
    await pool.end();
  }
}
