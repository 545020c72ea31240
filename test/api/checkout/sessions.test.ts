import { describe, expect, test } from 'vitest';
import { byCard } from '../../support/cards.ts';
import { newCustomer, newPrice, ofNoCoupon, unique } from '../../support/factories.ts';
import { newMonthly } from '../../support/subscriptions.ts';
import { refusal } from '../payments/payment-scene.ts';
import { maria, pages, SessionScene, sessionBody } from './session-scene.ts';

const scene = new SessionScene();
const create = (body: object) => scene.merchant.fatura.checkoutSessions.create(body as never);

describe('a session in mode payment', () => {
  test('for a known customer has its invoice from the start', async () => {
    const customer = await newCustomer(scene.merchant);
    const price = await newPrice(scene.merchant, { unit_amount: 10_000 });
    const code = `pedido-${unique()}`;
    const session = await create({
      ...pages,
      mode: 'payment',
      customer_id: customer.id,
      line_items: [{ price_id: price.id, quantity: 2 }],
      external_code: code,
      metadata: [{ pedido: '1042' }],
      discounts: [
        { type: 'percentage', percentage: 10, description: 'Boas-vindas' },
        { type: 'fixed', amount_cents: 500 },
      ],
    });
    const { id, invoice, url } = session;
    const now = scene.api.clock.now();
    expect(session).toEqual({
      id,
      object: 'checkout_session',
      allow_promotion_codes: false,
      amount: 17_500,
      created: now,
      currency: 'brl',
      customer: customer.id,
      discounts: {
        object: 'list',
        data: [
          {
            type: 'percentage',
            percentage: 10,
            amount_cents: null,
            cycles: null,
            description: 'Boas-vindas',
            ...ofNoCoupon,
          },
          { type: 'fixed', percentage: null, amount_cents: 500, cycles: null, description: null, ...ofNoCoupon },
        ],
      },
      expires_at: now + 3_600,
      external_code: code,
      invoice,
      line_items: { object: 'list', data: [{ object: 'item', price: price.id, quantity: 2 }] },
      live_mode: false,
      metadata: [{ pedido: '1042' }],
      mode: 'payment',
      payment_intent: null,
      payment_link: null,
      return_url: pages.return_url,
      status: 'open',
      success_url: `https://loja.test/obrigado?session=${id}`,
      url,
    });
    expect(url).toMatch(new RegExp(`^http://127.0.0.1:3000/checkout/${id}/[\\w-]{43}$`));
    expect(await scene.session(id)).toEqual(session);
    expect(await scene.invoice(invoice ?? '')).toMatchObject({
      status: 'open',
      billing_reason: 'checkout_session',
      total: 17_500,
      customer: customer.id,
      external_code: null,
    });
    expect(await scene.told(session)).toEqual(['invoice.created', 'checkout_session.created']);
    expect((await scene.facts(id)).at(-1)?.object).toEqual(session);
  });

  test('creates the customer that comes with it', async () => {
    const session = await scene.create({ customer: maria });
    expect(await scene.merchant.fatura.customers.retrieve(session.customer ?? '')).toMatchObject({
      email: maria.email,
    });
    const ofCustomer = await scene.rows(
      'SELECT type FROM event WHERE related @> ARRAY[$1] ORDER BY id',
      session.customer,
    );
    expect(ofCustomer.map(({ type }) => type)).toEqual([
      'customer.created',
      'invoice.created',
      'checkout_session.created',
    ]);
  });

  test('without a customer waits for one and has nothing to charge', async () => {
    const session = await scene.create({ customer_id: null });
    expect(session).toMatchObject({
      status: 'open',
      customer: null,
      invoice: null,
      amount: null,
      payment_intent: null,
    });
    expect(session).not.toHaveProperty('subscription');
    expect(session).not.toHaveProperty('discounts');
    expect(session.metadata).toEqual([]);
    expect(await scene.told(session)).toEqual(['checkout_session.created']);
  });

  test('that comes to nothing is complete at once', async () => {
    const session = await scene.create({ discounts: [{ type: 'percentage', percentage: 100 }] });
    expect(session).toMatchObject({ status: 'complete', amount: 0 });
    expect(await scene.invoice(session.invoice ?? '')).toMatchObject({ status: 'paid', payment_intent: null });
    expect(await scene.told(session)).toEqual([
      'invoice.created',
      'checkout_session.created',
      'invoice.paid',
      'checkout_session.completed',
    ]);
  });

  test('is completed by the payment of its invoice, by card', async () => {
    const session = await scene.create();
    await scene.payByCard(session.invoice ?? '');
    const complete = await scene.session(session.id);
    expect(complete).toMatchObject({ status: 'complete', payment_intent: expect.stringMatching(/^pi_/) });
    expect(complete.expires_at).toBe(session.expires_at);
    expect(await scene.told(session)).toEqual([
      'invoice.created',
      'checkout_session.created',
      'payment_intent.created',
      'payment_intent.processing',
      'payment_intent.paid',
      'invoice.paid',
      'checkout_session.completed',
    ]);
    expect((await scene.facts(session.id)).at(-1)?.object).toEqual(complete);
  });

  test('is completed by PIX, whose QR code ends with the session', async () => {
    const session = await scene.create();
    scene.api.clock.advance(600);
    const sale = await scene.checkoutByPix(session.invoice ?? '');
    const [qr] = await scene.rows('SELECT expires_at FROM pix_charge WHERE id = $1', sale.txid);
    expect(Number(qr?.expires_at)).toBe(session.expires_at);
    expect(await scene.session(session.id)).toMatchObject({ payment_intent: sale.intent, status: 'open' });
    await scene.payPix(sale.intent);
    expect(await scene.session(session.id)).toMatchObject({ status: 'complete' });
  });
});

