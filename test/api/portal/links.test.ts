import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeEndedPortalLinks } from '../../../server/portal/links.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice } from '../../support/factories.ts';
import { newPerson } from '../../support/people.ts';
import { send, violationsOf } from '../requests.ts';
import { openPortal, portalAt } from './visit.ts';

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

const pool = () => api.composition.deps.pool;
const linksOf = async (customer: string): Promise<string[]> =>
  (
    await pool().query('SELECT to_jsonb(l)::text AS row FROM portal_link l WHERE customer_id = $1', [customer])
  ).rows.map(({ row }) => row);
const endAll = (customer: string) =>
  pool().query(`UPDATE portal_link SET expires_at = now() - interval '1 second' WHERE customer_id = $1`, [customer]);

test('a link is answered once, with a secret of 256 bits of which only a hash is kept', async () => {
  const { id } = await newCustomer(shop);
  const before = Math.floor(Date.now() / 1_000);
  const link = await shop.fatura.customers.createPortalLink(id, {
    return_url: 'https://loja.test/conta',
    expires_in: 300,
  });
  expect(link).toEqual({
    object: 'portal_link',
    customer: id,
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/portal\/sandbox_[\w-]{43}$/),
    expires_at: expect.any(Number),
  });
  expect(link.expires_at - before - 300).toBeLessThan(10);
  const [row] = await linksOf(id);
  expect(row).toContain('"return_url": "https://loja.test/conta"');
  expect(row).not.toContain(link.url.split('sandbox_')[1] ?? '');
  expect(api.logged()).not.toContain(link.url.split('sandbox_')[1]);
});

test('a link lasts an hour unless it is said otherwise, of live customers too', async () => {
  const customer = await shop.live.customers.create({
    name: 'Ana',
    identifier: '52998224725',
    email: 'ana@example.com',
  });
  const { url, expires_at: end } = await shop.live.customers.createPortalLink(customer.id);
  expect(url).toMatch(/\/portal\/[\w-]{43}$/);
  expect(Math.abs(end - Date.now() / 1_000 - 3_600)).toBeLessThan(10);
});

test.each([
  ['expires_in', 299],
  ['expires_in', 86_401],
  ['return_url', 'javascript:alert(1)'],
  ['url', 'https://loja.test'],
])('a wrong %s is named: %s', async (field, value) => {
  const { id } = await newCustomer(shop);
  const path = `/customers/${id}/portal_links`;
  const answer = await send(api, { method: 'POST', path, key: shop.sandboxKey, body: { [field]: value } });
  expect(violationsOf(answer)).toEqual([400, `${field} PARAMETER_${field === 'url' ? 'UNKNOWN' : 'INVALID'}`]);
});

test('who only looks makes none; who sells does, and the log tells it without the secret', async () => {
  const { id } = await newCustomer(shop);
  const viewer = await newPerson(api, { accountId: shop.accountId, role: 'viewer' });
  await expect(viewer.sdk().customers.createPortalLink(id)).rejects.toMatchObject({ status: 403 });
  const support = await newPerson(api, { accountId: shop.accountId, role: 'support' });
  const { url } = await support.sdk().customers.createPortalLink(id);
  const [entry] = await shop.fatura.auditLog.list({ action: 'customers.createPortalLink' }).all({ max: 1 });
  expect(entry).toMatchObject({ object_id: id });
  expect(JSON.stringify(entry)).not.toContain(url.split('/').at(-1));
});

test('a repeat under the same key is answered the same link', async () => {
  const { id } = await newCustomer(shop);
  const make = () => shop.fatura.customers.createPortalLink(id, {}, { idempotencyKey: `portal ${id}` });
  expect(await make()).toEqual(await make());
  expect(await linksOf(id)).toHaveLength(1);
});

describe('a link opens nothing', () => {
  const expectEnded = async (response: Response) => {
    expect(response.status).toBe(404);
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await response.text()).toContain('Este link não vale mais');
  };

  test('that was guessed, or has another form', async () => {
    const { url } = await openPortal(api, shop, (await newCustomer(shop)).id);
    const one = url.at(-2) === 'A' ? 'B' : 'A';
    for (const guess of [
      `${url.slice(0, -2)}${one}${url.at(-1)}`,
      url.replace('sandbox_', ''),
      url.slice(0, -1),
      `${url}x`,
      url.replace(/sandbox_.*/, 'sandbox_%00'),
    ])
      await expectEnded(await portalAt(api, guess).get());
  });

  test('once it has ended, to look or to act; the retention removes it then, and none that still opens', async () => {
    const [{ id }, other] = [await newCustomer(shop), await newCustomer(shop)];
    const [ended, open] = [await openPortal(api, shop, id), await openPortal(api, shop, other.id)];
    expect((await ended.get()).status).toBe(200);
    await endAll(id);
    await expectEnded(await ended.get());
    await expectEnded(await ended.post('/subscriptions/sub_01kaj4w2n8e9r7t5v3x1z0q6d4/cancel'));
    await removeEndedPortalLinks(pool(), () => {});
    expect(await linksOf(id)).toEqual([]);
    expect((await open.get()).status).toBe(200);
  });

  test('once its customer is anonymized, and none is made after that', async () => {
    const { id } = await newCustomer(shop);
    const portal = await openPortal(api, shop, id);
    await shop.fatura.customers.anonymize(id);
    await expectEnded(await portal.get());
    expect(await linksOf(id)).toEqual([]);
    await expect(openPortal(api, shop, id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });

  test('and who guesses too often is refused before anything is looked up', async () => {
    const stranger = (n: number) =>
      fetch(`${api.baseUrl}/portal/sandbox_${String(n).padStart(43, 'x')}`, {
        headers: { 'X-Forwarded-For': '203.0.113.9' },
      });
    const statuses = [];
    for (let n = 0; n < 25; n += 1) statuses.push((await stranger(n)).status);
    expect(statuses.slice(-5)).toEqual([429, 429, 429, 429, 429]);
    const { rows } = await pool().query(`DELETE FROM rate_limit WHERE key LIKE 'page_portal_miss%' RETURNING 1`);
    expect(rows.length).toBeGreaterThan(0);
  });
});

test('the page is kept out of caches, indexes and Referer headers, and runs nothing that we did not build', async () => {
  const { id } = await newCustomer(shop);
  await newInvoice(shop, { customer_id: id });
  const page = await (await openPortal(api, shop, id)).get();
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self'"),
  });
  expect(page.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
  expect(await page.text()).not.toMatch(/<script(?![^>]*src=)|style=|onclick/);
});
