import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { cards } from '../../support/cards.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';
import { subscribeByCard, subscribeByMandate } from '../../support/subscriptions.ts';
import { openPortal } from './visit.ts';

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

const subscription = (id: string) => shop.fatura.subscriptions.retrieve(id);
const done = (response: Response) => [response.status, response.headers.get('location')?.split('?')[1] ?? null];

/** An active subscription, and the page of its customer. */
async function scene() {
  const made = await subscribeByCard(shop);
  return { ...made, portal: await openPortal(api, shop, made.customer) };
}

describe('a subscription', () => {
  test('is canceled at the end of its period, once however often that is sent, and goes on again', async () => {
    const { id, portal, current_period_end: end } = await scene();
    const cancel = () => portal.post(`/subscriptions/${id}/cancel`);
    expect((await Promise.all([cancel(), cancel(), cancel()])).map(done)).toEqual(Array(3).fill([303, 'done=cancel']));
    expect(await subscription(id)).toMatchObject({ status: 'active', cancel_at: end, cancel_at_period_end: true });
    const told = await shop.fatura.events
      .list({ type: ['subscription.cancel_scheduled'], related_object: id })
      .all({ max: 9 });
    expect(told).toHaveLength(1);
    expect(await (await portal.get()).text()).toContain('Cancelada: vale até');
    expect(done(await portal.post(`/subscriptions/${id}/uncancel`))).toEqual([303, 'done=uncancel']);
    expect(done(await portal.post(`/subscriptions/${id}/uncancel`))).toEqual([303, 'done=uncancel']);
    expect(await subscription(id)).toMatchObject({ cancel_at: null, cancel_at_period_end: false });
  });

  test('that its merchant ends at an instant, or that has ended, is not taken back', async () => {
    const { id, portal, current_period_end: end } = await scene();
    await shop.fatura.subscriptions.cancelAt(id, { at: (end ?? 0) - 86_400 });
    expect((await portal.post(`/subscriptions/${id}/uncancel`)).status).toBe(409);
    await shop.fatura.subscriptions.cancel(id);
    const refused = await portal.post(`/subscriptions/${id}/uncancel`);
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain('Isto não pode ser feito agora.');
    expect(await subscription(id)).toMatchObject({ status: 'inactive' });
  });

  test('is neither paused nor changed where the account does not allow it', async () => {
    const { id, portal, item } = await scene();
    expect((await portal.post(`/subscriptions/${id}/pause`)).status).toBe(409);
    expect((await portal.get(`/subscriptions/${id}/prices/${item.price.id}`)).status).toBe(409);
    expect((await portal.post(`/subscriptions/${id}/prices/${item.price.id}`, { expected_total: '0' })).status).toBe(
      409,
    );
    expect((await portal.post(`/subscriptions/${id}/prices/${item.price.id}`)).status).toBe(400);
    expect(await subscription(id)).toMatchObject({ status: 'active', pause: null, pending_change: null });
  });

  test('is paused where the account allows it, and not canceled where it does not', async () => {
    const other = await api.newMerchant();
    await other.fatura.collectionSettings.update({ portal: { pause: true, cancel: 'none' } });
    const { id, customer } = await subscribeByCard(other);
    const portal = await openPortal(api, other, customer);
    expect((await portal.post(`/subscriptions/${id}/cancel`)).status).toBe(409);
    expect(done(await portal.post(`/subscriptions/${id}/pause`))).toEqual([303, 'done=pause']);
    expect((await other.fatura.subscriptions.retrieve(id)).pause).not.toBeNull();
  });
});

describe('cards and mandates', () => {
  test('a card that pays a subscription stays, and the page says why', async () => {
    const { id, portal, customer } = await scene();
    const [card] = await shop.fatura.paymentMethods.list(customer).all({ max: 2 });
    const refused = await portal.post(`/cards/${card?.id}/remove`);
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain('Este cartão paga uma assinatura.');
    expect(done(await portal.post(`/cards/${card?.id}/default`))).toEqual([303, 'done=card_preferred']);
    await shop.fatura.subscriptions.cancel(id);
    expect(done(await portal.post(`/cards/${card?.id}/remove`))).toEqual([303, 'done=card_removed']);
    expect(await shop.fatura.paymentMethods.list(customer).all({ max: 2 })).toEqual([]);
  });

  test('a mandate is ended, and its subscription goes on by PIX', async () => {
    const made = await subscribeByMandate(shop);
    const { mandate, customer } = await subscription(made.id);
    const portal = await openPortal(api, shop, customer);
    expect(await (await portal.get()).text()).toContain('Encerrar a autorização');
    expect(done(await portal.post(`/mandates/${mandate}/end`))).toEqual([303, 'done=mandate_ended']);
    expect((await shop.fatura.mandates.retrieve(mandate ?? '')).status).toBe('ended');
    expect(await subscription(made.id)).toMatchObject({ status: 'active', payment_method_type: 'pix' });
  });
});

