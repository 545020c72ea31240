import { FaturaError, type RequestInfo, type ResponseInfo } from '@fatura/sdk';
import { describe, expect, test, vi } from 'vitest';
import { API_KEY, fakeService, refusal } from './fake-service.ts';

const DONE = { body: { id: 'in_1' } };
const BROKEN = () => {
  throw new Error('the hook is broken');
};

describe('the hooks of a call', () => {
  test('hear of each try before it is sent and after its answer came, in words without key, body or query', async () => {
    const service = await fakeService(refusal(503, 'SERVICE_UNAVAILABLE'), DONE);
    const heard: (RequestInfo | ResponseInfo)[] = [];
    const note = (info: RequestInfo | ResponseInfo): undefined => void heard.push(info);
    const fatura = service.client({ onRequest: note, onResponse: note });
    await fatura.invoices.update('in_1', { description: 'segredo' }, { idempotencyKey: 'order-1042' });
    const call = { route: 'invoices.update', method: 'PATCH', path: '/api/v1/invoices/in_1' };
    const told = { ...call, idempotencyKey: 'order-1042' };
    const timed = { ...told, durationMs: expect.any(Number) };
    const error = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' });
    expect(heard).toEqual([
      { ...told, attempt: 0 },
      { ...timed, attempt: 0, status: 503, requestId: 'req_2', error, retryInMs: 0 },
      { ...told, attempt: 1 },
      { ...timed, attempt: 1, status: 200, requestId: 'req_1', error: null, retryInMs: null },
    ]);
    const words = JSON.stringify(heard);
    expect(words).not.toContain(API_KEY);
    expect(words).not.toContain('segredo');
  });

  test('are told of each page of a list, and never of what it is searched by', async () => {
    const service = await fakeService({ body: { object: 'list', has_more: false, data: [] } });
    const heard: ResponseInfo[] = [];
    await service
      .client({ onResponse: (info) => void heard.push(info) })
      .customers.list({ email: 'maria@example.com' })
      .page();
    expect(heard.map(({ route, path }) => [route, path])).toEqual([['customers.list', '/api/v1/customers']]);
    expect(service.requests[0]?.query).toContain('maria');
  });

  test('hear the failure that the call rejects with, and that nothing follows', async () => {
    const service = await fakeService({ fault: 'reset' });
    const heard: ResponseInfo[] = [];
    const fatura = service.client({ retries: 0, onResponse: (info) => void heard.push(info) });
    const error = await fatura.invoices.retrieve('in_1').catch((reason: unknown) => reason);
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatchObject({ status: null, requestId: null, retryInMs: null });
    expect(heard[0]?.error).toBe(error);
  });

  test('may add headers to a try, and replace none of the client', async () => {
    const service = await fakeService(DONE);
    const onRequest = ({ attempt }: RequestInfo) => ({
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-0${attempt}`,
      authorization: 'ApiKey sk_of_somebody_else',
      'CONTENT-TYPE': 'text/plain',
      'idempotency-key': 'another',
    });
    const fatura = service.client({ onRequest });
    await fatura.invoices.create({ customer_id: 'cus_1', line_items: [] }, { idempotencyKey: 'order-1042' });
    await fatura.invoices.update('in_1', {});
    expect(service.requests[0]?.headers).toMatchObject({
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`,
      authorization: `ApiKey ${API_KEY}`,
      'content-type': 'application/json',
      'idempotency-key': 'order-1042',
    });
    expect(service.requests[1]?.headers['idempotency-key']).toBeUndefined();
  });
});

describe('a hook that fails', () => {
  const hooks = {
    'throws ahead of a try': { onRequest: BROKEN },
    'throws after a try': { onResponse: BROKEN },
    'rejects ahead of a try': { onRequest: async () => BROKEN() },
    'rejects after a try': { onResponse: async () => BROKEN() },
    'returns what is no header': { onRequest: () => ({ 'not a header': '\n' }) },
    'is a tracer that begins no span': { tracer: { startActiveSpan: BROKEN } },
    'is a tracer that fails behind the call': {
      tracer: {
        startActiveSpan: (_name: string, _options: object, run: (span: never) => unknown) => {
          run(undefined as never);
          return BROKEN();
        },
      },
    },
  };

  test.each(Object.entries(hooks))('and %s loses no answer, sends nothing twice, and is told of', async (_, hook) => {
    const service = await fakeService(DONE);
    const warn = vi.fn();
    // @ts-expect-error hooks of a merchant without types
    const fatura = service.client({ ...hook, logger: { debug: () => {}, warn } });
    expect(await fatura.invoices.finalize('in_1')).toEqual({ id: 'in_1' });
    expect(service.requests).toHaveLength(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warn.mock.calls).toEqual([['fatura: a hook failed', { error: expect.any(Error) }]]);
  });

  test('is told to the console where there is no logger', async () => {
    const service = await fakeService(DONE);
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    await service.client({ onResponse: BROKEN }).invoices.retrieve('in_1');
    expect(warn.mock.calls).toEqual([['fatura: a hook failed', { error: expect.any(Error) }]]);
    warn.mockRestore();
  });

  test('changes neither the retries nor the error, even when the logger fails too', async () => {
    const service = await fakeService(refusal(503, 'SERVICE_UNAVAILABLE'));
    const fatura = service.client({ onResponse: BROKEN, logger: { debug: BROKEN, warn: BROKEN } });
    await expect(fatura.invoices.retrieve('in_1')).rejects.toBeInstanceOf(FaturaError);
    expect(service.requests).toHaveLength(3);
  });
});
