import { TypeID } from 'typeid-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../server/kernel/ids.ts';
import { doOverlap, everyShard, rowShards, SHARD_COUNTS } from '../../server/kernel/shards.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { writtenColumns } from '../support/columns.ts';
import { newInvoice } from '../support/factories.ts';
import { remindOf } from '../support/mails.ts';
import { subscribeByCard } from '../support/subscriptions.ts';

const IDS = 2_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const query = async <Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]> =>
  (await api.composition.deps.pool.query<Row>(sql, values)).rows;

/** The low ten bits, of the sixteen bytes and not of the text. */
function lowTenBits(id: string): number {
  const bytes = TypeID.fromString(id).toUUIDBytes();
  return new DataView(bytes.buffer, bytes.byteOffset).getUint16(14) & 1_023;
}

const idsOf = (prefix: 'sub' | 'in' | 'mail') =>
  Array.from({ length: IDS }, () => (prefix === 'mail' ? newId('in').replace('in_', 'mail_') : newId(prefix)));

test('the database says the low ten bits of thousands of ids, which fall into all shards', async () => {
  const ids = idsOf('sub');
  const rows = await query<{ id: string; shard: number }>(
    'SELECT id, fatura_shard(id) AS shard FROM unnest($1::text[]) id',
    ids,
  );
  expect(rows).toEqual(ids.map((id) => ({ id, shard: lowTenBits(id) })));
  expect(new Set(rows.map(({ shard }) => shard >> 6)).size).toBe(16);
});

test.each(['', '_', 'U', 'sub_u', 'in_ZZ', '🦆'])('whatever an id may be, it has a shard: %j', async (id) => {
  const [row] = await query<{ shard: number }>('SELECT fatura_shard($1) AS shard', id);
  expect(row?.shard).toBeGreaterThanOrEqual(0);
  expect(row?.shard).toBeLessThan(1_024);
});

/** Rows of a table without its foreign keys: like the one that is there, but for these columns. */
async function shardsOfCopies(table: string, columns: readonly string[], values: readonly (string | null)[][]) {
  const written = writtenColumns(table);
  await query(`CREATE TABLE ${table}_of_test (LIKE ${table} INCLUDING GENERATED)`);
  const changed = columns.map((column) => `'${column}', c.${column}`).join(', ');
  const rows = await query<{ shard: number }>(
    `INSERT INTO ${table}_of_test (${written}) SELECT ${written} FROM (
       SELECT (jsonb_populate_record(t, jsonb_build_object(${changed}))).* FROM unnest(${columns.map((_, nth) => `$${nth + 1}::text[]`)}) AS c (${columns})
       JOIN ${table} t ON t.id = (SELECT max(id) FROM ${table})) copies RETURNING shard`,
    ...values,
  );
  await query(`DROP TABLE ${table}_of_test`);
  return rows.map(({ shard }) => shard);
}

test('a bill is in the shard of its subscription, and a mail in that of its bill, whatever their ids', async () => {
  const shop = await api.newMerchant();
  const { latest_invoice: bill } = await subscribeByCard(shop);
  await remindOf(api, shop, { id: (await newInvoice(shop)).id, step: 3 });
  const [subscriptions, invoices, mails] = [idsOf('sub'), idsOf('in'), idsOf('mail')];
  const expected = subscriptions.map(lowTenBits);
  expect(await shardsOfCopies('subscription', ['id'], [subscriptions])).toEqual(expected);
  expect(await shardsOfCopies('invoice', ['id', 'subscription_id'], [invoices, subscriptions])).toEqual(expected);
  const about = ['id', 'invoice_id', 'subscription_id'];
  expect(await shardsOfCopies('mail', about, [mails, invoices, subscriptions])).toEqual(expected);
  // A standalone invoice goes by itself, with its mails; a mail of none goes by what else it is about, or by itself.
  const nothing = subscriptions.map(() => null);
  const own = invoices.map(lowTenBits);
  expect(await shardsOfCopies('invoice', ['id', 'subscription_id'], [invoices, nothing])).toEqual(own);
  expect(await shardsOfCopies('mail', about, [mails, invoices, nothing])).toEqual(own);
  expect(await shardsOfCopies('mail', about, [mails, nothing, subscriptions])).toEqual(expected);
  expect(await shardsOfCopies('mail', about, [mails, nothing, nothing])).toEqual(mails.map(lowTenBits));
  expect(
    await query(
      'SELECT i.shard FROM invoice i JOIN subscription s ON s.id = i.subscription_id WHERE i.id = $1 AND i.shard = s.shard',
      bill,
    ),
  ).toHaveLength(1);
  expect(await query('SELECT FROM mail m JOIN invoice i ON i.id = m.invoice_id WHERE m.shard <> i.shard')).toEqual([]);
});

test.each(SHARD_COUNTS)('%i shards of a run take each row once', (of) => {
  const taken = everyShard(of).map(rowShards);
  expect(taken[0]?.firstShard).toBe(0);
  expect(taken.at(-1)?.lastShard).toBe(1_023);
  for (const [nth, { firstShard }] of taken.slice(1).entries())
    expect(firstShard).toBe((taken[nth]?.lastShard ?? 0) + 1);
});

test('shards of different counts overlap where they take the same rows', () => {
  const overlapping = everyShard(4).filter((one) => doOverlap(one, { shard: 1, of: 2 }));
  expect(overlapping.map(({ shard }) => shard)).toEqual([2, 3]);
  expect(everyShard(16).filter((one) => doOverlap({ shard: 0, of: 1 }, one))).toHaveLength(16);
});
