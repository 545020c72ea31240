import type { ApiKey, ApiKeyCreate, Fatura } from '@fatura/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEYS_MAX } from '../../../contract/api-keys.ts';
import { setLimits } from '../../../server/accounts/service.ts';
import { realTime } from '../../../server/kernel/time.ts';
import { type Merchant, sdkFor, startApi, type TestApi } from '../../support/api.ts';
import { findLeaks, patternOf } from '../../support/leaks.ts';
import { outcomesOf, refusalOf, send, violationsOf } from '../requests.ts';

const DAY = 86_400;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const by = ({ key = '' }: ApiKey): Fatura => sdkFor(api.baseUrl, key);

const make = ({ fatura }: Pick<Merchant, 'fatura'>, terms: Partial<ApiKeyCreate> = {}): Promise<ApiKey> =>
  fatura.apiKeys.create({ name: 'ERP', scope: 'full', ...terms });

const listed = (fatura: Fatura, status?: ApiKey['status']) =>
  fatura.apiKeys.list(status === undefined ? {} : { status }).all({ max: 100 });

const first = async (shop: Merchant): Promise<ApiKey> => (await listed(shop.fatura)).at(-1) as ApiKey;

const invalidState = { status: 409, code: 'INVALID_STATE' };
const denied = { status: 403, code: 'PERMISSION_DENIED' };

const shownOf = ({ key: _, ...shown }: ApiKey): ApiKey => shown;

