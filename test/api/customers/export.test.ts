import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { customerPart } from '../../../server/customers/personal.ts';
import { exportCustomer, OMITTED, sections } from '../../../server/exports/customer-data.ts';
import { customerTables, customerTablesApart } from '../../../server/test-clock/customer-tables.ts';
import { runAdmin } from '../../support/admin.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { openShop } from '../../support/audit/shop.ts';
import { payByCard } from '../../support/cards.ts';
import { writtenColumns } from '../../support/columns.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';

type Row = Record<string, unknown>;
type Exported = { customer: Row; about: Row; version: number } & Record<string, Row[]>;

const folder = mkdtempSync(join(tmpdir(), 'fatura-export-'));
let api: TestApi;
let shop: Merchant;
beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await api.stop();
});

async function piecesOf(customerId: string): Promise<string[]> {
  const pieces: string[] = [];
  const { secretBox } = api.composition.deps;
  const [owner = {}] = await rowsOf('SELECT account_id, live_mode FROM customer WHERE id = $1', customerId);
  await exportCustomer(
    { pool: api.operator.pool, secretBox },
    { accountId: String(owner.account_id), liveMode: owner.live_mode === true, customerId },
    async (piece) => void pieces.push(piece),
  );
  return pieces;
}

const exported = async (id: string): Promise<Exported> => JSON.parse((await piecesOf(id)).join(''));

const rowsOf = async (sql: string, ...values: unknown[]): Promise<Row[]> =>
  (await api.composition.deps.pool.query(sql, values)).rows;

/** What hangs on a customer and is no more told than this says. */
const NOT_TOLD: Readonly<Record<string, string>> = {
  idempotency_key: 'answers repeat what the rest tells, sealed and for 72 hours',
  customer_word: 'hashes of words of what is told of the customer',
  portal_link: 'hashes of secrets, and when they end',
  subscription_change: 'asks for terms, which are told once they hold',
  subscription_term: 'is told within its subscription, as its terms',
  event_delivery_status: 'repeats of events what their deliveries came to',
  delivery: 'says where the merchant was told of an event',
  delivery_attempt: 'says what receivers of the merchant answered',
  outbox: 'asks for work, by ids',
  invoice_cycle: 'repeats which cycle an invoice bills',
  invoice_external_code: 'repeats the code of an invoice',
};

test('every table that hangs on a customer is told, with every column', async () => {
  const own = [...Object.keys(customerTables), ...customerTablesApart].filter(
    (table) => !table.startsWith('sandbox_bank.'),
  );
  const tables = ['customer', ...Object.values(sections).map(({ table }) => table)];
  expect(own.toSorted()).toEqual([...tables, ...Object.keys(NOT_TOLD)].toSorted());

  const { accountId } = await openShop(api);
  const customers = await rowsOf('SELECT id FROM customer WHERE account_id = $1 ORDER BY id', accountId);
  // An operator has two connections.
  const documents: Exported[] = [];
  for (const { id } of customers) documents.push(await exported(String(id)));
  for (const [name, { table }] of [['customer', { table: 'customer' }] as const, ...Object.entries(sections)]) {
    const told = documents.flatMap((document) => document[name] ?? []);
    expect(told.length, name).toBeGreaterThan(0);
    const columns = await rowsOf(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
      table,
    );
    const sealed = { customer: customerPart.of, note: ['text'], subscription: ['terms'] }[table] ?? [];
    const wanted = [...columns.map((column) => String(column.name)), ...sealed].filter(
      (column) => !OMITTED.includes(column),
    );
    for (const row of told) expect(Object.keys(row).toSorted(), name).toEqual(wanted.toSorted());
    const apart: Readonly<Record<string, string>> = {
      mail: 'customer_id IS NOT NULL',
      event: 'related && $2',
      // A session without a customer is nobody's.
      checkout_session: 'customer_id IS NOT NULL',
    };
    const isOfCustomer = apart[table] ?? '$2::text[] IS NOT NULL';
    const stored = await rowsOf(
      `SELECT id FROM ${table} WHERE account_id = $1 AND ${isOfCustomer} AND $2::text[] IS NOT NULL ORDER BY id`,
      accountId,
      customers.map(({ id }) => id),
    );
    const ids = new Set(told.map(({ id }) => id));
    const left = stored.filter(({ id }) => !ids.has(id)).length;
    expect(left, name).toBe(0);
  }
  expect(JSON.stringify(documents)).not.toContain('"token"');
}, 120_000);

test('the document says what its parts mean, and holds nothing of another customer', async () => {
  const [one, other] = [await newCustomer(shop), await newCustomer(shop)];
  for (const { id } of [one, other]) await shop.fatura.customers.createNote(id, { text: `de ${id}` });
  for (const { id: customer_id } of [one, other]) await payByCard(shop, (await newInvoice(shop, { customer_id })).id);
  const document = await exported(one.id);
  expect(document).toMatchObject({
    object: 'customer_export',
    version: 1,
    account: shop.accountId,
    live_mode: false,
    customer: { id: one.id, name: one.name, identifier: one.identifier, email: one.email },
    invoices: [{ customer_id: one.id, status: 'paid', line_items: [{ quantity: 1 }] }],
    payments: [{ customer_id: one.id, status: 'paid' }],
    notes: [{ customer_id: one.id, text: `de ${one.id}`, author: { kind: 'api_key' } }],
    card_charges: [{ status: 'approved', last4: '4242' }],
  });
  for (const name of Object.keys(sections)) expect(document.about[name], name).toMatch(/\.$/);
  expect(document.events?.map(({ type }) => type)).toContain('customer.created');
  expect(JSON.stringify(document)).not.toContain(other.id);
});

