import type { Request } from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPrivate } from '../../../server/http/private.ts';
import { isPlainHttpUrl } from '../../../server/kernel/loopback.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { CVC, cards } from '../../support/cards.ts';
import { CPF, newInvoice } from '../../support/factories.ts';
import { startServer } from '../../support/server-process.ts';
import { type AnotherProcess, startAnother } from '../another-process.ts';
import { refusalOf, send } from '../requests.ts';

let api: TestApi;
/** Behind one proxy, which it trusts. */
let proxied: AnotherProcess;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  proxied = await startAnother(api, { trustProxy: 1 });
  shop = await api.newMerchant();
});
afterAll(async () => {
  await proxied.stop();
  await api.stop();
});

const get = (key: string, at: { baseUrl: string }, headers: Record<string, string> = {}) =>
  send(at, { method: 'GET', path: '/products', key, headers });

const client = { 'X-Forwarded-For': '203.0.113.9' };

describe('a live key', () => {
  test('is taken over the loopback interface, and over TLS as the proxy says', async () => {
    expect((await get(shop.liveKey, api)).status).toBe(200);
    expect((await get(shop.liveKey, proxied, { ...client, 'X-Forwarded-Proto': 'https' })).status).toBe(200);
  });

  test.each<[what: string, headers: Record<string, string>]>([
    ['the proxy says http', { ...client, 'X-Forwarded-Proto': 'http' }],
    ['the proxy does not say', client],
    ['another proxy stands before it', { Via: '1.1 proxy' }],
    ['only an address is told', { 'X-Real-IP': '203.0.113.9' }],
    ['it is told in the words of RFC 7239', { Forwarded: 'for=203.0.113.9;proto=https' }],
  ])('is refused when %s', async (_, headers) => {
    const answer = refusalOf(await get(shop.liveKey, proxied, headers));
    expect(answer).toMatchObject({ status: 403, type: 'permission_error', code: 'PERMISSION_DENIED' });
    expect(answer.message).toContain('A live API key is accepted over https alone');
    expect(answer.message).toContain('the operator must have the proxy send X-Forwarded-Proto, and set TRUST_PROXY');
  });

  test('is refused when a proxy that nobody trusts says that it was https', async () => {
    const headers = { ...client, 'X-Forwarded-Proto': 'https' };
    expect(refusalOf(await get(shop.liveKey, api, headers))).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
  });

  test('is refused for writing, and where no route is', async () => {
    const headers = { ...client, 'X-Forwarded-Proto': 'http' };
    const body = { product: { name: 'Plano' } };
    const post = send(proxied, { method: 'POST', path: '/products', key: shop.liveKey, body, headers });
    expect(refusalOf(await post)).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
    const nowhere = send(proxied, { method: 'GET', path: '/nothing', key: shop.liveKey, headers });
    expect(refusalOf(await nowhere)).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
    expect(await shop.live.products.list().all({ max: 1 })).toEqual([]);
  });

  test('is counted where it is refused', async () => {
    await get(shop.liveKey, proxied, client);
    expect(await proxied.composition.deps.metrics.registry.metrics()).toMatch(
      /fatura_api_key_refusals_total\{reason="plain_http"\} [1-9]/,
    );
  });
});

test('a sandbox key is taken over plain http', async () => {
  expect((await get(shop.sandboxKey, proxied, { ...client, 'X-Forwarded-Proto': 'http' })).status).toBe(200);
});

describe('a card on the page of a live invoice', () => {
  const card = {
    installments: 1,
    card: { number: cards.approved, exp_month: 12, exp_year: 2040, cvc: CVC },
    billing_details: { name: 'MARIA DA SILVA', document: CPF, address: null },
  };

  async function pay(invoice: string, headers: Record<string, string>) {
    const { pathname } = new URL(api.composition.deps.links.payment({ id: invoice, liveMode: false }));
    const response = await fetch(`${proxied.baseUrl}${pathname}/card`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Sec-Fetch-Site': 'same-origin',
        'Idempotency-Key': `key-${headers['X-Forwarded-Proto']}`,
        ...headers,
      },
      body: JSON.stringify(card),
    });
    const { problem } = await response.json();
    return [response.status, problem?.code ?? null];
  }

  test('is refused over plain http before it is read', async () => {
    const live = { ...shop, fatura: shop.live };
    const { id } = await newInvoice(live);
    expect(await pay(id, { ...client, 'X-Forwarded-Proto': 'http' })).toEqual([403, 'PLAIN_HTTP']);
    expect(await shop.live.paymentIntents.list({ invoice_id: id }).all({ max: 1 })).toEqual([]);
    // There is no acquirer of live cards: over TLS the refusal is of that.
    expect(await pay(id, { ...client, 'X-Forwarded-Proto': 'https' })).toEqual([503, 'ACQUIRER_UNAVAILABLE']);
  });

  test('is taken in the sandbox', async () => {
    const { id } = await newInvoice(shop);
    expect(await pay(id, { ...client, 'X-Forwarded-Proto': 'http' })).toEqual([200, null]);
  });
});

test.each([
  ['http://fatura.loja.test', true],
  ['https://fatura.loja.test', false],
])('a start with the address %s warns: %s', async (PUBLIC_URL, isWarned) => {
  const server = await startServer({ ...api, settings: { PUBLIC_URL } });
  await server.stop();
  expect(server.logged()).toContain('API listening');
  expect(server.logged().includes('PUBLIC_URL is an http:// address')).toBe(isWarned);
});

describe('a request', () => {
  const request = (remoteAddress: string | undefined, given: { secure?: boolean; headers?: object } = {}) =>
    ({
      secure: false,
      headers: {},
      socket: { remoteAddress },
      get: (name: string) => (name === 'X-Forwarded-Proto' && given.secure ? 'https' : undefined),
      ...given,
    }) as Request;

  test.each<[Request, boolean]>([
    [request('127.0.0.1'), true],
    [request('127.8.9.10'), true],
    [request('::1'), true],
    [request('::ffff:127.0.0.1'), true],
    [request('192.168.0.7'), false],
    [request('203.0.113.9'), false],
    [request('::ffff:203.0.113.9'), false],
    [request(undefined), false],
    [request('203.0.113.9', { secure: true }), true],
    [request('127.0.0.1', { headers: { 'x-forwarded-for': '' } }), false],
  ])('%#: nobody on the way can read it: %s', (made, expected) => {
    expect(isPrivate(made)).toBe(expected);
  });

  test.each([
    ['http://fatura.loja.test', true],
    ['http://203.0.113.9:3000', true],
    ['http://[2001:db8::1]/', true],
    ['https://fatura.loja.test', false],
    ['http://localhost:3000', false],
    ['http://127.0.0.1:3000', false],
    ['http://[::1]:3000', false],
  ])('to %s goes over plain http: %s', (url, expected) => {
    expect(isPlainHttpUrl(url)).toBe(expected);
  });
});
