import { z } from 'zod';
import { amount, day, field, liveMode, meta, objectName } from './kernel.ts';
import { c, listErrors, routerOptions } from './router.ts';

const count = (description: string) => field(z.int(), description, 3);

export const Counted = z
  .object({ amount: amount('Of all of them.'), count: count('How many there are.') })
  .meta({ id: 'SummaryFigure', description: 'A sum, and of how many it is.' });

export const Received = z
  .object({
    pix: amount('Paid by PIX.'),
    card: amount('Paid by card.'),
    total: amount('Both.'),
    count: count('How many payments there are.'),
  })
  .meta({ id: 'SummaryReceived', description: 'What was paid, before anything is returned.' });

export const Summary = z
  .object({
    object: objectName('summary'),
    date: day('The day.'),
    received: Received,
    due_today: Counted.meta({ description: 'Open invoices that are due on the day.' }),
    refunded: Counted.meta({ description: 'Parts of refunds that were completed on the day.' }),
    failed: Counted.meta({ description: 'Charges whose last decline was on the day.' }),
    compared: z
      .object({ date: day('The same day of the week before.'), received: Received })
      .meta({ id: 'SummaryCompared', description: 'The same day of the week before.' }),
    live_mode: liveMode,
  })
  .meta({ id: 'Summary', description: 'The figures of a day.' });

export type Summary = z.output<typeof Summary>;

export const SummaryQuery = z.strictObject({ date: day('The day; default today.').optional() });

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
