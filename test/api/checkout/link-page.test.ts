import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byCard } from '../../support/cards.ts';
import { type AnotherProcess, startAnother } from '../another-process.ts';
import { ask, LinkScene, type Opened, SEEN } from './link-scene.ts';
import { buyer, pathOf } from './page-scene.ts';
import { DECISION, HOUR } from './session-scene.ts';

const scene = new LinkScene();
/** A process behind a proxy, which says from where each buyer comes. */
let proxied: AnotherProcess;
beforeAll(async () => {
  proxied = await startAnother(scene.api, { trustProxy: 1 });
  // A process reads what it hashes with when it reaches the database first.
  await proxied.composition.deps.pool.query('SELECT');
});
afterAll(() => proxied.stop());

const from = (address: string) => ({ 'X-Forwarded-For': address });

/** The buyer fills in the page of a session, and pays. */
async function buy(id: string): Promise<void> {
  const { url } = await scene.session(id);
  await scene.send(`${new URL(url ?? '').pathname}/buyer`, { body: buyer });
  const { invoice } = await scene.session(id);
  await scene.merchant.fatura.invoices.checkout(invoice ?? '', byCard());
}

describe('whoever opens a link', () => {
  test('gets a session of their own, which its payment makes a sale', async () => {
    const link = await scene.newLink({ max_sales: 5, success_url: 'https://loja.test/?s={CHECKOUT_SESSION_ID}' });
    const opened = await scene.open(link);
    expect([opened.status, opened.location]).toEqual([303, expect.stringMatching(/^\.\.\/\.\.\/checkout\/cs_/)]);
    const id = scene.sessionAt(opened);
    const session = await scene.session(id);
    expect(session).toMatchObject({
      status: 'open',
      payment_link: link.id,
      customer: null,
      line_items: link.line_items,
      success_url: `https://loja.test/?s=${id}`,
      return_url: null,
      expires_at: scene.api.clock.now() + HOUR,
    });
    expect(await scene.counts(link.id)).toEqual([0, 1]);
    await buy(id);
    expect((await scene.session(id)).status).toBe('complete');
    expect(await scene.counts(link.id)).toEqual([1, 0]);
  });

  test('begins a subscription where the link sells one', async () => {
    const link = await scene.newLink({ recurring: true });
    const { id } = await scene.openSession(link);
    await buy(id);
    const { subscription } = await scene.session(id);
    const { status } = await scene.merchant.fatura.subscriptions.retrieve(subscription ?? '');
    expect([status, await scene.counts(link.id)]).toEqual(['active', [1, 0]]);
  });

  test('comes back to the same session in the same browser as long as it is open', async () => {
    const link = await scene.newLink({ max_sales: 1 });
    const first = await scene.open(link);
    const again = await scene.open(link, { headers: { Cookie: first.cookie ?? '' } });
    expect(again.location).toBe(first.location);
    expect(await scene.counts(link.id)).toEqual([0, 1]);
    const id = scene.sessionAt(first);
    await scene.merchant.fatura.checkoutSessions.expire(id);
    const anew = await scene.open(link, { headers: { Cookie: first.cookie ?? '' } });
    expect(anew.status).toBe(303);
    expect(scene.sessionAt(anew)).not.toBe(id);
  });

  test('is led by a cookie to no session of another link, and to none whose address it does not know', async () => {
    const [link, other] = [await scene.newLink(), await scene.newLink()];
    const theirs = await scene.open(other);
    const id = scene.sessionAt(theirs);
    for (const cookie of [theirs.cookie ?? '', `compra=${id}.AAAA`, `compra=${id}`]) {
      const opened = await scene.open(link, { headers: { Cookie: cookie } });
      expect(scene.sessionAt(opened)).not.toBe(id);
    }
  });
});

