import { randomUUID } from 'node:crypto';
import { Fatura } from '../../../sdk/src/index.ts';
import type { IssuedKey } from '../../../server/accounts/api-keys.ts';
import { createKey, revokeKey } from '../../../server/accounts/key-changes.ts';
import { createAccount, setLimits } from '../../../server/accounts/service.ts';
import { type Database, openDatabase } from '../../../server/db/database.ts';
import { entities } from '../../../server/entities.ts';
import { unreachedLimits } from '../../support/limits.ts';
import type { BenchContext } from '../bench.ts';
import { subscribeByCard } from '../renewal-seeds.ts';
import { plantSeeds } from '../seeds.ts';
import type { Stage } from '../stage.ts';
import type { Teardown } from '../teardown.ts';
import type { Mode, Scene } from './attacker.ts';
import { QuietDeliveries } from './quiet-deliveries.ts';
import { QuietShop } from './quiet-shop.ts';

const SIZES = {
  full: { customers: 300_000, invoices: 120, crowd: 200, subscribed: 8, subscriptions: 25 },
  quick: { customers: 20_000, invoices: 40, crowd: 20, subscribed: 4, subscriptions: 10 },
};
const LINES = 100;
/** Takes limits of its own from an account. */
const limitsOfAny = Object.fromEntries(Object.keys(unreachedLimits).map((name) => [name, null]));

/** The attacker's own data: so many customers that a walk over them is slow, and the largest invoices that there are. */
const COPY_CUSTOMERS = `INSERT INTO customer SELECT (jsonb_populate_record(c, jsonb_build_object('id',
    'cus_' || lpad(to_hex(n), 26, '0'), 'external_code', NULL))).* FROM customer c, generate_series(1, $2::int) n WHERE c.id = $1`;

async function plant(
  { pool, port }: Pick<Stage, 'pool' | 'port'>,
  apiKey: string,
  size: { customers: number; invoices: number; firstId: number },
): Promise<string> {
  const fatura = new Fatura({ apiKey, baseUrl: `http://127.0.0.1:${port}`, retries: 3 });
  const customer = await fatura.customers.create({ name: 'Maria', identifier: '529.982.247-25', email: 'm@loja.test' });
  const product = await fatura.products.create({ name: 'x'.repeat(250) });
  const price = await fatura.prices.create({ product_id: product.id, type: 'one_time', unit_amount: 500 });
  const line_items = Array.from({ length: LINES }, () => ({ price_id: price.id, quantity: 1 }));
  const metadata = [{ note: 'y'.repeat(8_000) }];
  for (let nth = 0; nth < size.invoices; nth += 1) {
    await fatura.invoices.create({ customer_id: customer.id, line_items, metadata });
  }
  const from = size.firstId;
  await pool.query(COPY_CUSTOMERS.replace('(1, $2::int)', `(${from + 1}, ${from} + $2::int)`), [
    customer.id,
    size.customers,
  ]);
  await pool.query('ANALYZE customer');
  return customer.id;
}

const newKey = (database: Database, accountId: string, liveMode: boolean): Promise<IssuedKey> =>
  createKey(database, {
    accountId,
    liveMode,
    name: 'bench',
    scope: 'full',
    networks: [],
    expiresAt: null,
    reads: 'latest',
  });

/** Accounts of others who hold with the attacker, their sandbox keys. */
async function openCrowd(database: Database, accounts: number): Promise<string[]> {
  const keys: string[] = [];
  for (let nth = 0; nth < accounts; nth += 1)
    keys.push((await createAccount(database, { name: `Vizinho ${nth}`, email: 'v@loja.test' })).sandbox_key);
  return keys;
}

/** The same with monthly subscriptions by card. */
async function openSubscribed(
  port: number,
  database: Database,
  size: { subscribed: number; subscriptions: number },
): Promise<string[]> {
  const keys: string[] = [];
  for (let nth = 0; nth < size.subscribed; nth += 1) {
    const { id, sandbox_key } = await createAccount(database, { name: `Clube ${nth}`, email: 'v@loja.test' });
    await setLimits(database, id, unreachedLimits);
    const fatura = new Fatura({ apiKey: sandbox_key, baseUrl: `http://127.0.0.1:${port}`, retries: 3 });
    for (let made = 0; made < size.subscriptions; made += 1) await subscribeByCard(fatura, made);
    await setLimits(database, id, limitsOfAny);
    // Of that key more requests were counted by now than its limits allow.
    keys.push((await newKey(database, id, false)).key);
  }
  return keys;
}

/** Two pairs of processes on one database, one for each mode; a shop that is to be left in peace, and those who are to harm it. */
export async function setScene(context: BenchContext) {
  const { teardown } = context;
  const stage = await context.setStage({ serviceSettings: { MODES: 'live' } });
  const ofSandbox = { MODES: 'sandbox' };
  const ports = { live: stage.port, sandbox: (await stage.startApi(ofSandbox)).port };
  const started = await stage.startWorker();
  const { worker } = started;
  await stage.startWorker({ settings: ofSandbox, beside: started });
  context.say('seeds');
  const database = await openDatabase(stage.databaseUrl, { entities, size: 1 });
  teardown.add(() => database.close());
  const size = context.isQuick ? SIZES.quick : SIZES.full;
  const hostile = await createAccount(database, { name: 'Vizinho', email: 'v@loja.test' });
  await setLimits(database, hostile.id, unreachedLimits);
  const keys = { live: hostile.live_key, sandbox: hostile.sandbox_key };
  const customers = {
    live: await plant(stage, keys.live, { ...size, firstId: 0 }),
    sandbox: await plant({ ...stage, port: ports.sandbox }, keys.sandbox, { ...size, firstId: size.customers }),
  };
  // From here on with the limits of any account.
  await setLimits(database, hostile.id, limitsOfAny);
  const { databaseUrl } = stage;
  const scene: Omit<Scene, 'port'> = {
    databaseUrl,
    accountId: hostile.id,
    keys,
    setUpKeys: {
      live: (await newKey(database, hostile.id, true)).key,
      sandbox: (await newKey(database, hostile.id, false)).key,
    },
    customers,
    crowd: await openCrowd(database, size.crowd),
    subscribed: await openSubscribed(ports.sandbox, database, size),
  };
  /** Does something with a key of the attacker's of which no request was counted yet. */
  const withNewKey = async <T>(mode: Mode, work: (armed: Scene) => Promise<T>): Promise<T> => {
    const { id, key } = await newKey(database, hostile.id, mode === 'live');
    try {
      return await work({ ...scene, port: ports[mode], keys: { ...keys, [mode]: key } });
    } finally {
      await revokeKey(database, { keyId: id, evenLast: false });
    }
  };
  return { stage, worker, withNewKey, ...(await openQuiet(teardown, ports, database)) };
}

async function openQuiet(teardown: Teardown, ports: Readonly<Record<Mode, number>>, database: Database) {
  const port = ports.live;
  const shop = await createAccount(database, { name: 'Loja', email: 'l@loja.test' });
  await setLimits(database, shop.id, unreachedLimits);
  const baseUrl = `http://127.0.0.1:${port}`;
  const seeds = await plantSeeds(new Fatura({ apiKey: shop.live_key, baseUrl, retries: 0 }));
  const quiet = await QuietShop.open({ port, apiKey: shop.live_key, seeds, key: randomUUID });
  teardown.add(async () => quiet.close());
  return { quiet, deliveries: await QuietDeliveries.open(teardown, { port: ports.sandbox, apiKey: shop.sandbox_key }) };
}
