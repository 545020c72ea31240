import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newApiKey } from '../../../server/accounts/keys.ts';
import { createAccount, setLimits } from '../../../server/accounts/service.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { rollKey } from '../../support/keys.ts';
import { type AnotherProcess, startAnother } from '../another-process.ts';
import { type RawAnswer, refusalOf, send } from '../requests.ts';

let api: TestApi;
let another: AnotherProcess;

beforeAll(async () => {
  api = await startApi();
  another = await startAnother(api, { trustProxy: 1 });
});

afterAll(async () => {
  await another.stop();
  await api.stop();
});

const INTENT = '/payment_intents/pi_00000000000000000000000000';

const get = (key: string, path = '/products', at: { baseUrl: string } = api, headers: Record<string, string> = {}) =>
  send(at, { method: 'GET', path, key, headers });

const newAccount = () => createAccount(api.operator, { name: 'Loja', email: 'dono@loja.test' });
const statuses = (answers: RawAnswer[]) => Map.groupBy(answers, ({ status }) => status);
const countOf = (answers: RawAnswer[], status: number) => statuses(answers).get(status)?.length ?? 0;

describe('a rate limit of a route', () => {
  test('is exact over two processes at once: 100 charges read in a minute, and not one more', async () => {
    const { sandbox_key: key } = await newAccount();
    const processes = [api, another];
    const answers = await Promise.all(Array.from({ length: 130 }, (_, i) => get(key, INTENT, processes[i % 2])));
    expect([countOf(answers, 404), countOf(answers, 429)]).toEqual([100, 30]);
    for (const answer of answers)
      expect(answer.headers.get('RateLimit-Policy')).toMatch(/^"payment_intents.get";q=100;w=60(?:,|$)/);
    const left = answers.map(({ headers }) => Number(/;r=(\d+);/.exec(headers.get('RateLimit') ?? '')?.[1]));
    expect(Math.min(...left)).toBe(0);
    expect(Math.max(...left)).toBe(99);
  });

  test('leaves the other routes and the other keys of the account alone', async () => {
    const account = await newAccount();
    await setLimits(api.operator, account.id, { 'payment_intents.get': 1 });
    expect((await get(account.sandbox_key, INTENT)).status).toBe(404);
    expect((await get(account.sandbox_key, INTENT)).status).toBe(429);
    expect((await get(account.sandbox_key, '/payment_intents')).status).toBe(200);
    expect((await get(account.sandbox_key)).status).toBe(200);
    expect((await get(account.live_key, INTENT)).status).toBe(404);
  });
});

describe('the rate limit a minute', () => {
  const limited = async (minute: number) => {
    const account = await newAccount();
    await setLimits(api.operator, account.id, { minute });
    return account;
  };

  test('refuses with the time to wait, counts no refusal, and tells where it stands', async () => {
    const { sandbox_key: key } = await limited(3);
    const standing = ({ headers }: RawAnswer) =>
      headers
        .get('RateLimit')
        ?.split(', ')[0]
        ?.replace(/t=\d+$/, 't=…');
    const answers: RawAnswer[] = [];
    for (let i = 0; i < 6; i += 1) answers.push(await get(key));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429, 429]);
    expect(answers.map(standing)).toEqual([2, 1, 0, 0, 0, 0].map((left) => `"minute";r=${left};t=…`));
    const refused = answers.at(-1) ?? expect.fail();
    const waitSeconds = Number(refused.headers.get('Retry-After'));
    expect(waitSeconds).toBeGreaterThan(50);
    expect(waitSeconds).toBeLessThanOrEqual(60);
    expect(refusalOf(refused)).toMatchObject({
      type: 'rate_limit_error',
      code: 'RATE_LIMITED',
      message: `The limit "minute" of 3 requests a minute of this API key is used up; repeat in ${waitSeconds} s`,
    });
  });

  test('counts what reaches no route, and is refused before the scope and the body are looked at', async () => {
    const account = await limited(2);
    const key = await rollKey(api.operator, {
      accountId: account.id,
      liveMode: false,
      scope: 'read',
      hours: 24,
    });
    expect((await get(key, '/nothing')).status).toBe(404);
    const post = () => send(api, { method: 'POST', path: '/products', key, body: '{' });
    expect(refusalOf(await post())).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(refusalOf(await post())).toMatchObject({ code: 'RATE_LIMITED' });
    expect((await get(key, '/nothing')).status).toBe(429);
  });

  test('begins anew when its window is over', async () => {
    const { sandbox_key: key } = await limited(1);
    expect([(await get(key)).status, (await get(key)).status]).toEqual([200, 429]);
    await api.composition.deps.pool.query('UPDATE rate_limit SET expire = expire - 61000');
    // The process that refused remembers the window; the other one has not seen it.
    expect([(await get(key, '/products', another)).status, (await get(key, '/products', another)).status]).toEqual([
      200, 429,
    ]);
  });

  test('regression-79-a change of limits takes effect within a second in every process, and a refusal names the limit in force', async () => {
    const { id, sandbox_key: key } = await limited(2);
    const refusal = async (at: { baseUrl: string }) => refusalOf(await get(key, '/products', at));
    for (const at of [api, another]) expect((await get(key, '/products', at)).status).toBe(200);
    for (const at of [api, another])
      expect((await refusal(at)).message).toContain('The limit "minute" of 2 requests a minute');

    await setLimits(api.operator, id, { minute: null });
    await sleep(1_000);
    for (const at of [api, another]) {
      const answer = await get(key, '/products', at);
      expect([answer.status, answer.headers.get('RateLimit-Policy')]).toEqual([
        200,
        expect.stringMatching(/^"minute";q=1500;w=60, "inflight"/),
      ]);
    }

    await setLimits(api.operator, id, { minute: 3 });
    await sleep(1_000);
    for (const at of [api, another])
      expect((await refusal(at)).message).toContain('The limit "minute" of 3 requests a minute');
  });

  test('is 25 a second in the sandbox and 100 in live mode, unless the operator says otherwise', async () => {
    const account = await newAccount();
    expect((await get(account.sandbox_key)).headers.get('RateLimit-Policy')).toMatch(/^"minute";q=1500;w=60, /);
    expect((await get(account.live_key)).headers.get('RateLimit-Policy')).toMatch(/^"minute";q=6000;w=60, /);
  });
});

