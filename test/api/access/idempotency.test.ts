import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { type AnotherProcess, startAnother } from '../another-process.ts';
import { factsOf, type RawAnswer, refusalOf, send } from '../requests.ts';

let api: TestApi;
let another: AnotherProcess;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  another = await startAnother(api);
  shop = await api.newMerchant();
});

afterAll(async () => {
  await another.stop();
  await api.stop();
});

interface Keyed {
  idempotencyKey?: string | undefined;
  method?: string;
  path?: string;
  key?: string;
  body?: unknown;
  at?: { baseUrl: string };
}

const product = (name: string, more: object = {}) => ({ product: { name, ...more } });

const keyed = ({
  idempotencyKey,
  method = 'POST',
  path = '/products',
  key = shop.sandboxKey,
  body,
  at = api,
}: Keyed): Promise<RawAnswer> =>
  send(at, {
    method,
    path,
    key,
    body,
    ...(idempotencyKey === undefined ? {} : { headers: { 'Idempotency-Key': idempotencyKey } }),
  });

const isReplayed = ({ headers }: RawAnswer): boolean => headers.get('Idempotent-Replayed') === 'true';
const idOf = ({ body }: RawAnswer): string => (body as { id: string }).id;
const countProducts = async (name: string, of: Merchant = shop): Promise<number> =>
  (await of.fatura.products.list({ limit: 100 }).all({ max: 1_000 })).filter((one) => one.name === name).length;

describe('a request under an Idempotency-Key', () => {
  test('is stored under the path that versions before this one stored it under, so that an update forgets no answer', async () => {
    const { id } = await shop.fatura.products.create({ name: 'stored' });
    await keyed({ idempotencyKey: 'stored', method: 'PATCH', path: `/products/${id}`, body: product('stored later') });
    const { pool, secretBox } = api.composition.deps;
    const hash = secretBox.fingerprint([shop.accountId, 'false', 'PATCH', '/api/v1/products/:id', id, 'stored']);
    const { rows } = await pool.query('SELECT status FROM idempotency_key WHERE hash = $1', [hash]);
    expect(rows).toEqual([{ status: 200 }]);
  });

  test('acts once; a repeat gets the first answer and its status', async () => {
    const body = product('once');
    const first = await keyed({ idempotencyKey: 'once', body });
    const repeated = await keyed({ idempotencyKey: 'once', body });
    expect([first.status, isReplayed(first)]).toEqual([201, false]);
    expect([repeated.status, isReplayed(repeated)]).toEqual([201, true]);
    expect(repeated.body).toEqual(first.body);
    expect(repeated.headers.get('Request-Id')).not.toBe(first.headers.get('Request-Id'));
    expect(await countProducts('once')).toBe(1);
  });

  test('without a key acts each time', async () => {
    await keyed({ body: product('unkeyed') });
    await keyed({ body: product('unkeyed') });
    expect(await countProducts('unkeyed')).toBe(2);
  });

  test('is the same request in another spelling of its JSON', async () => {
    const first = await keyed({ idempotencyKey: 'spelling', body: '{"product":{"name":"spelling","active":true}}' });
    const repeated = await keyed({
      idempotencyKey: 'spelling',
      body: '{ "product": { "active": true, "name": "spelling" } }',
    });
    expect(isReplayed(repeated)).toBe(true);
    expect(repeated.body).toEqual(first.body);
  });

  test('refuses another body under the key, and the first answer stands', async () => {
    const first = await keyed({ idempotencyKey: 'body', body: product('body') });
    for (const body of [product('other body'), product('body', { active: true })]) {
      const answer = await keyed({ idempotencyKey: 'body', body });
      expect(refusalOf(answer)).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
      expect(isReplayed(answer)).toBe(false);
    }
    expect((await keyed({ idempotencyKey: 'body', body: product('body') })).body).toEqual(first.body);
    expect(await countProducts('other body')).toBe(0);
  });

  test('is another one in another account, mode, method or path', async () => {
    const idempotencyKey = 'place';
    const body = product('place');
    const first = await keyed({ idempotencyKey, body });
    const stranger = await api.newMerchant();
    expect(idOf(await keyed({ idempotencyKey, body, key: stranger.sandboxKey }))).not.toBe(idOf(first));
    expect(idOf(await keyed({ idempotencyKey, body, key: shop.liveKey }))).not.toBe(idOf(first));
    const changed = await keyed({
      idempotencyKey,
      method: 'PATCH',
      path: `/products/${idOf(first)}`,
      body: product('placed'),
    });
    expect([changed.status, isReplayed(changed)]).toEqual([200, false]);
    expect((await keyed({ idempotencyKey, body })).body).toEqual(first.body);
  });

  test('repeats a change without a second event, and answers it as it was then', async () => {
    const mine = await api.newMerchant();
    const { id } = await mine.fatura.products.create({ name: 'Plano' });
    const change = { method: 'PATCH', path: `/products/${id}`, key: mine.sandboxKey, body: product('Plano Ouro') };
    const first = await keyed({ idempotencyKey: 'change', ...change });
    await mine.fatura.products.update(id, { name: 'Plano Prata' });
    const repeated = await keyed({ idempotencyKey: 'change', ...change });
    expect([repeated.status, isReplayed(repeated), repeated.body]).toEqual([200, true, first.body]);
    expect(await mine.fatura.products.retrieve(id)).toMatchObject({ name: 'Plano Prata' });
    expect((await factsOf(mine)).map(({ type }) => type)).toEqual([
      'product.created',
      'product.updated',
      'product.updated',
    ]);
  });

  test('that is refused frees the key', async () => {
    const price = (id: string) => ({ price: { product_id: id, unit_amount: 1, type: 'one_time' } });
    const nothing = { idempotencyKey: 'freed', path: '/prices', body: price('prod_00000000000000000000000000') };
    expect((await keyed(nothing)).status).toBe(404);
    expect((await keyed(nothing)).status).toBe(404);
    expect((await keyed({ ...nothing, body: { price: {} } })).status).toBe(400);
    const { id } = await shop.fatura.products.create({ name: 'Plano' });
    expect((await keyed({ ...nothing, body: price(id) })).status).toBe(201);
  });

  test('that answered 200 to an existing price answers 200 again', async () => {
    const { id } = await shop.fatura.products.create({ name: 'Plano' });
    const body = { price: { product_id: id, unit_amount: 1, type: 'one_time', external_code: 'existing' } };
    const created = await keyed({ idempotencyKey: 'creates', path: '/prices', body });
    const found = await keyed({ idempotencyKey: 'finds', path: '/prices', body });
    const repeated = await keyed({ idempotencyKey: 'finds', path: '/prices', body });
    expect([created.status, found.status, repeated.status]).toEqual([201, 200, 200]);
    expect([isReplayed(found), isReplayed(repeated)]).toEqual([false, true]);
    expect(repeated.body).toEqual(created.body);
  });

  test('may have a key of 1 to 255 characters, and only for POST and PATCH', async () => {
    expect((await keyed({ idempotencyKey: 'x', body: product('x') })).status).toBe(201);
    expect((await keyed({ idempotencyKey: 'x'.repeat(255), body: product('x') })).status).toBe(201);
    const answer = await keyed({ idempotencyKey: 'x'.repeat(256), body: product('x') });
    expect(refusalOf(answer)).toMatchObject({ status: 400, code: 'PARAMETER_INVALID', param: 'Idempotency-Key' });
    expect(refusalOf(await keyed({ idempotencyKey: '', body: product('x') }))).toMatchObject({
      status: 400,
      code: 'PARAMETER_INVALID',
    });
    const list = await keyed({ idempotencyKey: 'x', method: 'GET' });
    expect([list.status, isReplayed(list)]).toEqual([200, false]);
  });

  test('stores neither its key nor its body nor its answer in clear', async () => {
    await keyed({ idempotencyKey: 'a key to find', body: product('a name to find') });
    const { rows } = await api.composition.deps.pool.query<{ row: string }>(
      `SELECT concat_ws(' ', encode(hash, 'escape'), encode(fingerprint, 'escape'), encode(answer, 'escape')) AS row FROM idempotency_key`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows) expect(row).not.toMatch(/to find/);
  });
});