test('more rows than are in memory at once are told once each', async () => {
  const customer = await newCustomer(shop);
  const { id } = await newInvoice(shop, { customer_id: customer.id });
  const columns = writtenColumns('invoice');
  await rowsOf(
    `INSERT INTO invoice (${columns}) SELECT ${columns} FROM (SELECT (jsonb_populate_record(i, jsonb_build_object('id', 'in_' || lpad(n::text, 26, '0')))).*
     FROM invoice i, generate_series(1, 450) n WHERE i.id = $1) copies`,
    id,
  );
  const sizes = (await piecesOf(customer.id)).map(({ length }) => length);
  const { invoices } = await exported(customer.id);
  expect(new Set(invoices?.map((invoice) => invoice.id)).size).toBe(451);
  expect(invoices).toHaveLength(451);
  expect(Math.max(...sizes)).toBeLessThan(JSON.stringify(invoices).length / 3);
  await rowsOf('DELETE FROM invoice WHERE customer_id = $1 AND id <> $2', customer.id, id);
});

test('`admin customer export` writes to the standard output, or into a new file of its user alone', async () => {
  const { id } = await newCustomer(shop);
  const printed = await runAdmin(api, ['customer', 'export', id]);
  expect(JSON.parse(printed.out)).toMatchObject({ object: 'customer_export', customer: { id } });
  const file = join(folder, 'maria.json');
  expect(await runAdmin(api, ['customer', 'export', id, '--out', file])).toEqual({ code: 0, out: '', err: '' });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ customer: { id } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const entries = () => rowsOf(`SELECT action, chain FROM audit_log WHERE entry::jsonb ->> 'object' = $1`, id);
  const entry = { action: 'customer.exported', chain: shop.accountId };
  expect(await entries()).toEqual([entry, entry]);
  const again = await runAdmin(api, ['customer', 'export', id, '--out', file]);
  expect(await entries()).toHaveLength(2);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('EEXIST')]);
  const nobody = join(folder, 'nobody.json');
  expect(await runAdmin(api, ['customer', 'export', 'cus_nobody', '--out', nobody])).toEqual({
    code: 1,
    out: '',
    err: 'No such customer: cus_nobody\n',
  });
  expect(() => statSync(nobody)).toThrow('ENOENT');
});

describe('by the API', () => {
  const entriesOf = (id: string) =>
    rowsOf(
      `SELECT action, actor LIKE 'key_%' AS "byKey" FROM audit_log WHERE object = $1 AND action LIKE 'customer.%'`,
      id,
    );
  const ENTRY = { action: 'customer.exported', byKey: true };

  test('the document is the one that an operator gets, and is asked for in the log', async () => {
    const { id } = await newCustomer(shop);
    await payByCard(shop, (await newInvoice(shop, { customer_id: id })).id);
    const { exported_at: at, ...document } = await shop.fatura.customers.export(id);
    const { exported_at: _, ...ofOperator } = await exported(id);
    expect(document).toEqual(ofOperator);
    expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(60_000);
    expect(await entriesOf(id)).toEqual([ENTRY]);
  });

  test('nothing is told where the entry cannot be written', async () => {
    const { id } = await newCustomer(shop);
    await rowsOf(
      `CREATE FUNCTION refuse_export() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'full'; END $$`,
    );
    await rowsOf(
      'CREATE TRIGGER refuse_export BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_export()',
    );
    await expect(shop.fatura.customers.export(id)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    await rowsOf('DROP FUNCTION refuse_export CASCADE');
    expect(await entriesOf(id)).toEqual([]);
  });

  test('more than 8 MiB are refused, behind their entry', async () => {
    const { id } = await newCustomer(shop);
    const { id: invoice } = await newInvoice(shop, { customer_id: id });
    await rowsOf(`UPDATE invoice SET description = repeat('x', 9000000) WHERE id = $1`, invoice);
    await expect(shop.fatura.customers.export(id)).rejects.toMatchObject({
      status: 422,
      code: 'EXPORT_TOO_LARGE',
      message: expect.stringContaining('more than 8 MiB'),
    });
    expect(await entriesOf(id)).toEqual([ENTRY]);
    await rowsOf('UPDATE invoice SET description = NULL WHERE id = $1', invoice);
    expect((await shop.fatura.customers.export(id)).invoices).toHaveLength(1);
  });

  test('a letter is told without what makes its link good', async () => {
    const { id } = await newCustomer(shop);
    const { id: invoice, payment_url: link } = await newInvoice(shop, { customer_id: id });
    await shop.fatura.invoices.send(invoice);
    const { emails } = await shop.fatura.customers.export(id);
    expect(emails).toHaveLength(1);
    expect(JSON.stringify(emails)).not.toContain(link);
    expect(emails[0]?.body_text).toContain(`/pay/${invoice}/***`);
  });
});
