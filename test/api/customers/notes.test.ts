import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer } from '../../support/factories.ts';
import { newPerson } from '../../support/people.ts';
import { factsOf, refusalOf, send, violationsOf } from '../requests.ts';

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

const post = (id: string, body: unknown) =>
  send(api, { method: 'POST', path: `/customers/${id}/notes`, key: shop.sandboxKey, body });

const rowsOf = async (customer: string) =>
  (
    await api.composition.deps.pool.query(
      'SELECT to_jsonb(n)::text AS row, sealed_text FROM note n WHERE customer_id = $1',
      [customer],
    )
  ).rows;

test('a note is answered as it was written, with who wrote it and when, and is no event', async () => {
  const { fatura } = await api.newMerchant();
  const { id: customer } = await fatura.customers.create({
    name: 'Maria',
    identifier: '52998224725',
    email: 'maria@example.com',
  });
  const before = await fatura.events.list().all({ max: 10 });
  const note = await fatura.customers.createNote(customer, { text: '  Ligou hoje:\ntroca o cartão na sexta.  ' });
  expect(note).toEqual({
    id: expect.stringMatching(/^note_[0-9a-z]{26}$/),
    object: 'note',
    live_mode: false,
    created: api.clock.now(),
    customer,
    text: 'Ligou hoje:\ntroca o cartão na sexta.',
    author: { kind: 'api_key', id: expect.stringMatching(/^key_[0-9a-z]{26}$/), name: null },
  });
  expect(await fatura.customers.listNotes(customer).all({ max: 10 })).toEqual([note]);
  expect(await fatura.events.list().all({ max: 10 })).toEqual(before);
});

test('a person of the account is named', async () => {
  const { id } = await newCustomer(shop);
  const support = await newPerson(api, { accountId: shop.accountId, role: 'support' });
  const note = await support.sdk().customers.createNote(id, { text: 'Ligou hoje.' });
  expect(note.author).toEqual({ kind: 'staff', id: expect.stringMatching(/^staff_/), name: 'Pessoa support' });
  expect(await shop.fatura.customers.listNotes(id).all({ max: 10 })).toEqual([note]);
  const [entry] = await shop.fatura.auditLog.list({ action: 'customers.createNote' }).all({ max: 1 });
  expect(entry).toMatchObject({ object_id: id, after: { note: { text: '***' } } });
});

test('who may only look writes none', async () => {
  const { id } = await newCustomer(shop);
  const viewer = await newPerson(api, { accountId: shop.accountId, role: 'viewer' });
  await expect(viewer.sdk().customers.createNote(id, { text: 'Ligou hoje.' })).rejects.toMatchObject({ status: 403 });
  expect(await viewer.sdk().customers.listNotes(id).all({ max: 10 })).toEqual([]);
});

test('the list is of one customer, newest first, and paged as every list', async () => {
  const [{ id }, other] = [await newCustomer(shop), await newCustomer(shop)];
  const written = [];
  for (const text of ['um', 'dois', 'três']) written.unshift(await shop.fatura.customers.createNote(id, { text }));
  await shop.fatura.customers.createNote(other.id, { text: 'de outra' });
  expect(await shop.fatura.customers.listNotes(id).all({ max: 10 })).toEqual(written);
  const page = await shop.fatura.customers.listNotes(id, { limit: 2 }).page();
  expect(page.data).toEqual(written.slice(0, 2));
  expect(page.hasMore).toBe(true);
  const rest = await shop.fatura.customers.listNotes(id, { starting_after: written[1]?.id ?? '' }).page();
  expect(rest.data).toEqual(written.slice(2));
  expect(rest.hasMore).toBe(false);
});

test('a repeat under one key writes one note', async () => {
  const { id } = await newCustomer(shop);
  const write = () => shop.fatura.customers.createNote(id, { text: 'uma vez' }, { idempotencyKey: `note ${id}` });
  expect(await write()).toEqual(await write());
  expect(await shop.fatura.customers.listNotes(id).all({ max: 10 })).toHaveLength(1);
});