describe('50 requests at once under one key', () => {
  const accepted = (answers: RawAnswer[]) => answers.filter(({ status }) => status === 201);

  test('have one effect in one process; who comes too early is told to repeat', async () => {
    const mine = await api.newMerchant();
    const request = { idempotencyKey: 'fifty', key: mine.sandboxKey, body: product('fifty') };
    const answers = await Promise.all(Array.from({ length: 50 }, () => keyed(request)));
    expect(new Set(accepted(answers).map(idOf)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(refusalOf(answer)).toMatchObject({ status: 409, code: 'IDEMPOTENCY_KEY_IN_USE' });
    }
    expect(await factsOf(mine)).toEqual([{ type: 'product.created', object: accepted(answers)[0]?.body }]);
  });

  test('have one effect in two processes, also when the effect stands in its own way', async () => {
    for (let round = 0; round < 20; round += 1) {
      const mine = await api.newMerchant();
      const request = { idempotencyKey: 'two', key: mine.sandboxKey, body: product('two', { external_code: 'two' }) };
      const answers = await Promise.all([keyed(request), keyed({ ...request, at: another })]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect(new Set(answers.map(idOf)).size).toBe(1);
      expect(answers.filter(isReplayed)).toHaveLength(1);
      expect(await factsOf(mine)).toHaveLength(1);
    }
  });

  test('with two bodies in two processes have one effect', async () => {
    for (let round = 0; round < 20; round += 1) {
      const mine = await api.newMerchant();
      const request = { idempotencyKey: 'bodies', key: mine.sandboxKey };
      const answers = await Promise.all([
        keyed({ ...request, body: product('one') }),
        keyed({ ...request, body: product('other'), at: another }),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422]);
      expect(await factsOf(mine)).toEqual([{ type: 'product.created', object: accepted(answers)[0]?.body }]);
    }
  });
});
