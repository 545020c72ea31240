import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { KEYS_MAX } from '../../../contract/api-keys.ts';
import { findKey } from '../../../server/accounts/api-keys.ts';
import { revokeKey, rollAllKeys, rollKey } from '../../../server/accounts/key-changes.ts';
import { setLimits } from '../../../server/accounts/service.ts';
import { realTime } from '../../../server/kernel/time.ts';
import type { TestApi } from '../../support/api.ts';
import { rolesOf } from '../../support/roles.ts';
import { outcomesOf, refusalOf, send } from '../requests.ts';
import { FELT_MS, type KeyScene, openKeyScene } from './key-scene.ts';

let scene: KeyScene;
let api: TestApi;

beforeAll(async () => {
  scene = await openKeyScene();
  ({ api } = scene);
});
afterAll(() => scene.stop());

const newKey: KeyScene['newKey'] = (...args) => scene.newKey(...args);
const get: KeyScene['get'] = (...args) => scene.get(...args);
const statusOf: KeyScene['statusOf'] = (...args) => scene.statusOf(...args);
const refusals: KeyScene['refusals'] = (...args) => scene.refusals(...args);
const keysOf: KeyScene['keysOf'] = (...args) => scene.keysOf(...args);

describe('keys of an account', () => {
  test('stand beside each other, full and reading ones, until each ends for itself', async () => {
    const shop = await api.newMerchant();
    const [erp, reader] = [await newKey(shop), await newKey(shop, { name: 'relatórios', scope: 'read' })];
    expect([await statusOf(shop.sandboxKey), await statusOf(erp.key), await statusOf(reader.key)]).toEqual([
      200, 200, 200,
    ]);
    const before = await refusals('revoked');
    await revokeKey(scene.database, { keyId: erp.id, evenLast: false });
    await sleep(FELT_MS);
    expect([await statusOf(shop.sandboxKey), await statusOf(reader.key)]).toEqual([200, 200]);
    const refused = await get(erp.key);
    expect(refusalOf(refused)).toMatchObject({
      status: 401,
      code: 'API_KEY_EXPIRED',
      message: 'The API key was revoked and is no longer valid',
    });
    expect(refused.headers.get('WWW-Authenticate')).toBe('ApiKey');
    expect(await refusals('revoked')).toBe(before + 1);
  });

  test('end at the instant that they were given', async () => {
    const shop = await api.newMerchant();
    const { id, key } = await newKey(shop, { expiresAt: realTime() + 3_600 });
    expect(await statusOf(key)).toBe(200);
    await scene.pool.query(`UPDATE api_key SET expires_at = now() WHERE id = $1`, [id]);
    await sleep(FELT_MS);
    expect(refusalOf(await get(key))).toMatchObject({
      code: 'API_KEY_EXPIRED',
      message: expect.stringContaining('ran out'),
    });
  });

  test(`are at most ${KEYS_MAX} valid ones in a mode, however many are asked for at once`, async () => {
    const shop = await api.newMerchant();
    const { done, refused } = await outcomesOf(Array.from({ length: KEYS_MAX + 3 }, () => newKey(shop)));
    expect([done.length, refused.length]).toEqual([KEYS_MAX - 1, 4]);
    expect(refused[0]).toMatchObject({
      code: 'INVALID_STATE',
      message: `${shop.accountId} would have 21 valid keys in the sandbox, at most 20: revoke one first`,
    });
    await revokeKey(scene.database, { keyId: done[0]?.id ?? '', evenLast: false });
    await newKey(shop);
  });

  test('are of an account that exists', async () => {
    const nobody = { ...(await api.newMerchant()), accountId: 'acct_nobody' };
    await expect(newKey(nobody)).rejects.toThrow('No such account: acct_nobody');
    await expect(findKey(scene.pool, 'key_nothing')).rejects.toThrow('No such key: key_nothing');
  });
});

