import type { Request, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakePagarme, startFakePagarme } from '../../dev/fake-pagarme/pagarme.ts';
import { type CardShop, openCardShop } from '../api/live/card-shop.ts';
import { issuerCodes } from '../api/live/pagarme.ts';
import { CVC } from '../support/cards.ts';
import { newInvoice } from '../support/factories.ts';
import { expectSound, payButton, paymentScene, typeCard } from './scene.ts';

const scene = paymentScene();
const GOOD = '4000000000000010';
const DECLINED = '4000000000009995';

let fake: FakePagarme;
let shop: CardShop;
beforeAll(async () => {
  fake = await startFakePagarme({ issuerCodes });
  shop = await openCardShop({ api: scene.api(), fake });
});
afterAll(() => fake.close());

/** A live bill in a browser, with all that the browser sent. */
async function open() {
  const { id } = await newInvoice(shop, { amount: 4_000 });
  const visit = await scene.open(id);
  const sent: Request[] = [];
  visit.page.on('request', (request) => void sent.push(request));
  return { id, visit, sent };
}

/** What reached an origin of these numbers and codes. */
const leaked = (sent: readonly Request[], origin: string, secrets: readonly string[]): string[] =>
  sent
    .filter((request) => new URL(request.url()).origin === origin)
    .map((request) => `${request.url()} ${request.postData() ?? ''} ${JSON.stringify(request.headers())}`)
    .filter((text) => secrets.some((secret) => text.includes(secret)));

test('a card goes from the browser to the acquirer, and no number reaches us', async () => {
  const { id, visit, sent } = await open();
  const { page } = visit;
  await typeCard(page, { number: GOOD });
  await page.getByText('vão do seu navegador direto para quem processa o cartão').waitFor();
  await payButton(page).click();
  await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
  expect(await shop.fatura.invoices.retrieve(id)).toMatchObject({ status: 'paid', live_mode: true });
  const { origin } = new URL(scene.api().baseUrl);
  expect(new Set(sent.map((request) => new URL(request.url()).origin))).toEqual(new Set([origin, fake.origin]));
  expect(leaked(sent, origin, [GOOD, `"${CVC}"`])).toEqual([]);
  expect(leaked(sent, fake.origin, [GOOD])).toHaveLength(1);
  await expectSound(visit);
});

test('its policy names the acquirer, and nothing else of another origin', async () => {
  const { id } = await newInvoice(shop, { amount: 4_000 });
  const answer = await fetch(scene.addressOf(id));
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain(`connect-src 'self' ${fake.origin};`);
  expect(policy.match(/https?:/g)).toHaveLength(1);
});

test('a decline is told as ever, and another card pays', async () => {
  const { visit } = await open();
  const { page } = visit;
  await typeCard(page, { number: DECLINED });
  await payButton(page).click();
  await page.getByText('Seu cartão não tem limite para esta compra').waitFor();
  await page.getByLabel('Número do cartão').fill('');
  await page.getByLabel('Número do cartão').pressSequentially(GOOD);
  await payButton(page).click();
  await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
});

test('a card that the acquirer does not take is marked at its field', async () => {
  const { visit } = await open();
  const { page } = visit;
  await typeCard(page, { number: GOOD, expiry: '0125' });
  await payButton(page).click();
  await page.getByText('Confira os campos marcados.').waitFor();
  expect(await page.getByLabel('Número do cartão').getAttribute('aria-invalid')).toBe('true');
});

test('a token that came too late is made anew by itself, and the card is charged once', async () => {
  const { visit } = await open();
  const { page } = visit;
  const before = shop.own.charges.size;
  await typeCard(page, { number: GOOD });
  // The first token is used before the page has sent it.
  const useUp = async (route: Route) => {
    for (const token of shop.own.tokens.values()) token.isUsed = true;
    await route.continue();
  };
  await page.route('**/card', useUp, { times: 1 });
  await payButton(page).click();
  await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
  expect(shop.own.charges.size).toBe(before + 1);
});

test('an acquirer that does not answer is told, and the next try pays', async () => {
  const { visit } = await open();
  const { page } = visit;
  fake.troubles.set({ kind: 'unavailable', operation: 'createToken', next: 1 });
  await typeCard(page, { number: GOOD });
  await payButton(page).click();
  await page.getByText('Não foi possível falar com o banco; nada foi cobrado.').waitFor();
  await payButton(page).click();
  await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
});
