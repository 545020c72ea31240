import { z } from 'zod';
import { amount, field, liveMode, meta, objectName } from './kernel.ts';
import { c, listErrors, routerOptions } from './router.ts';

const EXAMPLE_DATE = '2026-11-24';
const date = (description: string) =>
  field(z.iso.date(), `${description} As \`yyyy-mm-dd\`, in America/Sao_Paulo.`, EXAMPLE_DATE);
const count = (description: string) => field(z.int(), description, 3);

const Counted = z
  .object({ amount: amount('Of all of them.'), count: count('How many there are.') })
  .meta({ id: 'SummaryFigure', description: 'A figure of a day.' });

const Received = z
  .object({
    pix: amount('Paid by PIX.'),
    card: amount('Paid by card.'),
    total: amount('Both.'),
    count: count('How many payments there are.'),
  })
  .meta({ id: 'SummaryReceived', description: 'What was paid on a day, before anything is returned.' });

export const Summary = z
  .object({
    object: objectName('summary'),
    date: date('The day.'),
    received: Received,
    due_today: Counted.meta({ description: 'Open invoices that are due on the day.' }),
    refunded: Counted.meta({ description: 'Parts of refunds that were completed on the day.' }),
    failed: Counted.meta({ description: 'Charges whose last decline was on the day.' }),
    compared: z
      .object({ date: date('The same day of the week before.'), received: Received })
      .meta({ id: 'SummaryCompared', description: 'The same day of the week before.' }),
    live_mode: liveMode,
  })
  .meta({ id: 'Summary', description: 'The figures of a day.' });

export type Summary = z.output<typeof Summary>;

export const SummaryQuery = z.strictObject({ date: date('The day; default today.').optional() });

export const summary = c.router(
  {
    retrieve: {
      method: 'GET',
      path: '/summary',
      summary: 'Retrieve the figures of a day',
      description:
        'Of one day in America/Sao_Paulo, beside the same day of the week before. Surplus payments, which go back by themselves, are in none.',
      query: SummaryQuery,
      responses: { 200: Summary, ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
  },
  routerOptions,
);
