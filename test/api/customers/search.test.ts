import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { refusalOf, send } from '../requests.ts';
import { maria } from './examples.ts';

let api: TestApi;
let shop: Merchant;
let names: Record<string, string>;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  const { customers } = shop.fatura;
  names = {};
  for (const customer of [
    maria({ name: 'Maria Antônia Sá', phone: '11987654321' }),
    maria({ name: 'MARIA SOUZA', email: 'souza.maria@padaria.com.br' }),
    maria({ name: 'João Mário', email: 'joao@example.com', identifier: '12.ABC.345/01DE-35' }),
  ])
    names[(await customers.create(customer)).id] = customer.name;
});
afterAll(() => api.stop());

const foundBy = async (query: string, { fatura } = shop) =>
  (await fatura.customers.list({ query }).all({ max: 100 })).map(({ id, name }) => names[id] ?? name);

test.each<[string, string[]]>([
  ['maria', ['MARIA SOUZA', 'Maria Antônia Sá']],
  ['antonia mar', ['Maria Antônia Sá']],
  ['JOÃO', ['João Mário']],
  ['mario', ['João Mário']],
  ['padaria', ['MARIA SOUZA']],
  ['souza.maria@padaria.com.br', ['MARIA SOUZA']],
  ['529.982', ['MARIA SOUZA', 'Maria Antônia Sá']],
  ['12.abc.345/', ['João Mário']],
  ['(11) 98765-4321', ['Maria Antônia Sá']],
  ['maria mario', []],
  ['arian', []],
  ['•••', []],
])('%s finds %j, newest first', async (query, expected) => {
  expect(await foundBy(query)).toEqual(expected);
});

test('stands beside the other filters, and is paged as every list', async () => {
  const { customers } = shop.fatura;
  const first = await customers.list({ query: 'maria', limit: 1 }).page();
  expect(first.data.map(({ name }) => name)).toEqual(['MARIA SOUZA']);
  expect(first.hasMore).toBe(true);
  const next = await customers.list({ query: 'maria', limit: 1, starting_after: first.data[0]?.id ?? '' }).page();
  expect(next).toMatchObject({ hasMore: false, data: [{ name: 'Maria Antônia Sá' }] });
  const beside = await customers.list({ query: 'maria', email: 'souza.maria@padaria.com.br' }).page();
  expect(beside.data.map(({ name }) => name)).toEqual(['MARIA SOUZA']);
  expect((await customers.list({ query: 'maria', created_gte: api.clock.now() + 1 }).page()).data).toEqual([]);
});

test('finds nothing of another account or of the other mode', async () => {
  expect(await foundBy('maria', await api.newMerchant())).toEqual([]);
  expect((await shop.live.customers.list({ query: 'maria' }).page()).data).toEqual([]);
});

test.each(['ma', '  ma  ', 'x'.repeat(201), ''])('refuses %j, and names it', async (query) => {
  const path = `/customers?${new URLSearchParams({ query })}`;
  expect(refusalOf(await send(api, { method: 'GET', path, key: shop.sandboxKey }))).toMatchObject({
    status: 400,
    param: 'query',
  });
});

const wordsStored = async (id: string): Promise<number> => {
  const { rows } = await api.composition.deps.pool.query('SELECT word FROM customer_word WHERE customer_id = $1', [id]);
  return rows.length;
};

describe.each(['sandbox', 'live'] as const)('of the %s, the words of a customer', (mode) => {
  const openShop = async () => {
    const { fatura, live } = await api.newMerchant();
    return mode === 'live' ? live : fatura;
  };

  test('follow its changes', async () => {
    const fatura = await openShop();
    const { id } = await fatura.customers.create(maria({ phone: '11987654321' }));
    await fatura.customers.update(id, { name: 'Ana Lima', email: 'ana@example.com', phone: null });
    const found = async (query: string) => (await fatura.customers.list({ query }).page()).data.map((one) => one.id);
    for (const former of ['maria', 'silva', '11987654']) expect(await found(former), former).toEqual([]);
    for (const now of ['ana lima', 'example', '529982']) expect(await found(now), now).toEqual([id]);
    expect(await wordsStored(id)).toBe(
      ['ana', 'lim', 'lima', 'com'].length + ['exa', 'exam', 'examp', 'exampl', 'example'].length + 6,
    );
  });

  test('go as its data are erased', async () => {
    const fatura = await openShop();
    const { id } = await fatura.customers.create(maria());
    await fatura.customers.anonymize(id);
    expect((await fatura.customers.list({ query: 'Anonimizado' }).page()).data).toEqual([]);
    expect((await fatura.customers.list({ query: 'maria' }).page()).data).toEqual([]);
    expect(await wordsStored(id)).toBe(0);
  });
});

test('two changes at once leave the words of what stands', async () => {
  const { fatura } = await api.newMerchant();
  const { id } = await fatura.customers.create(maria());
  await Promise.all(['Ana', 'Bia', 'Cida', 'Duda', 'Elis'].map((name) => fatura.customers.update(id, { name })));
  const { name } = await fatura.customers.retrieve(id);
  for (const one of ['Ana', 'Bia', 'Cida', 'Duda', 'Elis'])
    expect((await fatura.customers.list({ query: one }).page()).data.length, one).toBe(one === name ? 1 : 0);
});

test('what another refuses leaves no word behind', async () => {
  const { fatura } = await api.newMerchant();
  await fatura.customers.create(maria({ external_code: 'taken' }));
  await expect(fatura.customers.create(maria({ name: 'Zuleica', external_code: 'taken' }))).rejects.toMatchObject({
    code: 'EXTERNAL_CODE_TAKEN',
  });
  const other = await fatura.customers.create(maria({ name: 'Bento' }));
  await expect(fatura.customers.update(other.id, { name: 'Zuleica', external_code: 'taken' })).rejects.toMatchObject({
    code: 'EXTERNAL_CODE_TAKEN',
  });
  expect((await fatura.customers.list({ query: 'zuleica' }).page()).data).toEqual([]);
  expect((await fatura.customers.list({ query: 'bento' }).page()).data).toHaveLength(1);
});

test('go with the sandbox', async () => {
  const { fatura } = await api.newMerchant();
  const { id } = await fatura.customers.create(maria());
  expect(await wordsStored(id)).toBeGreaterThan(0);
  await fatura.testClock.reset();
  expect(await wordsStored(id)).toBe(0);
});
