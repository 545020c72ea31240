import { FaturaError } from '@fatura/sdk';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readRetryAfter } from '../../sdk/src/errors.ts';
import { retryDelayMs } from '../../sdk/src/retry.ts';
import { fakeService, refusal, type SeenRequest } from './fake-service.ts';

const DONE = { body: { id: 'in_1' } };
/** What ends a call, and its signal. */
function endable(): [end: () => void, signal: AbortSignal] {
  const controller = new AbortController();
  return [() => controller.abort(), controller.signal];
}

const keysOf = (requests: SeenRequest[]) => new Set(requests.map(({ headers }) => headers['idempotency-key']));

describe('a request is tried again', () => {
  test.each([
    ['408', refusal(408, 'SERVICE_UNAVAILABLE')],
    ['429', refusal(429, 'RATE_LIMITED')],
    ['500', refusal(500, 'INTERNAL_ERROR')],
    ['503', refusal(503, 'ACQUIRER_UNAVAILABLE')],
    ['504, whose outcome is unknown', refusal(504, 'ACQUIRER_TIMEOUT')],
    ['an answer of 502 that is not JSON', { status: 502, raw: '<html>', headers: { 'Retry-After': '0' } }],
    ['409 IDEMPOTENCY_KEY_IN_USE', refusal(409, 'IDEMPOTENCY_KEY_IN_USE')],
    ['a broken connection', { fault: 'reset' as const }],
    ['an answer that breaks off', { fault: 'half' as const }],
  ])('after %s, with the same key and body', async (_, reply) => {
    const service = await fakeService(reply, reply, DONE);
    const invoice = await service.client().invoices.create({ customer_id: 'cus_1', line_items: [] });
    expect(invoice).toEqual({ id: 'in_1' });
    expect(service.requests).toHaveLength(3);
    expect(keysOf(service.requests).size).toBe(1);
    expect([...keysOf(service.requests)][0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(service.requests.map(({ body }) => body)).size).toBe(1);
  });

  test('twice by default, then the last failure is told', async () => {
    const service = await fakeService(refusal(503, 'SERVICE_UNAVAILABLE'));
    const call = service.client().invoices.retrieve('in_1');
    await expect(call).rejects.toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(service.requests).toHaveLength(3);
  });

  test('as often as the client or the call says; 0 means never', async () => {
    const service = await fakeService(refusal(503, 'SERVICE_UNAVAILABLE'));
    const fatura = service.client({ retries: 0 });
    await expect(fatura.invoices.retrieve('in_1')).rejects.toThrow();
    expect(service.requests).toHaveLength(1);
    await expect(fatura.invoices.retrieve('in_1', { retries: 4 })).rejects.toThrow();
    expect(service.requests).toHaveLength(1 + 5);
  });

  test.each([
    refusal(400, 'PARAMETER_INVALID'),
    refusal(401, 'API_KEY_INVALID'),
    refusal(402, 'CARD_DECLINED'),
    refusal(404, 'RESOURCE_MISSING'),
    refusal(409, 'PAYMENT_IN_PROGRESS'),
    refusal(422, 'IDEMPOTENCY_KEY_REUSED'),
    { status: 200, raw: '<html>captive portal</html>' },
  ])('but not after an answer that would stay the same: $status', async (reply) => {
    const service = await fakeService(reply);
    await expect(service.client().invoices.finalize('in_1')).rejects.toBeInstanceOf(FaturaError);
    expect(service.requests).toHaveLength(1);
  });
});

describe('a long wait that the service asks for', () => {
  const patience = { ...refusal(429, 'RATE_LIMITED'), headers: { 'Retry-After': '37' } };
  const warnings = () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    return warn.mock.calls;
  };

  test('regression-192-is told where nobody looks on, so that a program that waits does not seem to hang', async () => {
    const warned = warnings();
    const service = await fakeService(patience);
    const [ended, signal] = endable();
    const call = service.client().checkoutSessions.retrieve('cs_1', { signal });
    await vi.waitFor(() => expect(warned).toHaveLength(1));
    ended();
    await expect(call).rejects.toMatchObject({ code: 'ABORTED' });
    expect(warned).toEqual([['fatura: checkoutSessions.retrieve was answered RATE_LIMITED; trying again in 37 s']]);
  });

  test('is told to a logger or a hook alone where there is one', async () => {
    const warned = warnings();
    const told: unknown[] = [];
    const service = await fakeService(patience);
    const [ended, signal] = endable();
    const fatura = service.client({ onResponse: ({ retryInMs }) => void told.push(retryInMs) });
    const call = fatura.invoices.retrieve('in_1', { signal });
    await vi.waitFor(() => expect(told).toEqual([37_000]));
    ended();
    await expect(call).rejects.toThrow();
    expect(warned).toEqual([]);
  });

  test('and a short one is not', async () => {
    const warned = warnings();
    const service = await fakeService(refusal(429, 'RATE_LIMITED'), DONE);
    await service.client().invoices.retrieve('in_1');
    expect(warned).toEqual([]);
  });
});

