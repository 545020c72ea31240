import { expect, onTestFinished, test, vi } from 'vitest';
import { fakeService, fakeServiceThat, refusal } from './fake-service.ts';

const TO = 1_803_000_000;
const moving = { object: 'test_clock', now: 1_795_257_600, status: 'advancing', target: TO };
const ready = { object: 'test_clock', now: TO, status: 'ready', target: null };

test('an advance answers when the clock is ready, with the answer that said so', async () => {
  const service = await fakeService(
    { status: 202, body: moving },
    { body: moving },
    { body: moving },
    { body: ready, headers: { 'Request-Id': 'req_last' } },
  );
  const advanced = service.client().testClock.advance({ to: TO }, { idempotencyKey: 'may' });
  expect(await advanced).toEqual(ready);
  expect(await advanced.withResponse()).toMatchObject({ data: ready, requestId: 'req_last' });
  const look = { method: 'GET', path: '/api/v1/test_clock', body: '' };
  expect(service.requests).toMatchObject([
    { method: 'POST', path: '/api/v1/test_clock/advance', body: JSON.stringify({ test_clock: { to: TO } }) },
    look,
    look,
    look,
  ]);
  expect(service.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
    'may',
    ...Array(3).fill(undefined),
  ]);
});

test('an advance that was done when its answer came is not asked about', async () => {
  const service = await fakeService({ status: 202, body: ready });
  expect(await service.client().testClock.advance({ to: TO })).toEqual(ready);
  expect(service.requests).toHaveLength(1);
});

test('the pauses between looks grow from 50 ms', async () => {
  const service = await fakeServiceThat((_, count) => ({ body: count < 5 ? moving : ready }));
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  await service.client().testClock.advance({ to: TO });
  // The timers that bound the requests are longer.
  const pauses = timers.mock.calls.map(([, ms]) => ms ?? 0).filter((ms) => ms > 0 && ms < 1_000);
  expect(pauses).toEqual([50, 100, 200, 400]);
});

test('an advance that lasts longer than it may is given up with the instant and the time', async () => {
  const service = await fakeService({ status: 202, body: moving }, { body: moving });
  await expect(service.client().testClock.advance({ to: TO }, { timeoutMs: 200 })).rejects.toMatchObject({
    name: 'FaturaError',
    code: 'TIMEOUT',
    type: 'client_error',
    status: null,
    message: `the test clock was not ready at ${TO} within 200 ms; it goes on: testClock.retrieve() tells when it is`,
  });
  const [asked, ...looks] = service.requests.map(({ method }) => method);
  expect(asked).toBe('POST');
  // On a busy machine fewer looks fit into the time.
  expect(looks.length).toBeGreaterThan(0);
  expect(new Set(looks)).toEqual(new Set(['GET']));
});

test('regression-30-an advance that gets no answer is given up in the same time', async () => {
  for (const replies of [[{ fault: 'hang' }], [{ status: 202, body: moving }, { fault: 'hang' }]] as const) {
    const service = await fakeService(...replies);
    const startedAt = performance.now();
    await expect(service.client().testClock.advance({ to: TO }, { timeoutMs: 200 })).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining(`was not ready at ${TO} within 200 ms`),
    });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  }
});

test('an advance ends with the signal of its caller', async () => {
  const service = await fakeService({ status: 202, body: moving });
  const signal = AbortSignal.timeout(120);
  await expect(service.client().testClock.advance({ to: TO }, { signal })).rejects.toMatchObject({ code: 'ABORTED' });
});

test('an advance that is refused is not asked about', async () => {
  const service = await fakeService(refusal(409, 'INVALID_STATE'));
  await expect(service.client().testClock.advance({ to: TO })).rejects.toMatchObject({ code: 'INVALID_STATE' });
  expect(service.requests).toHaveLength(1);
});

test('a look that fails for a moment is made again', async () => {
  const service = await fakeService({ status: 202, body: moving }, refusal(503, 'SERVICE_UNAVAILABLE'), {
    body: ready,
  });
  expect(await service.client().testClock.advance({ to: TO })).toEqual(ready);
});

test('a reset is sent without a body, under a key', async () => {
  const service = await fakeService({ body: ready });
  expect(await service.client().testClock.reset()).toEqual(ready);
  expect(service.requests).toMatchObject([{ method: 'POST', path: '/api/v1/test_clock/reset', body: '' }]);
  expect(service.requests[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
});
