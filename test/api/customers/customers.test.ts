import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { factsOf, refusalOf, send, violationsOf } from '../requests.ts';
import { maria } from './examples.ts';

let api: TestApi;
let merchant: Merchant;

beforeAll(async () => {
  api = await startApi();
  merchant = await api.newMerchant();
});

afterAll(() => api.stop());

const NOWHERE = {
  zip_code: null,
  street: null,
  number: null,
  district: null,
  city: null,
  state: null,
  complement: null,
};

const post = (body: unknown) => send(api, { method: 'POST', path: '/customers', key: merchant.sandboxKey, body });
const patch = (id: string, body: unknown) =>
  send(api, { method: 'PATCH', path: `/customers/${id}`, key: merchant.sandboxKey, body });

describe('creating a customer', () => {
  test('answers it whole, with identifier and phone in their stored form', async () => {
    const address = {
      zip_code: '01310-100',
      street: 'Avenida Paulista',
      number: '1578',
      district: 'Bela Vista',
      city: 'São Paulo',
      state: 'SP',
      complement: 'Sala 4',
    };
    const shop = await api.newMerchant();
    const customer = await shop.fatura.customers.create(
      maria({ phone: '(11) 98765-4321', external_code: 'client-77', address }),
    );
    expect(customer).toEqual({
      id: expect.stringMatching(/^cus_[0-9a-z]{26}$/),
      object: 'customer',
      live_mode: false,
      created: api.clock.now(),
      name: 'Maria da Silva',
      external_code: 'client-77',
      identifier: '52998224725',
      email: 'maria@example.com',
      phone: '+5511987654321',
      description: 'individual',
      address: { ...address, zip_code: '01310100' },
      unsubscribed_at: null,
    });
    expect(await shop.fatura.customers.retrieve(customer.id)).toEqual({ ...customer, credit_balance: 0, trials: [] });
    expect(await factsOf(shop)).toEqual([{ type: 'customer.created', object: customer }]);
  });

  test('shows every field, null without a value', async () => {
    const bare = { phone: null, external_code: null, address: null };
    expect(await merchant.fatura.customers.create(maria())).toMatchObject(bare);
    expect(await merchant.fatura.customers.create(maria(bare))).toMatchObject(bare);
    const { address } = await merchant.fatura.customers.create(maria({ address: { city: 'Olinda', state: null } }));
    expect(address).toEqual({ ...NOWHERE, city: 'Olinda' });
  });

  test.each([
    ['12.abc.345/01de-35', '12ABC34501DE35', 'business'],
    ['00000000E08G12', '00000000E08G12', 'business'],
    ['00.000.000/0001-91', '00000000000191', 'business'],
    ['52998224725', '52998224725', 'individual'],
  ])('keeps the identifier %s as %s, a %s', async (identifier, stored, description) => {
    expect(await merchant.fatura.customers.create(maria({ identifier }))).toMatchObject({
      identifier: stored,
      description,
    });
  });

  test('takes one CPF for several customers', async () => {
    const shop = await api.newMerchant();
    await Promise.all([1, 2, 3].map(() => shop.fatura.customers.create(maria())));
    const three = await shop.fatura.customers.list({ identifier: '52998224725' }).all({ max: 10 });
    expect(three).toHaveLength(3);
    const [newest, , oldest] = three.map(({ id }) => id);
    const stranger = await (await api.newMerchant()).fatura.customers.create(maria());
    const ids = [oldest ?? '', newest ?? '', stranger.id];
    expect((await shop.fatura.customers.list({ ids }).all({ max: 10 })).map(({ id }) => id)).toEqual([newest, oldest]);
  });

  test('keeps a foreign phone and one with country code as they are', async () => {
    expect(await merchant.fatura.customers.create(maria({ phone: '+1 212 555 0123' }))).toMatchObject({
      phone: '+12125550123',
    });
    expect(await merchant.fatura.customers.create(maria({ phone: '+55 (21) 2345-6789' }))).toMatchObject({
      phone: '+552123456789',
    });
  });

  test('trims text and measures it in code points', async () => {
    const longest = '🦜'.repeat(250);
    expect(await merchant.fatura.customers.create(maria({ name: `  ${longest}\n` }))).toMatchObject({ name: longest });
    expect(violationsOf(await post({ customer: maria({ name: `${longest}x` }) }))).toEqual([
      400,
      'customer.name PARAMETER_INVALID',
    ]);
    const code = '🦜'.repeat(255);
    expect(await merchant.fatura.customers.create(maria({ external_code: code }))).toMatchObject({
      external_code: code,
    });
    expect(violationsOf(await post({ customer: maria({ external_code: `${code}x` }) }))).toEqual([
      400,
      'customer.external_code PARAMETER_INVALID',
    ]);
  });

  test.each([
    ['nothing but blanks', '"  \\t "'],
    ['NUL', '"Ma\\u0000ria"'],
    ['a lone high surrogate', '"Ma\\ud83dria"'],
    ['a lone low surrogate', '"Ma\\udd9cria"'],
    ['a number', '5'],
    ['null', 'null'],
    ['an object', '{}'],
  ])('refuses %s as a name', async (_, name) => {
    const body = JSON.stringify({ customer: maria() }).replace('"Maria da Silva"', name);
    expect(violationsOf(await post(body))).toEqual([400, 'customer.name PARAMETER_INVALID']);
  });

  test.each([
    ['identifier', '529.982.247-26'],
    ['identifier', '12ABC34501DE36'],
    ['identifier', '11111111111'],
    ['identifier', '5299822472'],
    ['identifier', ''],
    ['email', 'maria'],
    ['email', `${'m'.repeat(250)}@example.com`],
    ['phone', '12345'],
    ['phone', 'não tenho'],
    ['address', 'Avenida Paulista'],
  ])('refuses the %s %j', async (field, value) => {
    expect(violationsOf(await post({ customer: { ...maria(), [field]: value } }))).toEqual([
      400,
      `customer.${field} PARAMETER_INVALID`,
    ]);
  });

  test('does not repeat a wrong identifier in its answer', async () => {
    const { message } = refusalOf(await post({ customer: maria({ identifier: '529.982.247-26' }) }));
    expect(message).toBe('customer.identifier is not a CPF: check digits differ');
  });

  test('tells all violations at once, of check digits too', async () => {
    const customer = {
      identifier: '529.982.247-26',
      email: 5,
      phone: '1234',
      external_code: 'x'.repeat(256),
      address: { city: 'x'.repeat(256), country: 'BR' },
      nickname: 'Mari',
    };
    const answer = await post({ customer, dry_run: true });
    expect(violationsOf(answer)).toEqual([
      400,
      'customer.name PARAMETER_MISSING',
      'customer.email PARAMETER_INVALID',
      'customer.external_code PARAMETER_INVALID',
      'customer.address.city PARAMETER_INVALID',
      'customer.address.country PARAMETER_UNKNOWN',
      'customer.nickname PARAMETER_UNKNOWN',
      'dry_run PARAMETER_UNKNOWN',
      'customer.identifier PARAMETER_INVALID',
      'customer.phone PARAMETER_INVALID',
    ]);
    expect(refusalOf(answer)).toMatchObject({ code: 'PARAMETER_MISSING', param: 'customer.name' });
  });

  test('tells the check digits of a customer inside an invoice with the other violations', async () => {
    const invoice = { customer: maria({ identifier: '52998224726' }), line_items: [], due_at: 'amanhã' };
    const answer = await send(api, { method: 'POST', path: '/invoices', key: merchant.sandboxKey, body: { invoice } });
    expect(violationsOf(answer)).toEqual([
      400,
      'invoice.line_items PARAMETER_INVALID',
      'invoice.due_at PARAMETER_INVALID',
      'invoice.customer.identifier PARAMETER_INVALID',
    ]);
  });

  test.each([
    [
      'fields outside the envelope',
      maria(),
      [
        'customer PARAMETER_MISSING',
        'name PARAMETER_UNKNOWN',
        'identifier PARAMETER_UNKNOWN',
        'email PARAMETER_UNKNOWN',
      ],
    ],
    ['an empty object', {}, ['customer PARAMETER_MISSING']],
    ['a list', [{ customer: maria() }], ['null PARAMETER_INVALID']],
    ['a number', 5, ['null PARAMETER_INVALID']],
    ['null', null, ['null PARAMETER_INVALID']],
  ])('refuses %s as a body', async (_, body, violations) => {
    expect(violationsOf(await post(JSON.stringify(body)))).toEqual([400, ...violations]);
  });

  test('refuses no body at all', async () => {
    expect(violationsOf(await send(api, { method: 'POST', path: '/customers', key: merchant.sandboxKey }))).toEqual([
      400,
      'null PARAMETER_MISSING',
    ]);
  });
});

