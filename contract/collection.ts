import { z } from 'zod';
import { DeclineReason } from './errors.ts';
import { amount, field, listOf, liveMode, meta, named, objectName, pageQuery, timestamp, typeId } from './kernel.ts';
import { c, listErrors, routerOptions } from './router.ts';
import { Counted } from './summary.ts';

export const collectionSteps = ['charge', 'debit', 'mark_overdue', 'remind', 'suspend', 'cancel'] as const;
const CollectionStep = named('CollectionStep', collectionSteps, 'What collection does with an invoice next.');

const days = (description: string, example: number) => field(z.int(), description, example);

const CollectionStage = z
  .object({
    id: field(z.string(), '`day_` and the day on which it begins, or `suspended`.', 'day_3'),
    from_day: field(
      z.int().nullable(),
      'Days after the due date on which it begins; null of `suspended`, where a subscription waits for the invoice.',
      3,
    ),
    until_day: field(z.int().nullable(), 'The day on which the next one begins; null: none does.', 7),
    count: field(z.int(), 'How many invoices are there.', 2),
    amount: amount('What is still to be paid of them.'),
  })
  .meta({ id: 'CollectionStage', description: 'Unpaid invoices that are late by about as much.' });

/** Days over which declined renewals are counted. */
export const RECOVERY_DAYS = 90;

const CollectionRecovery = z
  .object({
    reason: field(DeclineReason, 'Why the stored card was declined first.', 'insufficient_funds'),
    declined: Counted.meta({ description: 'All invoices that were declined so, and what they asked.' }),
    recovered: Counted.meta({ description: 'Those of them that were paid since, in whatever way.' }),
  })
  .meta({ id: 'CollectionRecovery', description: 'Declined renewals of a reason, and how many were paid since.' });

export const Collection = z
  .object({
    object: objectName('collection'),
    as_of: timestamp('Of which instant it is.'),
    charge_days: field(
      z.array(z.int()),
      'Days after the due date on which the card of a renewal is charged again.',
      [1, 3, 7],
    ),
    overdue_day: days('The day on which an invoice is told overdue.', 1),
    suspend_day: days('The day on which a renewal suspends its subscription.', 10),
    cancel_day: days('The day on which a renewal ends its subscription.', 30),
    stages: field(z.array(CollectionStage), 'In the order that an unpaid renewal comes through them.', [
      { id: 'day_3', from_day: 3, until_day: 7, count: 2, amount: 19_980 },
    ]),
    recovery: z.array(CollectionRecovery).meta({
      description: `Renewals whose stored card was first declined within the last ${RECOVERY_DAYS} days, by the reason of that decline, the most frequent one first.`,
    }),
    live_mode: liveMode,
  })
  .meta({ id: 'Collection', description: 'Open invoices behind their due date, by how late they are.' });

export type Collection = z.output<typeof Collection>;

export const CollectedInvoice = z
  .object({
    id: typeId('in', 'The invoice.'),
    object: objectName('collected_invoice'),
    customer: typeId('cus', 'Who pays.'),
    customer_name: field(z.string(), 'Name of the customer at creation.', 'Maria da Silva'),
    subscription: typeId('sub', 'The subscription; null on a standalone invoice.').nullable(),
    amount_remaining: amount('Still to pay.'),
    due_at: timestamp('When it was due.'),
    days_late: days('Whole days since then.', 3),
    is_suspended: field(z.boolean(), 'Whether it suspended its subscription, which waits for its payment.', false),
    next_step: field(
      CollectionStep.nullable(),
      'What is done next by itself: `charge` of a stored card; `debit`: the bank is asked about the debit by mandate, or for another day; `mark_overdue`: it is told overdue; `remind` by e-mail; `suspend` and `cancel` its subscription. Null: nothing, or a payment is on its way.',
      'charge',
    ),
    next_step_at: field(
      z.int().nullable(),
      'When that is; null without a next step. Unix time, seconds.',
      1_795_257_600,
    ),
    live_mode: liveMode,
  })
  .meta({ id: 'CollectedInvoice', description: 'An open invoice behind its due date, and what is done with it next.' });

export type CollectedInvoice = z.output<typeof CollectedInvoice>;

export const CollectedInvoiceListQuery = z.strictObject({
  ...pageQuery('in'),
  stage: field(
    z
      .string()
      .regex(
        /^(?:day_\d{1,3}|suspended)$/,
        'must be the id of a stage of GET /collection: day_ and its day, or suspended',
      )
      .optional(),
    'Only invoices of this stage: an `id` of `GET /collection`.',
    'day_3',
  ),
});

export const collectionOperations = c.router(
  {
    retrieve: {
      method: 'GET',
      path: '/collection',
      summary: 'Retrieve what is unpaid',
      description:
        'Open invoices behind their due date, counted and summed by the days of collection of your account. One that suspended its subscription is in `suspended`, however late it is. Beside them, how many declined renewals were paid since.',
      responses: { 200: Collection, ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
    listInvoices: {
      method: 'GET',
      path: '/collection/invoices',
      summary: 'List what is unpaid',
      description: 'Newest first, each with what is done with it next.',
      query: CollectedInvoiceListQuery,
      responses: {
        200: listOf(CollectedInvoice, { id: 'CollectedInvoiceList', url: '/api/v1/collection/invoices' }),
        ...listErrors,
      },
      metadata: meta({ scope: 'read' }),
    },
  },
  routerOptions,
);
