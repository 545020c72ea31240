import { z } from 'zod';
import { failures } from './errors.ts';
import { field, liveMode, meta, objectName, pathId, typeId } from './kernel.ts';
import { c, readErrors, routerOptions } from './router.ts';

/** A larger copy is an operator's to make (docs/product/customers.md#a-copy). */
export const CUSTOMER_EXPORT_MIB_MAX = 8;

export const customerExportParts = [
  'subscriptions',
  'payment_methods',
  'mandates',
  'checkout_sessions',
  'invoices',
  'invoice_items',
  'payments',
  'card_charges',
  'debit_tries',
  'pix_codes',
  'pix_receipts',
  'refunds',
  'disputes',
  'promotion_codes',
  'redemptions',
  'notes',
  'typed_email',
  'emails',
  'events',
] as const;

export type CustomerExportPart = (typeof customerExportParts)[number];

/** A row as it is stored. */
const row = z.record(z.string(), z.unknown());

const rows = field(z.array(row), 'Rows as they are stored; `about` says of what.', []);

// Object.fromEntries widens the keys; they are the parts.
const parts = Object.fromEntries(customerExportParts.map((part) => [part, rows])) as {
  [Part in CustomerExportPart]: typeof rows;
};

export const CustomerExport = z
  .object({
    object: objectName('customer_export'),
    version: field(z.int(), 'Of the form of the document.', 1),
    exported_at: field(z.string(), 'When it was made, in real time (ISO 8601).', '2026-11-21T09:40:00.000Z'),
    account: typeId('acct', 'The account.'),
    live_mode: liveMode,
    about: field(z.record(z.string(), z.string()), 'What each part means.', { amounts: 'Whole cents of the real.' }),
    customer: field(row, 'The customer, with its personal data.', { name: 'Maria da Silva' }),
    ...parts,
  })
  .meta({ id: 'CustomerExport', description: 'All that is stored of a customer (LGPD, art. 18).' });

export type CustomerExport = z.output<typeof CustomerExport>;

export const customerExport = c.router(
  {
    export: {
      method: 'GET',
      path: '/customers/:customer_id/export',
      pathParams: pathId('customer', 'cus'),
      summary: 'Export all that is stored of a customer (LGPD)',
      description:
        'One document of one moment: what a person may ask for by art. 18 of the LGPD. That it was asked for is in the audit log. Links of e-mails lead nowhere. More than 8 MiB are 422 `EXPORT_TOO_LARGE`.',
      responses: { 200: CustomerExport, ...readErrors, ...failures(422) },
      metadata: meta({ scope: 'write', idPrefix: 'cus', heavy: true }),
    },
  },
  routerOptions,
);
