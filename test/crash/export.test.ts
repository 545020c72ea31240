import { afterAll, beforeAll, expect, test } from 'vitest';
import { writtenColumns } from '../support/columns.ts';
import { readCsv } from '../support/csv.ts';
import { newInvoice } from '../support/factories.ts';
import { startReceiver } from '../support/receiver.ts';
import { type Stack, startStack, until } from '../support/stack.ts';

const TEST_MS = 240_000;
/** A step of a worker that is gone is given to another one after a minute. */
const TAKEN_UP_MS = 120_000;
const COPIES = 6_000;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
}, TEST_MS);
afterAll(() => stack.stop(), TEST_MS);

/** Drafts as large as they may be, older than their events are kept; answers the ids of all as a list has them. */
async function manyInvoices(): Promise<string[]> {
  const metadata = [{ nota: 'x'.repeat(8_000) }];
  const { id } = await newInvoice(
    { accountId: '', sandboxKey: stack.sandboxKey, liveKey: '', fatura: stack.fatura, live: stack.fatura },
    { draft: true, metadata },
  );
  const columns = writtenColumns('invoice');
  const copies = await stack.withDatabase(async ({ pool }) => {
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO invoice (${columns}) SELECT ${columns} FROM (SELECT (jsonb_populate_record(i,
           jsonb_build_object('id', 'in_' || lpad(nth::text, 26, '0'), 'last_event_id', NULL, 'last_event_at', NULL))).*
         FROM invoice i, generate_series(1, $2) nth WHERE i.id = $1) copies RETURNING id`,
      [id, COPIES],
    );
    return rows.map((row) => row.id);
  });
  return [id, ...copies.toSorted().reverse()];
}

test(
  'a worker that is killed while it writes leaves a file that the next one goes on with, and one event',
  async () => {
    const ids = await manyInvoices();
    const receiver = await startReceiver();
    const endpoint = await stack.fatura.webhookEndpoints.create({
      url: receiver.url,
      event_types: ['export.completed'],
    });
    receiver.secret = endpoint.secret ?? '';
    const { id } = await stack.fatura.exports.create({ type: 'invoices', columns: ['id', 'metadata'] });
    const look = () => stack.fatura.exports.retrieve(id);
    await until('some rows', async () => (await look()).rows > 0);
    await stack.worker.kill9();
    const killed = await look();
    expect(killed).toMatchObject({ status: 'pending', url: null });
    expect(killed.rows).toBeLessThan(ids.length);
    await stack.worker.start();
    await until('the file', async () => (await look()).status === 'completed', TAKEN_UP_MS);
    const { rows, url } = await look();
    expect(rows).toBe(ids.length);
    const text = await (await fetch(url ?? '')).text();
    const [header, ...cells] = readCsv(text);
    expect(header).toEqual(['Fatura', 'Metadados']);
    expect(cells.map(([cell]) => cell)).toEqual(ids);
    await until('the delivery', async () => receiver.accepted.length > 0);
    expect(receiver.accepted.map(({ object }) => object.id)).toEqual([id]);
    const told = await stack.fatura.events.list({ related_object: id }).all({ max: 10 });
    expect(told.map(({ type }) => type)).toEqual(['export.completed']);
    expect(await stack.audit()).toEqual([]);
    await receiver.stop();
  },
  TEST_MS,
);