describe('attacks', () => {
  const below = async (of: Merchant) => {
    const made = await subscribeByCard(of);
    const [card] = await of.fatura.paymentMethods.list(made.customer).all({ max: 1 });
    return [
      `/subscriptions/${made.id}/cancel`,
      `/subscriptions/${made.id}/uncancel`,
      `/subscriptions/${made.id}/pause`,
      `/subscriptions/${made.id}/resume`,
      `/cards/${card?.id}/default`,
      `/cards/${card?.id}/remove`,
    ];
  };

  test('what is another customer’s, or another account’s, is no such thing, and stays as it is', async () => {
    const { portal } = await scene();
    const other = await api.newMerchant();
    const { mandate } = await subscription((await subscribeByMandate(shop)).id);
    const events = async () => (await shop.fatura.events.list().all({ max: 1_000 })).length;
    const paths = [...(await below(shop)), ...(await below(other)), `/mandates/${mandate}/end`];
    const before = await events();
    for (const path of paths) expect([path, (await portal.post(path)).status]).toEqual([path, 404]);
    expect(await events()).toBe(before);
  });

  test('what is the same merchant’s of the other mode is no such thing either', async () => {
    const ofLive = await shop.live.customers.create({
      name: 'Ana',
      identifier: '52998224725',
      email: 'ana@example.com',
    });
    const live = await openPortal(api, { fatura: shop.live }, ofLive.id);
    for (const path of await below(shop)) expect([path, (await live.post(path)).status]).toEqual([path, 404]);
    expect(await (await live.get()).text()).not.toContain('Ambiente de teste');
  });

  test('a form that another site sends changes nothing, whatever a browser tells of it', async () => {
    const { id, portal } = await scene();
    const forged: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.test' },
      { Origin: 'https://evil.test', 'Sec-Fetch-Site': 'none' },
    ];
    for (const headers of forged)
      expect((await portal.post(`/subscriptions/${id}/cancel`, {}, headers)).status).toBe(403);
    expect((await subscription(id)).cancel_at).toBeNull();
  });

  test('no look changes anything: programs that preview links look, too', async () => {
    const { id, portal } = await scene();
    expect((await portal.get(`/subscriptions/${id}/cancel`)).status).toBe(404);
    expect((await subscription(id)).cancel_at).toBeNull();
  });

  test('whoever acts without an end is told to wait, and looking goes on', async () => {
    const { id, portal } = await scene();
    const statuses: number[] = [];
    for (let n = 0; n < 22; n += 1) statuses.push((await portal.post(`/subscriptions/${id}/pause`)).status);
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(409));
    expect(statuses.slice(20)).toEqual([429, 429]);
    expect((await portal.get()).status).toBe(200);
  });

  test('texts of merchants are shown as texts', async () => {
    const { id } = await newCustomer(shop);
    await newInvoice(shop, { customer_id: id });
    const product = await shop.fatura.products.create({ name: '<script>alert(1)</script>' });
    const price = await shop.fatura.prices.create({ product_id: product.id, unit_amount: 100, type: 'one_time' });
    await newInvoice(shop, { customer_id: id, line_items: [{ price_id: price.id, quantity: 1 }] });
    const page = await (await (await openPortal(api, shop, id)).get()).text();
    expect(page).toContain('&lt;script>alert(1)');
    expect(page).not.toContain('<script>alert');
  });
});

describe('paid bills', () => {
  test('are there page by page however old, and their receipts open', async () => {
    const { id: customer } = await newCustomer(shop);
    for (let n = 0; n < 26; n += 1) {
      const { id } = await newInvoice(shop, { customer_id: customer });
      await shop.fatura.invoices.checkout(id, {
        payment_method_type: 'card',
        card: { number: cards.approved, exp_month: 12, exp_year: 2040, cvc: '123' },
        billing_details: { name: 'MARIA', document: '52998224725' },
      });
    }
    api.clock.advance(40 * 86_400);
    const portal = await openPortal(api, shop, customer);
    const receipts = (text: string) => [...text.matchAll(/href="([^"]+)\/receipt"/g)].map(([, link = '']) => link);
    expect(receipts(await (await portal.get()).text())).toHaveLength(5);
    const first = await (await portal.get('/bills')).text();
    const after = /bills\?after=(in_\w+)/.exec(first)?.[1];
    const second = await (await portal.get(`/bills?after=${after}`)).text();
    expect([receipts(first).length, receipts(second).length]).toEqual([20, 6]);
    const [oldest] = receipts(second).slice(-1);
    const page = new URL(oldest ?? '', `${api.baseUrl}${new URL(portal.url).pathname}/bills`).href;
    expect((await fetch(page)).status).toBe(410);
    expect((await fetch(`${page}/receipt`)).status).toBe(200);
    expect((await fetch(`${page}/receipt.pdf`)).headers.get('content-type')).toBe('application/pdf');
  });

  test('of another customer are no place to go on from', async () => {
    const { customer } = await subscribeByCard(shop);
    const [theirs] = await shop.fatura.invoices.list({ customer_id: customer }).all({ max: 1 });
    const portal = await openPortal(api, shop, (await newCustomer(shop)).id);
    const page = await portal.get(`/bills?after=${theirs?.id}`);
    expect(await page.text()).not.toContain('Ver recibo');
    expect((await portal.get('/bills?after=in_01kaj4w2n8e9r7t5v3x1z0q6d4')).status).toBe(400);
  });
});
