import type pg from 'pg';
import type { CustomerExportPart } from '../../contract/customer-export.ts';
import { openedNote } from '../customers/notes.ts';
import { openedCustomer } from '../customers/personal.ts';
import { inSnapshot } from '../db/snapshot.ts';
import { mine, run, type Statement, statement } from '../db/statement.ts';
import { missing } from '../kernel/errors.ts';
import { idDay } from '../kernel/ids.ts';
import { realTimeMs } from '../kernel/time.ts';
import { withoutSignatures } from '../sealing/links.ts';
import type { SecretBox } from '../sealing/secret-box.ts';

/** Of the form of the document; another one is another number. */
const EXPORT_VERSION = 1;

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
  'token_index',
  'sealed_text',
  'personal',
  'email_index',
  'identifier_index',
  'body_digest',
  'shard',
  'traceparent',
];

/** A customer whose data are copied, on a connection that sees one moment. */
interface Copied {
  readonly client: pg.ClientBase;
  readonly owner: { readonly accountId: string; readonly liveMode: boolean };
  readonly customerId: string;
  readonly box: SecretBox;
}

interface Section {
  readonly table: string;
  /** Told in the document itself. */
  readonly about: string;
  readonly rows: (of: Copied) => Rows;
}

/** A row without what is not told, its id first. */
const told = ({ id, ...row }: Fields): Fields => ({
  id,
  ...Object.fromEntries(Object.entries(row).filter(([name]) => !OMITTED.includes(name))),
});

interface Copy {
  readonly row: Fields & { readonly id: string };
}

/** Batches of rows that follow one another by their ids. */
async function* batches<Found extends Copy>(
  copy: Statement<Found>,
  { client, owner, customerId }: Copied,
): AsyncGenerator<Found[]> {
  let after = '';
  for (;;) {
    const found = await run(client, copy, { ...owner, customerId, after });
    if (found.length > 0) yield found;
    after = found.at(-1)?.row.id ?? after;
    if (found.length < BATCH) return;
  }
}

/** A subscription with all that it billed each cycle, and from when on. */
const SUBSCRIPTION = `to_jsonb(t) || jsonb_build_object('terms', (SELECT jsonb_agg(to_jsonb(m) - '{account_id,live_mode,subscription_id}'::text[]
  ORDER BY m.seq, m.position) FROM subscription_term m WHERE ${mine('m')} AND m.subscription_id = t.id))`;

/** Rows of a table that name the customer. */
function ofCustomer(
  table: string,
  row = 'to_jsonb(t)',
  shown: (row: Fields) => Fields = told,
): Pick<Section, 'table' | 'rows'> {
  const copy = statement<Copy>(
    `copy_${table}_of_customer`,
    `SELECT ${row} AS row FROM ${table} t WHERE ${mine('t')} AND t.customer_id = :customerId AND t.id > :after
     ORDER BY t.id LIMIT ${BATCH}`,
  );
  async function* rows(of: Copied): Rows {
    for await (const found of batches(copy, of)) yield found.map(({ row }) => shown(row));
  }
  return { table, rows };
}

const copyNotes = statement<Copy & { sealedText: Buffer | null }>(
  'copy_notes_of_customer',
  `SELECT to_jsonb(n) AS row, n.sealed_text AS "sealedText" FROM note n WHERE ${mine('n')} AND n.customer_id = :customerId AND n.id > :after
   ORDER BY n.id LIMIT ${BATCH}`,
);

async function* notes(of: Copied): Rows {
  for await (const found of batches(copyNotes, of))
    yield found.map(({ row, sealedText }) => {
      const { text } = openedNote({ id: row.id, ...of.owner, sealedText }, of.box);
      return told({ ...row, text });
    });
}

const findInvoices = statement<Copy>(
  'find_invoices_to_copy',
  `SELECT json_build_object('id', i.id) AS row FROM invoice i WHERE ${mine('i')} AND i.customer_id = :customerId AND i.id > :after
   ORDER BY i.id LIMIT ${BATCH}`,
);

/** Rows of a table that name an invoice of the customer, by batches of invoices. */
function ofInvoices(table: string): Pick<Section, 'table' | 'rows'> {
  const copy = statement<Copy>(
    `copy_${table}_of_invoices`,
    `SELECT to_jsonb(t) AS row FROM ${table} t WHERE ${mine('t')} AND t.invoice_id = ANY (:ids) ORDER BY t.id`,
  );
  async function* rows(of: Copied): Rows {
    for await (const invoices of batches(findInvoices, of)) {
      const found = await run(of.client, copy, { ...of.owner, ids: invoices.map(({ row }) => row.id) });
      if (found.length > 0) yield found.map(({ row }) => told(row));
    }
  }
  return { table, rows };
}

const copyTyped = statement<Copy>(
  'copy_typed_email',
  `SELECT to_jsonb(t) AS row FROM typed_email t WHERE ${mine('t')} AND t.id = :customerId`,
);

async function* typedEmail({ client, owner, customerId }: Copied): Rows {
  const found = await run(client, copyTyped, { ...owner, customerId });
  if (found.length > 0) yield found.map(({ row }) => told(row));
}

const cut = (text: unknown): unknown => (typeof text === 'string' ? withoutSignatures(text) : text);

/** By the link of a letter its reader alone acts, who has it. */
const toldMail = (row: Fields): Fields =>
  told({ ...row, body_text: cut(row.body_text), body_html: cut(row.body_html) });

