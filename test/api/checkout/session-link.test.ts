import { request as rawRequest } from 'node:http';
import type { CheckoutSession } from '@fatura/sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CVC, cards } from '../../support/cards.ts';
import { CPF, newInvoice, newPrice, unique } from '../../support/factories.ts';
import { SessionScene } from './session-scene.ts';

const scene = new SessionScene();

const partsOf = ({ url }: { url: string }) => {
  const [, base = '', id = '', signature = ''] = new URL(url).pathname.split('/');
  return { base, id, signature };
};
const pathOf = ({ url }: { url: string }): string => new URL(url).pathname;

const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' };

interface Sending {
  readonly headers?: Record<string, string>;
  readonly key?: string | null;
  readonly body?: unknown;
}

/** Sends what the script of the page sends, and answers what came back. */
async function send(path: string, { headers = SAME_ORIGIN, key = `key-${unique()}`, body = {} }: Sending = {}) {
  const response = await fetch(scene.api.baseUrl + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers, ...(key === null ? {} : { 'Idempotency-Key': key }) },
    body: JSON.stringify(body),
  });
  const { purchase, problem } = await response.json();
  return { status: response.status, purchase, problem };
}

const buyer = { name: 'Ana Souza', identifier: CPF, email: 'ana@loja.test', phone: '(11) 98765-4321' };

const cardOf = (number: string = cards.approved, overrides: object = {}) => ({
  installments: 1,
  card: { number, exp_month: 12, exp_year: 2040, cvc: CVC },
  billing_details: { name: 'MARIA DA SILVA', document: CPF, address: null },
  ...overrides,
});

const bodies: Readonly<Record<string, object>> = { buyer, pix: {}, card: cardOf(), simulation: {} };

/** Everything that a link can be asked for. */
async function askAll(path: string): Promise<[what: string, status: number][]> {
  const { baseUrl } = scene.api;
  const get = async (below: string) => [`GET ${below}`, (await fetch(baseUrl + path + below)).status] as const;
  const form = new URLSearchParams(buyer);
  return [
    [...(await get(''))],
    [...(await get('/state'))],
    [...(await get('/events'))],
    ['form', (await fetch(baseUrl + path, { method: 'POST', body: form, redirect: 'manual' })).status],
    ['button', (await fetch(baseUrl + path, { method: 'POST', redirect: 'manual' })).status],
    ...(await Promise.all(
      Object.entries(bodies).map(async ([below, body]): Promise<[string, number]> => {
        const { status } = await send(`${path}/${below}`, { body });
        return [below, status];
      }),
    )),
  ];
}

/** A session as nobody touched it. */
async function expectUntouched(session: CheckoutSession): Promise<void> {
  expect(await scene.session(session.id)).toEqual(session);
  if (session.invoice != null) expect(await scene.intentsOf(session.invoice)).toEqual([]);
}

/** Another text of a signature that a lenient decoder reads as the same bytes: of its last sign only four bits count. */
function sameBytes(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  const signs = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
  const others = signs.map((sign) => signature.slice(0, -1) + sign).filter((text) => text !== signature);
  const same = others.find((text) => Buffer.from(text, 'base64url').equals(bytes));
  if (same === undefined) throw new Error('every text of a signature is one of a kind');
  return same;
}

const swapCase = (text: string): string =>
  [...text].map((sign) => (sign === sign.toUpperCase() ? sign.toLowerCase() : sign.toUpperCase())).join('');