describe('no session is opened, and nothing held', () => {
  test.each([
    ['by a program that previews links', {}],
    ['by a script', { 'Sec-Fetch-Mode': 'cors' }],
    ['in the frame of another page', { ...SEEN, 'Sec-Fetch-Dest': 'iframe' }],
    ['ahead of a visit', { ...SEEN, 'Sec-Purpose': 'prefetch;prerender' }],
  ])('%s, who is shown a button', async (_what, headers) => {
    const link = await scene.newLink({ max_sales: 1 });
    const { status, text, location, cookie } = await ask(scene.addressOf(link), { headers });
    expect([status, location, cookie]).toEqual([200, null, null]);
    expect(text).toContain('Curso de violão');
    expect(text).toContain('<form method="post">');
    expect(await scene.counts(link.id)).toEqual([0, 0]);
    const pressed = await ask(scene.addressOf(link), { method: 'POST' });
    expect([pressed.status, await scene.counts(link.id)]).toEqual([303, [0, 1]]);
  });

  test('by a request for the headers alone', async () => {
    const link = await scene.newLink();
    expect((await scene.open(link, { method: 'HEAD' })).status).toBe(200);
    expect(await scene.counts(link.id)).toEqual([0, 0]);
  });

  test('by a button of another site', async () => {
    const link = await scene.newLink();
    const headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://outra.test' };
    expect((await ask(scene.addressOf(link), { method: 'POST', headers })).status).toBe(403);
    expect(await scene.counts(link.id)).toEqual([0, 0]);
  });

  test('at an address that was not made here', async () => {
    const [link, other] = [await scene.newLink(), await scene.newLink()];
    const signature =
      pathOf({ url: other.url ?? '' })
        .split('/')
        .at(-1) ?? '';
    const { baseUrl } = scene.api;
    for (const path of [
      `/link/${link.id}/${signature}`,
      `/buy/${link.id}/${signature}`,
      `/checkout/${link.id}/${signature}`,
    ])
      expect((await ask(baseUrl + path, { headers: SEEN })).status).toBe(404);
  });
});

describe('the end of a link', () => {
  const expectOver = async (link: { id: string; url: string | null }): Promise<void> => {
    const { status, text } = await scene.open(link);
    expect([status, text.includes('Vendas encerradas')]).toEqual([410, true]);
    expect((await ask(scene.addressOf(link), { method: 'POST' })).status).toBe(410);
  };

  test('comes when it is switched off, and not to sessions that are open', async () => {
    const link = await scene.newLink();
    const opened = await scene.open(link);
    await scene.merchant.fatura.paymentLinks.update(link.id, { active: false });
    await expectOver(link);
    expect((await scene.open(link, { headers: { Cookie: opened.cookie ?? '' } })).location).toBe(opened.location);
    await buy(scene.sessionAt(opened));
    expect(await scene.counts(link.id)).toEqual([1, 0]);
  });

  test('comes by its instant', async () => {
    const link = await scene.newLink({ expires_at: scene.api.clock.now() + 60 });
    scene.api.clock.advance(59);
    expect((await scene.open(link)).status).toBe(303);
    scene.api.clock.advance(1);
    await expectOver(link);
  });

  test('comes while a price or the product that it sells is not on sale', async () => {
    const link = await scene.newLink();
    const id = link.line_items?.data[0]?.price ?? '';
    const { product } = await scene.merchant.fatura.prices.update(id, { active: false });
    await expectOver(link);
    await scene.merchant.fatura.prices.update(id, { active: true });
    expect((await scene.open(link)).status).toBe(303);
    await scene.merchant.fatura.products.update(product, { active: false });
    await expectOver(link);
  });

  test('comes with its last sale, and is put off while that is only reserved', async () => {
    const link = await scene.newLink({ max_sales: 1 });
    const { id, expires_at: expiresAt } = await scene.openSession(link);
    const { status, text } = await scene.open(link);
    expect([status, text.includes('Esgotado por agora')]).toEqual([200, true]);
    scene.api.clock.advance(expiresAt - scene.api.clock.now() + 1);
    expect(await scene.decide(id)).toBe('expired');
    expect(await scene.counts(link.id)).toEqual([0, 0]);
    await buy((await scene.openSession(link)).id);
    expect(await scene.counts(link.id)).toEqual([1, 0]);
    await expectOver(link);
  });

  test('gives a buyer whose hour is over the way to begin anew', async () => {
    const link = await scene.newLink();
    const session = await scene.openSession(link);
    await scene.pass(session, 1);
    const { text } = await ask(scene.addressOf(session), { headers: SEEN });
    expect(text).toContain(`../..${pathOf({ url: link.url ?? '' })}`);
  });
});

