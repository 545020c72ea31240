import { inspect } from 'node:util';
import { Fatura } from '@fatura/sdk';
import { describe, expect, test } from 'vitest';
import manifest from '../../sdk/package.json' with { type: 'json' };
import { API_KEY, fakeService } from './fake-service.ts';

const INVOICE = { id: 'in_00000000000000000000000001', object: 'invoice' };

describe('a request', () => {
  test('carries the key, the version of the client and, with a body, its type', async () => {
    const service = await fakeService({ body: INVOICE });
    await service.client().invoices.create({ customer_id: 'cus_1', line_items: [] });
    expect(service.requests[0]).toMatchObject({
      method: 'POST',
      path: '/api/v1/invoices',
      headers: {
        authorization: `ApiKey ${API_KEY}`,
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': `fatura-sdk/${manifest.version}`,
      },
    });
  });

  test('puts the flat fields of a body into its envelope', async () => {
    const service = await fakeService({ body: {} });
    const fatura = service.client();
    await fatura.prices.create({ product_id: 'prod_1', unit_amount: 9990, type: 'one_time' });
    await fatura.webhookEndpoints.update('we_1', { description: null });
    await fatura.refunds.create({ payment_intent: 'pi_1', amount: 3990 });
    await fatura.invoices.checkout('in_1', { payment_method_type: 'pix' });
    await fatura.testHelpers.paymentIntents.payPix('pi_1', { scenario: 'paid' });
    expect(service.requests.map(({ body }) => JSON.parse(body))).toEqual([
      { price: { product_id: 'prod_1', unit_amount: 9990, type: 'one_time' } },
      { webhook_endpoint: { description: null } },
      { refund: { payment_intent: 'pi_1', amount: 3990 } },
      { payment_method_type: 'pix' },
      { scenario: 'paid' },
    ]);
  });

  test('of an action without parameters has no body and no content type', async () => {
    const service = await fakeService({ body: INVOICE });
    await service.client().invoices.finalize('in_1');
    expect(service.requests[0]).toMatchObject({ method: 'POST', path: '/api/v1/invoices/in_1/finalize', body: '' });
    expect(service.requests[0]?.headers['content-type']).toBeUndefined();
  });

  test('repeats a list parameter for each value and leaves out what is undefined', async () => {
    const service = await fakeService({ body: { object: 'list', has_more: false, data: [] } });
    const fatura = service.client();
    await fatura.events.list({ type: ['invoice.paid', 'invoice.voided'], created_gte: 0, limit: 5 }).page();
    await fatura.products.list({ active: false }).page();
    await fatura.products.list().page();
    expect(service.requests.map(({ query }) => query)).toEqual([
      'type=invoice.paid&type=invoice.voided&created_gte=0&limit=5',
      'active=false',
      '',
    ]);
  });

  test.each(['', '.', '..'])('is not sent for the id %j, which would name another route', async (id) => {
    const service = await fakeService();
    await expect(service.client().invoices.retrieve(id)).rejects.toThrow('id must be the id of an object');
    expect(service.requests).toEqual([]);
  });

  test('keeps an id in one segment of the path', async () => {
    const service = await fakeService();
    await service.client().invoices.retrieve('../customers/cus_1?a=b');
    expect(service.requests[0]).toMatchObject({ path: '/api/v1/invoices/..%2Fcustomers%2Fcus_1%3Fa%3Db', query: '' });
  });

  test('goes to a base URL with a path, and with or without its last slash', async () => {
    const service = await fakeService();
    await service.client({ baseUrl: `${service.url}/billing/` }).products.retrieve('prod_1');
    expect(service.requests[0]?.path).toBe('/billing/api/v1/products/prod_1');
  });

  test('is sent with the fetch that was given', async () => {
    const urls: unknown[] = [];
    const fetch = async (url: unknown) => {
      urls.push(url);
      return Response.json({ id: 'prod_1' });
    };
    const fatura = new Fatura({ apiKey: API_KEY, fetch });
    expect(await fatura.products.retrieve('prod_1')).toEqual({ id: 'prod_1' });
    expect(urls).toEqual(['http://127.0.0.1:3000/api/v1/products/prod_1']);
  });
});

