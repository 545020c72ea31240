import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { tokenizeCard } from '../../../sdk/src/card.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { cards } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';
import { PUBLIC_URL } from '../../support/people.ts';
import { ownStatement } from '../../support/statements.ts';
import { refusal } from '../payments/payment-scene.ts';

let api: TestApi;
let shop: Merchant;
let key: string;
beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  // The service is at another port than it says.
  const { fetch: real } = globalThis;
  vi.stubGlobal('fetch', (url: URL | string, init: RequestInit) =>
    real(String(url).replace(PUBLIC_URL, api.baseUrl), init),
  );
  key = (await shop.fatura.account.retrieve()).publishable_key;
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await api.stop();
});

const typed = (number: string, more: object = {}) => ({
  number,
  exp_month: 12,
  exp_year: 2040,
  cvc: '123',
  name: 'MARIA DA SILVA',
  ...more,
});

const tokenOf = (number: string, more: object = {}, publishableKey = key) =>
  tokenizeCard({ publishableKey, baseUrl: api.baseUrl, card: typed(number, more) });

const gone = refusal('CARD_TOKEN_EXPIRED', { status: 422, param: 'card_token' });

const pay = async (card_token: string, by = shop) => {
  const { fatura } = by;
  const { id } = await newInvoice(by, { amount: 4_000 });
  const billing_details = { name: 'Maria da Silva', document: '52998224725' };
  return fatura.invoices.checkout(id, { payment_method_type: 'card', card_token, billing_details });
};

describe('a token of the sandbox', () => {
  test('pays once, as the card that it stands for', async () => {
    const token = await tokenOf('4242 4242 4242 4242');
    expect(await pay(token)).toMatchObject({
      status: 'paid',
      payment_method: { card: { brand: 'visa', last4: '4242' } },
    });
    await expect(pay(token)).rejects.toEqual(gone);
    await expect(pay(await tokenOf(cards.suspected_fraud))).rejects.toMatchObject({ code: 'CARD_DECLINED' });
  });

  test('pays once, however many use it at once', async () => {
    const token = await tokenOf(cards.approved);
    const paid = await Promise.allSettled(Array.from({ length: 5 }, () => pay(token)));
    expect(paid.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of paid) if (one.status === 'rejected') expect(one.reason).toEqual(gone);
  });

  test('is good for a minute, and at no other account', async () => {
    const other = await api.newMerchant();
    const token = await tokenOf(cards.approved);
    await expect(pay(token, other)).rejects.toEqual(gone);
    await api.composition.deps.pool.query(
      ownStatement(
        'test_age_browser_token',
        `UPDATE sandbox_bank.card SET browser_token_until = browser_token_until - interval '61 s' WHERE browser_token = sha256($1::bytea)`,
      ),
      [token],
    );
    await expect(pay(token)).rejects.toEqual(gone);
  });

  test('is not made of a card that is none, and the fields at fault are named', async () => {
    for (const [number, more, fields] of [
      ['4242424242424241', {}, ['number']],
      ['6011000990139424', {}, ['number']],
      ['4242424242424242', { exp_month: 13 }, ['exp_month']],
      ['4242424242424242', { exp_year: 2025, exp_month: 1 }, ['exp_year']],
      ['4242424242424242', { cvc: '1234' }, ['cvc']],
      ['4242424242424242', { name: ' ' }, ['name']],
    ] as const)
      await expect(tokenOf(number, more)).rejects.toMatchObject({ code: 'CARD_INVALID', fields });
  });
});

describe('the route of tokens', () => {
  const url = (appId: string) => `${api.baseUrl}/api/v1/sandbox/card_tokens?appId=${appId}`;
  const send = (appId: string, body: unknown) =>
    fetch(url(appId), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: 'https://loja.example' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  test('lets browsers of any page ask before they send', async () => {
    const { status, headers } = await fetch(url(key), { method: 'OPTIONS' });
    expect([status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-headers')]).toEqual([
      204,
      '*',
      'Content-Type',
    ]);
  });

  test('takes no live key, no key of nobody and no body that is none, and repeats nothing of what came', async () => {
    const number = cards.approved;
    const statuses: number[] = [];
    for (const [appId, body] of [
      [key.replace('sandbox', 'live'), { type: 'card', card: typed(number) }],
      [`pk_sandbox_${'0'.repeat(26)}`, { type: 'card', card: typed(number) }],
      ['', { type: 'card' }],
      [key, { type: number, card: typed(number) }],
      [key, [number]],
      [key, `{"number":"${number}`],
      [key, { type: 'card', card: { number: [number], holder_name: { number } } }],
      [key, 'x'.repeat(9_000)],
    ] as const) {
      const answer = await send(appId, body);
      statuses.push(answer.status);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(await answer.text()).not.toContain(number);
    }
    expect(statuses).toEqual([403, 404, 400, 422, 422, 400, 422, 413]);
  });
});