describe('a key', () => {
  test('is made by a key of its account and mode, shown once, and works', async () => {
    const shop = await api.newMerchant();
    const networks = ['127.0.0.0/8', '2001:DB8::1', '127.0.0.0/8'];
    const made = await make(shop, { name: ' Relatórios ', scope: 'read', networks, expires_at: realTime() + DAY });
    expect(made).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      object: 'api_key',
      name: 'Relatórios',
      scope: 'read',
      networks: ['127.0.0.0/8', '2001:db8::1/128'],
      reads: 'latest',
      hint: made.key?.slice(-4),
      status: 'valid',
      created: expect.any(Number),
      last_used_at: null,
      expires_at: expect.any(Number),
      revoked_at: null,
      replaced_by: null,
      live_mode: false,
      key: expect.stringMatching(/^sk_sandbox_/),
    });
    expect(await shop.fatura.apiKeys.retrieve(made.id)).toEqual(shownOf(made));
    expect((await by(made).account.retrieve()).id).toBe(shop.accountId);
    await expect(by(made).apiKeys.list().page()).rejects.toMatchObject(denied);
    expect((await make({ fatura: shop.live })).key).toMatch(/^sk_live_/);
    expect(await listed(shop.fatura)).toEqual([shownOf(made), await first(shop)]);
    expect((await listed(shop.live)).map(({ live_mode }) => live_mode)).toEqual([true, true]);
  });

  test('is kept nowhere but in the sealed answer of the request that made it, by which a repeat is answered', async () => {
    const shop = await api.newMerchant();
    const request = {
      method: 'POST',
      path: '/api_keys',
      key: shop.sandboxKey,
      body: { api_key: { name: 'ERP', scope: 'full' } },
      headers: { 'Idempotency-Key': 'erp' },
    };
    const [answer, repeated] = [await send(api, request), await send(api, request)];
    expect(repeated.body).toEqual(answer.body);
    expect(await listed(shop.fatura)).toHaveLength(2);
    const { pool, secretBox, metrics } = api.composition.deps;
    const left = { pool, secretBox, log: api.logged(), metrics: await metrics.registry.metrics() };
    const found = await findLeaks(left, patternOf([(answer.body as ApiKey).key ?? '']));
    expect(found.map((where) => where.split(':')[0])).toEqual(['idempotency_key.answer']);
  });

  test('is renamed and bound to networks, which holds within a second', async () => {
    const shop = await api.newMerchant();
    const made = await make(shop);
    const changed = await shop.fatura.apiKeys.update(made.id, { name: 'ERP novo', networks: ['203.0.113.0/24'] });
    expect(changed).toEqual({ ...shownOf(made), name: 'ERP novo', networks: ['203.0.113.0/24'] });
    await expect
      .poll(
        () =>
          by(made)
            .account.retrieve()
            .catch(({ status }) => status),
        { timeout: 3_000 },
      )
      .toBe(403);
    expect(await shop.fatura.apiKeys.update(made.id, { networks: [] })).toMatchObject({
      name: 'ERP novo',
      networks: [],
    });
  });

  test('is told of in the audit log as an operator’s is, with the key that asked', async () => {
    const shop = await api.newMerchant();
    const { id: actor } = await first(shop);
    const made = await make(shop, { networks: ['10.0.0.0/8'] });
    await shop.fatura.apiKeys.update(made.id, { name: 'ERP' });
    await shop.fatura.apiKeys.update(made.id, { name: 'Loja' });
    const rolled = await shop.fatura.apiKeys.roll(made.id, { hours: 0 });
    await shop.fatura.apiKeys.revoke(rolled.id);
    await shop.fatura.apiKeys.revoke(rolled.id);
    const { rows } = await api.composition.deps.pool.query<{ entry: string }>(
      `SELECT entry FROM audit_log WHERE account_id = $1 AND actor = $2 ORDER BY place`,
      [shop.accountId, actor],
    );
    const entries = rows.map(({ entry }) => JSON.parse(entry));
    expect(entries.map(({ action, object }) => [action, object])).toEqual([
      ['api_key.created', made.id],
      ['api_key.updated', made.id],
      ['api_key.created', rolled.id],
      ['api_key.rolled', made.id],
      ['api_key.revoked', rolled.id],
    ]);
    expect(entries[0]).toMatchObject({
      actor: { kind: 'api_key', id: actor },
      account: shop.accountId,
      live_mode: false,
      before: null,
      after: { name: 'ERP', scope: 'full', networks: ['10.0.0.0/8'], expires_at: null, hint: made.hint, replaces: [] },
      from: { host: null, address: '127.0.0.1' },
      request_id: expect.stringMatching(/^req_/),
    });
    expect(entries[1]).toMatchObject({ before: { name: 'ERP' }, after: { name: 'Loja' } });
    expect(entries[2].after.replaces).toEqual([made.id]);
    expect(JSON.stringify(entries)).not.toMatch(/sk_sandbox_/);
  });

  test('that is made by another goes on with the count of its requests', async () => {
    const shop = await api.newMerchant();
    await setLimits(api.operator, shop.accountId, { 'payment_intents.get': 2 });
    const intent = ({ key = '' }: ApiKey) =>
      send(api, { method: 'GET', path: '/payment_intents/pi_00000000000000000000000000', key });
    const one = await make(shop);
    const other = await make({ fatura: by(one) });
    expect((await intent({ ...one, key: shop.sandboxKey })).status).toBe(404);
    expect((await intent(one)).status).toBe(404);
    expect((await intent(other)).status).toBe(429);
  });

  test.each([
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'a\nb' }],
    ['name', { name: 'erp\u202e' }],
    ['scope', { scope: 'write' }],
    ['networks[0]', { networks: ['203.0.113.7/24'] }],
    ['networks[1]', { networks: ['10.0.0.0/8', 'loja.test'] }],
    ['networks', { networks: Array.from({ length: 51 }, (_, nth) => `10.0.0.${nth}`) }],
    ['expires_at', { expires_at: realTime() - 1 }],
    ['expires_at', { expires_at: realTime() + 3_651 * DAY }],
  ])('of a wrong %s is refused (%j)', async (field, wrong) => {
    const shop = await api.newMerchant();
    const body = { api_key: { name: 'ERP', scope: 'full', ...wrong } };
    const answer = await send(api, { method: 'POST', path: '/api_keys', key: shop.sandboxKey, body });
    expect(violationsOf(answer)).toEqual([400, `api_key.${field} PARAMETER_INVALID`]);
    expect(await listed(shop.fatura)).toHaveLength(1);
  });
});

