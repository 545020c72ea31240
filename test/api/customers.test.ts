import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CustomerCreate } from '../../sdk/src/index.ts';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { factsOf, outcomesOf, refusalOf, send, violationsOf } from './requests.ts';

let api: TestApi;
let merchant: Merchant;

beforeAll(async () => {
  api = await startApi();
  merchant = await api.newMerchant();
});

afterAll(() => api.stop());

const maria = (overrides: Partial<CustomerCreate> = {}): CustomerCreate => ({
  name: 'Maria da Silva',
  identifier: '529.982.247-25',
  email: 'maria@example.com',
  ...overrides,
});

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

async function aPrice(of: Merchant): Promise<string> {
  const product = await of.fatura.products.create({ name: 'Plano Ouro' });
  return (await of.fatura.prices.create({ product_id: product.id, unit_amount: 9990, type: 'one_time' })).id;
}

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
      address,
    });
    expect(await shop.fatura.customers.retrieve(customer.id)).toEqual(customer);
    expect(await factsOf(api, shop)).toEqual([{ type: 'customer.created', object: customer }]);
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
    expect(await shop.fatura.customers.list({ identifier: '52998224725' }).all({ max: 10 })).toHaveLength(3);
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
    expect(await shop.fatura.customers.retrieve(created.id)).toEqual(incorporated);
    expect(await factsOf(api, shop)).toEqual([
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
    expect(await factsOf(api, shop)).toEqual([{ type: 'customer.created', object: created }]);
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

  test('serialises: of many changes at once each has its event, and the last one stands', async () => {
    const shop = await api.newMerchant();
    const { id } = await shop.fatura.customers.create(maria());
    await Promise.all(Array.from({ length: 20 }, (_, i) => shop.fatura.customers.update(id, { name: `Maria ${i}` })));
    const facts = await factsOf(api, shop);
    expect(facts.map(({ type }) => type)).toEqual([
      'customer.created',
      ...Array.from({ length: 20 }, () => 'customer.updated'),
    ]);
    expect(facts.map(({ object }) => object)).toContainEqual(await shop.fatura.customers.retrieve(id));
  });
});

describe('the external_code of a customer', () => {
  test('is unique in account and mode; the refusal names its holder', async () => {
    const shop = await api.newMerchant();
    const holder = await shop.fatura.customers.create(maria({ external_code: 'A-1' }));
    const taken = {
      status: 409,
      code: 'EXTERNAL_CODE_TAKEN',
      param: 'customer.external_code',
      message: `customer.external_code "A-1" is taken by ${holder.id}`,
    };
    await expect(shop.fatura.customers.create(maria({ external_code: ' A-1 ' }))).rejects.toMatchObject(taken);
    const other = await shop.fatura.customers.create(maria({ external_code: 'a-1' }));
    await expect(shop.fatura.customers.update(other.id, { external_code: 'A-1' })).rejects.toMatchObject(taken);
    expect(await shop.fatura.customers.retrieve(other.id)).toEqual(other);
    expect(await shop.fatura.customers.update(holder.id, { external_code: 'A-1' })).toEqual(holder);
    expect(await shop.live.customers.create(maria({ external_code: 'A-1' }))).toMatchObject({ live_mode: true });
    expect(await (await api.newMerchant()).fatura.customers.create(maria({ external_code: 'A-1' }))).toMatchObject({
      external_code: 'A-1',
    });
    expect((await factsOf(api, shop)).map(({ type }) => type)).toEqual(['customer.created', 'customer.created']);
  });

  test('is free again once cleared', async () => {
    const shop = await api.newMerchant();
    const first = await shop.fatura.customers.create(maria({ external_code: 'B-1' }));
    await shop.fatura.customers.update(first.id, { external_code: null });
    expect(await shop.fatura.customers.create(maria({ external_code: 'B-1' }))).toMatchObject({ external_code: 'B-1' });
  });

  test('goes to one of 50 at once, and the others learn which', async () => {
    const shop = await api.newMerchant();
    const { done, refused } = await outcomesOf(
      Array.from({ length: 50 }, (_, i) =>
        shop.fatura.customers.create(maria({ name: `Maria ${i}`, external_code: 'C-1' })),
      ),
    );
    expect(done).toHaveLength(1);
    expect(refused).toHaveLength(49);
    const message = `customer.external_code "C-1" is taken by ${done[0]?.id}`;
    for (const refusal of refused) expect(refusal).toMatchObject({ status: 409, code: 'EXTERNAL_CODE_TAKEN', message });
    expect(await factsOf(api, shop)).toEqual([{ type: 'customer.created', object: done[0] }]);
  });

  test('goes to one of 50 changes at once', async () => {
    const shop = await api.newMerchant();
    const customers = await Promise.all(Array.from({ length: 50 }, () => shop.fatura.customers.create(maria())));
    const { done, refused } = await outcomesOf(
      customers.map(({ id }) => shop.fatura.customers.update(id, { external_code: 'D-1' })),
    );
    expect(done).toHaveLength(1);
    const message = `customer.external_code "D-1" is taken by ${done[0]?.id}`;
    expect(refused).toHaveLength(49);
    for (const refusal of refused) expect(refusal).toMatchObject({ status: 409, code: 'EXTERNAL_CODE_TAKEN', message });
  });

  test('is told with its place when it stands inside an invoice', async () => {
    const shop = await api.newMerchant();
    const holder = await shop.fatura.customers.create(maria({ external_code: 'E-1' }));
    const line_items = [{ price_id: await aPrice(shop), quantity: 1 }];
    const before = await factsOf(api, shop);
    await expect(
      shop.fatura.invoices.create({ customer: maria({ external_code: 'E-1' }), line_items }),
    ).rejects.toMatchObject({
      status: 409,
      code: 'EXTERNAL_CODE_TAKEN',
      param: 'invoice.customer.external_code',
      message: `invoice.customer.external_code "E-1" is taken by ${holder.id}`,
    });
    expect(await factsOf(api, shop)).toEqual(before);
  });
});

