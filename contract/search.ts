import { z } from 'zod';
import { CheckoutSession } from './checkout-sessions.ts';
import { Customer } from './customers.ts';
import { Invoice } from './invoices.ts';
import { field, meta, objectName, queryInteger, SEARCH_MAX, SEARCH_MIN } from './kernel.ts';
import { PaymentIntent } from './payments.ts';
import { c, listErrors, routerOptions } from './router.ts';
import { Subscription } from './subscriptions.ts';
import { text } from './texts.ts';

const GROUP_MAX = 10;

const group = <T extends z.ZodType>(item: T, description: string) => z.array(item).meta({ description });

export const Search = z
  .object({
    object: objectName('search'),
    query: field(z.string(), 'What was looked for.', 'maria silva'),
    customers: group(Customer, 'Customers that the query names.'),
    invoices: group(Invoice, 'Invoices that it names, then the newest of those customers.'),
    payment_intents: group(PaymentIntent, 'Charges that it names, then the newest of those customers.'),
    subscriptions: group(Subscription, 'Subscriptions that it names, then the newest of those customers.'),
    checkout_sessions: group(CheckoutSession, 'Checkout sessions that it names, then the newest of those customers.'),
  })
  .meta({ id: 'Search', description: 'What a query names, each group newest first.' });

export type Search = z.output<typeof Search>;

export const SearchQuery = z.strictObject({
  query: field(
    text({ min: SEARCH_MIN, max: SEARCH_MAX }),
    'Parts of a name or an e-mail address, a CPF, CNPJ or phone number or its first 6 digits, an amount, the last 4 digits of a card, an external_code, a txid, an end-to-end id, or any id: 3 to 200 characters.',
    'maria silva',
  ),
  limit: field(queryInteger({ min: 1, max: GROUP_MAX }).optional(), 'Objects a group: 1 to 10, default 5.', 5),
});

export const search = c.router(
  {
    retrieve: {
      method: 'GET',
      path: '/search',
      summary: 'Search the account',
      description:
        'One box for what support knows of a sale. A customer that is found brings its newest invoices, charges, subscriptions and sessions along.',
      query: SearchQuery,
      responses: { 200: Search, ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
  },
  routerOptions,
);