describe('keys that do not exist', () => {
  const from = (address: string) => ({ 'X-Forwarded-For': address });

  test('are tried 20 times a minute from one address, and its real keys still work', async () => {
    const shop = await api.newMerchant();
    const tries = await Promise.all(
      Array.from({ length: 25 }, (_, i) =>
        get(i % 2 === 0 ? newApiKey(false) : `sk_sandbox_${i}`, '/products', another, from('203.0.113.1')),
      ),
    );
    expect([countOf(tries, 401), countOf(tries, 429)]).toEqual([20, 5]);
    const refused = statuses(tries).get(429)?.[0] ?? expect.fail();
    expect(refusalOf(refused)).toMatchObject({ code: 'RATE_LIMITED', type: 'rate_limit_error' });
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect((await get(shop.sandboxKey, '/products', another, from('203.0.113.1'))).status).toBe(200);
    expect((await get(newApiKey(false), '/products', another, from('203.0.113.2'))).status).toBe(401);
  });

  test('do not count when none was sent', async () => {
    const none = () => send(another, { method: 'GET', path: '/products', key: null, headers: from('203.0.113.3') });
    const answers = await Promise.all(Array.from({ length: 30 }, none));
    expect(countOf(answers, 401)).toBe(30);
    expect((await get(newApiKey(false), '/products', another, from('203.0.113.3'))).status).toBe(401);
  });

  test.each(['Bearer sk_sandbox_x', 'ApiKey', 'ApiKey ', 'ApiKey two words', 'sk_sandbox_x'])(
    'the header %j holds none',
    async (authorization) => {
      const answer = await send(api, {
        method: 'GET',
        path: '/products',
        key: null,
        headers: { Authorization: authorization },
      });
      expect(refusalOf(answer)).toMatchObject({ status: 401, code: 'API_KEY_MISSING', type: 'authentication_error' });
      expect(answer.headers.get('WWW-Authenticate')).toBe('ApiKey');
    },
  );
});

