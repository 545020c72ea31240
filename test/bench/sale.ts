import type { Bench } from './bench.ts';
import { type CountedRows, checkGrowth, countRows } from './rows.ts';
import { plantSeeds } from './seeds.ts';
import { driveService } from './service-runs.ts';
import { memoryOf } from './usage.ts';

/** What each sale leaves in the books, once. */
const counted = {
  sale: {
    invoices: 'invoice',
    intents: 'payment_intent',
    'QR codes': 'pix_charge',
    'sandbox charges': 'sandbox_bank.cob',
  },
  card: {
    invoices: 'invoice',
    intents: 'payment_intent',
    attempts: `charge_attempt WHERE status = 'approved'`,
    'sandbox charges': 'sandbox_bank.charge',
    'invoice.paid events': `event WHERE type = 'invoice.paid'`,
  },
} satisfies Record<'sale' | 'card', CountedRows>;

/** Whole sales: an invoice, then its checkout, one after the other on each connection. */
const sales =
  (kind: keyof typeof counted): Bench =>
  async (context) => {
    const stage = await context.setStage();
    const seeds = await plantSeeds(stage.fatura);
    const before = await countRows(stage.pool, counted[kind]);
    const drive = driveService(context, stage, { kind, ...seeds });
    context.say('warming up');
    await drive.warmUp();
    context.say('sales');
    const one = await drive.measure(1);
    const sixteen = await drive.measure(16);
    const { nowMiB, peakMiB } = memoryOf(stage.pids.api);
    const after = await countRows(stage.pool, counted[kind]);
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

/** By PIX: the QR code is made. */
export const sale: Bench = sales('sale');

/** By card: the invoice is paid. */
export const card: Bench = sales('card');