describe('a roll', () => {
  test('keeps how late its lists may be, which nobody said of most', async () => {
    const shop = await api.newMerchant();
    const made = await make(shop, { reads: 'eventual' });
    expect(made.reads).toBe('eventual');
    expect((await shop.fatura.apiKeys.roll(made.id)).reads).toBe('eventual');
    expect((await make(shop)).reads).toBe('latest');
  });

  test('puts a key of the same name, scope and networks in the place of one, for 24 hours beside it', async () => {
    const shop = await api.newMerchant();
    const former = await make(shop, { scope: 'read', networks: ['127.0.0.0/8'] });
    const rolled = await shop.fatura.apiKeys.roll(former.id);
    expect(rolled).toEqual({
      ...former,
      id: rolled.id,
      hint: rolled.key?.slice(-4),
      created: expect.any(Number),
      key: expect.not.stringContaining(former.key ?? ''),
    });
    const left = await shop.fatura.apiKeys.retrieve(former.id);
    expect(left).toMatchObject({ status: 'valid', replaced_by: rolled.id });
    expect(Math.abs((left.expires_at ?? 0) - realTime() - DAY)).toBeLessThan(60);
    for (const key of [former, rolled]) expect((await by(key).account.retrieve()).id).toBe(shop.accountId);
    await expect(shop.fatura.apiKeys.roll(former.id)).rejects.toMatchObject(invalidState);
    await shop.fatura.apiKeys.revoke(rolled.id);
    await expect(shop.fatura.apiKeys.roll(rolled.id)).rejects.toMatchObject(invalidState);
  });

  test('made twice at once makes one new key', async () => {
    const shop = await api.newMerchant();
    const { id } = await make(shop);
    const rolls = Array.from({ length: 5 }, () => shop.fatura.apiKeys.roll(id, { hours: 0 }));
    const { done, refused } = await outcomesOf(rolls);
    expect([done.length, refused.length]).toEqual([1, 4]);
    for (const refusal of refused) expect(refusal).toMatchObject(invalidState);
    expect((await listed(shop.fatura, 'expired')).map((key) => key.id)).toEqual([id]);
  });

  test('of other hours is refused', async () => {
    const shop = await api.newMerchant();
    const { id } = await make(shop);
    const answer = await send(api, {
      method: 'POST',
      path: `/api_keys/${id}/roll`,
      key: shop.sandboxKey,
      body: { hours: 2 },
    });
    expect(refusalOf(answer)).toMatchObject({ code: 'PARAMETER_INVALID', param: 'hours' });
  });
});

describe('keys of a mode', () => {
  test(`are at most ${KEYS_MAX} valid ones, however many are asked for at once`, async () => {
    const shop = await api.newMerchant();
    const { done, refused } = await outcomesOf(Array.from({ length: KEYS_MAX + 3 }, () => make(shop)));
    expect([done.length, refused.length]).toEqual([KEYS_MAX - 1, 4]);
    for (const refusal of refused) expect(refusal).toMatchObject(invalidState);
    const [some] = done;
    await expect(shop.fatura.apiKeys.roll(some?.id ?? '', { hours: 1 })).rejects.toMatchObject(invalidState);
    await shop.fatura.apiKeys.roll(some?.id ?? '', { hours: 0 });
    expect(await listed(shop.fatura, 'valid')).toHaveLength(KEYS_MAX);
  });

  test('are listed by their status', async () => {
    const shop = await api.newMerchant();
    const [former, gone] = [await make(shop), await make(shop)];
    const rolled = await shop.fatura.apiKeys.roll(former.id, { hours: 0 });
    await shop.fatura.apiKeys.revoke(gone.id);
    const idsIn = async (status: ApiKey['status']) => (await listed(shop.fatura, status)).map(({ id }) => id);
    expect(await idsIn('valid')).toEqual([rolled.id, (await first(shop)).id]);
    expect(await idsIn('expired')).toEqual([former.id]);
    expect(await idsIn('revoked')).toEqual([gone.id]);
  });

  test('keep a full one, whoever revokes them at once', async () => {
    const shop = await api.newMerchant();
    await make(shop, { scope: 'read' });
    const other = await make(shop);
    const { id } = await first(shop);
    const ends = [by(other).apiKeys.revoke(id), shop.fatura.apiKeys.revoke(other.id)];
    const { done, refused } = await outcomesOf(ends);
    expect([done.length, refused.length]).toEqual([1, 1]);
    // The other one asks with a key that is over by then.
    expect(refused[0]).toMatchObject({ status: 401, code: 'API_KEY_EXPIRED' });
    const { live } = shop;
    const [last] = await listed(live);
    await expect(live.apiKeys.revoke(last?.id ?? '')).rejects.toMatchObject({
      ...invalidState,
      message: expect.stringContaining('is the last valid full key'),
    });
  });

  test('revoke themselves, and a repeat finds what it asked for', async () => {
    const shop = await api.newMerchant();
    const made = await make(shop);
    const revoked = await by(made).apiKeys.revoke(made.id);
    expect(revoked).toMatchObject({ id: made.id, status: 'revoked', revoked_at: expect.any(Number) });
    expect(await shop.fatura.apiKeys.revoke(made.id)).toEqual(revoked);
  });
});