describe('a link that was not made here opens, tells and changes nothing', () => {
  const wrong: [what: string, path: (one: CheckoutSession, other: CheckoutSession) => string][] = [
    ['the signature of another session', (one, other) => `/checkout/${one.id}/${partsOf(other).signature}`],
    ['the signature of its invoice', (one) => `/checkout/${one.id}/${linkOf('payment', one.invoice).signature}`],
    ['its own on its invoice', (one) => `/pay/${one.invoice}/${partsOf(one).signature}`],
    ['its own on itself as an invoice', (one) => `/pay/${one.id}/${partsOf(one).signature}`],
    ['its own on its invoice as a session', (one) => `/checkout/${one.invoice}/${partsOf(one).signature}`],
    ['its invoice as a session', (one) => `/checkout/${one.invoice}/${linkOf('payment', one.invoice).signature}`],
    [
      'one for another card of its subscription',
      (one) => `/checkout/${one.id}/${linkOf('updatePayment', one.id).signature}`,
    ],
    ['one for an invoice of its id', (one) => `/checkout/${one.id}/${linkOf('payment', one.id).signature}`],
    ['a signature without its last sign', (one) => pathOf(one).slice(0, -1)],
    ['a signature without its first sign', (one) => `/checkout/${one.id}/${partsOf(one).signature.slice(1)}`],
    ['a signature with one more sign', (one) => `${pathOf(one)}A`],
    ['a padded signature', (one) => `${pathOf(one)}=`],
    ['a signature in other case', (one) => `/checkout/${one.id}/${swapCase(partsOf(one).signature)}`],
    ['another text of the same bytes', (one) => `/checkout/${one.id}/${sameBytes(partsOf(one).signature)}`],
    ['the id in other case', (one) => `/checkout/${one.id.toUpperCase()}/${partsOf(one).signature}`],
    ['no signature of signs', (one) => `/checkout/${one.id}/%00`],
    ['a session of nothing', () => '/checkout/cs_01kaj4w2n8e9r7t5v3x1z0q6d4/AAAA'],
  ];

  const linkOf = (kind: 'payment' | 'updatePayment', id: string | null) =>
    partsOf({ url: scene.deps.links[kind](id ?? '') });

  test.each(wrong)('%s', async (_, path) => {
    const sessions = [await scene.create(), await scene.create({ mode: 'subscription' })] as const;
    const [one, other] = sessions;
    const tried = path(one, other);
    expect([pathOf(one), pathOf(other)]).not.toContain(tried);
    const asked = await askAll(tried);
    expect(asked.filter(([, status]) => status !== 404)).toEqual([]);
    for (const session of sessions) await expectUntouched(session);
  });

  test('whatever its path plays', async () => {
    const [one, other] = [await scene.create(), await scene.create()];
    const { id, signature } = partsOf(one);
    const tricks = [
      `/checkout/${id}/${signature}/`,
      `/checkout//${id}/${signature}`,
      `//checkout/${id}/${signature}`,
      `/checkout/${other.id}/../${id}/${signature}`,
      `/checkout/${other.id}%2f..%2f${id}/${signature}`,
      `/checkout/${id}%00/${signature}`,
      `/checkout/${id};${other.id}/${signature}`,
      `/checkout/${other.id}/${signature}?session=${id}`,
      `/checkout/${id}/${signature}/../../${other.id}/${signature}`,
      `/CHECKOUT/${id}/${signature}`,
      `/checkout/${id}/${signature}/STATE`,
      `/checkout/${id}/${signature}/state/`,
      `/checkout/${id}/${signature}%2fstate`,
      `/pay/../checkout/${id}/${signature}`,
    ];
    for (const path of tricks) expect([path, await statusOf(path)]).toEqual([path, 404]);
    expect(await statusOf(pathOf(one))).toBe(200);
  });

  /** Sends a path as it stands: `fetch` would tidy it up. */
  const statusOf = (path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(scene.api.baseUrl);
      rawRequest({ hostname, port, path }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });

  test('however many are tried: none of 1,000 costs the database a statement', async () => {
    const session = await scene.create();
    const { signature } = partsOf(session);
    const { pool } = scene.deps;
    const [queries, connections] = [vi.spyOn(pool, 'query'), vi.spyOn(pool, 'connect')];
    onTestFinished(() => {
      queries.mockRestore();
      connections.mockRestore();
    });
    // What wakes the worker for the session above is a text; the pool connects by a callback, a transaction without one.
    const asked = () => ({
      statements: queries.mock.calls.filter(([query]) => typeof query !== 'string').length,
      transactions: connections.mock.calls.filter(([callback]) => callback === undefined).length,
    });
    const statuses = new Map<number, number>();
    const guess = async (nth: number): Promise<void> => {
      const guessed = Buffer.from(signature, 'base64url');
      guessed.writeUInt32BE(nth, 0);
      const path = `/checkout/${session.id}/${guessed.toString('base64url')}`;
      const { status } =
        nth % 2 === 0 ? await fetch(scene.api.baseUrl + path) : await send(`${path}/card`, { body: cardOf() });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };
    for (let nth = 0; nth < 1_000; nth += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => guess(nth + index)));
    }
    expect([...statuses]).toEqual([[404, 1_000]]);
    expect(asked()).toEqual({ statements: 0, transactions: 0 });
    await send(`${pathOf(session)}/pix`);
    expect(asked()).toEqual({
      statements: expect.toSatisfy((count: number) => count > 0),
      transactions: expect.toSatisfy((count: number) => count > 0),
    });
  });
});

