import type { Bench, BenchReport } from './bench.ts';
import { createCeilingRun } from './ceiling.ts';
import { checkGrowth, countRows } from './rows.ts';
import { plantSeeds, type Seeds } from './seeds.ts';
import { driveService } from './service-runs.ts';
import { percent } from './table.ts';
import { memoryOf } from './usage.ts';

const GOAL_SHARE = 0.08;
/** Nobody listens there; no worker runs, so nothing is sent. */
const UNUSED_RECEIVER = 'http://127.0.0.1:9/';

const counted = {
  invoices: 'invoice',
  'invoice.created events': `event WHERE type = 'invoice.created'`,
  deliveries: 'delivery',
  'idempotency keys': 'idempotency_key',
};

/** Invoices created by HTTP, against what the same PostgreSQL commits with nothing in front of it. */
export const invoices: Bench = async (context) => {
  const stage = await context.setStage();
  const seeds: Seeds = await plantSeeds(stage.fatura);
  await stage.fatura.webhookEndpoints.create({ url: UNUSED_RECEIVER, event_types: ['invoice.created'] });
  const before = await countRows(stage.pool, counted);
  const drive = driveService(context, stage, { kind: 'invoice', ...seeds });
  context.say('warming up');
  await drive.warmUp();
  const ceiling = await createCeilingRun(context, stage, seeds.customers);

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
