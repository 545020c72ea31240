import { z } from 'zod';
import { amount, day, field, liveMode, meta, named, objectName } from './kernel.ts';
import { c, listErrors, routerOptions } from './router.ts';
import { Counted, Received } from './summary.ts';

/** A report is read by people: a year of days, and a leap day. */
export const REPORT_DAYS_MAX = 366;

const count = (description: string) => field(z.int().min(0), description, 3);

export const reportIntervals = ['day', 'month'] as const;
const ReportInterval = named('ReportInterval', reportIntervals, 'What a row of a report is of.');

const PeriodQuery = {
  from: day('The first day.'),
  until: day(`The last day: at most ${REPORT_DAYS_MAX} days with the first.`, '2026-11-30'),
};

const intervalQuery = {
  ...PeriodQuery,
  by: field(ReportInterval.optional(), 'What a row is of: a day, or a month of the calendar; default `day`.', 'day'),
};

const period = {
  from: day('The first day.'),
  until: day('The last day.', '2026-11-30'),
};
const by = field(ReportInterval, 'What a row is of.', 'day');
const row = {
  from: day('The first day of the row.'),
  until: day('The last day of the row: the same where rows are days.'),
};

const cashFigures = {
  received: Received,
  refunded: Counted.meta({ description: 'Parts of refunds that were completed.' }),
  disputed: Counted.meta({ description: 'What banks took back unasked.' }),
  reinstated: Counted.meta({ description: 'What banks gave back of that.' }),
  surplus_received: amount('Paid once more than it was owed.', 0),
  surplus_returned: amount('What went back of that by itself.', 0),
  net: field(z.int(), 'What came in less what went out: below 0 where more went out. Integer cents.', 9990),
};

const CashFlowRow = z
  .object({ ...row, ...cashFigures })
  .meta({ id: 'CashFlowRow', description: 'The money of a day or a month.' });
const CashFlowTotals = z.object(cashFigures).meta({ id: 'CashFlowTotals', description: 'All rows together.' });

export const CashFlowReport = z
  .object({
    object: objectName('cash_flow_report'),
    ...period,
    by,
    rows: z.array(CashFlowRow).meta({ description: 'Every day or month of the period, oldest first.' }),
    totals: CashFlowTotals,
    live_mode: liveMode,
  })
  .meta({ id: 'CashFlowReport', description: 'Money by the instant that it came and went.' });

export type CashFlowReport = z.output<typeof CashFlowReport>;

/** How late an invoice is, in days from the one that it was due on (docs/product/reports.md#aging). */
export const agingBuckets = ['to_come', 'days_1_30', 'days_31_60', 'days_61_90', 'days_over_90'] as const;
const AgingBucket = named('AgingBucket', agingBuckets, 'How late an invoice is.');

const AgingRow = z
  .object({
    age: field(
      AgingBucket,
      '`to_come`: due today or later; `days_1_30`, `days_31_60`, `days_61_90`, `days_over_90`: so many days late.',
      'days_1_30',
    ),
    amount: amount('Still to be paid.'),
    count: count('How many invoices there are.'),
  })
  .meta({ id: 'AgingRow', description: 'Open invoices of an age.' });

export const AgingReport = z
  .object({
    object: objectName('aging_report'),
    date: day('Today: ages are counted up to it.'),
    rows: z.array(AgingRow).meta({ description: 'Every age, from what is to come to the oldest.' }),
    totals: Counted.meta({ description: 'All rows together.' }),
    live_mode: liveMode,
  })
  .meta({ id: 'AgingReport', description: 'Open invoices by how late they are.' });

export type AgingReport = z.output<typeof AgingReport>;

const subscriptionFigures = {
  started: count('Created then, and paid for at least once.'),
  canceled: count('Ended then, of those that were paid for at least once.'),
  subscribers: count('Started and not ended by the end, suspended ones among them.'),
};

const SubscriptionsRow = z
  .object({ ...row, ...subscriptionFigures })
  .meta({ id: 'SubscriptionsReportRow', description: 'The subscriptions of a day or a month.' });
const SubscriptionsTotals = z
  .object({ subscribers_before: count('Started and not ended before the first day.'), ...subscriptionFigures })
  .meta({
    id: 'SubscriptionsReportTotals',
    description: 'All rows together; churn is canceled of subscribers_before.',
  });
const SubscriptionsNow = z
  .object({
    active: count('Subscriptions that are active.'),
    paused: count('Paused: they neither serve nor bill.'),
    suspended: count('Suspended for lack of payment.'),
    pending: count('Waiting for their first payment.'),
    mrr: amount(
      'What active ones bill a month, less the discounts that last for ever: of a weekly price 52/12 times its amount, of a daily one 365/12 times.',
    ),
  })
  .meta({ id: 'SubscriptionsReportNow', description: 'How subscriptions stand at this moment.' });

export const SubscriptionsReport = z
  .object({
    object: objectName('subscriptions_report'),
    ...period,
    by,
    now: SubscriptionsNow,
    rows: z.array(SubscriptionsRow).meta({ description: 'Every day or month of the period, oldest first.' }),
    totals: SubscriptionsTotals,
    live_mode: liveMode,
  })
  .meta({ id: 'SubscriptionsReport', description: 'Subscriptions that began and ended.' });

export type SubscriptionsReport = z.output<typeof SubscriptionsReport>;

export const ReportQuery = z.strictObject(intervalQuery);
export type ReportQuery = z.output<typeof ReportQuery>;

export const reports = c.router(
  {
    cashFlow: {
      method: 'GET',
      path: '/reports/cash_flow',
      summary: 'Report money by day or month',
      description:
        'What was received, refunded, taken by banks and given back, each by the instant of its own, in days of America/Sao_Paulo.',
      query: ReportQuery,
      responses: { 200: CashFlowReport, ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
    aging: {
      method: 'GET',
      path: '/reports/aging',
      summary: 'Report open invoices by age',
      description: 'Open invoices as they stand now, by whole days of America/Sao_Paulo since they were due.',
      responses: { 200: AgingReport },
      metadata: meta({ scope: 'read' }),
    },
    subscriptions: {
      method: 'GET',
      path: '/reports/subscriptions',
      summary: 'Report subscriptions by day or month',
      description: 'How many began and ended in days of America/Sao_Paulo, and how all of them stand now.',
      query: ReportQuery,
      responses: { 200: SubscriptionsReport, ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
  },
  routerOptions,
);