describe('the page of a price', () => {
  const priceOf = async (recurring = false) => {
    const link = await scene.newLink({ recurring });
    return scene.merchant.fatura.prices.retrieve(link.line_items?.data[0]?.price ?? '');
  };
  const open = async (price: { payment_url: string | null }, headers = {}) =>
    scene.open({ url: price.payment_url }, { headers });

  test('sells a piece to whoever opens it, as long as it is on sale', async () => {
    const price = await priceOf();
    const opened = await open(price);
    const id = scene.sessionAt(opened);
    expect(await scene.session(id)).toMatchObject({
      mode: 'payment',
      payment_link: null,
      success_url: null,
      return_url: null,
      line_items: { data: [{ price: price.id, quantity: 1 }] },
    });
    expect((await open(price, { Cookie: opened.cookie ?? '' })).location).toBe(opened.location);
    await buy(id);
    await scene.merchant.fatura.products.update(price.product, { active: false });
    expect((await open(price)).status).toBe(410);
  });

  test('sells a subscription where the price recurs', async () => {
    const session = await scene.session(scene.sessionAt(await open(await priceOf(true))));
    expect(session.mode).toBe('subscription');
  });
});

describe('a flood', () => {
  test('from one address holds ten of a limited link, until these are paid or expire', async () => {
    const link = await scene.newLink({ max_sales: 30 });
    const url = scene.addressOf(link, proxied.baseUrl);
    const open = (address: string) => ask(url, { headers: { ...SEEN, ...from(address) } });
    const opened: Opened[] = [];
    for (let tries = 0; tries < 12; tries += 1) opened.push(await open('198.51.100.7'));
    expect(opened.map(({ status }) => status)).toEqual([...Array(10).fill(303), 429, 429]);
    expect(opened[11]?.text).toContain('compras demais em aberto');
    expect((await open('198.51.100.8')).status).toBe(303);
    await buy(scene.sessionAt(opened[0] ?? { location: null }));
    expect((await open('198.51.100.7')).status).toBe(303);
    expect(await scene.counts(link.id)).toEqual([1, 11]);
    // What told the addresses apart is kept only while it is needed.
    const kept = await scene.rows(
      `SELECT DISTINCT opened_from IS NULL AS forgotten, status FROM checkout_session WHERE payment_link_id = $1 ORDER BY status`,
      link.id,
    );
    expect(kept).toEqual([
      { forgotten: true, status: 'complete' },
      { forgotten: false, status: 'open' },
    ]);
  });

  test('from one address opens thirty a minute of a link without a limit', async () => {
    const link = await scene.newLink();
    const url = scene.addressOf(link, proxied.baseUrl);
    const statuses: number[] = [];
    for (let tries = 0; tries < 32; tries += 1)
      statuses.push((await ask(url, { headers: { ...SEEN, ...from('203.0.113.9') } })).status);
    expect(statuses).toEqual([...Array(30).fill(303), 429, 429]);
  });
});

test('a hundred buyers of the last ten pieces get ten, in two processes, and what they leave is given back once', async () => {
  const link = await scene.newLink({ max_sales: 10 });
  const bases = [proxied.baseUrl, scene.api.baseUrl];
  const opened = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      ask(scene.addressOf(link, bases[index % 10 === 0 ? 1 : 0]), {
        headers: { ...SEEN, ...from(`192.0.2.${index}`) },
      }),
    ),
  );
  const got = opened.filter(({ status }) => status === 303).map((one) => scene.sessionAt(one));
  expect([new Set(got).size, await scene.counts(link.id)]).toEqual([10, [0, 10]]);
  expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200, 303]));
  const [paid, left] = [got.slice(0, 4), got.slice(4)];
  await Promise.all(paid.map(buy));
  // The merchant closes them, and their hour ends, at once.
  const [first] = left;
  if (first !== undefined) await scene.pass(await scene.session(first), DECISION);
  await Promise.all(left.flatMap((id) => [scene.decide(id), scene.merchant.fatura.checkoutSessions.expire(id)]));
  expect(await scene.counts(link.id)).toEqual([4, 0]);
  const [none] = await scene.rows(
    'SELECT count(*)::integer AS n FROM checkout_session WHERE payment_link_id = $1',
    link.id,
  );
  expect(none).toEqual({ n: 10 });
});
