import { describe, expect, test } from 'vitest';
import { newPrice } from '../../support/factories.ts';
import { newMonthly } from '../../support/subscriptions.ts';
import { refusal } from '../payments/payment-scene.ts';
import { factsOf, refusalOf, send, violationsOf } from '../requests.ts';
import { LinkScene } from './link-scene.ts';

const scene = new LinkScene();

const post = (payment_link: unknown) =>
  send(scene.api, {
    method: 'POST',
    path: '/payment_links',
    key: scene.merchant.sandboxKey,
    body: { payment_link },
  });
const patch = (id: string, payment_link: unknown) =>
  send(scene.api, {
    method: 'PATCH',
    path: `/payment_links/${id}`,
    key: scene.merchant.sandboxKey,
    body: { payment_link },
  });

const aula = { amount: 7_500, description: 'Aula avulsa' };

describe('a payment link', () => {
  test('sells prices, as they were sent', async () => {
    const { id: price } = await newPrice(scene.merchant);
    const link = await scene.merchant.fatura.paymentLinks.create({
      line_items: [{ price_id: price, quantity: 2 }],
      max_sales: 50,
      external_code: 'feira-2026',
      success_url: 'https://loja.test/obrigado?session={CHECKOUT_SESSION_ID}',
    });
    expect(link).toEqual({
      id: expect.stringMatching(/^plink_[0-9a-z]{26}$/),
      object: 'payment_link',
      active: true,
      allow_promotion_codes: false,
      amount: null,
      created: scene.api.clock.now(),
      currency: 'brl',
      description: null,
      expires_at: null,
      external_code: 'feira-2026',
      line_items: { object: 'list', data: [{ object: 'item', price, quantity: 2 }] },
      live_mode: false,
      max_sales: 50,
      metadata: [],
      mode: 'payment',
      reserved: 0,
      return_url: null,
      sales: 0,
      subscription_terms: null,
      success_url: 'https://loja.test/obrigado?session={CHECKOUT_SESSION_ID}',
      url: `http://127.0.0.1:3000/link/${link.id}/${new URL(link.url ?? '').pathname.split('/').at(-1)}`,
    });
    expect((await factsOf(scene.merchant)).at(-1)).toEqual({ type: 'payment_link.created', object: link });
  });

  test('sells an amount by a price of its own, which is on sale nowhere else', async () => {
    const link = await scene.merchant.fatura.paymentLinks.create(aula);
    expect([link.amount, link.description, link.line_items, link.mode]).toEqual([
      7_500,
      'Aula avulsa',
      null,
      'payment',
    ]);
    const { amount, line_items } = await scene.openSession(link);
    const price = await scene.merchant.fatura.prices.retrieve(line_items.data[0]?.price ?? '');
    expect([amount, price.active, price.unit_amount]).toEqual([null, false, 7_500]);
  });

  test('is of mode subscription where one of its prices recurs', async () => {
    const monthly = await newMonthly(scene.merchant);
    const once = await newPrice(scene.merchant);
    const line_items = [monthly, once].map(({ id }) => ({ price_id: id, quantity: 1 }));
    const link = await scene.merchant.fatura.paymentLinks.create({ line_items });
    expect([link.mode, (await scene.openSession(link)).mode]).toEqual(['subscription', 'subscription']);
  });

  test('sells prices or an amount, and never both', async () => {
    const { id } = await newPrice(scene.merchant);
    const line_items = [{ price_id: id, quantity: 1 }];
    expect(violationsOf(await post({ line_items, amount: 100 }))).toEqual([
      400,
      'payment_link.amount PARAMETER_INVALID',
    ]);
    expect(violationsOf(await post({ line_items, ...aula }))).toEqual([
      400,
      'payment_link.amount PARAMETER_INVALID',
      'payment_link.description PARAMETER_INVALID',
    ]);
    expect(violationsOf(await post({}))).toEqual([400, 'payment_link.line_items PARAMETER_MISSING']);
    expect(violationsOf(await post({ amount: 100 }))).toEqual([400, 'payment_link.description PARAMETER_MISSING']);
  });

  test.each([
    ['line_items', []],
    ['amount', 0],
    ['amount', 1_000_000],
    ['description', 'x'.repeat(251)],
    ['max_sales', 0],
    ['max_sales', 1_000_001],
    ['expires_at', -1],
    ['success_url', 'javascript:alert(1)'],
    ['return_url', 'loja'],
  ])('refuses %s %j and names the field', async (name, value) => {
    const sold = name === 'line_items' ? {} : aula;
    const [status, violation] = violationsOf(await post({ ...sold, [name]: value }));
    expect([status, violation]).toEqual([400, `payment_link.${name} PARAMETER_INVALID`]);
  });

  test('sells only what is on sale, and together as a session could', async () => {
    const create = (line_items: { price_id: string; quantity: number }[]) =>
      scene.merchant.fatura.paymentLinks.create({ line_items });
    const lines = (...ids: string[]) => ids.map((id) => ({ price_id: id, quantity: 1 }));
    const off = await newPrice(scene.merchant, { active: false });
    await expect(create(lines(off.id))).rejects.toEqual(
      refusal('PRICE_INACTIVE', { param: 'payment_link.line_items[0].price_id' }),
    );
    const [month, year] = [
      await newMonthly(scene.merchant),
      await newMonthly(scene.merchant, { recurring: { interval: 'month', interval_count: 12 } }),
    ];
    await expect(create(lines(month.id, year.id))).rejects.toEqual(refusal('INTERVALS_DIFFER'));
    await expect(create(lines(`price_${'0'.repeat(26)}`))).rejects.toEqual(
      refusal('RESOURCE_MISSING', { param: 'payment_link.line_items[0].price_id' }),
    );
    const { id } = await newPrice(scene.merchant);
    await expect(create(Array.from({ length: 101 }, () => ({ price_id: id, quantity: 1 })))).rejects.toEqual(
      refusal('TOO_MANY_LINE_ITEMS', { param: 'payment_link.line_items' }),
    );
  });

  test('ends ahead of now', async () => {
    const now = scene.api.clock.now();
    expect(refusalOf(await post({ ...aula, expires_at: now }))).toMatchObject({
      status: 400,
      param: 'payment_link.expires_at',
    });
  });

  test('has a code that no other link has', async () => {
    const { paymentLinks } = scene.merchant.fatura;
    const held = await paymentLinks.create({ ...aula, external_code: 'aula' });
    await expect(paymentLinks.create({ ...aula, external_code: 'aula' })).rejects.toEqual(
      refusal('EXTERNAL_CODE_TAKEN', { param: 'payment_link.external_code' }),
    );
    expect((await paymentLinks.list({ external_code: 'aula' }).page()).data).toEqual([held]);
  });

  test('has addresses of https in live mode', async () => {
    const { live } = scene.merchant;
    await expect(live.paymentLinks.create({ ...aula, return_url: 'http://loja.test/' })).rejects.toEqual(
      refusal('PARAMETER_INVALID', { param: 'payment_link.return_url' }),
    );
  });
});

