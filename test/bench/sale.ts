import type { Bench } from './bench.ts';
import { checkGrowth, countRows } from './rows.ts';
import { plantSeeds } from './seeds.ts';
import { driveService } from './service-runs.ts';
import { memoryOf } from './usage.ts';

const counted = {
  invoices: 'invoice',
  intents: 'payment_intent',
  'QR codes': 'pix_charge',
  'sandbox charges': 'sandbox_bank.cob',
};

/** Whole sales: an invoice, then its PIX checkout, one after the other on each connection. */
export const sale: Bench = async (context) => {
  const stage = await context.setStage();
  const seeds = await plantSeeds(stage.fatura);
  const before = await countRows(stage.pool, counted);
  const drive = driveService(context, stage, { kind: 'sale', ...seeds });
  context.say('warming up');
  await drive.warmUp();
  context.say('sales');
  const one = await drive.measure(1);
  const sixteen = await drive.measure(16);
  const { nowMiB, peakMiB } = memoryOf(stage.pids.api);
  const after = await countRows(stage.pool, counted);
  const rows = checkGrowth({ before, after, expected: drive.succeeded() });
  await stage.proveInvariants();
  return {
    figures: [one, sixteen],
    notes: [
      `memory of the API process: ${nowMiB} MiB resident at the end, ${peakMiB} MiB at most`,
      `rows: ${rows}; the audit found nothing`,
      ...drive.refusals(),
    ],
  };
};
