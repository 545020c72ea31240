import { describe, expect, test } from 'vitest';
import { tokenizeCard } from '../../../sdk/src/card.ts';
import { newInvoice } from '../../support/factories.ts';
import { type CardShop, cardScene } from './card-shop.ts';

const scene = cardScene();
const GOOD = '4000000000000010';
const NAMELESS = `pk_sandbox_${'0'.repeat(26)}`;

const typed = (number: string, more: object = {}) => ({
  number,
  exp_month: 12,
  exp_year: 2040,
  cvc: '123',
  name: 'MARIA DA SILVA',
  ...more,
});

const baseUrl = () => scene.api().baseUrl;
const holder = { name: 'Maria da Silva', document: '52998224725' };
const paying = (card_token: string) => ({ payment_method_type: 'card', card_token, billing_details: holder }) as const;
const entry = (key: string) => fetch(`${baseUrl()}/api/v1/card_entry?key=${key}`);
const keyOf = async ({ fatura }: CardShop) => (await fatura.account.retrieve()).publishable_key;

describe('a page of a merchant', () => {
  test('sends a live card to the acquirer, and pays with what it answers', async () => {
    const shop = await scene.openShop();
    const live = await keyOf(shop);
    const answer = await entry(live);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(await answer.json()).toEqual({
      object: 'card_entry',
      kind: 'direct',
      url: expect.stringContaining(`/tokens?appId=${shop.own.publicKey}`),
      public_key: shop.own.publicKey,
      shape: 'pagarme-v5',
    });
    const token = await tokenizeCard({ publishableKey: live, baseUrl: baseUrl(), card: typed('4000 0000 0000 0010') });
    const { id } = await newInvoice(shop, { amount: 4_000 });
    expect(await shop.fatura.invoices.checkout(id, paying(token))).toMatchObject({ status: 'paid', live_mode: true });
    expect(shop.own.charges.size).toBe(1);
  });

  test('is told which fields of a live card are at fault', async () => {
    const shop = await scene.openShop();
    const publishableKey = await keyOf(shop);
    const give = (card: ReturnType<typeof typed>) => tokenizeCard({ publishableKey, baseUrl: baseUrl(), card });
    await expect(give(typed('4000000000000011'))).rejects.toMatchObject({ code: 'CARD_INVALID', fields: ['number'] });
    await expect(give(typed(GOOD, { exp_month: 13 }))).rejects.toMatchObject({ fields: ['exp_month'] });
  });
});

describe('a publishable key', () => {
  test('that is none, or of nobody, is refused by name', async () => {
    const told = async (key: string) => {
      const answer = await entry(key);
      return { status: answer.status, ...(await answer.json()).error };
    };
    for (const key of ['', 'pk_sandbox_', 'sk_sandbox_x', `pk_test_${'0'.repeat(26)}`, `${NAMELESS}0`])
      expect(await told(key)).toMatchObject({ status: 400, code: 'PARAMETER_INVALID', param: 'key' });
    expect(await told(NAMELESS)).toMatchObject({ status: 404, code: 'RESOURCE_MISSING', param: 'key' });
    expect(await told(NAMELESS.replace('sandbox', 'live'))).toMatchObject({ status: 404 });
    await expect(
      tokenizeCard({ publishableKey: NAMELESS, baseUrl: baseUrl(), card: typed(GOOD) }),
    ).rejects.toMatchObject({ code: 'PUBLISHABLE_KEY_INVALID', fields: [] });
  });

  test('of an account without an acquirer for live cards says so', async () => {
    const merchant = await scene.api().newMerchant();
    const { publishable_key: key } = await merchant.live.account.retrieve();
    expect((await entry(key)).status).toBe(503);
    await expect(tokenizeCard({ publishableKey: key, baseUrl: baseUrl(), card: typed(GOOD) })).rejects.toMatchObject({
      code: 'CARD_ENTRY_UNAVAILABLE',
    });
  });

  test('opens nothing else', async () => {
    const key = await keyOf(await scene.openShop());
    const answer = await fetch(`${baseUrl()}/api/v1/invoices`, { headers: { Authorization: `ApiKey ${key}` } });
    expect(answer.status).toBe(401);
  });
});