describe('a key hands on no more than it has:', () => {
  test('one that was revoked makes and changes no key in the second in which it may still be taken', async () => {
    const shop = await api.newMerchant();
    const thief = await make(shop);
    const { id } = await make(shop);
    await by(thief).account.retrieve();
    await shop.fatura.apiKeys.revoke(thief.id);
    const tries = [
      { method: 'POST', path: '/api_keys', body: { api_key: { name: 'mine', scope: 'full' } } },
      { method: 'POST', path: `/api_keys/${id}/roll` },
      { method: 'PATCH', path: `/api_keys/${id}`, body: { api_key: { networks: ['203.0.113.7'] } } },
      { method: 'DELETE', path: `/api_keys/${id}` },
    ];
    for (const request of tries) {
      const answer = await send(api, { ...request, key: thief.key ?? '' });
      expect(refusalOf(answer)).toMatchObject({ status: 401, code: 'API_KEY_EXPIRED' });
      expect(answer.headers.get('WWW-Authenticate')).toBe('ApiKey');
    }
    expect(await listed(shop.fatura, 'valid')).toHaveLength(2);
  });

  test('one that is bound to networks makes, rolls and frees none for others', async () => {
    const shop = await api.newMerchant();
    const free = await first(shop);
    const bound = by(await make(shop, { networks: ['127.0.0.0/8', '10.0.0.0/8'] }));
    for (const networks of [[], ['0.0.0.0/0'], ['126.0.0.0/7'], ['10.1.0.0/16', '203.0.113.7'], ['::1']])
      await expect(make({ fatura: bound }, { networks })).rejects.toMatchObject(denied);
    await expect(bound.apiKeys.roll(free.id)).rejects.toMatchObject(denied);
    const made = await make({ fatura: bound }, { networks: ['10.1.0.0/16', '127.0.0.1', '::ffff:10.2.0.0/112'] });
    await expect(bound.apiKeys.update(made.id, { networks: [] })).rejects.toMatchObject(denied);
    await expect(bound.apiKeys.update(made.id, { networks: ['203.0.113.0/24'] })).rejects.toMatchObject(denied);
    expect((await bound.apiKeys.update(made.id, { networks: ['127.0.0.1'] })).networks).toEqual(['127.0.0.1/32']);
    expect((await bound.apiKeys.roll(made.id)).networks).toEqual(['127.0.0.1/32']);
  });

  test('one that ends makes and rolls none that ends later, itself neither', async () => {
    const shop = await api.newMerchant();
    const end = realTime() + DAY;
    const brief = await make(shop, { expires_at: end });
    for (const terms of [{}, { expires_at: null }, { expires_at: end + 1 }])
      await expect(make({ fatura: by(brief) }, terms)).rejects.toMatchObject(denied);
    await expect(by(brief).apiKeys.roll((await first(shop)).id)).rejects.toMatchObject(denied);
    expect((await make({ fatura: by(brief) }, { expires_at: end })).expires_at).toBe(end);
    expect((await by(brief).apiKeys.roll(brief.id)).expires_at).toBe(end);
  });
});
