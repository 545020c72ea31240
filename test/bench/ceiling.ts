import type { BenchContext } from './bench.ts';
import type { DatabaseCeiling, SampleRows } from './database-ceiling.ts';
import type { Summary } from './latencies.ts';
import type { Stage } from './stage.ts';
import { type Figure, figureOf } from './table.ts';
import { runTask } from './task.ts';

const CEILING_CLIENTS = 16;

/** The rows of one invoice as the service wrote them. */
async function sampleRows({ pool, accountId }: Stage, customers: readonly string[]): Promise<SampleRows> {
  const invoices = await pool.query<SampleRows['invoice']>('SELECT * FROM invoice ORDER BY id DESC LIMIT 1');
  const [invoice] = invoices.rows;
  const events = await pool.query<SampleRows['event']>('SELECT id, body FROM event WHERE object_id = $1', [
    invoice?.id,
  ]);
  const [event] = events.rows;
  if (invoice === undefined || event === undefined) throw new Error('the warm-up made no invoice');
  return { accountId, customers, invoice, event };
}

/** A database of the same schema, with the customers the ceiling's invoices name; its rows are nobody's to audit. */
async function createCeilingDatabase(stage: Stage): Promise<string> {
  const sibling = await stage.createSibling('ceiling');
  for (const table of ['account', 'customer']) {
    const { rows } = await stage.pool.query<{ all: string }>(
      `SELECT jsonb_agg(to_jsonb(t))::text AS all FROM ${table} t`,
    );
    await sibling.pool.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [
      rows[0]?.all,
    ]);
  }
  return sibling.url;
}

export type CeilingRun = () => Promise<{ figure: Figure; perSecond: number }>;

/** What the same PostgreSQL commits with nothing in front of it; the stage has an invoice already, whose rows it takes for a sample. */
export async function createCeilingRun(
  context: BenchContext,
  stage: Stage,
  customers: readonly string[],
): Promise<CeilingRun> {
  const { teardown, times } = context;
  const sample = await sampleRows(stage, customers);
  const input = { databaseUrl: await createCeilingDatabase(stage), sample };
  return async () => {
    const ceiling: DatabaseCeiling = { ...input, ...times, clients: CEILING_CLIENTS };
    const run = {
      file: 'database-ceiling.ts',
      input: ceiling,
      timeoutMs: context.timeoutMs,
      watched: { postgres: stage.pids.postgres },
    };
    const measured = await runTask<DatabaseCeiling, Summary>(teardown, run);
    const figure = figureOf('ceiling: invoice + event + outbox row, one statement', CEILING_CLIENTS, measured);
    return { figure, perSecond: measured.result.perSecond };
  };
}