const copyEvents = statement<{ row: Fields & { id: string }; body: string }>(
  'copy_events_of_customer',
  `SELECT to_jsonb(e) - 'body' AS row, e.body FROM events_of_object(:customerId, :since::date, 'infinity') e
   WHERE ${mine('e')} AND e.id > :after ORDER BY e.id LIMIT ${BATCH}`,
);

/** In the order in which they were told. */
async function* events({ client, owner, customerId }: Copied): Rows {
  let after = '';
  for (;;) {
    const since = after === '' ? '-infinity' : idDay(after);
    const found = await run(client, copyEvents, { ...owner, customerId, since, after });
    if (found.length > 0) yield found.map(({ row, body }) => told({ ...row, body: JSON.parse(body) }));
    after = found.at(-1)?.row.id ?? after;
    if (found.length < BATCH) return;
  }
}

/** What is stored of a customer, in the order of the document. */
export const sections: Readonly<Record<CustomerExportPart, Section>> = {
  subscriptions: {
    ...ofCustomer('subscription', SUBSCRIPTION),
    about:
      'What the customer pays again and again: its state and cycles; `terms` are the prices and quantities of each cycle, by when they held.',
  },
  payment_methods: {
    ...ofCustomer('payment_method'),
    about:
      'Cards that were given: brand and last digits. The token by which an acquirer knows a card is not told; numbers are never stored.',
  },
  mandates: {
    ...ofCustomer('mandate'),
    about: 'What the customer authorised to be debited by PIX, and how each authorisation ended.',
  },
  checkout_sessions: { ...ofCustomer('checkout_session'), about: 'Purchases on the hosted page.' },
  invoices: {
    ...ofCustomer('invoice'),
    about: 'What the customer owes or owed, with its lines, discounts, and name and e-mail as they were.',
  },
  payments: {
    ...ofCustomer('payment_intent'),
    about: 'Charges of invoices, by PIX or card, and what came of each.',
  },
  debit_tries: {
    ...ofInvoices('debit_try'),
    about: 'Each day on which a debit by PIX was tried, and what came of it.',
  },
  card_charges: {
    ...ofInvoices('charge_attempt'),
    about: 'Each try to charge a card, as it was asked of the acquirer.',
  },
  pix_codes: { ...ofInvoices('pix_charge'), about: 'QR codes of PIX; `id` is the txid.' },
  pix_receipts: { ...ofInvoices('pix_receipt'), about: 'Money that came by PIX; `id` is the end-to-end id.' },
  refunds: {
    ...ofInvoices('refund_part'),
    about: 'What was returned to the customer, part by part; `surplus` came too much and went back by itself.',
  },
  disputes: { ...ofCustomer('dispute'), about: 'Money that a bank took back.' },
  invoice_items: { ...ofCustomer('invoice_item'), about: 'Charges and credits that wait, or waited, for a bill.' },
  promotion_codes: { ...ofCustomer('promotion_code'), about: 'Codes that this customer alone can redeem.' },
  redemptions: { ...ofCustomer('redemption'), about: 'Coupons that were redeemed for purchases, with their terms.' },
  notes: {
    table: 'note',
    about: 'What people of the merchant wrote down of the customer, and who did.',
    rows: notes,
  },
  typed_email: {
    table: 'typed_email',
    about: 'That the e-mail address was typed on a page; when its reader was asked to confirm it, and did.',
    rows: typedEmail,
  },
  emails: {
    ...ofCustomer('mail', 'to_jsonb(t)', toldMail),
    about:
      'Letters to the customer, with `***` in the place of what makes their links good. Texts and addresses are erased 30 days after a letter was written.',
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

const copyCustomer = statement<Copy & { personal: Buffer | null }>(
  'copy_customer',
  `SELECT to_jsonb(c) AS row, c.personal FROM customer c WHERE ${mine('c')} AND c.id = :customerId`,
);

/** The row, with what of it is sealed. */
async function customerOf({ client, owner, customerId: id, box }: Copied): Promise<Fields> {
  const [found] = await run(client, copyCustomer, { ...owner, customerId: id });
  if (found === undefined) throw missing('customer', id);
  const { row, personal } = found;
  const { name, identifier, email, phone, address } = openedCustomer({ id, ...owner, personal }, box);
  return told({ ...row, name, identifier, email, phone, address });
}

/** A JSON text in pieces, so that nobody has all of it in memory. */
async function* piecesOf(copied: Copied): AsyncGenerator<string> {
  const { accountId: account, liveMode: live_mode } = copied.owner;
  const head = {
    object: 'customer_export',
    version: EXPORT_VERSION,
    exported_at: new Date(realTimeMs()).toISOString(),
    account,
    live_mode,
    about: { ...ABOUT, ...Object.fromEntries(Object.entries(sections).map(([name, { about }]) => [name, about])) },
    customer: await customerOf(copied),
  };
  yield JSON.stringify(head).slice(0, -1);
  for (const [name, { rows }] of Object.entries(sections)) {
    yield `,${JSON.stringify(name)}:[`;
    let separator = '';
    for await (const batch of rows(copied)) {
      yield separator + batch.map((row) => JSON.stringify(row)).join(',');
      separator = ',';
    }
    yield ']';
  }
  yield '}\n';
}

/** Everything that is stored of a customer of an account's mode, as one JSON document of one moment. */
export const exportCustomer = (
  { pool, secretBox }: { readonly pool: pg.Pool; readonly secretBox: SecretBox },
  { customerId, ...owner }: Copied['owner'] & { readonly customerId: string },
  write: (piece: string) => Promise<void>,
): Promise<void> =>
  inSnapshot(pool, owner, async (client) => {
    for await (const piece of piecesOf({ client, owner, customerId, box: secretBox })) await write(piece);
  });