describe('a session in mode subscription', () => {
  test('for a known customer has its subscription and first invoice from the start', async () => {
    const session = await scene.create({
      mode: 'subscription',
      amount: 10_000,
      discounts: [{ type: 'fixed', amount_cents: 1_000, cycles: 2, description: 'Boas-vindas' }],
    });
    const { invoice, subscription } = session;
    expect(session).toMatchObject({ amount: 9_000, mode: 'subscription', status: 'open' });
    expect(await scene.merchant.fatura.subscriptions.retrieve(subscription ?? '')).toMatchObject({
      status: 'pending',
      latest_invoice: invoice,
      customer: session.customer,
      discounts: { data: [{ type: 'fixed', amount: 1_000, percentage: null, cycles: 2 }] },
    });
    expect(await scene.invoice(invoice ?? '')).toMatchObject({ billing_reason: 'subscription_create', total: 9_000 });
    expect(await scene.told(session)).toEqual(['subscription.created', 'invoice.created', 'checkout_session.created']);
  });

  test('sells several recurring prices, and what the first bill asks for once', async () => {
    const { fatura } = scene.merchant;
    const base = await newMonthly(scene.merchant, { unit_amount: 9_990 });
    const seats = await newMonthly(scene.merchant, { unit_amount: 1_000 });
    const fee = await newPrice(scene.merchant, { unit_amount: 5_000 });
    const sold = {
      mode: 'subscription' as const,
      line_items: [
        { price_id: fee.id, quantity: 1 },
        { price_id: base.id, quantity: 1 },
        { price_id: seats.id, quantity: 3 },
      ],
      discounts: [{ type: 'percentage' as const, percentage: 50 }],
    };
    const session = await scene.create(sold);
    expect(session.amount).toBe((9_990 + 3_000) / 2 + 5_000);
    const { items } = await fatura.subscriptions.retrieve(session.subscription ?? '');
    expect(items.data.map(({ price, quantity }) => [price.id, quantity])).toEqual([
      [base.id, 1],
      [seats.id, 3],
    ]);
    const invoice = await scene.invoice(session.invoice ?? '');
    expect(invoice.line_items.data.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['recurring', 9_990],
      ['recurring', 3_000],
      ['setup', 5_000],
    ]);
    await scene.payByCard(invoice.id);
    expect((await fatura.subscriptions.upcomingInvoice(session.subscription ?? '')).total).toBe((9_990 + 3_000) / 2);
    const { url } = await scene.create({ ...sold, customer_id: null });
    const page = await (await fetch(scene.api.baseUrl + new URL(url).pathname)).text();
    expect(page).toContain('114,95');
  });

  test('without a customer shows that there is no subscription yet', async () => {
    expect(await scene.create({ mode: 'subscription', customer_id: null })).toMatchObject({ subscription: null });
  });

  test('is completed with the activation of its subscription', async () => {
    const session = await scene.create({ mode: 'subscription' });
    await scene.merchant.fatura.subscriptions.checkout(session.subscription ?? '', byCard());
    expect(await scene.session(session.id)).toMatchObject({ status: 'complete' });
    expect((await scene.told(session)).slice(-4)).toEqual([
      'invoice.paid',
      'subscription.activated',
      'subscription.period_started',
      'checkout_session.completed',
    ]);
  });

  test('that comes to nothing is complete, and its subscription active', async () => {
    const session = await scene.create({ mode: 'subscription', discounts: [{ type: 'percentage', percentage: 100 }] });
    expect(session).toMatchObject({ status: 'complete', amount: 0 });
    expect(await scene.told(session)).toEqual([
      'subscription.created',
      'invoice.created',
      'checkout_session.created',
      'invoice.paid',
      'subscription.activated',
      'subscription.period_started',
      'checkout_session.completed',
    ]);
  });

  test('expires with the subscription that is cancelled', async () => {
    const session = await scene.create({ mode: 'subscription' });
    await scene.merchant.fatura.subscriptions.cancel(session.subscription ?? '');
    expect(await scene.session(session.id)).toMatchObject({ status: 'expired' });
    expect((await scene.told(session)).slice(-3)).toEqual([
      'invoice.voided',
      'subscription.canceled',
      'checkout_session.expired',
    ]);
  });
});