describe('a roll of one key', () => {
  test('puts a key of the same name, scope and networks in its place, and leaves the others alone', async () => {
    const shop = await api.newMerchant();
    const former = await newKey(shop, { name: 'relatórios', scope: 'read', networks: ['127.0.0.0/8'] });
    const other = await newKey(shop, { scope: 'read' });
    const issued = await rollKey(scene.database, { keyId: former.id, hours: 0 });
    expect(issued).toMatchObject({ name: 'relatórios', scope: 'read', networks: ['127.0.0.0/8'], expiresAt: null });
    expect(await findKey(scene.pool, former.id)).toMatchObject({
      replacedBy: issued.id,
      isOver: true,
      revokedAt: null,
    });
    await sleep(FELT_MS);
    expect(await Promise.all([former.key, issued.key, other.key, shop.sandboxKey].map(statusOf))).toEqual([
      401, 200, 200, 200,
    ]);
  });

  test('lets the new key live as long as the former was to live', async () => {
    const shop = await api.newMerchant();
    const DAYS_90 = 90 * 86_400;
    const former = await newKey(shop, { expiresAt: realTime() + DAYS_90 });
    const { expiresAt } = await rollKey(scene.database, { keyId: former.id, hours: 24 });
    expect((expiresAt ?? 0) - realTime()).toBeGreaterThan(DAYS_90 - 60);
    expect((expiresAt ?? 0) - realTime()).toBeLessThanOrEqual(DAYS_90 + 1);
  });

  test('never lengthens the life of a key', async () => {
    const shop = await api.newMerchant();
    const former = await newKey(shop, { expiresAt: realTime() + 1_800 });
    await rollKey(scene.database, { keyId: former.id, hours: 168 });
    expect((await findKey(scene.pool, former.id)).expiresAt).toBe(former.expiresAt);
  });

  test('made twice at once makes one new key', async () => {
    const shop = await api.newMerchant();
    const { id } = await newKey(shop);
    const rolls = Array.from({ length: 5 }, () => rollKey(scene.database, { keyId: id, hours: 1 }));
    const { done, refused } = await outcomesOf(rolls);
    expect([done.length, refused.length]).toEqual([1, 4]);
    const message = `${id} was rolled already: ${done[0]?.id} is in its place`;
    for (const refusal of refused) expect(refusal).toMatchObject({ code: 'INVALID_STATE', message });
    expect((await keysOf(shop)).length).toBe(3);
  });

  test('and its revocation at once leave no key that nobody revoked and nobody was shown', async () => {
    for (let round = 0; round < 5; round += 1) {
      const shop = await api.newMerchant();
      const { id } = await newKey(shop);
      const roll = rollKey(scene.database, { keyId: id, hours: 24 });
      const revocation = revokeKey(scene.database, { keyId: id, evenLast: false });
      const [rolled, revoked] = await Promise.allSettled([roll, revocation]);
      // The one that comes first is followed by the other, or stands in its way; the key itself is over in both cases.
      expect(revoked.status).toBe('fulfilled');
      expect(await findKey(scene.pool, id)).toMatchObject({ isOver: true, revokedAt: expect.any(Number) });
      const left = (await keysOf(shop)).filter(({ isOver, name }) => !isOver && name === 'erp').map((key) => key.id);
      expect(left).toEqual(rolled.status === 'fulfilled' ? [rolled.value.id] : []);
    }
  });

  test('that breaks off on its way changes nothing', async () => {
    const shop = await api.newMerchant();
    const former = await newKey(shop);
    const { superuser } = rolesOf(scene.api.composition.deps.pool);
    await superuser.query(
      `CREATE FUNCTION refuse_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'crashed'; END $$`,
    );
    await superuser.query(
      `CREATE TRIGGER refuse_end BEFORE UPDATE ON api_key FOR EACH ROW WHEN (NEW.id = '${former.id}') EXECUTE FUNCTION refuse_end()`,
    );
    onTestFinished(async () => void (await superuser.query('DROP FUNCTION refuse_end CASCADE')));
    const logged = async () =>
      (await scene.pool.query('SELECT id FROM audit_log WHERE account_id = $1', [shop.accountId])).rows;
    const [keys, entries] = [await keysOf(shop), await logged()];
    await expect(rollKey(scene.database, { keyId: former.id, hours: 0 })).rejects.toThrow('crashed');
    expect(await keysOf(shop)).toEqual(keys);
    expect(await logged()).toEqual(entries);
    expect(await statusOf(former.key)).toBe(200);
  });

  test('doubles no limit: the new key goes on with the count of the former, and so does the one after it', async () => {
    const shop = await api.newMerchant();
    await setLimits(scene.database, shop.accountId, { 'payment_intents.get': 3 });
    const intent = (key: string) =>
      send(api, { method: 'GET', path: '/payment_intents/pi_00000000000000000000000000', key });
    const first = await newKey(shop);
    expect((await intent(first.key)).status).toBe(404);
    const second = await rollKey(scene.database, { keyId: first.id, hours: 24 });
    expect((await intent(second.key)).status).toBe(404);
    const third = await rollKey(scene.database, { keyId: second.id, hours: 24 });
    expect((await intent(third.key)).status).toBe(404);
    for (const { key } of [first, second, third]) expect((await intent(key)).status).toBe(429);
    expect((await intent(shop.sandboxKey)).status).toBe(404);
    const whole = await rollAllKeys(scene.database, {
      accountId: shop.accountId,
      liveMode: false,
      scope: 'full',
      hours: 24,
    });
    expect((await intent(whole.key)).status).toBe(429);
  });

  test('of all keys of a scope keeps what the newest of them was restricted to', async () => {
    const shop = await api.newMerchant();
    await newKey(shop, { name: 'escritório', networks: ['203.0.113.0/24'] });
    const options = { accountId: shop.accountId, liveMode: false, scope: 'full', hours: 1 } as const;
    expect(await rollAllKeys(scene.database, options)).toMatchObject({
      name: 'escritório',
      networks: ['203.0.113.0/24'],
      expiresAt: null,
    });
    expect((await keysOf(shop)).filter(({ expiresAt }) => expiresAt === null)).toHaveLength(1);
  });
});

describe('the last full key of a mode', () => {
  test('is revoked only by who says so', async () => {
    const shop = await api.newMerchant();
    await newKey(shop, { scope: 'read' });
    const [first] = await keysOf(shop);
    const keyId = first?.id ?? '';
    await expect(revokeKey(scene.database, { keyId, evenLast: false })).rejects.toThrow(
      `${keyId} is the last valid full key of ${shop.accountId} in the sandbox`,
    );
    await sleep(FELT_MS);
    expect(await statusOf(shop.sandboxKey)).toBe(200);
    expect(await revokeKey(scene.database, { keyId, evenLast: true })).toMatchObject({ isOver: true });
    await expect(revokeKey(scene.database, { keyId, evenLast: true })).rejects.toThrow(`${keyId} was revoked already`);
    await expect(rollKey(scene.database, { keyId, hours: 0 })).rejects.toThrow(`${keyId} is not valid any more`);
  });

  test('cannot go by two revocations at once', async () => {
    const shop = await api.newMerchant();
    await newKey(shop);
    const ends = (await keysOf(shop)).map(({ id }) => revokeKey(scene.database, { keyId: id, evenLast: false }));
    const { done, refused } = await outcomesOf(ends);
    expect([done.length, refused.length]).toEqual([1, 1]);
  });
});
