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
  session: {
    sessions: `checkout_session WHERE status = 'open'`,
    invoices: 'invoice',
    intents: 'payment_intent',
    'QR codes': 'pix_charge',
    'sandbox charges': 'sandbox_bank.cob',
  },
} satisfies Record<string, CountedRows>;

/** The requests that a sale is made of. */
const REQUESTS = { sale: 2, card: 2, session: 3 } as const satisfies Record<keyof typeof counted, number>;

/** Whole sales: all requests of one, one after the other on each connection. */
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
      figures: [one, sixteen].map((figure) => ({
        ...figure,
        note: `${Math.round(figure.perSecond * REQUESTS[kind])} requests/s`,
      })),
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

/** On hosted pages: a session of a customer is made, its page opened, and the QR code made there. */
export const sessions: Bench = sales('session');