describe('a change', () => {
  test('tells what it changed, and nothing where nothing did', async () => {
    const link = await scene.merchant.fatura.paymentLinks.create(aula);
    const changed = await scene.merchant.fatura.paymentLinks.update(link.id, {
      active: false,
      max_sales: 3,
      return_url: 'https://loja.test/',
    });
    expect(changed).toEqual({ ...link, active: false, max_sales: 3, return_url: 'https://loja.test/' });
    await scene.merchant.fatura.paymentLinks.update(link.id, { active: false });
    const facts = (await factsOf(scene.merchant)).filter(({ type }) => type === 'payment_link.updated');
    expect(facts).toEqual([{ type: 'payment_link.updated', object: changed }]);
  });

  test.each(['line_items', 'amount', 'description', 'mode', 'sales', 'reserved'])('of %s is none', async (name) => {
    const { id } = await scene.merchant.fatura.paymentLinks.create(aula);
    expect(violationsOf(await patch(id, { [name]: 1 }))).toEqual([400, `payment_link.${name} PARAMETER_UNKNOWN`]);
  });

  test('leaves room for what is sold and reserved', async () => {
    const link = await scene.newLink({ max_sales: 5 });
    await scene.openSession(link);
    await scene.openSession(link);
    expect(refusalOf(await patch(link.id, { max_sales: 1 }))).toMatchObject({
      status: 400,
      param: 'payment_link.max_sales',
      message: expect.stringContaining('must be at least 2 (0 sold, 2 reserved), got 1'),
    });
    expect((await patch(link.id, { max_sales: 2 })).status).toBe(200);
    expect((await patch(link.id, { max_sales: null })).status).toBe(200);
  });
});

test('a key that may only read sees no address of a link or of a price', async () => {
  const link = await scene.newLink();
  const price = link.line_items?.data[0]?.price ?? '';
  const { key = '' } = await scene.merchant.fatura.apiKeys.create({ name: 'ERP', scope: 'read' });
  const read = async (path: string) => (await send(scene.api, { method: 'GET', path, key })).body;
  expect(await read(`/payment_links/${link.id}`)).toEqual({ ...link, url: null });
  expect(await read(`/prices/${price}`)).toMatchObject({ id: price, payment_url: null });
});

test('sessions of a link are listed by it', async () => {
  const [link, other] = [await scene.newLink(), await scene.newLink()];
  const { id } = await scene.openSession(link);
  await scene.openSession(other);
  const { data } = await scene.merchant.fatura.checkoutSessions.list({ payment_link_id: link.id }).page();
  expect(data.map((one) => [one.id, one.payment_link])).toEqual([[id, link.id]]);
});