describe('a session is refused', () => {
  test('with addresses that are none of the web, or carry a password', async () => {
    for (const url of [
      'loja.test',
      'javascript:alert(1)',
      'ftp://loja.test',
      'https://ana:senha@loja.test',
      '/obrigado',
      'https:evil.example',
      'https:/loja.test',
      'http:\\\\loja.test',
      'https:///loja.test',
    ]) {
      for (const param of ['success_url', 'return_url']) {
        const body = { ...(await sessionBody(scene.merchant)), [param]: url };
        await expect(create(body), url).rejects.toEqual(
          refusal('PARAMETER_INVALID', { status: 400, param: `session.${param}` }),
        );
      }
    }
  });

  test('in live with an address of http', async () => {
    const { live } = scene.merchant;
    const customer = await live.customers.create(maria);
    const { id: product_id } = await live.products.create({ name: 'Plano' });
    const price = await live.prices.create({ product_id, unit_amount: 1_000, type: 'one_time' });
    const body = {
      mode: 'payment' as const,
      customer_id: customer.id,
      line_items: [{ price_id: price.id, quantity: 1 }],
    };
    const http = { ...body, ...pages, return_url: 'http://loja.test/carrinho' };
    await expect(live.checkoutSessions.create(http)).rejects.toEqual(
      refusal('PARAMETER_INVALID', { param: 'session.return_url' }),
    );
    expect(await live.checkoutSessions.create({ ...body, ...pages })).toMatchObject({ live_mode: true });
  });

  test('for lines that do not fit its mode, in the order of refusals', async () => {
    const [once, monthly] = [await newPrice(scene.merchant), await newMonthly(scene.merchant)];
    const weekly = await newPrice(scene.merchant, { type: 'recurring', recurring: { interval: 'week' } });
    const line = (price: { id: string }) => ({ price_id: price.id, quantity: 1 });
    const body = { ...pages, mode: 'payment', line_items: [line(once)] };
    const gone = { price_id: once.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')), quantity: 1 };
    const many = Array.from({ length: 101 }, () => line(once));
    const refused: [object, string, string][] = [
      [{ ...body, line_items: [...many, gone] }, 'RESOURCE_MISSING', 'session.line_items[101].price_id'],
      [{ ...body, line_items: many }, 'TOO_MANY_LINE_ITEMS', 'session.line_items'],
      [
        { ...body, line_items: [...Array.from({ length: 200 }, () => line(once)), gone] },
        'PARAMETER_INVALID',
        'session.line_items',
      ],
      [
        { ...body, mode: 'subscription', line_items: [line(monthly), line(monthly)] },
        'PARAMETER_INVALID',
        'session.line_items[1].price_id',
      ],
      [
        { ...body, mode: 'subscription', line_items: [line(monthly), line(weekly)] },
        'INTERVALS_DIFFER',
        'session.line_items[1].price_id',
      ],
      [
        { ...body, mode: 'subscription', line_items: Array.from({ length: 21 }, () => line(monthly)) },
        'TOO_MANY_LINE_ITEMS',
        'session.line_items',
      ],
      [
        { ...body, mode: 'subscription', line_items: [line(monthly), ...many.slice(0, 11)] },
        'TOO_MANY_LINE_ITEMS',
        'session.line_items',
      ],
      [{ ...body, line_items: [line(monthly)] }, 'PRICE_TYPE_MISMATCH', 'session.line_items[0].price_id'],
      [{ ...body, mode: 'subscription' }, 'PRICE_TYPE_MISMATCH', 'session.line_items[0].price_id'],
      [
        { ...body, discounts: [{ type: 'fixed', amount_cents: 9_991 }] },
        'DISCOUNT_EXCEEDS_SUBTOTAL',
        'session.discounts[0]',
      ],
      [{ ...body, line_items: [] }, 'PARAMETER_INVALID', 'session.line_items'],
      [
        { ...body, discounts: [{ type: 'fixed', amount_cents: 1, cycles: 1 }] },
        'PARAMETER_INVALID',
        'session.discounts[0].cycles',
      ],
      [{ ...body, customer_id: 'cus_01kaj4w2n8e9r7t5v3x1z0q6d4' }, 'RESOURCE_MISSING', 'session.customer_id'],
      [
        { ...body, customer: maria, customer_id: 'cus_01kaj4w2n8e9r7t5v3x1z0q6d4' },
        'PARAMETER_INVALID',
        'session.customer',
      ],
    ];
    for (const [sent, code, param] of refused)
      await expect(create(sent), code).rejects.toEqual(refusal(code, { param }));
    await scene.merchant.fatura.prices.update(once.id, { active: false });
    await expect(create(body)).rejects.toEqual(refusal('PRICE_INACTIVE', { param: 'session.line_items[0].price_id' }));
  });

  test('with an external_code in use, before its lines are judged, and nothing is kept', async () => {
    const code = `pedido-${unique()}`;
    const { id } = await scene.create({ external_code: code });
    const body = await sessionBody(scene.merchant, { external_code: code, mode: 'subscription' });
    const count = async () => (await scene.rows('SELECT count(*)::int AS n FROM checkout_session'))[0]?.n;
    const before = await count();
    await expect(create({ ...body, mode: 'payment' })).rejects.toEqual(
      refusal('EXTERNAL_CODE_TAKEN', { status: 409, message: expect.stringContaining(id) }),
    );
    const bodies = await Promise.all(
      Array.from({ length: 4 }, () => sessionBody(scene.merchant, { external_code: `${code}-2` })),
    );
    const answers = await Promise.allSettled(bodies.map(create));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await count()).toBe(Number(before) + 1);
  });
});