describe('an answer', () => {
  test('is the object itself', async () => {
    const service = await fakeService({ body: INVOICE });
    expect(await service.client().invoices.retrieve('in_1')).toEqual(INVOICE);
  });

  test('comes with its response and request id when asked', async () => {
    const service = await fakeService({ status: 201, headers: { 'Idempotent-Replayed': 'true' }, body: INVOICE });
    const { data, response, requestId } = await service
      .client()
      .invoices.checkout('in_1', { payment_method_type: 'pix' })
      .withResponse();
    expect(data).toEqual(INVOICE);
    expect(requestId).toBe('req_1');
    expect(response.status).toBe(201);
    expect(response.headers.get('Idempotent-Replayed')).toBe('true');
  });

  test('that fails is told once, whichever way it is asked', async () => {
    const service = await fakeService({ status: 404, body: {} });
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    await expect(service.client().invoices.retrieve('in_1').withResponse()).rejects.toThrow('status 404');
    await expect(service.client().invoices.retrieve('in_1')).rejects.toThrow('status 404');
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  test('that redirects is not followed', async () => {
    const service = await fakeService({ status: 307, headers: { Location: '/elsewhere' } });
    await expect(service.client().invoices.retrieve('in_1')).rejects.toMatchObject({
      code: 'RESPONSE_INVALID',
      status: 307,
    });
    expect(service.requests).toHaveLength(1);
  });
});

describe('the options of the client', () => {
  test.each([
    [{ apiKey: '' }, 'apiKey is missing'],
    [{ apiKey: 'sk_secret\n' }, 'apiKey must be'],
    [
      { baseURL: 'http://127.0.0.1:3000', apiKey: 'sk_secret' },
      'baseURL is no option of the client; it takes apiKey, baseUrl',
    ],
    [{ baseUrl: 'ftp://127.0.0.1' }, 'baseUrl must be'],
    [{ baseUrl: 'http://' }, 'baseUrl must be'],
    [{ baseUrl: 'http://127.0.0.1?a=b' }, 'baseUrl must be'],
    [{ timeoutMs: 0 }, 'timeoutMs must be'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs must be'],
    [{ retries: -1 }, 'retries must be'],
    [{ retries: 1.5 }, 'retries must be'],
    [{ retries: 11 }, 'retries must be'],
  ])('refuse %j', (options, message) => {
    const create = () => new Fatura({ apiKey: API_KEY, ...options });
    expect(create).toThrow(message);
    expect(create).not.toThrow(/secret/);
  });

  test('refuse a missing key with a message, as when an environment variable is not set', () => {
    // @ts-expect-error a merchant without types
    expect(() => new Fatura({})).toThrow('apiKey is missing: give a key of your account');
    // @ts-expect-error a merchant without types
    expect(() => new Fatura()).toThrow("the options must be an object: new Fatura({ apiKey: 'sk_…' })");
  });

  test('regression-94-a key in the place of the options is refused without being repeated', () => {
    // @ts-expect-error the call of another client
    const create = () => new Fatura('sk_secret');
    expect(create).toThrow("the options must be an object: new Fatura({ apiKey: 'sk_…' }), got string");
    expect(create).not.toThrow(/secret/);
  });

  test('never show the key: not when printed, in errors or in log lines', async () => {
    const service = await fakeService(
      { status: 500, headers: { 'Retry-After': '0' } },
      { fault: 'reset' },
      { raw: 'no' },
    );
    const lines: unknown[] = [];
    const log = (...line: unknown[]) => lines.push(line);
    const fatura = service.client({ logger: { debug: log, warn: log } });
    const error = await fatura.customers
      .list({ identifier: '52998224725' })
      .page()
      .catch((reason: unknown) => reason);
    const shown =
      inspect([fatura, error, lines], { depth: 20, showHidden: true }) + JSON.stringify([fatura, error, lines]);
    expect(lines).toHaveLength(5);
    expect(shown).not.toContain(API_KEY);
    expect(JSON.stringify(lines)).not.toContain('52998224725');
  });

  test('a logger hears of each try and each wait', async () => {
    const service = await fakeService({ status: 503, headers: { 'Retry-After': '0' } }, { body: INVOICE });
    const lines: unknown[] = [];
    const log = (message: string, details: object) => lines.push({ message, ...details });
    const options = { idempotencyKey: 'order-1042' };
    await service.client({ logger: { debug: log, warn: log } }).invoices.void('in_1', options);
    const call = { route: 'invoices.void', method: 'POST', path: '/api/v1/invoices/in_1/void' };
    const common = { ...call, idempotencyKey: 'order-1042' };
    const tried = { message: 'fatura: request', ...common, requestId: 'req_1', durationMs: expect.any(Number) };
    expect(lines).toEqual([
      { ...tried, attempt: 0, status: 503 },
      { message: 'fatura: will retry', ...common, code: 'RESPONSE_INVALID', delayMs: 0 },
      { ...tried, attempt: 1, status: 200 },
    ]);
  });
});