describe('changing a customer', () => {
  const full = maria({ phone: '11987654321', external_code: 'full', address: { city: 'Olinda', state: 'PE' } });

  test('keeps what is absent, clears with null, replaces an address whole', async () => {
    const shop = await api.newMerchant();
    const created = await shop.fatura.customers.create(full);
    const renamed = await shop.fatura.customers.update(created.id, { name: 'Maria Souza' });
    expect(renamed).toEqual({ ...created, name: 'Maria Souza' });
    const moved = await shop.fatura.customers.update(created.id, { address: { street: 'Rua do Sol' } });
    expect(moved).toEqual({ ...renamed, address: { ...NOWHERE, street: 'Rua do Sol' } });
    const cleared = await shop.fatura.customers.update(created.id, { phone: null, external_code: null, address: null });
    expect(cleared).toEqual({ ...moved, phone: null, external_code: null, address: null });
    const incorporated = await shop.fatura.customers.update(created.id, {
      identifier: '12.ABC.345/01DE-35',
      email: ' m@example.com ',
    });
    expect(incorporated).toEqual({
      ...cleared,
      identifier: '12ABC34501DE35',
      description: 'business',
      email: 'm@example.com',
    });
    expect(await shop.fatura.customers.retrieve(created.id)).toEqual({
      ...incorporated,
      credit_balance: 0,
      trials: [],
    });
    expect(await factsOf(shop)).toEqual([
      { type: 'customer.created', object: created },
      { type: 'customer.updated', object: renamed },
      { type: 'customer.updated', object: moved },
      { type: 'customer.updated', object: cleared },
      { type: 'customer.updated', object: incorporated },
    ]);
  });

  test('is no fact when nothing changes', async () => {
    const shop = await api.newMerchant();
    const created = await shop.fatura.customers.create(full);
    expect(await shop.fatura.customers.update(created.id, {})).toEqual(created);
    expect(
      await shop.fatura.customers.update(created.id, { ...full, identifier: '529982247-25', phone: '(11) 98765 4321' }),
    ).toEqual(created);
    expect(await factsOf(shop)).toEqual([{ type: 'customer.created', object: created }]);
  });

  test.each(['name', 'identifier', 'email'])('cannot clear the required %s', async (field) => {
    const { id } = await merchant.fatura.customers.create(maria());
    expect(violationsOf(await patch(id, { customer: { [field]: null } }))).toEqual([
      400,
      `customer.${field} PARAMETER_INVALID`,
    ]);
  });

  test('cannot set what derives or is given', async () => {
    const { id } = await merchant.fatura.customers.create(maria());
    expect(violationsOf(await patch(id, { customer: { id, description: 'business', created: 1 } }))).toEqual([
      400,
      'customer.id PARAMETER_UNKNOWN',
      'customer.description PARAMETER_UNKNOWN',
      'customer.created PARAMETER_UNKNOWN',
    ]);
  });

  test('serialises: of many changes at once each has its event, and the last one shows what stands', async () => {
    const shop = await api.newMerchant();
    const { id } = await shop.fatura.customers.create(maria());
    const changes = Array.from({ length: 20 }, (_, i) => [
      { name: `Maria ${i}` },
      { email: `maria${i}@example.com` },
      { external_code: `client-${i}` },
    ]).flat();
    await Promise.all(changes.map((change) => shop.fatura.customers.update(id, change)));
    const facts = await factsOf(shop);
    expect(facts.map(({ type }) => type)).toEqual(['customer.created', ...changes.map(() => 'customer.updated')]);
    expect({ ...(facts.at(-1)?.object as object), credit_balance: 0, trials: [] }).toEqual(
      await shop.fatura.customers.retrieve(id),
    );
  });
});