describe('a request of another site is refused', () => {
  test.each<[string, Record<string, string>]>([
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another host of the same site', { 'Sec-Fetch-Site': 'same-site' }],
    ['a browser that tells the origin alone', { Origin: 'https://elsewhere.example' }],
    ['a host that is named like ours', { Origin: 'http://127.0.0.1:3000.elsewhere.example' }],
    ['a page without an origin', { Origin: 'null' }],
    ['no browser', {}],
  ])('that of %s', async (_, headers) => {
    const sessions = [await scene.create(), await scene.create({ customer_id: null })];
    for (const session of sessions) {
      for (const [below, body] of Object.entries(bodies)) {
        const { status, problem } = await send(`${pathOf(session)}/${below}`, { headers, body });
        expect([below, status, problem.code]).toEqual([below, 403, 'CROSS_SITE']);
      }
      await expectUntouched(session);
    }
  });
});

describe('a body with more than is asked for is refused', () => {
  const forged: [below: string, what: string, body: object][] = [
    ['pix', 'an amount', { amount: 1 }],
    ['pix', 'an invoice', { invoice: 'in_01kaj4w2n8e9r7t5v3x1z0q6d4' }],
    ['buyer', 'a total', { ...buyer, total: 1 }],
    ['buyer', 'a customer', { ...buyer, customer_id: 'cus_01kaj4w2n8e9r7t5v3x1z0q6d4' }],
    ['buyer', 'discounts', { ...buyer, discounts: [{ type: 'percentage', percentage: 100 }] }],
    ['card', 'a total', cardOf(cards.approved, { total: 1, amount: 1 })],
    ['card', 'another session', cardOf(cards.approved, { session: 'cs_01kaj4w2n8e9r7t5v3x1z0q6d4' })],
    ['card', '13 installments', cardOf(cards.approved, { installments: 13 })],
    ['card', 'no installments', cardOf(cards.approved, { installments: 0 })],
    ['simulation', 'a scenario', { scenario: 'paid_twice' }],
  ];
  test.each(forged)('%s with %s', async (below, _, body) => {
    const sessions = [await scene.create(), await scene.create({ customer_id: null })];
    for (const session of sessions) {
      const { status, problem } = await send(`${pathOf(session)}/${below}`, { body });
      expect([status, problem.code]).toEqual([400, 'PARAMETER_INVALID']);
      await expectUntouched(session);
    }
  });

  test('and installments are as many as the price allows, of the total that the session came to', async () => {
    const { id: price } = await newPrice(scene.merchant, { unit_amount: 3_000, card_installments_enabled: true });
    const session = await scene.create({
      line_items: [{ price_id: price, quantity: 1 }],
      discounts: [{ type: 'fixed', amount_cents: 1_000 }],
    });
    const forged = await send(`${pathOf(session)}/card`, { body: cardOf(cards.approved, { installments: 5 }) });
    expect([forged.status, forged.problem.code]).toEqual([422, 'INSTALLMENT_BELOW_MINIMUM']);
    await expectUntouched(session);
    const paid = await send(`${pathOf(session)}/card`, { body: cardOf(cards.approved, { installments: 4 }) });
    expect([paid.status, paid.purchase.paidBy]).toEqual([200, { method: 'card', installments: 4 }]);
    expect(await scene.intentsOf(session.invoice ?? '')).toMatchObject([{ amount: 2_000, installments: 4 }]);
  });
});

