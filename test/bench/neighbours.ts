import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fatura } from '../../sdk/src/index.ts';
import { createAccount, setLimits } from '../../server/accounts/service.ts';
import { openDatabase } from '../../server/db/database.ts';
import { entities } from '../../server/entities.ts';
import { unreachedLimits } from '../support/limits.ts';
import type { Bench, BenchContext } from './bench.ts';
import { beginAttack } from './neighbours/attack.ts';
import type { Answers, Mode, Scene } from './neighbours/attacker.ts';
import { attackers } from './neighbours/attackers.ts';
import { QuietShop } from './neighbours/quiet-shop.ts';
import { plantSeeds } from './seeds.ts';
import type { Stage } from './stage.ts';
import { tableOf } from './table.ts';
import { memoryOf } from './usage.ts';

const GOAL_RATIO = 1.5;
/** Pairs of a quiet and an attacked window, one behind the other, so that a busy moment of the machine falls on both. */
const PAIRS = 3;
const SETTLE_MS = 1_000;
const modes = ['live', 'sandbox'] as const satisfies readonly Mode[];
const SIZES = { full: { customers: 300_000, invoices: 120 }, quick: { customers: 20_000, invoices: 40 } };
const LINES = 100;

/** The attacker's own data: so many customers that a walk over them is slow, and the largest invoices that there are. */
const COPY_CUSTOMERS = `INSERT INTO customer SELECT (jsonb_populate_record(c, jsonb_build_object('id',
    'cus_' || lpad(to_hex(n), 26, '0'), 'external_code', NULL))).* FROM customer c, generate_series(1, $2::int) n WHERE c.id = $1`;

async function plant(
  { pool, port }: Stage,
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

async function setScene(context: BenchContext, stage: Stage): Promise<{ scene: Scene; quiet: QuietShop }> {
  const database = await openDatabase(stage.databaseUrl, { entities, size: 1 });
  context.teardown.add(() => database.close());
  const size = context.isQuick ? SIZES.quick : SIZES.full;
  const hostile = await createAccount(database, { name: 'Vizinho', email: 'v@loja.test' });
  await setLimits(database, hostile.id, unreachedLimits);
  const keys = { live: hostile.live_key, sandbox: hostile.sandbox_key };
  const customers = {
    live: await plant(stage, keys.live, { ...size, firstId: 0 }),
    sandbox: await plant(stage, keys.sandbox, { ...size, firstId: size.customers }),
  };
  // From here on with the limits of any account.
  await setLimits(database, hostile.id, {});
  const shop = await createAccount(database, { name: 'Loja', email: 'l@loja.test' });
  await setLimits(database, shop.id, unreachedLimits);
  const baseUrl = `http://127.0.0.1:${stage.port}`;
  const seeds = await plantSeeds(new Fatura({ apiKey: shop.live_key, baseUrl, retries: 0 }));
  const quiet = await QuietShop.open({ port: stage.port, apiKey: shop.live_key, seeds, key: randomUUID });
  context.teardown.add(async () => quiet.close());
  const { port, databaseUrl } = stage;
  return { scene: { port, databaseUrl, accountId: hostile.id, keys, customers }, quiet };
}

const told = (answers: Answers): string =>
  Object.entries(answers)
    .map(([what, count]) => `${count} × ${what}`)
    .join(', ');

const ms = (value: number): string => value.toFixed(1);

/** What a quiet account waits, live, without and with each attacker of the same service. */
export const neighbours: Bench = async (context) => {
  const stage = await context.setStage();
  context.say('seeds');
  const { scene, quiet } = await setScene(context, stage);
  await quiet.sell(context.times.warmupSeconds);
  const rows: string[][] = [];
  for (const attacker of attackers) {
    for (const mode of modes.filter((one) => attacker.modes.includes(one))) {
      context.say(`${attacker.name}, ${mode}`);
      const alone = quiet.measurement();
      const beside = quiet.measurement();
      const answers: Answers = {};
      for (let pair = 0; pair < PAIRS; pair += 1) {
        await alone.take(context.times.seconds);
        const end = await beginAttack(context.teardown, { name: attacker.name, mode, scene });
        await sleep(SETTLE_MS);
        await beside.take(context.times.seconds);
        for (const [what, count] of Object.entries(await end())) answers[what] = (answers[what] ?? 0) + count;
        await sleep(SETTLE_MS);
      }
      const [one, other] = [alone.summary(), beside.summary()];
      rows.push([
        `${attacker.name}, ${mode}`,
        ...[one.p50Ms, other.p50Ms, one.p99Ms, other.p99Ms].map(ms),
        (other.p99Ms / one.p99Ms).toFixed(2),
        String(beside.refused),
        `${memoryOf(stage.pids.api).nowMiB}`,
        told(answers),
      ]);
    }
  }
  await stage.proveInvariants();
  return {
    table: tableOf(
      ['attacker', 'p50 ms', 'beside', 'p99 ms', 'beside', 'ratio', 'refused', 'API MiB', 'the attacker was answered'],
      rows,
    ),
    notes: [`a quiet live account, 2 connections: goal at most ${GOAL_RATIO} of its p99, nothing of it refused`],
  };
};