test.each([
  [{ zip_code: '0131010' }, 'zip_code'],
  [{ zip_code: '01310 100' }, 'zip_code'],
  [{ zip_code: 'ABCDE-FGH' }, 'zip_code'],
  [{ state: 'XX' }, 'state'],
  [{ state: 'sp' }, 'state'],
  [{ state: 'São Paulo' }, 'state'],
])('an address is one of Brazil: %j', async (address, field) => {
  const refused = [400, `customer.address.${field} PARAMETER_INVALID`];
  expect(violationsOf(await post({ customer: maria({ address }) }))).toEqual(refused);
  const { id } = await merchant.fatura.customers.create(maria());
  expect(violationsOf(await patch(id, { customer: { address } }))).toEqual(refused);
});

describe('listing customers', () => {
  test('regression-78-filters by e-mail whatever its case, of the filter and of the customer', async () => {
    const shop = await api.newMerchant();
    const lower = await shop.fatura.customers.create(maria({ email: 'loja@example.com' }));
    const mixed = await shop.fatura.customers.create(maria({ email: 'Loja@Example.com' }));
    await shop.fatura.customers.create(maria({ email: 'loja2@example.com' }));
    for (const email of ['loja@example.com', 'LOJA@EXAMPLE.COM', 'Loja@Example.com'])
      expect(await shop.fatura.customers.list({ email }).all({ max: 10 })).toEqual([mixed, lower]);
  });

  test('filters by identifier in any spelling, e-mail and external_code, and by all of them', async () => {
    const shop = await api.newMerchant();
    const person = await shop.fatura.customers.create(maria({ external_code: 'L-1' }));
    const business = await shop.fatura.customers.create(
      maria({ identifier: '12ABC34501DE35', email: 'loja@example.com' }),
    );
    const ids = async (filter: { identifier?: string; email?: string; external_code?: string }) =>
      (await shop.fatura.customers.list(filter).all({ max: 10 })).map(({ id }) => id);
    expect(await ids({})).toEqual([business.id, person.id]);
    expect(await ids({ identifier: '52998224725' })).toEqual([person.id]);
    expect(await ids({ identifier: '529.982.247-25' })).toEqual([person.id]);
    expect(await ids({ identifier: ' 12.abc.345/01de-35 ' })).toEqual([business.id]);
    expect(await ids({ email: 'loja@example.com' })).toEqual([business.id]);
    expect(await ids({ email: 'nobody@example.com' })).toEqual([]);
    expect(await ids({ external_code: 'L-1' })).toEqual([person.id]);
    expect(await ids({ external_code: 'L-1', email: 'loja@example.com' })).toEqual([]);
    expect(await ids({ external_code: 'L-1', email: 'maria@example.com', identifier: '52998224725' })).toEqual([
      person.id,
    ]);
  });

  test.each([
    ['email=a+b@example.com', 'email', '%2B'],
    ['email=maria', 'email', 'e-mail'],
    ['email=', 'email', 'empty'],
    ['identifier=12.ABC', 'identifier', 'CPF'],
    ['identifier=', 'identifier', 'empty'],
    ['external_code=', 'external_code', 'empty'],
    ['external_code=%E2%80%8B', 'external_code', 'empty'],
  ])('a filter that no customer can match is refused: %s', async (query, param, told) => {
    const answer = await send(api, { method: 'GET', path: `/customers?${query}`, key: merchant.sandboxKey });
    expect(violationsOf(answer)).toEqual([400, `${param} PARAMETER_INVALID`]);
    expect(refusalOf(answer).message).toContain(told);
  });

  test('finds an accented domain in either way of writing it', async () => {
    const shop = await api.newMerchant();
    const customer = await shop.fatura.customers.create(maria({ email: 'ana@pães.example' }));
    expect(customer.email).toBe('ana@xn--pes-mla.example');
    for (const email of ['ana@pães.example', 'ANA@XN--PES-MLA.example', 'ana@PÃES.example'])
      expect(await shop.fatura.customers.list({ email }).all({ max: 10 }), email).toEqual([customer]);
  });

  test('answers the whole objects in the list envelope', async () => {
    const shop = await api.newMerchant();
    const customer = await shop.fatura.customers.create(maria({ phone: '11987654321', address: { city: 'Olinda' } }));
    const { body } = await send(api, { method: 'GET', path: '/customers', key: shop.sandboxKey });
    expect(body).toEqual({ object: 'list', url: '/api/v1/customers', has_more: false, data: [customer] });
  });
});

