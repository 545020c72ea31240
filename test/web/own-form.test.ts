import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakePagarme, startFakePagarme } from '../../dev/fake-pagarme/pagarme.ts';
import { type CardShop, openCardShop } from '../api/live/card-shop.ts';
import { issuerCodes } from '../api/live/pagarme.ts';
import { newInvoice } from '../support/factories.ts';
import { paymentScene } from './scene.ts';

const scene = paymentScene();
const GOOD = '4000000000000010';

let fake: FakePagarme;
let shop: CardShop;
let site: Server;
let siteUrl: string;
beforeAll(async () => {
  fake = await startFakePagarme({ issuerCodes });
  shop = await openCardShop({ api: scene.api(), fake });
  const bundled = await build({
    entryPoints: ['sdk/src/card.ts'],
    bundle: true,
    format: 'iife',
    globalName: 'card',
    write: false,
  });
  const script = bundled.outputFiles[0]?.text ?? '';
  site = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end(`<!doctype html><title>Loja</title><script>${script}</script>`);
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  site.close();
  site.closeAllConnections();
  await fake.close();
});

/** The shop's own page in a browser, at an origin that is not ours. */
async function openSite() {
  const { id } = await newInvoice(shop, { amount: 4_000 });
  const { page } = await scene.open(id);
  await page.goto(siteUrl);
  const sent: { origin: string; body: string }[] = [];
  page.on('request', (request) => {
    sent.push({ origin: new URL(request.url()).origin, body: request.postData() ?? '' });
  });
  return { id, page, sent };
}

test('a page of the shop gives the card to the acquirer, and its server pays with the token', async () => {
  const { id, page, sent } = await openSite();
  const { publishable_key: publishableKey } = await shop.fatura.account.retrieve();
  const typed = { number: GOOD, exp_month: 12, exp_year: 2040, cvc: '123', name: 'MARIA DA SILVA' };
  const options = { publishableKey, baseUrl: scene.api().baseUrl, card: typed };
  const card_token = await page.evaluate<string>(`card.tokenizeCard(${JSON.stringify(options)})`);
  const billing_details = { name: 'Maria da Silva', document: '52998224725' };
  const paid = await shop.fatura.invoices.checkout(id, { payment_method_type: 'card', card_token, billing_details });
  expect(paid).toMatchObject({ status: 'paid', live_mode: true });
  expect(sent.filter(({ body }) => body.includes(GOOD)).map(({ origin }) => origin)).toEqual([fake.origin]);
  expect(sent.map(({ origin }) => origin)).toContain(new URL(scene.api().baseUrl).origin);
});

test('a page of the shop gives a card of the sandbox to the sandbox', async () => {
  const { page } = await openSite();
  const merchant = await scene.api().newMerchant();
  const { publishable_key: key } = await merchant.fatura.account.retrieve();
  const url = `${scene.api().baseUrl}/api/v1/sandbox/card_tokens?appId=${key}`;
  const typed = { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvv: '123', holder_name: 'MARIA' };
  const request = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ type: 'card', card: typed }),
  };
  const answer = await page.evaluate<object>(
    `fetch(${JSON.stringify(url)}, ${JSON.stringify(request)}).then((answer) => answer.json())`,
  );
  expect(answer).toMatchObject({ type: 'card', card: { last_four_digits: '4242', brand: 'visa' } });
});
