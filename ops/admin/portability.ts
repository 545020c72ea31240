import type { EntityManager } from '@mikro-orm/postgresql';
import type pg from 'pg';
import type { LoggedTx } from '../../server/audit-log/audit-log.ts';
import { CheckoutSessionSchema } from '../../server/checkout/entity.ts';
import { CustomerSchema } from '../../server/customers/entity.ts';
import { openedCustomer } from '../../server/customers/personal.ts';
import type { Database } from '../../server/db/database.ts';
import { scopedEm } from '../../server/db/entity-reader.ts';
import { acrossAccounts, run } from '../../server/db/statement.ts';
import { InvoiceSchema } from '../../server/invoices/entity.ts';
import { idDay } from '../../server/kernel/ids.ts';
import { REAL_CLOCK, realTimeMs } from '../../server/kernel/time.ts';
import {
  ChargeAttemptSchema,
  DisputeSchema,
  PaymentIntentSchema,
  PaymentMethodSchema,
  PixReceiptSchema,
  QrCodeSchema,
  RefundPartSchema,
} from '../../server/payments/entity.ts';
import type { SecretBox } from '../../server/sealing/secret-box.ts';
import { SubscriptionSchema } from '../../server/subscriptions/entity.ts';

/** Of the form of the document; another one is another number. */
export const EXPORT_VERSION = 1;

/** Rows that are in memory at once; of what hangs on invoices, those of so many invoices. */
const BATCH = 100;

type Fields = Readonly<Record<string, unknown>>;
type Rows = AsyncGenerator<readonly Fields[]>;

/** What of a row is not told: whose it is stands above all, and a token is a key to the card. */
export const OMITTED: readonly string[] = [
  'account_id',
  'live_mode',
  'token',
  'sealed_token',
  'personal',
  'email_index',
  'identifier_index',
  'body_digest',
];

interface Section {
  readonly table: string;
  /** Told in the document itself. */
  readonly about: string;
  readonly rows: (em: EntityManager, customerId: string) => Rows;
}

const snake = (name: string): string =>
  name.replaceAll(/[A-Z]|(?<=[a-z])\d+$/g, (part) => (/\d/.test(part) ? part : `_${part.toLowerCase()}`));

/** A row with the names of its columns, without what is not told. */
const told = (row: object): Fields =>
  Object.fromEntries(
    Object.entries(row)
      .map(([name, value]) => [snake(name), value])
      .filter(([name]) => !OMITTED.includes(String(name))),
  );

type ById = typeof SubscriptionSchema | typeof InvoiceSchema | typeof PaymentIntentSchema | typeof DisputeSchema;
type OfCustomer = ById | typeof PaymentMethodSchema | typeof CheckoutSessionSchema;

/** Rows that name the customer, by their ids. */
async function* ofCustomer(em: EntityManager, schema: OfCustomer, customerId: string): Rows {
  let after = '';
  for (;;) {
    // The schemas have these two columns in common, which their union does not tell.
    const page = await em.find(
      schema as typeof InvoiceSchema,
      { customerId, id: { $gt: after } },
      {
        orderBy: { id: 'asc' },
        limit: BATCH,
      },
    );
    if (page.length > 0) yield page.map((row) => told(row));
    after = page.at(-1)?.id ?? after;
    em.clear();
    if (page.length < BATCH) return;
  }
}

type OfInvoice = typeof ChargeAttemptSchema | typeof QrCodeSchema | typeof PixReceiptSchema | typeof RefundPartSchema;

/** Rows that name an invoice of the customer, by batches of invoices. */
async function* ofInvoices(em: EntityManager, schema: OfInvoice, customerId: string): Rows {
  for await (const invoices of ofCustomer(em, InvoiceSchema, customerId)) {
    const ids = invoices.map(({ id }) => String(id));
    // As above.
    const rows = await em.find(
      schema as typeof ChargeAttemptSchema,
      { invoiceId: { $in: ids } },
      { orderBy: { id: 'asc' } },
    );
    if (rows.length > 0) yield rows.map((row) => told(row));
    em.clear();
  }
}

async function* typedEmail(em: EntityManager, customerId: string): Rows {
  const rows = await em.execute<{ row: object }[]>('SELECT to_jsonb(t) AS row FROM typed_email t WHERE t.id = ?', [
    customerId,
  ]);
  if (rows.length > 0) yield rows.map(({ row }) => told(row));
}

async function* emails(em: EntityManager, customerId: string): Rows {
  for await (const invoices of ofCustomer(em, InvoiceSchema, customerId)) {
    const ids = invoices.map(({ id }) => String(id));
    const rows = await em.execute<{ row: object }[]>(
      `SELECT to_jsonb(m) AS row FROM mail m WHERE m.invoice_id IN (${ids.map(() => '?').join(', ')}) ORDER BY m.id`,
      ids,
    );
    if (rows.length > 0) yield rows.map(({ row }) => told(row));
  }
}

/** In the order in which they were told. */
async function* events(em: EntityManager, customerId: string): Rows {
  let after = '';
  for (;;) {
    const rows = await em.execute<{ row: { id: string; body: string } }[]>(
      `SELECT to_jsonb(e) AS row FROM events_of_object(?, ?::date, 'infinity') e WHERE e.id > ? ORDER BY e.id LIMIT ${BATCH}`,
      [customerId, after === '' ? '-infinity' : idDay(after), after],
    );
    if (rows.length > 0) yield rows.map(({ row: { body, ...row } }) => told({ ...row, body: JSON.parse(body) }));
    after = rows.at(-1)?.row.id ?? after;
    if (rows.length < BATCH) return;
  }
}