describe('a key of one session', () => {
  test('says nothing of another, and nothing of an invoice', async () => {
    const [one, other] = [await scene.create(), await scene.create()];
    const { id: invoice } = await newInvoice(scene.merchant);
    const sending = { key: `key-${unique()}`, body: cardOf(cards.insufficient_funds) };
    const places = [
      `${pathOf(one)}/card`,
      `${pathOf(other)}/card`,
      `${pathOf({ url: scene.deps.links.payment(invoice) })}/card`,
    ];
    for (const path of places) {
      const answers = [await send(path, sending), await send(path, sending)];
      for (const { status, problem } of answers) expect([status, problem.code]).toEqual([402, 'CARD_DECLINED']);
    }
    for (const id of [one.invoice ?? '', other.invoice ?? '', invoice]) {
      expect(await scene.intentsOf(id)).toMatchObject([{ status: 'failed', attempts: 1 }]);
    }
  });

  test('is good for one request there', async () => {
    const session = await scene.create();
    const path = `${pathOf(session)}/card`;
    const key = `key-${unique()}`;
    const paid = [await send(path, { key, body: cardOf() }), await send(path, { key, body: cardOf() })];
    for (const { status, purchase } of paid) expect([status, purchase.standing]).toEqual([200, 'paid']);
    const other = await send(path, { key, body: cardOf(cards.mastercard) });
    expect([other.status, other.problem.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await scene.intentsOf(session.invoice ?? '')).toMatchObject([{ status: 'paid', attempts: 1 }]);
  });
});

test('many tries at one session are refused for a while, and other sessions are not concerned', async () => {
  const [one, other] = [await scene.create(), await scene.create()];
  const statuses: number[] = [];
  for (let tried = 0; tried < 7; tried += 1) {
    statuses.push((await send(`${pathOf(one)}/card`, { body: cardOf(cards.issuer_declined) })).status);
  }
  expect(statuses).toEqual([402, 402, 402, 402, 402, 402, 429]);
  expect((await send(`${pathOf(other)}/card`, { body: cardOf() })).status).toBe(200);
});

test('the link of a session that has ended shows that, and takes nothing', async () => {
  const [known, unknown] = [await scene.create(), await scene.create({ customer_id: null })];
  await scene.pass(known);
  for (const session of [known, unknown]) {
    await scene.decide(session.id);
    for (const [below, body] of Object.entries(bodies)) {
      const { status, purchase } = await send(`${pathOf(session)}/${below}`, { body });
      expect([below, status, purchase.standing]).toEqual([below, 409, 'expired']);
    }
    expect(await scene.session(session.id)).toMatchObject({ status: 'expired', payment_intent: null });
    expect((await fetch(`${scene.api.baseUrl}${pathOf(session)}/events`)).status).toBe(204);
  }
});

test('an answer names nobody and nothing that the page does not show', async () => {
  const session = await scene.create();
  const state = await (await fetch(`${scene.api.baseUrl}${pathOf(session)}/state`)).text();
  expect(state).not.toMatch(/acct_|cus_|in_|pi_|price_|maria/i);
  expect(state).not.toContain(partsOf(session).signature);
});
