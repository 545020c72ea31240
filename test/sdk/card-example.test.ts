import { expect, test } from 'vitest';
import { newWebhookSecret, signWebhook } from '../../server/events/deliveries/signing.ts';
import { API_KEY, fakeServiceThat, type Reply, refusal, type SeenRequest } from './fake-service.ts';
import { runExample } from './run-example.ts';

const PRICE = 9990;
const WITHOUT_FUNDS = '4000 0000 0000 9995';
const APPROVED = '4242 4242 4242 4242';

/** As much of the service as the sale needs; events are signed with `signingSecret`. */
async function saleService(options: {
  signingSecret?: (secret: string) => string;
  approves?: (number: string) => boolean;
}) {
  const secret = newWebhookSecret();
  const { signingSecret = () => secret, approves = (number) => number === APPROVED } = options;
  const invoice = { id: 'in_1', amount_paid: PRICE, payment_intent: 'pi_1' };
  let receiver = '';
  let refunded = 0;
  let count = 0;

  const deliver = (type: string, object: object): void => {
    count += 1;
    const id = `evt_${String(count).padStart(26, '0')}`;
    const body = JSON.stringify({ id, object: 'event', type, created: 0, live_mode: false, data: { object } });
    const headers = signWebhook({
      id,
      timestamp: Math.floor(Date.now() / 1000),
      body,
      secrets: [signingSecret(secret)],
    });
    // Its connection breaks when the sale fails on it.
    void fetch(receiver, { method: 'POST', body, headers }).catch(() => {});
  };

  const checkOut = (number: string): Reply => {
    if (!approves(number)) return refusal(402, 'CARD_DECLINED', { decline_reason: 'insufficient_funds' });
    deliver('invoice.paid', invoice);
    return { status: 201, body: { ...invoice, payment_method: { card: { brand: 'visa', last4: '4242' } } } };
  };
  const refund = (amount: number): Reply => {
    refunded += amount;
    deliver('refund.updated', { id: 'pi_1', amount: refunded });
    return { status: 201, body: { id: 'pi_1', amount } };
  };
  return fakeServiceThat(({ method, path, body }: SeenRequest): Reply => {
    if (method === 'DELETE') return { body: { id: 'we_1', deleted: true } };
    const sent = JSON.parse(body);
    if (path.endsWith('/checkout')) return checkOut(sent.card.number);
    if (path.endsWith('/refunds')) return refund(sent.refund.amount ?? PRICE - refunded);
    if (path.endsWith('/prices')) return { status: 201, body: { id: 'price_1', effective_max_card_installments: 3 } };
    if (path.endsWith('/webhook_endpoints')) {
      receiver = sent.webhook_endpoint.url;
      return { status: 201, body: { id: 'we_1', secret } };
    }
    return { status: 201, body: { id: path.endsWith('/invoices') ? 'in_1' : 'obj_1' } };
  });
}

const routesOf = (requests: SeenRequest[]) =>
  requests.map(({ method, path }) => `${method} ${path.replace('/api/v1', '')}`);

test('the sale by card runs from the sources, is declined, paid in installments and refunded in two parts', async () => {
  const service = await saleService({});
  const { stdout, stderr, code } = await runExample('card-sale.ts', [API_KEY], { BASE_URL: service.url });
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout.split('\n')).toEqual([
    'Declined: the funds do not suffice: use another card, or PIX',
    'Paid: R$\u00a099,90, installments: 3, visa ending in 4242',
    'Verified event: invoice.paid evt_00000000000000000000000001',
    'Refunded: R$\u00a039,90, then R$\u00a060,00',
    'Verified event: refund.updated evt_00000000000000000000000003',
    '',
  ]);
  expect(routesOf(service.requests)).toEqual([
    'POST /webhook_endpoints',
    'POST /products',
    'POST /prices',
    'POST /invoices',
    'POST /invoices/in_1/checkout',
    'POST /invoices/in_1/checkout',
    'POST /refunds',
    'POST /refunds',
    'DELETE /webhook_endpoints/we_1',
  ]);
  const checkouts = service.requests
    .filter(({ path }) => path.endsWith('/checkout'))
    .map(({ body }) => JSON.parse(body));
  expect(checkouts).toEqual([
    expect.objectContaining({ installments: 1, card: expect.objectContaining({ number: WITHOUT_FUNDS }) }),
    expect.objectContaining({ installments: 3, card: expect.objectContaining({ number: APPROVED }) }),
  ]);
});

test('the sale prints neither card, nor CPF, nor key, nor secret', async () => {
  const secrets: string[] = [];
  const service = await saleService({
    signingSecret: (secret) => {
      secrets.push(secret);
      return secret;
    },
  });
  const { stdout } = await runExample('card-sale.ts', [], { BASE_URL: service.url, API_KEY });
  expect(secrets).toHaveLength(3);
  for (const secret of [WITHOUT_FUNDS, APPROVED, '52998224725', API_KEY, ...secrets]) {
    expect(stdout).not.toContain(secret);
  }
});

test('the sale fails when the event is signed with another secret, and leaves no endpoint behind', async () => {
  const service = await saleService({ signingSecret: newWebhookSecret });
  const { stderr, code } = await runExample('card-sale.ts', [], { BASE_URL: service.url, API_KEY });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^The sale failed: WebhookVerificationError: no signature matches a secret/);
  expect(service.requests.at(-1)).toMatchObject({ method: 'DELETE' });
});

test('the sale fails when no card is approved, in the words of the service', async () => {
  const service = await saleService({ approves: () => false });
  const { stdout, stderr, code } = await runExample('card-sale.ts', [API_KEY], { BASE_URL: service.url });
  expect({ stdout, code }).toEqual({ stdout: expect.stringMatching(/^Declined: /), code: 1 });
  expect(stderr).toContain('The sale failed: FaturaError: CARD_DECLINED happened');
  expect(stderr).not.toContain(API_KEY);
  expect(service.requests.at(-1)).toMatchObject({ method: 'DELETE' });
});

test('the sale fails when a card without funds is charged', async () => {
  const service = await saleService({ approves: () => true });
  const { stderr, code } = await runExample('card-sale.ts', [API_KEY], { BASE_URL: service.url });
  expect(code).toBe(1);
  expect(stderr).toContain('The sale failed: Error: a card without funds was charged');
});

test('the sale asks for a key', async () => {
  const { stderr, code } = await runExample('card-sale.ts', [], {});
  expect({ stderr, code }).toEqual({ stderr: 'The sale failed: give a sandbox key as argument or API_KEY\n', code: 1 });
});
