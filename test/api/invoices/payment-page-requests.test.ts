import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { troubleBank } from '../../support/bank.ts';
import { AMEX_CVC, CVC, cards } from '../../support/cards.ts';
import { CPF, newInvoice, newPrice, unique } from '../../support/factories.ts';
import { Failpoints } from '../../support/failpoints.ts';

const failpoints = new Failpoints();
let api: TestApi;
let shop: Merchant;
let bank: ReturnType<typeof troubleBank>;

beforeAll(async () => {
  api = await startApi({ failpoint: failpoints.hook });
  shop = await api.newMerchant();
  bank = troubleBank(api);
});
afterEach(() => bank.recovers());
afterAll(() => api.stop());

const pathOf = (invoice: string): string =>
  new URL(api.composition.deps.links.payment({ id: invoice, liveMode: false })).pathname;

const SAME_SITE = { 'Sec-Fetch-Site': 'same-origin' };

interface Sending {
  readonly headers?: Record<string, string>;
  readonly key?: string | null;
  readonly body?: unknown;
}

/** Sends what the script of the page sends, and answers what came back. */
async function send(path: string, { headers = SAME_SITE, key = `key-${unique()}`, body = {} }: Sending = {}) {
  const response = await fetch(api.baseUrl + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers, ...(key === null ? {} : { 'Idempotency-Key': key }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const answer = response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, answer, text };
}

const cardOf = (number: string = cards.approved, overrides: object = {}) => ({
  installments: 1,
  card: { number, exp_month: 12, exp_year: 2040, cvc: CVC },
  billing_details: { name: 'MARIA DA SILVA', document: CPF, address: null },
  ...overrides,
});

const intentsOf = (invoiceId: string) => shop.fatura.paymentIntents.list({ invoice_id: invoiceId }).all({ max: 10 });

const ACTIONS = ['pix', 'card', 'simulation'] as const;

describe('a request that did not come from the page', () => {
  const elsewhere: [from: string, headers: Record<string, string>][] = [
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another host of the same site', { 'Sec-Fetch-Site': 'same-site' }],
    ['a browser that tells the origin alone', { Origin: 'https://elsewhere.example' }],
    ['a page without an origin', { Origin: 'null' }],
    ['no browser', {}],
  ];

  test.each(elsewhere)('but from %s is refused', async (_, headers) => {
    const { id } = await newInvoice(shop);
    for (const action of ACTIONS) {
      const { status, answer } = await send(`${pathOf(id)}/${action}`, { headers, body: cardOf() });
      expect([action, status, answer.problem.code]).toEqual([action, 403, 'CROSS_SITE']);
    }
    expect(await intentsOf(id)).toEqual([]);
  });

  test('is one of the page when its origin says so', async () => {
    const { id } = await newInvoice(shop);
    const { status } = await send(`${pathOf(id)}/pix`, { headers: { Origin: api.baseUrl }, key: null });
    expect(status).toBe(200);
  });

  test('is refused as a form too, unless nothing tells where it comes from', async () => {
    const { id } = await newInvoice(shop);
    const post = (headers: Record<string, string>) =>
      fetch(api.baseUrl + pathOf(id), { method: 'POST', headers, redirect: 'manual' });
    expect((await post({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect(await intentsOf(id)).toEqual([]);
    expect((await post({})).status).toBe(303);
  });
});

test('a link that was not made here pays, tells and watches nothing', async () => {
  const { id } = await newInvoice(shop);
  const other = await newInvoice(shop);
  const draft = await newInvoice(shop, { draft: true });
  const [signature = ''] = pathOf(id).split('/').reverse();
  for (const path of [`/pay/${id}/${signature}x`, `/pay/${other.id}/${signature}`, pathOf(draft.id), '/pay/a/b']) {
    for (const action of ACTIONS) {
      const { status, answer } = await send(`${path}/${action}`, { body: cardOf() });
      expect([path, status, answer]).toEqual([
        path,
        404,
        { purchase: null, problem: { code: 'RESOURCE_MISSING', declineReason: null, fields: [] } },
      ]);
    }
    for (const read of ['state', 'events']) expect((await fetch(`${api.baseUrl}${path}/${read}`)).status).toBe(404);
  }
  expect(await intentsOf(id)).toEqual([]);
  expect(await intentsOf(other.id)).toEqual([]);
});

describe('what the page sends of a card', () => {
  const wrong: [what: string, body: unknown, fields: string[]][] = [
    ['a number with a wrong check digit', cardOf('4242 4242 4242 4241'), ['card.number']],
    [
      'a security code that is too long',
      cardOf(cards.approved, { card: { ...cardOf().card, cvc: AMEX_CVC } }),
      ['card.cvc'],
    ],
    ['no holder', cardOf(cards.approved, { billing_details: undefined }), ['billing_details']],
    ['no installments', cardOf(cards.approved, { installments: undefined }), ['installments']],
    ['a total of its own', cardOf(cards.approved, { total: 1, amount: 1 }), ['']],
    ['another invoice', cardOf(cards.approved, { invoice: 'in_01kaj4w2n8e9r7t5v3x1z0q6d4' }), ['']],
    ['13 installments', cardOf(cards.approved, { installments: 13 }), ['installments']],
    ['half an installment', cardOf(cards.approved, { installments: 1.5 }), ['installments']],
    ['a list', [], ['']],
  ];

  test.each(wrong)('is refused with %s, naming the fields and repeating nothing', async (_, body, fields) => {
    const { id } = await newInvoice(shop);
    const { status, answer, text } = await send(`${pathOf(id)}/card`, { body });
    expect([status, answer.problem]).toEqual([400, { code: 'PARAMETER_INVALID', declineReason: null, fields }]);
    expect(text).not.toMatch(/4242 ?4242|\b0379\b|52998224725/);
    expect(await intentsOf(id)).toEqual([]);
  });

  test('is bounded, JSON, and under a key', async () => {
    const { id } = await newInvoice(shop);
    const path = `${pathOf(id)}/card`;
    const big = await send(path, { body: cardOf(cards.approved, { padding: 'x'.repeat(9_000) }) });
    expect([big.status, big.answer.problem.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const form = await send(path, { headers: { ...SAME_SITE, 'Content-Type': 'text/plain' }, body: cardOf() });
    expect([form.status, form.answer.problem.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    const broken = await send(path, { body: '{"card":' });
    expect([broken.status, broken.answer.problem.code]).toEqual([400, 'MALFORMED_JSON']);
    const keyless = await send(path, { body: cardOf(), key: null });
    expect([keyless.status, keyless.answer.problem.fields]).toEqual([400, ['Idempotency-Key']]);
    expect(await intentsOf(id)).toEqual([]);
  });

  test('is charged what the invoice comes to, in installments that its price allows', async () => {
    const { id: price } = await newPrice(shop, { unit_amount: 3_000, card_installments_enabled: true });
    const { id } = await newInvoice(shop, { line_items: [{ price_id: price, quantity: 1 }] });
    const state = await (await fetch(`${api.baseUrl}${pathOf(id)}/state`)).json();
    expect(state.purchase.installments).toEqual(
      [1, 2, 3, 4, 5, 6].map((count) => ({ count, first: 3_000 / count, last: 3_000 / count })),
    );
    const forged = await send(`${pathOf(id)}/card`, { body: cardOf(cards.approved, { installments: 7 }) });
    expect([forged.status, forged.answer.problem]).toEqual([
      422,
      { code: 'INSTALLMENT_BELOW_MINIMUM', declineReason: null, fields: ['installments'] },
    ]);
    const paid = await send(`${pathOf(id)}/card`, { body: cardOf(cards.approved, { installments: 6 }) });
    expect([paid.status, paid.answer.purchase.standing, paid.answer.purchase.paidBy]).toEqual([
      200,
      'paid',
      { method: 'card', installments: 6 },
    ]);
    expect(await intentsOf(id)).toMatchObject([{ amount: 3_000, installments: 6, status: 'paid' }]);
  });
});

describe('a card is charged once', () => {
  test('however often its key comes', async () => {
    const { id } = await newInvoice(shop);
    const sending = { key: `key-${unique()}`, body: cardOf(cards.insufficient_funds) };
    const first = await send(`${pathOf(id)}/card`, sending);
    const again = await send(`${pathOf(id)}/card`, sending);
    for (const { status, answer } of [first, again]) {
      expect([status, answer.problem.declineReason]).toEqual([402, 'insufficient_funds']);
      expect(answer.purchase).toMatchObject({ standing: 'payable', declined: 'insufficient_funds' });
    }
    expect(await intentsOf(id)).toMatchObject([{ attempts: 1 }]);
    const other = await send(`${pathOf(id)}/card`, { ...sending, body: cardOf() });
    expect([other.status, other.answer.problem.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  test('when a key comes again while its first request runs', async () => {
    const { id } = await newInvoice(shop);
    const sending = { key: `key-${unique()}`, body: cardOf() };
    const meanwhile: Awaited<ReturnType<typeof send>>[] = [];
    failpoints.meanwhile('card.after-attempt', async () => meanwhile.push(await send(`${pathOf(id)}/card`, sending)));
    const first = await send(`${pathOf(id)}/card`, sending);
    expect(first.answer.purchase.standing).toBe('paid');
    expect(meanwhile[0]?.status).toBe(409);
    expect(meanwhile[0]?.answer).toMatchObject({
      problem: { code: 'IDEMPOTENCY_KEY_IN_USE' },
      purchase: { standing: 'processing' },
    });
    expect(await intentsOf(id)).toHaveLength(1);
  });

  test('when two pages charge at once', async () => {
    const { id } = await newInvoice(shop);
    const meanwhile: Awaited<ReturnType<typeof send>>[] = [];
    failpoints.meanwhile('card.after-attempt', async () =>
      meanwhile.push(await send(`${pathOf(id)}/card`, { body: cardOf(cards.mastercard) })),
    );
    await send(`${pathOf(id)}/card`, { body: cardOf() });
    expect([meanwhile[0]?.status, meanwhile[0]?.answer.problem.code]).toEqual([409, 'PAYMENT_IN_PROGRESS']);
    const late = await send(`${pathOf(id)}/card`, { body: cardOf() });
    expect([late.status, late.answer.problem.code, late.answer.purchase.standing]).toEqual([
      409,
      'INVOICE_NOT_OPEN',
      'paid',
    ]);
    expect(await intentsOf(id)).toHaveLength(1);
  });

  test('and an outcome that nobody knows is answered as unknown', async () => {
    const { id } = await newInvoice(shop);
    const { status, answer } = await send(`${pathOf(id)}/card`, { body: cardOf(cards.answer_lost) });
    expect([status, answer.problem.code, answer.purchase.standing]).toEqual([504, 'ACQUIRER_TIMEOUT', 'unknown']);
    const state = await fetch(`${api.baseUrl}${pathOf(id)}/state`);
    expect(await state.json()).toMatchObject({ purchase: { standing: 'unknown', declined: null, qr: null } });
  });
});

test('many tries at one link are refused for a while, and other links are not concerned', async () => {
  const { id } = await newInvoice(shop);
  const other = await newInvoice(shop);
  const statuses: number[] = [];
  for (let tried = 0; tried < 8; tried += 1) {
    statuses.push((await send(`${pathOf(id)}/card`, { body: cardOf(cards.issuer_declined) })).status);
  }
  expect(statuses).toEqual([402, 402, 402, 402, 402, 402, 429, 429]);
  const refused = await send(`${pathOf(id)}/card`, { body: cardOf() });
  expect(refused.answer).toMatchObject({ problem: { code: 'RATE_LIMITED' }, purchase: { standing: 'payable' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await send(`${pathOf(other.id)}/card`, { body: cardOf() })).status).toBe(200);
  expect((await send(`${pathOf(id)}/pix`)).status).toBe(200);
});

describe('a payment is simulated', () => {
  test('of a QR code that stands, in the sandbox', async () => {
    const { id } = await newInvoice(shop);
    const early = await send(`${pathOf(id)}/simulation`);
    expect([early.status, early.answer.problem.code]).toEqual([409, 'INVALID_STATE']);
    const made = await send(`${pathOf(id)}/pix`);
    expect(made.answer.purchase.qr).toMatchObject({
      copyPaste: expect.stringContaining('br.gov.bcb.pix'),
      recipient: 'Loja do Teste',
      leftMs: expect.toSatisfy((ms) => ms > 0 && ms <= 86_400_000),
    });
    const paid = await send(`${pathOf(id)}/simulation`);
    expect([paid.status, paid.answer.purchase.standing]).toEqual([200, 'paid']);
  });

  test('never of a live invoice', async () => {
    const { id } = await newInvoice({ ...shop, fatura: shop.live });
    const { status, answer } = await send(`${pathOf(id)}/simulation`);
    expect([status, answer.problem.code, answer.purchase.isSandbox]).toEqual([409, 'INVALID_STATE', false]);
  });
});

test('an answer says nothing that the page does not show', async () => {
  const { id } = await newInvoice(shop);
  const state = await (await fetch(`${api.baseUrl}${pathOf(id)}/state`)).text();
  expect(state).not.toMatch(/acct_|cus_|in_|pi_|price_|maria/i);
});

test('a fault of ours names nothing', async () => {
  const { id } = await newInvoice(shop);
  failpoints.crashAt('pix.after-intent');
  const { status, answer, text } = await send(`${pathOf(id)}/pix`);
  expect([status, answer.problem.code]).toEqual([500, 'INTERNAL_ERROR']);
  expect(text).not.toContain('crashed');
});
