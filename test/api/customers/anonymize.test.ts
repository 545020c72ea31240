import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chargeReconciliationStep } from '../../../server/payments/card/reconciliation.ts';
import { storedCardStep } from '../../../server/payments/card/upkeep.ts';
import { refundSettlementStep } from '../../../server/payments/refunds/settlement.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { troubleBank } from '../../support/bank.ts';
import { cards, payByCard } from '../../support/cards.ts';
import { newCustomer, newInvoice, newPrice } from '../../support/factories.ts';
import { rolesOf } from '../../support/roles.ts';
import { subscribe } from '../../support/subscriptions.ts';
import { factsOf, outcomesOf } from '../requests.ts';
import { maria } from './examples.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});

afterAll(() => api.stop());

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
    expect(await shop.fatura.customers.retrieve(created.id)).toEqual({ ...anonymous, credit_balance: 0, trials: [] });
    expect(await factsOf(shop)).toEqual([
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
    const line_items = [{ price_id: (await newPrice(shop)).id, quantity: 1 }];
    const anonymous = await shop.fatura.customers.anonymize(id);
    const refused = { status: 409, code: 'INVALID_STATE' };
    await expect(shop.fatura.customers.update(id, { name: 'Maria' })).rejects.toMatchObject(refused);
    await expect(shop.fatura.customers.update(id, {})).rejects.toMatchObject(refused);
    await expect(shop.fatura.invoices.create({ customer_id: id, line_items })).rejects.toMatchObject(refused);
    expect(await shop.fatura.customers.retrieve(id)).toEqual({ ...anonymous, credit_balance: 0, trials: [] });
  });

  test.each(['draft', 'open'])('is refused while an invoice is %s', async (status) => {
    const shop = await api.newMerchant();
    const customer = await shop.fatura.customers.create(maria());
    const line_items = [{ price_id: (await newPrice(shop)).id, quantity: 1 }];
    const invoice = await shop.fatura.invoices.create({
      customer_id: customer.id,
      line_items,
      draft: status === 'draft',
    });
    expect(invoice.status).toBe(status);
    const before = await factsOf(shop);
    await expect(shop.fatura.customers.anonymize(customer.id)).rejects.toMatchObject({
      status: 409,
      code: 'INVALID_STATE',
    });
    expect(await shop.fatura.customers.retrieve(customer.id)).toEqual({ ...customer, credit_balance: 0, trials: [] });
    expect(await factsOf(shop)).toEqual(before);
  });

  test('erases the copies on its invoices, and the money records stay', async () => {
    const shop = await api.newMerchant();
    const line_items = [{ price_id: (await newPrice(shop)).id, quantity: 1 }];
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
    const line_items = [{ price_id: (await newPrice(shop)).id, quantity: 1 }];
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

/** Everything stored of cards, without the books of the acquirer. */
async function storedCards(of: string): Promise<unknown[]> {
  const { rows } = await api.composition.deps.pool.query(
    `SELECT 'method' AS what, encode(sealed_token, 'hex') AS token, brand, last4 FROM payment_method WHERE customer_id = $1
     UNION ALL SELECT 'attempt', NULL, c.brand, c.last4 FROM charge_attempt c JOIN payment_intent p ON p.id = c.intent_id
     WHERE p.customer_id = $1 ORDER BY what, last4`,
    [of],
  );
  return rows;
}

const inProcess = (intent: string) => ({
  status: 409,
  code: 'INVALID_STATE',
  message: expect.stringContaining(intent),
});

describe('anonymizing a customer who paid', () => {
  test('by card erases the cards, declined ones too, and the money records stay', async () => {
    const shop = await api.newMerchant();
    const subscription = await subscribe(shop);
    const { customer, latest_invoice: id } = subscription;
    await payByCard(shop, id ?? '', { number: cards.insufficient_funds }).catch(() => {});
    const { payment_intent: intent } = await payByCard(shop, id ?? '', { number: cards.elo });
    await shop.fatura.subscriptions.cancel(subscription.id);
    const bystander = await newInvoice(shop);
    await payByCard(shop, bystander.id);
    expect(await storedCards(customer)).toEqual([
      { what: 'attempt', token: null, brand: 'elo', last4: '8311' },
      { what: 'attempt', token: null, brand: 'visa', last4: '9995' },
      { what: 'method', token: expect.any(String), brand: 'elo', last4: '8311' },
      { what: 'method', token: expect.any(String), brand: 'visa', last4: '9995' },
    ]);
    const charge = await shop.fatura.paymentIntents.retrieve(intent ?? '');
    await shop.fatura.customers.anonymize(customer);
    const erased = { token: null, brand: null, last4: null };
    const rows = await api.composition.deps.pool.query<{ id: string }>(
      'SELECT id FROM payment_method WHERE customer_id = $1',
      [customer],
    );
    // The acquirer lets the cards go, and their tokens are erased.
    for (const { id: card } of rows.rows) await storedCardStep(api.composition.deps, card);
    expect(await storedCards(customer)).toEqual([
      { what: 'attempt', ...erased },
      { what: 'attempt', ...erased },
      { what: 'method', ...erased },
      { what: 'method', ...erased },
    ]);
    expect(await storedCards(bystander.customer)).toEqual([
      { what: 'attempt', token: null, brand: 'visa', last4: '4242' },
    ]);
    expect(await shop.fatura.paymentIntents.retrieve(intent ?? '')).toEqual(charge);
    expect(await shop.fatura.refunds.create({ payment_intent: intent ?? '' })).toMatchObject({ status: 'refunded' });
  });

  test('by card erases the answer that showed the card', async () => {
    const shop = await api.newMerchant();
    const { id, customer } = await newInvoice(shop);
    await payByCard(shop, id, { key: 'paid' });
    expect(await payByCard(shop, id, { key: 'paid' })).toMatchObject({ payment_method: { card: { last4: '4242' } } });
    await shop.fatura.customers.anonymize(customer);
    await expect(payByCard(shop, id, { key: 'paid' })).rejects.toMatchObject({ status: 409, code: 'INVALID_STATE' });
  });

  test('by PIX is refused until every refund has ended', async () => {
    const shop = await api.newMerchant();
    const { id, customer } = await newInvoice(shop, { amount: 10_000 });
    const { payment_intent } = await shop.fatura.invoices.checkout(id, { payment_method_type: 'pix' });
    const intent = payment_intent ?? '';
    await shop.fatura.testHelpers.paymentIntents.payPix(intent, { scenario: 'paid' });
    await shop.fatura.refunds.create({ payment_intent: intent, amount: 1099 });
    await shop.fatura.refunds.create({ payment_intent: intent, amount: 1000 });
    await expect(shop.fatura.customers.anonymize(customer)).rejects.toMatchObject(inProcess(intent));
    await refundSettlementStep(api.composition.deps, intent);
    await expect(shop.fatura.customers.anonymize(customer)).rejects.toMatchObject(inProcess(intent));
    api.clock.advance(5);
    await refundSettlementStep(api.composition.deps, intent);
    expect(await shop.fatura.customers.anonymize(customer)).toMatchObject({ name: 'Anonimizado' });
  });

  test('by card is refused while nobody knows what became of a refund', async () => {
    const shop = await api.newMerchant();
    const { id, customer } = await newInvoice(shop);
    const { payment_intent } = await payByCard(shop, id);
    const intent = payment_intent ?? '';
    const bank = troubleBank(api);
    bank.meets('refundCard', 'answer_lost');
    await expect(shop.fatura.refunds.create({ payment_intent: intent })).rejects.toMatchObject({ status: 504 });
    bank.recovers();
    await expect(shop.fatura.customers.anonymize(customer)).rejects.toMatchObject(inProcess(intent));
    expect(await storedCards(customer)).toMatchObject([{ last4: '4242' }]);
    await refundSettlementStep(api.composition.deps, intent);
    expect(await shop.fatura.customers.anonymize(customer)).toMatchObject({ name: 'Anonimizado' });
  });

  test('leaves no way to pay by card what was given up, and the way by PIX', async () => {
    const shop = await api.newMerchant();
    const { id, customer } = await newInvoice(shop);
    await shop.fatura.invoices.markUncollectible(id);
    await shop.fatura.customers.anonymize(customer);
    await expect(payByCard(shop, id)).rejects.toMatchObject({ status: 409, code: 'INVALID_STATE' });
    expect(await storedCards(customer)).toEqual([]);
    const { payment_intent: intent } = await shop.fatura.invoices.checkout(id, { payment_method_type: 'pix' });
    await shop.fatura.testHelpers.paymentIntents.payPix(intent ?? '', { scenario: 'paid' });
    expect(await shop.fatura.invoices.retrieve(id)).toMatchObject({ status: 'paid', customer_name: 'Anonimizado' });
  });

  test('by card at the same moment keeps nothing of the card', async () => {
    const shop = await api.newMerchant();
    for (let round = 0; round < 10; round += 1) {
      const { id, customer } = await newInvoice(shop);
      await shop.fatura.invoices.markUncollectible(id);
      const outcomes = await outcomesOf<unknown>([payByCard(shop, id), shop.fatura.customers.anonymize(customer)]);
      for (const refused of outcomes.refused) expect(refused).toMatchObject({ status: 409, code: 'INVALID_STATE' });
      // Refused while the charge was at the acquirer; on an anonymized customer it changes nothing.
      await shop.fatura.customers.anonymize(customer);
      for (const card of await storedCards(customer)) expect(card).toMatchObject({ brand: null, last4: null });
    }
  });

  test.each(['open', 'uncollectible'])(
    'by card is refused while a charge of an %s invoice is at the acquirer',
    async (status) => {
      const shop = await api.newMerchant();
      const { id, customer } = await newInvoice(shop);
      if (status === 'uncollectible') await shop.fatura.invoices.markUncollectible(id);
      await expect(payByCard(shop, id, { number: cards.answer_lost, key: 'lost' })).rejects.toMatchObject({
        status: 504,
      });
      await expect(shop.fatura.customers.anonymize(customer)).rejects.toMatchObject({
        status: 409,
        code: 'INVALID_STATE',
      });
      const { payment_intent: intent } = await shop.fatura.invoices.retrieve(id);
      await chargeReconciliationStep(api.composition.deps, intent ?? '');
      expect(await payByCard(shop, id, { number: cards.answer_lost, key: 'lost' })).toMatchObject({ status: 'paid' });
      expect(await shop.fatura.customers.anonymize(customer)).toMatchObject({ name: 'Anonimizado' });
    },
  );
});

test('regression-1-checkouts and an anonymization of the same customer do not deadlock', async () => {
  const merchant = await api.newMerchant();
  const customer = await newCustomer(merchant);
  const invoices = [];
  for (let made = 0; made < 6; made += 1) {
    const invoice = await newInvoice(merchant, { customer_id: customer.id });
    invoices.push(await merchant.fatura.invoices.markUncollectible(invoice.id));
  }
  const results = await Promise.allSettled([
    ...invoices.map(({ id }) => merchant.fatura.invoices.checkout(id, { payment_method_type: 'pix' })),
    merchant.fatura.customers.anonymize(customer.id),
    ...invoices.map(({ id }) => merchant.fatura.invoices.checkout(id, { payment_method_type: 'pix' })),
  ]);
  const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refusals.filter(({ status }) => status >= 500)).toEqual([]);
  const { rows } = await api.composition.deps.pool.query(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  expect(rows).toEqual([{ deadlocks: 0 }]);
});

test('regression-2-an answer stored while an anonymization waits is erased with the rest', async () => {
  const merchant = await api.newMerchant();
  const customer = await newCustomer(merchant, { name: 'Maria Visível' });
  const invoice = await newInvoice(merchant, { customer_id: customer.id });
  await merchant.fatura.invoices.markUncollectible(invoice.id);
  const blocker = await rolesOf(api.composition.deps.pool).superuser.connect();
  await blocker.query('BEGIN');
  await blocker.query('SELECT 1 FROM invoice WHERE id = $1 FOR UPDATE', [invoice.id]);
  const voided = merchant.fatura.invoices.void(invoice.id, { idempotencyKey: 'void-it' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const anonymized = merchant.fatura.customers.anonymize(customer.id);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await blocker.query('COMMIT');
  blocker.release();
  await Promise.all([voided, anonymized]);
  const repeat = merchant.fatura.invoices.void(invoice.id, { idempotencyKey: 'void-it' });
  await expect(repeat).rejects.toEqual(expect.objectContaining({ code: 'INVALID_STATE' }));
});
