import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { payByCard } from '../../support/cards.ts';
import { newInvoice } from '../../support/factories.ts';

const DAY = 86_400;

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

const pathOf = (id: string): string => new URL(api.composition.deps.links.payment({ id, liveMode: false })).pathname;

/** The page of an invoice as it is sent. */
async function open(id: string, method: 'GET' | 'POST' = 'GET') {
  const response = await fetch(api.baseUrl + pathOf(id), { method, redirect: 'manual' });
  return { status: response.status, text: await response.text() };
}

describe('the links of an invoice', () => {
  const linksOf = async (id: string) => {
    const { payment_url, receipt_url } = await shop.fatura.invoices.retrieve(id);
    return { payment_url, receipt_url };
  };

  test('stand in it from its opening on, and that of its receipt once it is paid', async () => {
    const { id } = await newInvoice(shop, { draft: true });
    expect(await linksOf(id)).toEqual({ payment_url: null, receipt_url: null });
    const opened = await shop.fatura.invoices.finalize(id);
    expect(opened.payment_url).toBe(api.composition.deps.links.payment({ id, liveMode: false }));
    expect(opened.receipt_url).toBeNull();
    expect((await open(id)).status).toBe(200);
    await payByCard(shop, id);
    expect(await linksOf(id)).toEqual({
      payment_url: opened.payment_url,
      receipt_url: `${opened.payment_url}/receipt`,
    });
    const { data: told } = await shop.fatura.events.list({ related_object: id, type: ['invoice.paid'] }).page();
    expect(told[0]?.data.object).toMatchObject(await linksOf(id));
  });

  test('stay away from a draft that was never opened', async () => {
    const { id } = await newInvoice(shop, { draft: true });
    await shop.fatura.invoices.void(id);
    expect(await linksOf(id)).toEqual({ payment_url: null, receipt_url: null });
  });
});

describe('the page of a closed invoice', () => {
  const MONTH = 30 * DAY;
  const isGone = async (id: string) => {
    const { status, text } = await open(id);
    const { status: state } = await fetch(`${api.baseUrl}${pathOf(id)}/state`);
    expect(state).toBe(status);
    expect(text.includes('não está mais disponível')).toBe(status === 410);
    return status === 410;
  };

  test('ends 30 days after the invoice was paid, voided or given up', async () => {
    const [paid, voided, givenUp, unpaid] = await Promise.all([1, 2, 3, 4].map(() => newInvoice(shop)));
    await payByCard(shop, paid?.id ?? '');
    await shop.fatura.invoices.void(voided?.id ?? '');
    await shop.fatura.invoices.markUncollectible(givenUp?.id ?? '');
    const closed = [paid, voided, givenUp].map((invoice) => invoice?.id ?? '');
    const ofAll = () => Promise.all([...closed, unpaid?.id ?? ''].map(isGone));
    api.clock.advance(MONTH);
    expect(await ofAll()).toEqual([false, false, false, false]);
    api.clock.advance(1);
    expect(await ofAll()).toEqual([true, true, true, false]);
    // Given up, it could still be paid by the API; its page takes nothing any more.
    const { status } = await open(givenUp?.id ?? '', 'POST');
    expect(status).toBe(410);
    expect((await shop.fatura.invoices.retrieve(givenUp?.id ?? '')).payment_intent).toBeNull();
  });
});