test('the longest text is taken, in code points', async () => {
  const { id } = await newCustomer(shop);
  const text = '🦜'.repeat(5_000);
  expect(await shop.fatura.customers.createNote(id, { text })).toMatchObject({ text });
  expect(violationsOf(await post(id, { note: { text: `${text}x` } }))).toEqual([400, 'note.text PARAMETER_INVALID']);
});

test.each<[string, unknown, string]>([
  ['no text', { note: {} }, 'note.text'],
  ['an empty text', { note: { text: ' \n ' } }, 'note.text'],
  ['a text that is none', { note: { text: 5 } }, 'note.text'],
  ['the number of a card', { note: { text: 'paga com 4242 4242 4242 4242' } }, 'note.text'],
  ['no note', {}, 'note'],
  ['an author', { note: { text: 'a', author: 'eu' } }, 'note.author'],
])('refuses %s, and names it', async (_, body, param) => {
  const { id } = await newCustomer(shop);
  expect(refusalOf(await post(id, body))).toMatchObject({ status: 400, param });
});

describe('a customer that is not there', () => {
  test.each(['cus_00000000000000000000000000', 'nobody'])('(%s) has no notes and takes none', async (id) => {
    const { customers } = shop.fatura;
    const missing = { status: 404, code: 'RESOURCE_MISSING', param: null };
    await expect(customers.createNote(id, { text: 'a' })).rejects.toMatchObject(missing);
    await expect(customers.listNotes(id).page()).rejects.toMatchObject(missing);
  });

  test('is that of another account or of the other mode, too', async () => {
    const { id } = await newCustomer(shop);
    await shop.fatura.customers.createNote(id, { text: 'a' });
    for (const { customers } of [(await api.newMerchant()).fatura, shop.live]) {
      await expect(customers.createNote(id, { text: 'b' })).rejects.toMatchObject({ status: 404 });
      await expect(customers.listNotes(id).page()).rejects.toMatchObject({ status: 404 });
    }
    expect(await shop.fatura.customers.listNotes(id).all({ max: 10 })).toHaveLength(1);
  });
});

test('the text lies sealed in its table', async () => {
  const { id } = await newCustomer(shop);
  await shop.fatura.customers.createNote(id, { text: 'mora na Rua Augusta' });
  const [{ row, sealed_text: sealed } = { row: '', sealed_text: null }] = await rowsOf(id);
  expect(row).not.toContain('Augusta');
  expect(sealed).toBeInstanceOf(Buffer);
});

describe('of an anonymized customer', () => {
  test('the notes lose their texts, and no other is written', async () => {
    const merchant = await api.newMerchant();
    const { fatura } = merchant;
    const { id } = await newCustomer(merchant);
    const note = await fatura.customers.createNote(id, { text: 'mora na Rua Augusta' }, { idempotencyKey: 'uma nota' });
    await fatura.customers.anonymize(id);
    expect(await fatura.customers.listNotes(id).all({ max: 10 })).toEqual([{ ...note, text: null }]);
    expect(await rowsOf(id)).toEqual([expect.objectContaining({ sealed_text: null })]);
    const again = [{ idempotencyKey: 'uma nota' }, {}];
    for (const options of again)
      await expect(fatura.customers.createNote(id, { text: 'mora na Rua Augusta' }, options)).rejects.toMatchObject({
        status: 409,
        code: 'INVALID_STATE',
      });
    expect((await factsOf(merchant)).map(({ type }) => type)).toEqual(['customer.created', 'customer.anonymized']);
  });

  test('no text is left by a note that is written at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await newCustomer(shop);
      const writing = Array.from({ length: 5 }, () => shop.fatura.customers.createNote(id, { text: 'ao mesmo tempo' }));
      await Promise.allSettled([...writing, shop.fatura.customers.anonymize(id)]);
      for (const { sealed_text: sealed } of await rowsOf(id)) expect(sealed).toBeNull();
    }
  });
});

test('the notes of a sandbox go with it', async () => {
  const merchant = await api.newMerchant();
  const { id } = await newCustomer(merchant);
  await merchant.fatura.customers.createNote(id, { text: 'a' });
  await merchant.fatura.testClock.reset();
  expect(await rowsOf(id)).toEqual([]);
});