describe('listing customers', () => {
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
    expect(await ids({ identifier: '12.ABC' })).toEqual([]);
    expect(await ids({ identifier: '' })).toEqual([]);
    expect(await ids({ email: 'loja@example.com' })).toEqual([business.id]);
    expect(await ids({ email: 'nobody@example.com' })).toEqual([]);
    expect(await ids({ external_code: 'L-1' })).toEqual([person.id]);
    expect(await ids({ external_code: 'L-1', email: 'loja@example.com' })).toEqual([]);
    expect(await ids({ external_code: 'L-1', email: 'maria@example.com', identifier: '52998224725' })).toEqual([
      person.id,
    ]);
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

describe('anonymizing a customer', () => {
  test('erases what is personal, once', async () => {
    const shop = await api.newMerchant();
    const created = await shop.fatura.customers.create(
      maria({ phone: '11987654321', external_code: 'maria@example.com', address: { city: 'Olinda' } }),
    );
    api.clock.advance(5);
    const anonymous = await shop.fatura.customers.anonymize(created.id);
    expect(anonymous).toEqual({
      ...created,
      name: 'Anonimizado',
      external_code: null,
      identifier: null,
      email: null,
      phone: null,
      description: null,
      address: null,
    });
    expect(await shop.fatura.customers.anonymize(created.id)).toEqual(anonymous);
    expect(await shop.fatura.customers.retrieve(created.id)).toEqual(anonymous);
    expect(await factsOf(api, shop)).toEqual([
      { type: 'customer.created', object: created },
      { type: 'customer.anonymized', object: anonymous },
    ]);
    expect(await shop.fatura.customers.create(maria({ external_code: 'maria@example.com' }))).toMatchObject({
      name: 'Maria da Silva',
    });
  });

  test('leaves a customer that cannot be changed or billed', async () => {
    const shop = await api.newMerchant();
    const { id } = await shop.fatura.customers.create(maria());
    const line_items = [{ price_id: await aPrice(shop), quantity: 1 }];
    const anonymous = await shop.fatura.customers.anonymize(id);
    const refused = { status: 409, code: 'INVALID_STATE' };
    await expect(shop.fatura.customers.update(id, { name: 'Maria' })).rejects.toMatchObject(refused);
    await expect(shop.fatura.customers.update(id, {})).rejects.toMatchObject(refused);
    await expect(shop.fatura.invoices.create({ customer_id: id, line_items })).rejects.toMatchObject(refused);
    expect(await shop.fatura.customers.retrieve(id)).toEqual(anonymous);
  });

  test.each(['draft', 'open'])('is refused while an invoice is %s', async (status) => {
    const shop = await api.newMerchant();
    const customer = await shop.fatura.customers.create(maria());
    const line_items = [{ price_id: await aPrice(shop), quantity: 1 }];
    const invoice = await shop.fatura.invoices.create({
      customer_id: customer.id,
      line_items,
      draft: status === 'draft',
    });
    expect(invoice.status).toBe(status);
    const before = await factsOf(api, shop);
    await expect(shop.fatura.customers.anonymize(customer.id)).rejects.toMatchObject({
      status: 409,
      code: 'INVALID_STATE',
    });
    expect(await shop.fatura.customers.retrieve(customer.id)).toEqual(customer);
    expect(await factsOf(api, shop)).toEqual(before);
  });

  test('erases the copies on its invoices, and the money records stay', async () => {
    const shop = await api.newMerchant();
    const line_items = [{ price_id: await aPrice(shop), quantity: 1 }];
    const { id, customer } = await shop.fatura.invoices.create({
      customer: maria(),
      line_items,
      discounts: [{ type: 'percentage', percentage: 100 }],
    });
    const bystander = await shop.fatura.invoices.create({ customer: maria(), line_items });
    const paid = await shop.fatura.invoices.retrieve(id);
    expect(paid).toMatchObject({
      status: 'paid',
      customer_name: 'Maria da Silva',
      customer_email: 'maria@example.com',
    });
    await shop.fatura.customers.anonymize(customer);
    expect(await shop.fatura.invoices.retrieve(id)).toEqual({
      ...paid,
      customer_name: 'Anonimizado',
      customer_email: null,
    });
    expect(await shop.fatura.invoices.retrieve(bystander.id)).toEqual(bystander);
  });

  test('erases the answers stored for it, and a repeat creates nothing', async () => {
    const shop = await api.newMerchant();
    const options = { idempotencyKey: 'first' };
    const { id } = await shop.fatura.customers.create(maria(), options);
    await shop.fatura.customers.update(id, { name: 'Maria Souza' }, { idempotencyKey: 'second' });
    const bystander = await shop.fatura.customers.create(maria(), { idempotencyKey: 'third' });
    await shop.fatura.customers.anonymize(id, { idempotencyKey: 'fourth' });
    const erased = { status: 409, code: 'INVALID_STATE' };
    await expect(shop.fatura.customers.create(maria(), options)).rejects.toMatchObject(erased);
    await expect(
      shop.fatura.customers.update(id, { name: 'Maria Souza' }, { idempotencyKey: 'second' }),
    ).rejects.toMatchObject(erased);
    expect(await shop.fatura.customers.create(maria(), { idempotencyKey: 'third' })).toEqual(bystander);
    expect(await shop.fatura.customers.anonymize(id, { idempotencyKey: 'fourth' })).toMatchObject({
      name: 'Anonimizado',
    });
    expect(await shop.fatura.customers.list().all({ max: 10 })).toHaveLength(2);
  });

  test('never races with an invoice into an anonymous customer who owes', async () => {
    const shop = await api.newMerchant();
    const line_items = [{ price_id: await aPrice(shop), quantity: 1 }];
    for (let round = 0; round < 5; round += 1) {
      const { id } = await shop.fatura.customers.create(maria());
      const invoices = Array.from({ length: 6 }, () => shop.fatura.invoices.create({ customer_id: id, line_items }));
      const anonymizing = shop.fatura.customers.anonymize(id);
      const [billed, erased] = await Promise.all([outcomesOf(invoices), outcomesOf([anonymizing])]);
      for (const refusal of [...billed.refused, ...erased.refused]) {
        expect(refusal).toMatchObject({ status: 409, code: 'INVALID_STATE' });
      }
      const isAnonymous = (await shop.fatura.customers.retrieve(id)).name === 'Anonimizado';
      expect(isAnonymous).toBe(billed.done.length === 0);
      expect(isAnonymous).toBe(erased.done.length === 1);
    }
  });
});
