import { z } from 'zod';
import { arrayOf } from './arrays.ts';
import { CustomerListQuery } from './customers.ts';
import { type ExportType, exportColumns, exportTypes } from './export-columns.ts';
import { InvoiceListQuery } from './invoices.ts';
import {
  actingLink,
  exampleId,
  field,
  listOf,
  liveMode,
  meta,
  named,
  objectName,
  pageQuery,
  pathId,
  timestamp,
  timestampOrNull,
  typeId,
} from './kernel.ts';
import { PaymentIntentListQuery } from './payments.ts';
import { PixReceiptListQuery } from './pix-receipts.ts';
import { RefundListQuery } from './refunds.ts';
import { c, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';
import { SubscriptionListQuery } from './subscriptions.ts';

const Type = named('ExportType', exportTypes, 'Of which list an export is.');

export const exportStatuses = ['pending', 'completed', 'failed'] as const;
export type ExportStatus = (typeof exportStatuses)[number];
const ExportStatus = named('ExportStatus', exportStatuses, 'Where an export stands.');

/** Which page of a list is shown is no filter of it. */
const pageParameters = ['limit', 'starting_after', 'ending_before'] as const;
type PageParameter = (typeof pageParameters)[number];

/** A parameter that is no text, which a query writes as one, by its value. */
function inJson(parameter: z.ZodType): z.ZodType {
  if (parameter instanceof z.ZodOptional) return inJson(parameter.unwrap() as z.ZodType).optional();
  const read = parameter instanceof z.ZodPipe ? inJson(parameter.out as z.ZodType) : parameter;
  return read instanceof z.ZodString ? parameter : read;
}

type Filters<Shape extends z.ZodRawShape> = Omit<z.output<z.ZodObject<Shape>>, PageParameter>;

/** The filters of a list as JSON: the parameters of its query, without those of its pages. */
export function filtersOf<Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) {
  const filters = Object.entries(shape).filter(([name]) => !(pageParameters as readonly string[]).includes(name));
  const schemas = filters.map(([name, parameter]) => {
    const schema = parameter as z.ZodType; // a shape's parts are typed as the library's core has them
    return [name, inJson(schema).meta({ ...schema.meta() })];
  });
  // The same names, and the values that the query has once it is read.
  return z.strictObject(Object.fromEntries(schemas)) as unknown as z.ZodType<Filters<Shape>, Filters<Shape>>;
}

interface Exported<Type extends ExportType, Shape extends z.ZodRawShape> {
  readonly type: Type;
  /** Begins the names of its schemas. */
  readonly name: string;
  readonly query: z.ZodObject<Shape>;
  readonly example: object;
}

/** What is asked for of an export of one list. */
function exportOf<const Type extends ExportType, Shape extends z.ZodRawShape>(of: Exported<Type, Shape>) {
  const { type, name, query, example } = of;
  const columns = exportColumns[type];
  const Column = named(`${name}ExportColumn`, columns, `A column of an export of ${type}: a field of the API.`);
  const filters = filtersOf(query).meta({
    id: `${name}ExportFilters`,
    description: `The filters of \`GET /api/v1/${type}\`, all of which hold.`,
  });
  return z
    .strictObject({
      type: field(z.literal(type), `Always \`${type}\`.`, type),
      filters: field(filters.optional(), `The filters of \`GET /api/v1/${type}\`; default none.`, example),
      columns: field(
        arrayOf(Column, { min: 1, max: columns.length })
          .refine((wanted) => new Set(wanted).size === wanted.length, { message: 'must name each column once' })
          .optional(),
        'Which columns the file has, in this order; default all.',
        columns.slice(0, 3),
      ),
    })
    .meta({ id: `${name}Export`, description: `An export of ${type}.` });
}

const InvoicesExport = exportOf({
  type: 'invoices',
  name: 'Invoices',
  query: InvoiceListQuery,
  example: { status: 'paid', paid_at_gte: 1_795_257_600 },
});
const PaymentIntentsExport = exportOf({
  type: 'payment_intents',
  name: 'PaymentIntents',
  query: PaymentIntentListQuery,
  example: { status: 'paid', payment_method_type: 'pix' },
});
const CustomersExport = exportOf({
  type: 'customers',
  name: 'Customers',
  query: CustomerListQuery,
  example: { created_gte: 1_795_257_600 },
});
const SubscriptionsExport = exportOf({
  type: 'subscriptions',
  name: 'Subscriptions',
  query: SubscriptionListQuery,
  example: { status: 'active' },
});
const RefundsExport = exportOf({
  type: 'refunds',
  name: 'Refunds',
  query: RefundListQuery,
  example: { created_gte: 1_795_257_600 },
});
const PixReceiptsExport = exportOf({
  type: 'pix_receipts',
  name: 'PixReceipts',
  query: PixReceiptListQuery,
  example: { paid_at_gte: 1_795_257_600 },
});

export const ExportCreate = z
  .discriminatedUnion('type', [
    InvoicesExport,
    PaymentIntentsExport,
    CustomersExport,
    SubscriptionsExport,
    RefundsExport,
    PixReceiptsExport,
  ])
  .meta({ id: 'ExportCreate', description: 'A new export.' });

export type ExportCreate = z.output<typeof ExportCreate>;

const CreateBody = z
  .strictObject({ export: ExportCreate })
  .meta({ id: 'ExportCreateBody', description: 'A new export.' });

export const Export = z
  .object({
    id: typeId('exp', 'Identifier of the export.'),
    object: objectName('export'),
    live_mode: liveMode,
    created: timestamp('When the export was asked for.'),
    type: field(Type, 'Of which list it is.', 'invoices'),
    filters: field(
      z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      'The filters, as they were sent.',
      { status: 'paid' },
    ),
    columns: field(z.array(z.string()), 'The columns of the file, in their order.', ['id', 'created', 'total']),
    status: field(
      ExportStatus,
      '`pending`: the file is being written; `completed`: it can be fetched; `failed`: the list has more than 1,000,000 rows, or the file was not written within 24 hours.',
      'completed',
    ),
    rows: field(z.int(), 'Rows written so far, without the header.', 42),
    url: actingLink(
      'Where the file is fetched, without a key; null unless the export is completed and has not expired.',
      `https://fatura.example/exports/${exampleId('exp')}/Q2u5oY7rJ0m1vF8sE3tZ6xW9bN4dK2hG`,
    ),
    expires_at: timestampOrNull('Until when the file can be fetched: 24 hours from its completion.'),
    completed_at: timestampOrNull('When the file was written.'),
  })
  .meta({ id: 'Export', description: 'A filtered list as a file.' });

export type Export = z.output<typeof Export>;

export const ExportListQuery = z.strictObject(pageQuery('exp'));

export const exports = c.router(
  {
    create: {
      method: 'POST',
      path: '/exports',
      summary: 'Export a list',
      description:
        'The file is written in the background: `export.completed` tells when it can be fetched. At most 2 exports of an account are written at once in each mode, and 100 are kept, then 429.',
      body: CreateBody,
      responses: { 201: Export, ...writeErrors },
      metadata: meta({ scope: 'write' }),
    },
    retrieve: {
      method: 'GET',
      path: '/exports/:export_id',
      pathParams: pathId('export', 'exp'),
      summary: 'Retrieve an export',
      description: 'Exports can be read for 24 hours after they were completed or failed.',
      responses: { 200: Export, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'exp' }),
    },
    list: {
      method: 'GET',
      path: '/exports',
      summary: 'List exports',
      query: ExportListQuery,
      responses: { 200: listOf(Export, { id: 'ExportList', url: '/api/v1/exports' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
  },
  routerOptions,
);