/** What is stored of a customer, in the order of the document. */
export const sections: Readonly<Record<string, Section>> = {
  subscriptions: {
    table: 'subscription',
    about: 'What the customer pays again and again: its price, quantity, state and cycles.',
    rows: (em, id) => ofCustomer(em, SubscriptionSchema, id),
  },
  payment_methods: {
    table: 'payment_method',
    about:
      'Cards that were given: brand and last digits. The token by which an acquirer knows a card is not told; numbers are never stored.',
    rows: (em, id) => ofCustomer(em, PaymentMethodSchema, id),
  },
  checkout_sessions: {
    table: 'checkout_session',
    about: 'Purchases on the hosted page.',
    rows: (em, id) => ofCustomer(em, CheckoutSessionSchema, id),
  },
  invoices: {
    table: 'invoice',
    about: 'What the customer owes or owed, with its lines, discounts, and name and e-mail as they were.',
    rows: (em, id) => ofCustomer(em, InvoiceSchema, id),
  },
  payments: {
    table: 'payment_intent',
    about: 'Charges of invoices, by PIX or card, and what came of each.',
    rows: (em, id) => ofCustomer(em, PaymentIntentSchema, id),
  },
  card_charges: {
    table: 'charge_attempt',
    about: 'Each try to charge a card, as it was asked of the acquirer.',
    rows: (em, id) => ofInvoices(em, ChargeAttemptSchema, id),
  },
  pix_codes: {
    table: 'pix_charge',
    about: 'QR codes of PIX; `id` is the txid.',
    rows: (em, id) => ofInvoices(em, QrCodeSchema, id),
  },
  pix_receipts: {
    table: 'pix_receipt',
    about: 'Money that came by PIX; `id` is the end-to-end id.',
    rows: (em, id) => ofInvoices(em, PixReceiptSchema, id),
  },
  refunds: {
    table: 'refund_part',
    about: 'What was returned to the customer, part by part; `surplus` came too much and went back by itself.',
    rows: (em, id) => ofInvoices(em, RefundPartSchema, id),
  },
  disputes: {
    table: 'dispute',
    about: 'Money that a bank took back.',
    rows: (em, id) => ofCustomer(em, DisputeSchema, id),
  },
  typed_email: {
    table: 'typed_email',
    about: 'That the e-mail address was typed on a page; when its reader was asked to confirm it, and did.',
    rows: typedEmail,
  },
  emails: {
    table: 'mail',
    about: 'Letters to the customer. Texts and addresses are erased 30 days after a letter was written.',
    rows: emails,
  },
  events: {
    table: 'event',
    about: 'What was told to the merchant of all this, as it stood then, for about 35 days.',
    rows: events,
  },
};

const ABOUT = {
  amounts: 'Whole cents of the real.',
  instants:
    'Unix seconds, on the clock of the account: in the sandbox that is its test clock. Texts with a date are real time.',
  not_told:
    'Answers that are stored encrypted for 72 hours under an Idempotency-Key repeat what stands here. Where events were sent to is told by `admin delivery list`.',
};

interface Found {
  readonly id: string;
  readonly accountId: string;
  readonly liveMode: boolean;
}

/** A JSON text in pieces, so that nobody has all of it in memory. */
async function* piecesOf(
  { em, secretBox }: { em: EntityManager; secretBox: SecretBox },
  { id, accountId, liveMode }: Found,
  exportedAt: string,
): AsyncGenerator<string> {
  const customer = openedCustomer(await em.findOneOrFail(CustomerSchema, { id }), secretBox);
  const sectionsAbout = Object.fromEntries(Object.entries(sections).map(([name, { about }]) => [name, about]));
  const head = {
    object: 'customer_export',
    version: EXPORT_VERSION,
    exported_at: exportedAt,
    account: accountId,
    live_mode: liveMode,
    about: { ...ABOUT, ...sectionsAbout },
    customer: told(customer),
  };
  yield JSON.stringify(head).slice(0, -1);
  for (const [name, { rows }] of Object.entries(sections)) {
    yield `,${JSON.stringify(name)}:[`;
    let separator = '';
    for await (const batch of rows(em, id)) {
      yield separator + batch.map((row) => JSON.stringify(row)).join(',');
      separator = ',';
    }
    yield ']';
  }
  yield '}\n';
}

const findCustomer = acrossAccounts<Found>(
  'find_customer_to_export',
  'SELECT id, account_id AS "accountId", live_mode AS "liveMode" FROM customer WHERE id = :id',
);

async function find(pool: pg.Pool | pg.ClientBase, customerId: string): Promise<Found> {
  const [found] = await run(pool, findCustomer, { id: customerId });
  if (found === undefined) throw new Error(`No such customer: ${customerId}`);
  return found;
}

/** Says in the log that somebody asks for a copy of a customer's data. */
export async function logExport(tx: LoggedTx, customerId: string): Promise<void> {
  const { id, accountId, liveMode } = await find(tx.pool, customerId);
  await tx.log({ action: 'customer.exported', account: accountId, liveMode, object: id, before: null, after: null });
}

/** Everything that is stored of a customer, as one JSON document of one moment. */
export async function exportCustomer(
  { orm, pool, secretBox }: Pick<Database, 'orm' | 'pool'> & { readonly secretBox: SecretBox },
  id: string,
  write: (piece: string) => Promise<void>,
): Promise<void> {
  const found = await find(pool, id);
  const scope = { accountId: found.accountId, liveMode: found.liveMode, clock: REAL_CLOCK };
  await scopedEm(orm, scope).transactional(
    async (em) => {
      for await (const piece of piecesOf({ em, secretBox }, found, new Date(realTimeMs()).toISOString()))
        await write(piece);
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}
