import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { cards, payByCard } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';

const AMOUNTS = [1_000, 4_990, 9_990] as const;
const HOUR = 3_600;

let api: TestApi;
let shop: Merchant;
let began = 0;

/** One invoice of each amount for each way it can go on, an hour apart from one another. */
beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  began = api.clock.now();
  for (const amount of AMOUNTS) {
    const bill = async () => {
      api.clock.advance(HOUR);
      return (await newInvoice(shop, { amount })).id;
    };
    const byPix = async () => {
      const { payment_intent: intent } = await shop.fatura.invoices.checkout(await bill(), {
        payment_method_type: 'pix',
      });
      return intent ?? '';
    };
    await bill();
    await byPix();
    await shop.fatura.testHelpers.paymentIntents.payPix(await byPix(), { scenario: 'paid' });
    await shop.fatura.testHelpers.paymentIntents.payPix(await byPix(), { scenario: 'paid_twice' });
    await payByCard(shop, await bill());
    await payByCard(shop, await bill(), { number: cards.issuer_declined }).catch(() => {});
  }
});
afterAll(() => api.stop());

interface Filter {
  readonly amount_gte?: number;
  readonly amount_lte?: number;
  readonly paid_at_gte?: number;
  readonly paid_at_lte?: number;
  readonly payment_method_type?: 'pix' | 'card';
}

/** Every filter by itself, at ends that fall on a value and beside one, and pairs of them. */
function filters(): Filter[] {
  const noon = began + 9 * HOUR;
  const single: Filter[] = [
    ...[0, 4_990, 4_991, 9_991].flatMap((cents) => [{ amount_gte: cents }, { amount_lte: cents }]),
    ...[began, noon, noon + 1, noon + 90 * HOUR].flatMap((at) => [{ paid_at_gte: at }, { paid_at_lte: at }]),
    { payment_method_type: 'pix' },
    { payment_method_type: 'card' },
  ];
  return [...single, ...single.flatMap((one) => single.map((other) => ({ ...one, ...other })))];
}

const isWithin = (
  { amount, paidAt, method }: { amount: number; paidAt: number | null; method: string | null },
  { amount_gte, amount_lte, paid_at_gte, paid_at_lte, payment_method_type }: Filter,
): boolean =>
  amount >= (amount_gte ?? 0) &&
  amount <= (amount_lte ?? Infinity) &&
  (paid_at_gte === undefined || (paidAt !== null && paidAt >= paid_at_gte)) &&
  (paid_at_lte === undefined || (paidAt !== null && paidAt <= paid_at_lte)) &&
  (payment_method_type === undefined || method === payment_method_type);

describe('a list', () => {
  test('of payment intents has those that every filter lets through', async () => {
    const all = await shop.fatura.paymentIntents.list().all({ max: 100 });
    expect(all.length).toBe(6 * AMOUNTS.length);
    for (const filter of filters()) {
      const found = await shop.fatura.paymentIntents.list({ ...filter, limit: 100 }).page();
      const wanted = all.filter(({ amount, status_transitions, payment_method_type: method }) =>
        isWithin({ amount, paidAt: status_transitions.paid_at, method }, filter),
      );
      expect([filter, found.data.map(({ id }) => id)]).toEqual([filter, wanted.map(({ id }) => id)]);
    }
  });

  test('of invoices has those that every filter lets through, by the method of the newest charge that is no surplus', async () => {
    const all = await shop.fatura.invoices.list().all({ max: 100 });
    const methods = new Map<string, string | null>();
    for (const { id, payment_method_type } of await shop.fatura.paymentIntents.list().all({ max: 100 }))
      methods.set(id, payment_method_type);
    expect(all.length).toBe(6 * AMOUNTS.length);
    for (const filter of filters()) {
      const found = await shop.fatura.invoices.list({ ...filter, limit: 100 }).page();
      const wanted = all.filter(({ total, status_transitions, payment_intent }) =>
        isWithin(
          { amount: total, paidAt: status_transitions.paid_at, method: methods.get(payment_intent ?? '') ?? null },
          filter,
        ),
      );
      expect([filter, found.data.map(({ id }) => id)]).toEqual([filter, wanted.map(({ id }) => id)]);
    }
  });

  test.each(['paymentIntents', 'invoices'] as const)('of %s turns its pages under a filter', async (resource) => {
    const filter = { payment_method_type: 'pix', amount_gte: 4_990 } as const;
    const whole = await shop.fatura[resource].list({ ...filter, limit: 100 }).page();
    const ids: string[] = [];
    for await (const { id } of shop.fatura[resource].list({ ...filter, limit: 2 })) ids.push(id);
    expect(ids).toEqual(whole.data.map(({ id }) => id));
    expect(ids.length).toBeGreaterThan(4);
  });

  test.each([
    ['amount_gte', '-1'],
    ['amount_lte', '1,5'],
    ['paid_at_gte', 'ontem'],
    ['payment_method_type', 'boleto'],
  ])('refuses %s=%s and names it', async (name, value) => {
    for (const path of ['invoices', 'payment_intents']) {
      const answer = await fetch(`${api.baseUrl}/api/v1/${path}?${name}=${value}`, {
        headers: { Authorization: `ApiKey ${shop.sandboxKey}` },
      });
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { error: { code: 'PARAMETER_INVALID', param: name } },
      ]);
    }
  });
});