test('a session is created once under one Idempotency-Key', async () => {
  const body = await sessionBody(scene.merchant);
  const idempotencyKey = `chave-${unique()}`;
  const one = await scene.merchant.fatura.checkoutSessions.create(body, { idempotencyKey });
  const other = await scene.merchant.fatura.checkoutSessions.create(body, { idempotencyKey });
  expect(other).toEqual(one);
});

test('sessions are listed by their filters, newest first', async () => {
  const customer = await newCustomer(scene.merchant);
  const code = `lista-${unique()}`;
  const once = await scene.create({ customer_id: customer.id, external_code: code });
  const monthly = await scene.create({ customer_id: customer.id, mode: 'subscription' });
  await scene.payByCard(once.invoice ?? '');
  const found = async (params: object) =>
    (await scene.merchant.fatura.checkoutSessions.list({ customer_id: customer.id, ...params }).all({ max: 10 })).map(
      ({ id }) => id,
    );
  expect(await found({})).toEqual([monthly.id, once.id]);
  expect(await found({ mode: 'subscription' })).toEqual([monthly.id]);
  expect(await found({ status: 'complete' })).toEqual([once.id]);
  expect(await found({ external_code: code })).toEqual([once.id]);
  expect(await found({ status: 'expired' })).toEqual([]);
  const [complete] = await scene.merchant.fatura.checkoutSessions.list({ external_code: code }).all({ max: 1 });
  expect(complete).toEqual(await scene.session(once.id));
});

test('where a buyer is sent is stored as the parser of URLs reads it, its placeholder kept', async () => {
  const created = await scene.create({
    success_url: 'HTTPS://Loja.test:443/pão/{CHECKOUT_SESSION_ID}?de={CHECKOUT_SESSION_ID}',
    return_url: 'https://loja.test\\carrinho',
  });
  expect(created).toMatchObject({
    success_url: `https://loja.test/p%C3%A3o/${created.id}?de=${created.id}`,
    return_url: 'https://loja.test/carrinho',
  });
});
