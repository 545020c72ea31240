import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { instantText } from '../../../server/kernel/time.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newCustomer, newInvoice, newProduct } from '../../support/factories.ts';
import { subscribeByCard } from '../../support/subscriptions.ts';
import { type AnotherProcess, startAnother } from '../another-process.ts';
import { outcomesOf, type RawAnswer, refusalOf, send } from '../requests.ts';

const DAY = 86_400;

let api: TestApi;
let another: AnotherProcess;
let shop: Merchant;
beforeAll(async () => {
  api = await startApi();
  another = await startAnother(api);
});
afterAll(async () => {
  await another.stop();
  await api.stop();
});
beforeEach(async () => {
  shop = await api.newMerchant();
});

const now = () => api.clock.now();
const rows = async (sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> =>
  (await api.composition.deps.pool.query(sql, values)).rows;

const setClock = (aheadSeconds: number) =>
  rows('UPDATE account SET sandbox_offset_seconds = $2 WHERE id = $1', shop.accountId, aheadSeconds);
/** As an advance leaves it on its way. */
const hold = (heldAt: number, target: number) =>
  rows(
    'UPDATE account SET clock_held_at = $2, clock_target = $3, clock_moved_at = now() WHERE id = $1',
    shop.accountId,
    heldAt,
    target,
  );
const letGo = () => rows('UPDATE account SET clock_held_at = NULL, clock_target = NULL WHERE id = $1', shop.accountId);

const post = (
  path: string,
  body?: unknown,
  more: { key?: string; idempotencyKey?: string; at?: AnotherProcess } = {},
) =>
  send(more.at ?? api, {
    method: 'POST',
    path,
    key: more.key ?? shop.sandboxKey,
    ...(body === undefined ? {} : { body }),
    ...(more.idempotencyKey === undefined ? {} : { headers: { 'Idempotency-Key': more.idempotencyKey } }),
  });
const advance = (to: number, more: Parameters<typeof post>[2] = {}) =>
  post('/test_clock/advance', { test_clock: { to } }, more);
const isReplayed = ({ headers }: RawAnswer): boolean => headers.get('Idempotent-Replayed') === 'true';

const seconds = (date: string): number => Date.parse(date) / 1_000;
const instant = (at: number): string => `${at} (${instantText(at)})`;

describe('the clock of a sandbox', () => {
  test('is real time until it is moved', async () => {
    expect(await shop.fatura.testClock.retrieve()).toEqual({
      object: 'test_clock',
      now: now(),
      status: 'ready',
      target: null,
    });
  });

  test('is what the sandbox lives by, and live data do not', async () => {
    await setClock(40 * DAY);
    expect(await shop.fatura.testClock.retrieve()).toMatchObject({ now: now() + 40 * DAY, status: 'ready' });
    expect(await newProduct(shop)).toMatchObject({ created: now() + 40 * DAY });
    expect(await shop.live.products.create({ name: 'Plano' })).toMatchObject({ created: now() });
  });

  test('stands still while it is advancing, and tells where to', async () => {
    await hold(now() + 7, now() + 9 * DAY);
    expect(await shop.fatura.testClock.retrieve()).toEqual({
      object: 'test_clock',
      now: now() + 7,
      status: 'advancing',
      target: now() + 9 * DAY,
    });
  });

  test('is of the sandbox alone', async () => {
    const calls = [
      send(api, { method: 'GET', path: '/test_clock', key: shop.liveKey }),
      advance(now() + DAY, { key: shop.liveKey }),
      post('/test_clock/reset', undefined, { key: shop.liveKey }),
    ];
    for (const answer of await Promise.all(calls)) {
      expect(refusalOf(answer)).toMatchObject({ status: 403, type: 'permission_error', code: 'ENVIRONMENT_MISMATCH' });
    }
  });
});

describe('an advance', () => {
  test('holds the clock, rests what is due and asks for the workflow that moves it', async () => {
    await setClock(-3 * DAY);
    const { id } = await subscribeByCard(shop);
    const invoice = await newInvoice(shop);
    const from = now() - 3 * DAY;
    const [due] = await rows('SELECT due_at, wake_at FROM subscription WHERE id = $1', id);
    expect(due).toEqual({ due_at: expect.any(Number), wake_at: Number(due?.due_at) + 3 * DAY });

    const answer = await advance(from + 700 * DAY);
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ object: 'test_clock', now: from, status: 'advancing', target: from + 700 * DAY });

    api.clock.advance(5);
    expect(await shop.fatura.testClock.retrieve()).toEqual(answer.body);
    expect(await rows('SELECT due_at, wake_at FROM subscription WHERE id = $1', id)).toEqual([
      { due_at: due?.due_at, wake_at: null },
    ]);
    expect(await rows('SELECT step, wake_at FROM invoice WHERE id = $1', invoice.id)).toEqual([
      { step: 'remind', wake_at: null },
    ]);
    expect(
      await rows(`SELECT kind, key FROM outbox WHERE account_id = $1 AND kind = 'test-clock'`, shop.accountId),
    ).toEqual([{ kind: 'test-clock', key: shop.accountId }]);
    expect(
      await rows(
        `SELECT sandbox_offset_seconds, clock_held_at, clock_target, clock_moved_at > now() - interval '1 minute' AS moved
         FROM account WHERE id = $1`,
        shop.accountId,
      ),
    ).toEqual([{ sandbox_offset_seconds: -3 * DAY, clock_held_at: from, clock_target: from + 700 * DAY, moved: true }]);
  });

  test('leaves what is due in live mode and in other sandboxes alone', async () => {
    const other = await api.newMerchant();
    const invoices = [await newInvoice({ ...shop, fatura: shop.live }), await newInvoice(other)];
    const wakes = () =>
      rows(
        'SELECT id, wake_at - step_at AS ahead FROM invoice WHERE id = ANY ($1) ORDER BY id',
        invoices.map(({ id }) => id),
      );
    await advance(now() + DAY);
    expect(await wakes()).toEqual(invoices.map(({ id }) => ({ id, ahead: 0 })));
  });

  test.each([
    ['to now', 0],
    ['to the past', -1],
    ['of more than two years', 730 * DAY + 1],
  ])('%s is refused with both instants', async (_, ahead) => {
    const from = seconds('2029-03-01T15:00:00Z');
    await setClock(from - now());
    const latest = from + 730 * DAY;
    const message = `test_clock.to must lie after now (${from}) and at most 2 calendar years ahead (${latest}), got ${from + ahead}`;
    expect(refusalOf(await advance(from + ahead))).toMatchObject({
      status: 400,
      code: 'PARAMETER_INVALID',
      param: 'test_clock.to',
      message,
      errors: [{ param: 'test_clock.to', code: 'PARAMETER_INVALID', message }],
    });
    expect(await shop.fatura.testClock.retrieve()).toMatchObject({ status: 'ready', target: null });
  });

  test.each([
    ['over a 29 February', '2027-03-01T15:00:00Z', '2029-03-01T15:00:00Z'],
    ['from a 29 February', '2028-02-29T15:00:00Z', '2030-02-28T15:00:00Z'],
    ['from the last hours of a 28 February in São Paulo', '2028-02-29T02:00:00Z', '2030-03-01T02:00:00Z'],
  ])('regression-64-goes two calendar years at most %s', async (_, from, to) => {
    await setClock(seconds(from) - now());
    expect(refusalOf(await advance(seconds(to) + 1))).toMatchObject({ status: 400, param: 'test_clock.to' });
    expect(await advance(seconds(to))).toMatchObject({ status: 202 });
    await letGo();
  });

  test('names an instant in whole seconds', async () => {
    for (const to of [undefined, null, '1795257600', 1.5, -1]) {
      expect(refusalOf(await post('/test_clock/advance', { test_clock: { to } }))).toMatchObject({
        status: 400,
        param: 'test_clock.to',
      });
    }
  });

  test('of two at once, in two processes, one wins', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [first, second] = await Promise.all([advance(now() + DAY), advance(now() + 2 * DAY, { at: another })]);
      const [won, lost] = first?.status === 202 ? [first, second] : [second, first];
      const { target } = await shop.fatura.testClock.retrieve();
      expect(won).toMatchObject({ status: 202, body: { status: 'advancing', target } });
      expect(refusalOf(lost ?? expect.fail())).toMatchObject({
        status: 409,
        code: 'INVALID_STATE',
        message: expect.stringContaining(`advanced to ${instant(target ?? 0)}`),
      });
      await letGo();
    }
  });

  test('is repeated under its Idempotency-Key, and acts once', async () => {
    const first = await advance(now() + DAY, { idempotencyKey: 'advance' });
    const repeated = await advance(now() + DAY, { idempotencyKey: 'advance' });
    expect([first.status, isReplayed(first), repeated.status, isReplayed(repeated)]).toEqual([202, false, 202, true]);
    expect(repeated.body).toEqual(first.body);
    expect(refusalOf(await advance(now() + 2 * DAY, { idempotencyKey: 'other' }))).toMatchObject({ status: 409 });
  });
});

