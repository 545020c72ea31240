import type { Bench, BenchContext, BenchReport } from './bench.ts';
import type { DatabaseCeiling, SampleRows } from './database-ceiling.ts';
import type { Summary } from './latencies.ts';
import { checkGrowth, countRows } from './rows.ts';
import { plantSeeds, type Seeds } from './seeds.ts';
import { driveService } from './service-runs.ts';
import type { Stage } from './stage.ts';
import { type Figure, figureOf, percent } from './table.ts';
import { runTask } from './task.ts';
import { memoryOf } from './usage.ts';

const CEILING_CLIENTS = 16;
const GOAL_SHARE = 0.08;
/** Nobody listens there; no worker runs, so nothing is sent. */
const UNUSED_RECEIVER = 'http://127.0.0.1:9/';

const counted = {
  invoices: 'invoice',
  'invoice.created events': `event WHERE type = 'invoice.created'`,
  deliveries: 'delivery',
  'idempotency keys': 'idempotency_key',
};

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

type CeilingRun = () => Promise<{ figure: Figure; perSecond: number }>;

function createCeilingRun(
  context: BenchContext,
  stage: Stage,
  input: Pick<DatabaseCeiling, 'databaseUrl' | 'sample'>,
): CeilingRun {
  const { teardown, times } = context;
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

/** Invoices created by HTTP, against what the same PostgreSQL commits with nothing in front of it. */
export const invoices: Bench = async (context) => {
  const stage = await context.setStage();
  const seeds: Seeds = await plantSeeds(stage.fatura);
  await stage.fatura.webhookEndpoints.create({ url: UNUSED_RECEIVER, event_types: ['invoice.created'] });
  const before = await countRows(stage.pool, counted);
  const drive = driveService(context, stage, { kind: 'invoice', ...seeds });
  context.say('warming up');
  await drive.warmUp();
  const sample = await sampleRows(stage, seeds.customers);
  const ceiling = createCeilingRun(context, stage, { databaseUrl: await createCeilingDatabase(stage), sample });

  context.say('ceiling, before');
  const ceilingBefore = await ceiling();
  context.say('invoices');
  const one = await drive.measure(1);
  const sixteen = await drive.measure(16);
  const { nowMiB, peakMiB } = memoryOf(stage.pids.api);
  context.say('ceiling, after');
  const ceilingAfter = await ceiling();

  const after = await countRows(stage.pool, counted);
  const rows = checkGrowth({ before, after, expected: drive.succeeded() });
  await stage.proveInvariants();
  const ceilingMean = (ceilingBefore.perSecond + ceilingAfter.perSecond) / 2;
  const share = sixteen.perSecond / ceilingMean;
  return {
    figures: [ceilingBefore.figure, one, { ...sixteen, note: `${percent(share)} of the ceiling` }, ceilingAfter.figure],
    notes: [
      `ratio: ${percent(share)} of the ceiling's mean of ${Math.round(ceilingMean)}/s (goal: at least ${percent(GOAL_SHARE)})`,
      `memory of the API process: ${nowMiB} MiB resident at the end, ${peakMiB} MiB at most`,
      `rows: ${rows}; the audit found nothing`,
      ...drive.refusals(),
    ],
  } satisfies BenchReport;
};
