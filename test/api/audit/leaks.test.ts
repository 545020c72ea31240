import { afterAll, beforeAll, expect, test } from 'vitest';
import { places } from '../../../server/sealing/sealed-columns.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { CVC, cards, payByCard } from '../../support/cards.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';
import { findLeaks } from '../../support/leaks.ts';

let api: TestApi;
let merchant: Merchant;

beforeAll(async () => {
  api = await startApi();
  merchant = await api.newMerchant();
});
afterAll(() => api.stop());

const scan = (left: { log?: string; metrics?: string } = {}) => {
  const { pool, secretBox } = api.composition.deps;
  return findLeaks({ pool, secretBox, log: '', metrics: '', ...left });
};

async function whileStored(sql: string, values: unknown[], undo: string): Promise<string[]> {
  const { pool } = api.composition.deps;
  await pool.query(sql, values);
  try {
    return await scan();
  } finally {
    await pool.query(undo);
  }
}

test('sales by card, declines and refused cards leave neither number nor security code anywhere', async () => {
  const paid = await newInvoice(merchant);
  await payByCard(merchant, paid.id, { key: 'paid' });
  const declined = await newInvoice(merchant);
  await expect(payByCard(merchant, declined.id, { number: cards.issuer_declined, key: 'declined' })).rejects.toThrow();
  await expect(payByCard(merchant, declined.id, { number: '4242 4242 4242 4241', key: 'wrong' })).rejects.toThrow();
  expect(await scan()).toEqual([]);
});

test('a number that is kept is found in a table, with and without its spaces', async () => {
  const customer = await newCustomer(merchant);
  for (const kept of [cards.approved, cards.amex.replaceAll(' ', ''), `cvc ${CVC}`]) {
    const found = await whileStored(
      'UPDATE customer SET external_code = $2 WHERE id = $1',
      [customer.id, kept],
      `UPDATE customer SET external_code = NULL WHERE id = '${customer.id}'`,
    );
    expect(found).toEqual([expect.stringContaining('table public.customer')]);
  }
});

test('a number that is kept is found in a stored answer', async () => {
  const { secretBox, pool } = api.composition.deps;
  const { rows } = await pool.query<{ hash: Buffer; account: string }>(
    'SELECT hash, account_id AS account FROM idempotency_key WHERE answer IS NOT NULL LIMIT 1',
  );
  const { hash = Buffer.alloc(0), account = '' } = rows[0] ?? {};
  const found = await whileStored(
    'UPDATE idempotency_key SET answer = $1 WHERE hash = $2',
    [secretBox.seal(JSON.stringify({ card: cards.approved }), places.answer(account, hash)), hash],
    'DELETE FROM idempotency_key',
  );
  expect(found).toEqual([expect.stringContaining('idempotency_key.answer')]);
});

test('a number that is kept is found in the log and in the metrics', async () => {
  expect(await scan({ log: `{"card":"${cards.elo}"}` })).toEqual([expect.stringContaining('log')]);
  expect(await scan({ log: `{"cvc":"${CVC}"}` })).toEqual([expect.stringContaining('log')]);
  expect(await scan({ metrics: `x{card="${cards.approved}"} 1` })).toEqual([expect.stringContaining('metrics')]);
});