describe('an id of nothing', () => {
  test.each([
    'cus_01kaj4w2n8e9r7t5v3x1z0q6d4',
    'cus_short',
    'prod_01kaj4w2n8e9r7t5v3x1z0q6d4',
    'CUS_01KAJ4W2N8E9R7T5V3X1Z0Q6D4',
    '1',
    '%00',
    '%FF',
    '%ED%A0%80',
    '%F0%9F%A6%9C',
    `cus_${'x'.repeat(2_000)}`,
    "cus_'; DROP TABLE customer; --",
  ])('%s is a 404 in a path', async (id) => {
    const missing = { status: 404, code: 'RESOURCE_MISSING', param: null };
    const of = (method: string, path: string, body?: unknown) =>
      send(api, { method, path, key: merchant.sandboxKey, body });
    expect(refusalOf(await of('GET', `/customers/${id}`))).toMatchObject(missing);
    expect(refusalOf(await of('PATCH', `/customers/${id}`, { customer: {} }))).toMatchObject(missing);
    expect(refusalOf(await of('POST', `/customers/${id}/anonymize`))).toMatchObject(missing);
  });

  test('asks for a key first, however it is spelt', async () => {
    for (const id of ['%00', '%FF']) {
      const answer = await send(api, { method: 'GET', path: `/customers/${id}`, key: null });
      expect(refusalOf(answer)).toMatchObject({ status: 401, code: 'API_KEY_MISSING' });
    }
  });
});