describe('the Idempotency-Key', () => {
  test('is another one for each POST', async () => {
    const service = await fakeService(DONE);
    const fatura = service.client();
    await fatura.invoices.finalize('in_1');
    await fatura.invoices.finalize('in_1');
    expect(keysOf(service.requests).size).toBe(2);
  });

  test('is the one the caller gives, on POST and PATCH', async () => {
    const service = await fakeService(refusal(500, 'INTERNAL_ERROR'), DONE);
    const fatura = service.client();
    await fatura.invoices.finalize('in_1', { idempotencyKey: 'order-1042' });
    await fatura.invoices.update('in_1', {}, { idempotencyKey: 'order-1042' });
    expect(service.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(3).fill('order-1042'));
  });

  test('is not sent with GET, DELETE or a PATCH without one, which are retried all the same', async () => {
    const service = await fakeService(refusal(500, 'INTERNAL_ERROR'), DONE, refusal(500, 'INTERNAL_ERROR'), DONE);
    const fatura = service.client();
    await fatura.invoices.update('in_1', { description: null });
    await fatura.webhookEndpoints.delete('we_1');
    await fatura.invoices.retrieve('in_1');
    expect(service.requests.map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'DELETE', 'DELETE', 'GET']);
    expect(keysOf(service.requests)).toEqual(new Set([undefined]));
  });

  test('is told by the error, so that the caller can repeat under it', async () => {
    const service = await fakeService(refusal(504, 'ACQUIRER_TIMEOUT'));
    const error = await service
      .client({ retries: 0 })
      .invoices.finalize('in_1')
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ idempotencyKey: service.requests[0]?.headers['idempotency-key'] });
  });

  test.each(['', 'x'.repeat(256), 'a\nb', 'ação'])(
    'is refused before sending when it is %j',
    async (idempotencyKey) => {
      const service = await fakeService(DONE);
      await expect(service.client().invoices.finalize('in_1', { idempotencyKey })).rejects.toThrow(
        'idempotencyKey must be',
      );
      expect(service.requests).toEqual([]);
    },
  );
});

describe('the wait before a retry', () => {
  const failure = (retryAfterSeconds: number | null) =>
    new FaturaError({ message: 'x', code: 'RATE_LIMITED', type: 'rate_limit_error', status: 429, retryAfterSeconds });

  test('is what Retry-After says', async () => {
    const service = await fakeService({ ...refusal(429, 'RATE_LIMITED'), headers: { 'Retry-After': '1' } }, DONE);
    await service.client().invoices.retrieve('in_1');
    const [first, second] = service.requests;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
    expect(retryDelayMs(failure(0), 5)).toBe(0);
    expect(retryDelayMs(failure(60), 0)).toBe(60_000);
  });

  test('is not made when Retry-After asks more than a minute', async () => {
    const service = await fakeService({ ...refusal(429, 'RATE_LIMITED'), headers: { 'Retry-After': '61' } });
    await expect(service.client().invoices.retrieve('in_1')).rejects.toMatchObject({ retryAfterSeconds: 61 });
    expect(service.requests).toHaveLength(1);
  });

  test('is otherwise any part of a bound that doubles from half a second to eight', () => {
    const bounds = [500, 1_000, 2_000, 4_000, 8_000, 8_000];
    expect(bounds.map((_, attempt) => retryDelayMs(failure(null), attempt, () => 1))).toEqual(bounds);
    fc.assert(
      fc.property(fc.nat(10), (attempt) => {
        const delayMs = retryDelayMs(failure(null), attempt) ?? -1;
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThan(bounds[attempt] ?? 8_000);
      }),
    );
  });

  test.each([
    [null, null],
    ['0', 0],
    ['17', 17],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', null],
    ['1.5s', null],
  ])('reads the header %j as %j', (header, seconds) => {
    expect(readRetryAfter(header, Date.UTC(2026, 0, 1))).toBe(seconds);
  });
});

describe('the time limit', () => {
  test('is one for each try: a try after a timeout has all of it again', async () => {
    const service = await fakeService({ fault: 'hang' }, DONE);
    expect(await service.client({ timeoutMs: 1_000 }).invoices.finalize('in_1')).toEqual({ id: 'in_1' });
    expect(service.requests).toHaveLength(2);
    expect(keysOf(service.requests).size).toBe(1);
  });

  test('ends in TIMEOUT when every try hangs', async () => {
    const service = await fakeService({ fault: 'hang' });
    const call = service.client({ retries: 1 }).invoices.retrieve('in_1', { timeoutMs: 300 });
    await expect(call).rejects.toMatchObject({ code: 'TIMEOUT', status: null, type: 'client_error' });
    expect(service.requests).toHaveLength(2);
  });
});

describe('a signal', () => {
  test('ends a call at once, without another try', async () => {
    const service = await fakeService({ fault: 'hang' });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('the buyer left')), 300);
    const call = service.client().invoices.retrieve('in_1', { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ code: 'ABORTED', status: null });
    expect(service.requests).toHaveLength(1);
  });

  test('ends the wait between tries too', async () => {
    const service = await fakeService({ ...refusal(503, 'SERVICE_UNAVAILABLE'), headers: { 'Retry-After': '60' } });
    const signal = AbortSignal.timeout(500);
    await expect(service.client().invoices.retrieve('in_1', { signal })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(service.requests).toHaveLength(1);
  });

  test('that was given already keeps the request from being sent', async () => {
    const service = await fakeService(DONE);
    const call = service.client().invoices.finalize('in_1', { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ code: 'ABORTED' });
    expect(service.requests).toEqual([]);
  });
});