describe('an API key', () => {
  const roll = (shop: Merchant, hours: number, scope: 'full' | 'read' = 'full') =>
    rollKey(api.operator, { accountId: shop.accountId, liveMode: false, scope, hours });

  test('that was rolled is refused within a second in every process; the new one works', async () => {
    const shop = await api.newMerchant();
    for (const at of [api, another]) expect((await get(shop.sandboxKey, '/products', at)).status).toBe(200);
    const fresh = await roll(shop, 0);
    await sleep(1_000);
    for (const at of [api, another]) {
      expect(refusalOf(await get(shop.sandboxKey, '/products', at))).toMatchObject({
        status: 401,
        code: 'API_KEY_EXPIRED',
      });
      expect((await get(fresh, '/products', at)).status).toBe(200);
    }
    expect((await get(shop.liveKey)).status).toBe(200);
  });

  test('stays valid for the hours given, beside the new one', async () => {
    const shop = await api.newMerchant();
    const fresh = await roll(shop, 1);
    await sleep(1_000);
    expect((await get(shop.sandboxKey)).status).toBe(200);
    expect((await get(fresh)).status).toBe(200);
    await api.composition.deps.pool.query(
      `UPDATE api_key SET expires_at = expires_at - interval '1 hour' WHERE account_id = $1 AND expires_at IS NOT NULL`,
      [shop.accountId],
    );
    await sleep(1_000);
    expect((await get(shop.sandboxKey)).status).toBe(401);
    expect((await get(fresh)).status).toBe(200);
  });

  test('that may only read reads everything and changes nothing', async () => {
    const shop = await api.newMerchant();
    const product = await shop.fatura.products.create({ name: 'Plano Ouro' });
    const key = await roll(shop, 24, 'read');
    expect((await get(key, `/products/${product.id}`)).body).toEqual(product);
    const change = await send(api, {
      method: 'PATCH',
      path: `/products/${product.id}`,
      key,
      body: { product: { name: 'Prata' } },
    });
    expect(refusalOf(change)).toMatchObject({ status: 403, code: 'PERMISSION_DENIED', type: 'permission_error' });
    expect(await shop.fatura.products.retrieve(product.id)).toEqual(product);
  });
});

describe('keys', () => {
  /** Refuses each new key of a mode, as a fault at that row would. */
  async function refuseKeys(accountId: string | null): Promise<void> {
    const { pool } = api.composition.deps;
    await pool.query(`CREATE FUNCTION refuse_key() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no key'; END $$`);
    const whose = accountId === null ? 'NEW.live_mode' : `NEW.account_id = '${accountId}'`;
    await pool.query(`CREATE TRIGGER refuse_key BEFORE INSERT ON api_key FOR EACH ROW WHEN (${whose})
      EXECUTE FUNCTION refuse_key()`);
    onTestFinished(async () => {
      await pool.query('DROP FUNCTION refuse_key CASCADE');
    });
  }

  test('regression-42-a roll of a key that reads lets no full key run out, and the other way round', async () => {
    const shop = await api.newMerchant();
    const roll = (scope: 'full' | 'read') =>
      rollKey(api.operator, { accountId: shop.accountId, liveMode: false, scope, hours: 0 });
    const firstReader = await roll('read');
    const secondReader = await roll('read');
    const statuses = async (...keys: string[]) => Promise.all(keys.map(async (key) => (await get(key)).status));
    expect(await statuses(shop.sandboxKey, firstReader, secondReader)).toEqual([200, 401, 200]);
    const full = await roll('full');
    await sleep(1_000);
    expect(await statuses(shop.sandboxKey, secondReader, full)).toEqual([401, 200, 200]);
  });

  test('regression-43-a roll whose new key is refused lets no key run out', async () => {
    const { accountId, sandboxKey } = await api.newMerchant();
    await refuseKeys(accountId);
    const rolled = rollKey(api.operator, { accountId, liveMode: false, scope: 'full', hours: 0 });
    await expect(rolled).rejects.toThrow('no key');
    await sleep(1_000);
    expect((await get(sandboxKey)).status).toBe(200);
  });

  test('regression-43-an account is created with both of its keys, or not at all', async () => {
    const { pool } = api.composition.deps;
    await refuseKeys(null);
    const created = createAccount(api.operator, { name: 'Sem chave', email: 'dono@loja.test' });
    await expect(created).rejects.toThrow('no key');
    expect((await pool.query(`SELECT 1 FROM account_look WHERE name = 'Sem chave'`)).rowCount).toBe(0);
  });
});

describe('refusals', () => {
  test('come in their order: key, limit, scope, body, object', async () => {
    const shop = await api.newMerchant();
    const path = '/products/prod_00000000000000000000000000';
    const readKey = await rollKey(api.operator, {
      accountId: shop.accountId,
      liveMode: false,
      scope: 'read',
      hours: 24,
    });
    const code = async (key: string | null, body: unknown) =>
      refusalOf(await send(api, { method: 'PATCH', path, key, body })).code;
    expect(await code(null, '{')).toBe('API_KEY_MISSING');
    expect(await code(readKey, '{')).toBe('PERMISSION_DENIED');
    expect(await code(shop.sandboxKey, '{')).toBe('MALFORMED_JSON');
    expect(await code(shop.sandboxKey, { product: { surprise: 1 } })).toBe('PARAMETER_UNKNOWN');
    expect(await code(shop.sandboxKey, { product: {} })).toBe('RESOURCE_MISSING');
  });
});