describe('while the clock is advancing', () => {
  const target = () => now() + 60 * DAY;
  const refused = () => ({
    status: 409,
    type: 'conflict_error',
    code: 'INVALID_STATE',
    message: `The test clock is being advanced to ${instant(target())}: nothing of the sandbox can be changed until it is ready`,
  });

  test('POST, PATCH, DELETE and a reset are refused, with a key and without, and change nothing', async () => {
    const product = await newProduct(shop);
    const { id: endpoint } = await shop.fatura.webhookEndpoints.create({
      url: 'http://127.0.0.1:9/x',
      event_types: [],
    });
    await hold(now(), target());
    const keyed = { idempotencyKey: 'held' };
    const change = { path: `/products/${product.id}`, key: shop.sandboxKey, body: { product: { name: 'Outro' } } };
    const answers = [
      await post('/products', { product: { name: 'Plano' } }),
      await post('/products', { product: { name: 'Plano' } }, keyed),
      await send(api, { ...change, method: 'PATCH' }),
      await send(api, { ...change, method: 'PATCH', headers: { 'Idempotency-Key': 'held' } }),
      await send(api, { method: 'DELETE', path: `/webhook_endpoints/${endpoint}`, key: shop.sandboxKey }),
      await post('/test_clock/reset'),
      await advance(target() + DAY),
    ];
    for (const answer of answers) expect(refusalOf(answer)).toMatchObject(refused());
    expect(await shop.fatura.products.list().all({ max: 10 })).toEqual([product]);
    expect(await shop.fatura.webhookEndpoints.retrieve(endpoint)).toMatchObject({ id: endpoint });
  });

  test('reads are answered, and live data are changed', async () => {
    const product = await newProduct(shop);
    await hold(now(), target());
    expect(await shop.fatura.products.retrieve(product.id)).toEqual(product);
    expect(await shop.fatura.events.list().all({ max: 10 })).toMatchObject([{ type: 'product.created' }]);
    expect(await shop.live.products.create({ name: 'Plano' })).toMatchObject({ live_mode: true });
  });

  test('a repeat gets its stored answer, and a refused key is free when the clock is ready', async () => {
    const body = { product: { name: 'Plano' } };
    const first = await post('/products', body, { idempotencyKey: 'stored' });
    await hold(now(), target());
    const repeated = await post('/products', body, { idempotencyKey: 'stored' });
    expect([repeated.status, isReplayed(repeated), repeated.body]).toEqual([201, true, first.body]);
    expect(refusalOf(await post('/products', body, { idempotencyKey: 'new' }))).toMatchObject(refused());
    await letGo();
    const later = await post('/products', body, { idempotencyKey: 'new' });
    expect([later.status, isReplayed(later)]).toEqual([201, false]);
  });

  test('a body is judged before the clock', async () => {
    await hold(now(), target());
    expect(refusalOf(await post('/products', { product: {} }))).toMatchObject({ status: 400 });
  });
});

test('changes of a customer, a sale and a reset at once leave no half of anything', async () => {
  for (let round = 0; round < 5; round += 1) {
    shop = await api.newMerchant();
    await setClock(200 * DAY);
    const customers = await Promise.all(Array.from({ length: 5 }, () => newCustomer(shop)));
    const attempts = customers.flatMap(({ id }) => [
      shop.fatura.customers.update(id, { name: 'Maria Souza' }),
      newCustomer(shop),
      newInvoice(shop, { customer_id: id }),
    ]);
    const [{ refused }] = await Promise.all([outcomesOf<unknown>(attempts), shop.fatura.testClock.reset()]);
    const codes = new Set(refused.map((error) => (error as { code?: string }).code));
    expect(['INVALID_STATE', 'RESOURCE_MISSING', 'SERVICE_UNAVAILABLE']).toEqual(expect.arrayContaining([...codes]));
    expect(await shop.fatura.testClock.retrieve()).toMatchObject({ now: now(), status: 'ready', target: null });
    const left = await shop.fatura.customers.list({ limit: 100 }).all({ max: 100 });
    expect(left.filter(({ created }) => created > now())).toEqual([]);
  }
});
