import { expect, test } from 'vitest';
import { newWebhookSecret, signWebhook } from '../../server/events/deliveries/signing.ts';
import { API_KEY, fakeServiceThat, type Reply, refusal, type SeenRequest } from './fake-service.ts';
import { runExample } from './run-example.ts';

async function deliver(url: string, secret: string): Promise<void> {
  const id = 'evt_01kaj4w2n8e9r7t5v3x1z0q6d4';
  const body = JSON.stringify({ id, object: 'event', type: 'invoice.paid' });
  const headers = signWebhook({ id, timestamp: Math.floor(Date.now() / 1000), body, secrets: [secret] });
  await fetch(url, { method: 'POST', body, headers });
}

/** As much of the service as the sale needs; the event is signed with `signingSecret`. */
function saleService(signingSecret: (secret: string) => string) {
  const secret = newWebhookSecret();
  let receiver = '';
  const invoice = {
    id: 'in_1',
    total: 9990,
    payment_intent: 'pi_1',
    payment_method: { pix: { pix_copy_paste: '000201' } },
  };
  return fakeServiceThat(({ method, path, body }: SeenRequest): Reply => {
    if (method === 'DELETE') return { body: { id: 'we_1', deleted: true } };
    if (path.endsWith('/pay_pix')) {
      void deliver(receiver, signingSecret(secret)).catch(() => {});
      return { body: { id: 'pi_1' } };
    }
    if (path.endsWith('/checkout') || path.endsWith('/invoices')) return { status: 201, body: invoice };
    if (path.endsWith('/webhook_endpoints')) {
      receiver = JSON.parse(body).webhook_endpoint.url;
      return { status: 201, body: { id: 'we_1', secret } };
    }
    return { status: 201, body: { id: 'obj_1' } };
  });
}

test('the sale by PIX runs from the sources, ends with a verified event and leaves no endpoint behind', async () => {
  const service = await saleService((secret) => secret);
  const { stdout, stderr, code } = await runExample('pix-sale.ts', [API_KEY], { BASE_URL: service.url });
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).toMatch(/^To pay: R\$\u00a099,90, 000201\nVerified event: \{[^}]*type: 'invoice\.paid'/);
  expect(service.requests.map(({ method, path }) => `${method} ${path.replace('/api/v1', '')}`)).toEqual([
    'POST /webhook_endpoints',
    'POST /products',
    'POST /prices',
    'POST /customers',
    'POST /invoices',
    'POST /invoices/in_1/checkout',
    'POST /test_helpers/payment_intents/pi_1/pay_pix',
    'DELETE /webhook_endpoints/we_1',
  ]);
});

test('the sale fails when the event is signed with another secret, and leaves no endpoint behind', async () => {
  const service = await saleService(newWebhookSecret);
  const { stderr, code } = await runExample('pix-sale.ts', [], { BASE_URL: service.url, API_KEY });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^The sale failed: .*No matching signature/);
  expect(service.requests.at(-1)).toMatchObject({ method: 'DELETE' });
});

test('the sale fails with the words of the service', async () => {
  const service = await fakeServiceThat(() => refusal(401, 'API_KEY_INVALID'));
  const { stderr, code } = await runExample('pix-sale.ts', [API_KEY], { BASE_URL: service.url });
  expect(code).toBe(1);
  expect(stderr).toContain('The sale failed: FaturaError: API_KEY_INVALID happened');
  expect(stderr).not.toContain(API_KEY);
});

test('the sale asks for a key', async () => {
  const { stderr, code } = await runExample('pix-sale.ts', [], {});
  expect({ stderr, code }).toEqual({ stderr: 'The sale failed: give a sandbox key as argument or API_KEY\n', code: 1 });
});
