import type pg from 'pg';
import type { Bench } from './bench.ts';
import { plantSeeds } from './seeds.ts';
import { driveService } from './service-runs.ts';
import { percent, tableOf } from './table.ts';

const GOAL_SHARE = 0.05;
/** Pairs of windows, one behind the other, so that a busy moment of the machine falls on both. */
const PAIRS = 8;
const CONNECTIONS = 16;
const KINDS = ['invoice', 'sale'] as const;
const SIDES = ['ENABLE', 'DISABLE'] as const;

async function tablesBehindWalls(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relrowsecurity ORDER BY oid`,
  );
  return rows.map(({ name }) => name);
}

async function switchWalls(pool: pg.Pool, tables: readonly string[], side: (typeof SIDES)[number]): Promise<void> {
  for (const table of tables) await pool.query(`ALTER TABLE ${table} ${side} ROW LEVEL SECURITY`);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** What row-level security costs: the same service on the same rows, with the policies in force and without. */
export const walls: Bench = async (context) => {
  const stage = await context.setStage();
  const seeds = await plantSeeds(stage.fatura);
  const tables = await tablesBehindWalls(stage.pool);
  const rows: string[][] = [];
  for (const kind of KINDS) {
    const drive = driveService(context, stage, { kind, ...seeds });
    context.say(`${kind}: warming up`);
    await drive.warmUp();
    const rates = { ENABLE: [] as number[], DISABLE: [] as number[] };
    for (let pair = 0; pair < PAIRS; pair += 1) {
      // Whoever comes second has more rows before it: they take turns.
      for (const side of pair % 2 === 0 ? SIDES : SIDES.toReversed()) {
        context.say(`${kind}: ${side.toLowerCase()}`);
        await switchWalls(stage.pool, tables, side);
        rates[side].push((await drive.measure(CONNECTIONS)).perSecond);
      }
    }
    const [beside, without] = [mean(rates.ENABLE), mean(rates.DISABLE)];
    rows.push([kind, beside.toFixed(0), without.toFixed(0), percent(1 - beside / without)]);
  }
  await switchWalls(stage.pool, tables, 'ENABLE');
  await stage.proveInvariants();
  return {
    table: tableOf([`${CONNECTIONS} connections`, 'with policies/s', 'without/s', 'cost'], rows),
    notes: [`policies on ${tables.length} tables; goal: at most ${percent(GOAL_SHARE)}`],
  };
};
