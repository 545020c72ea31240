import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { troubleBank } from '../../support/bank.ts';
import { newInvoice } from '../../support/factories.ts';

let api: TestApi;
let shop: Merchant;
let bank: ReturnType<typeof troubleBank>;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  bank = troubleBank(api);
});
afterEach(() => bank.recovers());
afterAll(() => api.stop());

const NAVIGATION = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };

/** Opens the page of an invoice as a program that says of itself what the headers say; fetch would say it is a script. */
async function open(invoice: string, headers: Record<string, string> = NAVIGATION) {
  const { pathname } = new URL(api.composition.deps.links.payment({ id: invoice, liveMode: false }));
  const began = performance.now();
  const page = await new Promise<string>((resolve, reject) => {
    get(api.baseUrl + pathname, { headers }, (response) => void text(response).then(resolve, reject)).on(
      'error',
      reject,
    );
  });
  return { hasCode: page.includes('copy-paste-pix'), hasButton: page.includes('Gerar'), ms: performance.now() - began };
}

const intentsOf = (invoice: string) => shop.fatura.paymentIntents.list({ invoice_id: invoice }).all({ max: 10 });

const CODE = { hasCode: true, hasButton: false };
const BUTTON = { hasCode: false, hasButton: true };

describe('the code of an invoice', () => {
  test('stands as somebody opens its page, once however many do', async () => {
    const { id } = await newInvoice(shop);
    expect(await open(id)).toMatchObject(CODE);
    expect(await open(id)).toMatchObject(CODE);
    expect(await intentsOf(id)).toHaveLength(1);
    expect(bank.calls.filter((call) => call === 'createPix')).toHaveLength(1);
  });

  test.each<[string, Record<string, string>]>([
    ['a program that previews links', {}],
    ['a frame', { ...NAVIGATION, 'Sec-Fetch-Dest': 'iframe' }],
    ['a browser that loads ahead', { ...NAVIGATION, 'Sec-Purpose': 'prefetch' }],
  ])('is not made by %s', async (_, headers) => {
    const { id } = await newInvoice(shop);
    expect(await open(id, headers)).toMatchObject(BUTTON);
    expect(await intentsOf(id)).toEqual([]);
  });

  test('is asked for no more than four times a minute where the bank gives none', async () => {
    const { id } = await newInvoice(shop);
    bank.meets('createPix', 'unreachable');
    for (let time = 0; time < 6; time += 1) expect(await open(id)).toMatchObject(BUTTON);
    const asked = bank.calls.filter((call) => call === 'createPix').length;
    expect(asked).toBeGreaterThan(0);
    bank.recovers();
    expect(await open(id)).toMatchObject(BUTTON);
    expect(bank.calls).toEqual([]);
  });

  test('keeps the page waiting for a moment alone, and is there once the bank has answered', async () => {
    const { id } = await newInvoice(shop);
    const { promise: answer, resolve } = Promise.withResolvers<void>();
    bank.meets('createPix', () => answer);
    expect(await open(id)).toMatchObject(BUTTON);
    resolve();
    bank.recovers();
    await expect.poll(async () => (await open(id, {})).hasCode).toBe(true);
    expect(await intentsOf(id)).toHaveLength(1);
  });
});
