import { describe, expect, test } from 'vitest';
import { CVC, cards } from '../../support/cards.ts';
import { CPF, unique } from '../../support/factories.ts';
import { passUntil, subscribe, subscribeByCard, subscribeByPix } from '../../support/subscriptions.ts';
import { PaymentScene } from '../payments/payment-scene.ts';

const scene = new PaymentScene();

const fatura = () => scene.merchant.fatura;
const pathOf = (id: string): string => new URL(scene.deps.links.updatePayment({ id, liveMode: false })).pathname;
const open = (path: string) => fetch(scene.api.baseUrl + path, { redirect: 'manual' });

const cardOf = (number: string = cards.mastercard, installments = 1) => ({
  installments,
  card: { number, exp_month: 12, exp_year: 2040, cvc: CVC },
  billing_details: { name: 'MARIA DA SILVA', document: CPF, address: null },
});

/** Sends what the script of the page sends. */
async function send(
  path: string,
  { body = {}, key = String(unique()), site = 'same-origin' }: { body?: object; key?: string; site?: string } = {},
) {
  const response = await fetch(scene.api.baseUrl + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': site, 'Idempotency-Key': `key-${key}` },
    body: JSON.stringify(body),
  });
  const { purchase, problem } = (await response.json()) as {
    purchase: { standing: string; renewedBy: unknown } | null;
    problem: { code: string } | null;
  };
  return { status: response.status, purchase, code: problem?.code ?? null };
}

const methodOf = async (id: string) => (await fatura().subscriptions.retrieve(id)).payment_method_type;
const changesOf = async (id: string) =>
  (await scene.facts(id)).filter(({ type }) => type === 'subscription.updated').length;

describe('the page of a subscription', () => {
  test('stores a card under its key once, without a charge', async () => {
    const { id } = await subscribeByPix(scene.merchant);
    const before = await scene.rows('SELECT count(*) FROM charge_attempt');
    const key = String(unique());
    for (const _ of [1, 2]) {
      expect(await send(`${pathOf(id)}/card`, { body: cardOf(), key })).toMatchObject({
        status: 200,
        purchase: { standing: 'renewing', renewedBy: { method: 'card', brand: 'mastercard', last4: '4444' } },
      });
    }
    expect(await changesOf(id)).toBe(1);
    expect(await scene.rows('SELECT count(*) FROM charge_attempt')).toEqual(before);
    expect(await methodOf(id)).toBe('card');
  });

  test('turns to PIX once, however often it is asked for and by how many', async () => {
    const { id, current_period_end: end } = await subscribeByCard(scene.merchant);
    const asked = await Promise.all([1, 2, 3].map(() => send(`${pathOf(id)}/pix`)));
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await changesOf(id)).toBe(1);
    expect(await methodOf(id)).toBe('pix');
    // The bill to come waits for its payment by PIX, and no card is charged for it.
    await passUntil({ api: scene.api, merchant: scene.merchant, id }, end ?? 0);
    const { latest_invoice: bill } = await fatura().subscriptions.retrieve(id);
    expect(await scene.intentsOf(bill ?? '')).toMatchObject([{ payment_method_type: 'pix', status: 'pending' }]);
  });

  test.for([
    ['installments', 'card', cardOf(cards.mastercard, 3), 422, 'INSTALLMENTS_NOT_ALLOWED'],
    ['an amount', 'card', { ...cardOf(), amount: 1 }, 400, 'PARAMETER_INVALID'],
    [
      'a buyer',
      'buyer',
      { name: 'Ana', identifier: CPF, email: 'a@b.test', phone: '11987654321' },
      409,
      'INVALID_STATE',
    ],
    ['a payment', 'simulation', {}, 409, 'INVALID_STATE'],
  ] as const)('takes no %s', async ([, action, body, status, code]) => {
    const { id } = await subscribeByPix(scene.merchant);
    expect(await send(`${pathOf(id)}/${action}`, { body })).toMatchObject({ status, code });
    expect(await changesOf(id)).toBe(0);
  });

  test('takes nothing from another site', async () => {
    const { id } = await subscribeByCard(scene.merchant);
    expect(await send(`${pathOf(id)}/pix`, { site: 'cross-site' })).toMatchObject({ status: 403, code: 'CROSS_SITE' });
    expect(await methodOf(id)).toBe('card');
  });

  test('opens by its own link alone', async () => {
    const { id, latest_invoice: invoice } = await subscribeByCard(scene.merchant);
    const { id: other } = await subscribeByCard(scene.merchant);
    const signature = (path: string) => path.split('/').at(-1);
    const ofInvoice = signature(new URL(scene.deps.links.payment({ id: invoice ?? '', liveMode: false })).pathname);
    for (const wrong of [signature(pathOf(other)), ofInvoice, `${signature(pathOf(id))}A`, 'A']) {
      expect((await open(`/subscription/${id}/${wrong}`)).status).toBe(404);
      expect(await send(`/subscription/${id}/${wrong}/pix`)).toMatchObject({ status: 404, purchase: null });
    }
    expect(await methodOf(id)).toBe('card');
  });

  test('leads to the bill that waits, below whatever path it is served at', async () => {
    const { id, latest_invoice: bill } = await subscribe(scene.merchant);
    const answer = await open(pathOf(id));
    expect(answer.status).toBe(303);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const { pathname } = new URL(answer.headers.get('location') ?? '', `https://proxy.test/sub/path${pathOf(id)}`);
    expect(pathname).toBe(
      `/sub/path${new URL(scene.deps.links.payment({ id: bill ?? '', liveMode: false })).pathname}`,
    );
  });

  test('does not turn a subscription that waits for its first payment', async () => {
    const { id } = await subscribe(scene.merchant);
    expect(await send(`${pathOf(id)}/pix`)).toMatchObject({ status: 409, code: 'INVALID_STATE' });
  });

  test('is gone with the subscription', async () => {
    const { id } = await subscribeByCard(scene.merchant);
    await fatura().subscriptions.cancel(id);
    expect((await open(pathOf(id))).status).toBe(410);
    expect(await send(`${pathOf(id)}/pix`)).toMatchObject({ status: 410, purchase: null });
    expect(await send(`${pathOf(id)}/card`, { body: cardOf() })).toMatchObject({ status: 410, purchase: null });
  });
});
