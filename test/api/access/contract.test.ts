import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorCatalog } from '../../../contract/errors.ts';
import { newApiKey } from '../../../server/accounts/keys.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { rollKey } from '../../support/keys.ts';
import { type RawAnswer, type RawRequest, refusalOf, send } from '../requests.ts';
import { exampleOf, methodsOn, routes } from './routes.ts';

let api: TestApi;
let stranger: Merchant;

beforeAll(async () => {
  api = await startApi();
  stranger = await api.newMerchant();
});

afterAll(() => api.stop());

const KIB = 1_024;
const TOO_LARGE = `"${'x'.repeat(256 * KIB - 1)}"`;

/** Holds a refusal to the one form of error bodies, and to this code. */
function expectRefusal(answer: RawAnswer, code: keyof typeof errorCatalog, more: object = {}): void {
  const refusal = refusalOf(answer);
  expect(refusal).toMatchObject({
    status: errorCatalog[code].status,
    type: errorCatalog[code].type,
    code,
    decline_reason: null,
    request_id: answer.headers.get('Request-Id'),
    doc_url: `http://127.0.0.1:3000/docs/en/errors#${code}`,
    ...more,
  });
  expect(refusal.message).not.toBe('');
  expect(answer.headers.get('Request-Id')).toMatch(/^req_[0-9a-z]{26}$/);
  expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
}

function expectLimit(answer: RawAnswer, name = 'minute'): void {
  expect(answer.headers.get('RateLimit-Policy')).toMatch(
    new RegExp(`^"${name}";q=\\d+;w=60(, "inflight";q=32;qu="concurrent-requests")?$`),
  );
  expect(answer.headers.get('RateLimit')).toMatch(new RegExp(`^"${name}";r=\\d+;t=\\d+(, "inflight";r=\\d+)?$`));
}

/** Unknown keys are limited by address, and all tests come from one. */
const forgetUnknownKeys = () =>
  api.composition.deps.pool.query(`DELETE FROM rate_limit WHERE key LIKE 'unknown_key:%'`);

describe.each(routes)('%s', (id, route) => {
  const { metadata, method } = route;
  const limit = metadata.limit ?? 'minute';
  const takesBody = method === 'POST' || method === 'PATCH';
  let shop: Merchant;
  let valid: RawRequest;

  beforeAll(async () => {
    shop = await api.newMerchant();
    valid = await exampleOf(id, shop, api);
  });

  const sendAs = (changes: Partial<RawRequest>) => send(api, { ...valid, ...changes });
  const readOnlyKey = () =>
    rollKey(api.operator, { accountId: shop.accountId, liveMode: false, scope: 'read', hours: 1 });

  test('needs a key', async () => {
    const answer = await sendAs({ key: null });
    expectRefusal(answer, 'API_KEY_MISSING');
    expect(answer.headers.get('WWW-Authenticate')).toBe('ApiKey');
  });

  test('refuses an unknown key', async () => {
    await forgetUnknownKeys();
    const answer = await sendAs({ key: newApiKey(false) });
    expectRefusal(answer, 'API_KEY_INVALID');
    expect(answer.headers.get('WWW-Authenticate')).toBe('ApiKey');
    expectLimit(answer, 'unknown_key');
  });

  test('refuses a query parameter that it does not know', async () => {
    const answer = await sendAs({ path: `${valid.path}${valid.path.includes('?') ? '&' : '?'}surprise=1` });
    expectRefusal(answer, 'PARAMETER_UNKNOWN', { param: 'surprise' });
    expectLimit(answer, limit);
  });

  test('refuses another method and tells which it takes', async () => {
    for (const other of ['PUT', 'OPTIONS']) {
      const answer = await sendAs({ method: other, body: undefined });
      expectRefusal(answer, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.get('Allow')?.split(', ').toSorted()).toEqual(methodsOn(route.path).toSorted());
      expectLimit(answer);
    }
    expectRefusal(await sendAs({ method: 'PUT', key: null }), 'API_KEY_MISSING');
  });

  if (metadata.idPrefix !== undefined) {
    test("answers 404 to another account, and to the account's other mode", async () => {
      expectRefusal(await sendAs({ key: stranger.sandboxKey }), 'RESOURCE_MISSING');
      const otherMode = metadata.sandboxOnly === true ? 'ENVIRONMENT_MISMATCH' : 'RESOURCE_MISSING';
      expectRefusal(await sendAs({ key: shop.liveKey }), otherMode);
    });

    test('answers 404 to an id of nothing', async () => {
      for (const nothing of [`${metadata.idPrefix}_00000000000000000000000000`, 'x', '%00', '%FF']) {
        expectRefusal(await sendAs({ path: valid.path.replace(/[a-z]+_[0-9a-z]{26}/, nothing) }), 'RESOURCE_MISSING');
      }
    });
  }

  if (takesBody) {
    test('refuses a body parameter that it does not know, beside the others and among them', async () => {
      const body = { ...(valid.body as object | undefined) };
      expectRefusal(await sendAs({ body: { ...body, surprise: 1 } }), 'PARAMETER_UNKNOWN', { param: 'surprise' });
      for (const [envelope, content] of Object.entries(body).filter(
        ([, content]) => typeof content === 'object' && !Array.isArray(content),
      )) {
        const inside = { ...body, [envelope]: { ...(content as object), surprise: 1 } };
        expectRefusal(await sendAs({ body: inside }), 'PARAMETER_UNKNOWN', { param: `${envelope}.surprise` });
      }
    });

    test('refuses a body of another type, broken JSON and more than 256 KiB', async () => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'application/jsonp',
      ]) {
        expectRefusal(await sendAs({ body: '{}', headers: { 'Content-Type': type } }), 'UNSUPPORTED_MEDIA_TYPE');
      }
      for (const body of ['{', '{"a":1,}', 'undefined', '\u0000'])
        expectRefusal(await sendAs({ body }), 'MALFORMED_JSON');
      expectRefusal(await sendAs({ body: TOO_LARGE }), 'PAYLOAD_TOO_LARGE');
    });

    test('refuses what is no object as a body', async () => {
      for (const body of ['5', '[]', '"x"', 'null', 'true']) {
        expectRefusal(await sendAs({ body }), 'PARAMETER_INVALID', { param: null });
      }
    });
  }

  if (metadata.scope === 'write') {
    test('refuses a key that may only read', async () => {
      const answer = await sendAs({ key: await readOnlyKey() });
      expectRefusal(answer, 'PERMISSION_DENIED');
      expectLimit(answer, limit);
    });
  } else {
    test('answers a key that may only read', async () => {
      expect((await sendAs({ key: await readOnlyKey() })).status).toBe(200);
    });
  }

  test('answers a valid request as the contract says', async () => {
    const headers: Record<string, string> = takesBody ? { 'Idempotency-Key': `valid ${id}` } : {};
    const answer = await sendAs({ headers });
    expect(Object.keys(route.responses)).toContain(String(answer.status));
    expect(answer.status).toBe([201, 202].find((status) => status in route.responses) ?? 200);
    expect(answer.headers.get('Request-Id')).toMatch(/^req_[0-9a-z]{26}$/);
    expect(answer.headers.get('Idempotent-Replayed')).toBeNull();
    expectLimit(answer, limit);
    if (!takesBody) return;
    const repeated = await sendAs({ headers });
    expect({ status: repeated.status, body: repeated.body }).toEqual({ status: answer.status, body: answer.body });
    expect(repeated.headers.get('Idempotent-Replayed')).toBe('true');
  });
});

describe('a path outside the contract', () => {
  test.each(['/nothing', '/customers/a/b', '/', '/customer', '/products/x/anonymize'])(
    '%s is no route',
    async (path) => {
      const answer = await send(api, { method: 'GET', path, key: stranger.sandboxKey });
      expectRefusal(answer, 'ROUTE_NOT_FOUND');
      expectLimit(answer);
      expectRefusal(await send(api, { method: 'GET', path, key: null }), 'API_KEY_MISSING');
    },
  );
});

describe('a body', () => {
  const create = (request: RequestInit) =>
    fetch(`${api.baseUrl}/api/v1/products`, {
      method: 'POST',
      ...request,
      headers: {
        Authorization: `ApiKey ${stranger.sandboxKey}`,
        'Content-Type': 'application/json',
        ...request.headers,
      },
    });
  const product = JSON.stringify({ product: { name: 'Plano Ouro' } });

  test('of 256 KiB is read, one byte more is not', async () => {
    const padded = (length: number) => product.padEnd(length, ' ');
    expect((await create({ body: padded(256 * KIB) })).status).toBe(201);
    expect((await create({ body: padded(256 * KIB + 1) })).status).toBe(413);
  });

  test('may come in chunks, and is refused when they grow too many', async () => {
    const chunked = (parts: string[]) => {
      const body = new Blob(parts).stream();
      // Streams need half duplex, which the types of fetch do not know.
      return create({ body, duplex: 'half' } as RequestInit);
    };
    expect((await chunked([product.slice(0, 9), product.slice(9)])).status).toBe(201);
    expect((await chunked(Array.from({ length: 300 }, () => ' '.repeat(KIB)))).status).toBe(413);
  });

  test('may name its charset, but only UTF-8', async () => {
    const typed = (type: string) => create({ body: product, headers: { 'Content-Type': type } });
    expect((await typed('application/json; charset=utf-8')).status).toBe(201);
    expect((await typed('application/json; charset=koi8-r')).status).toBe(415);
  });

  test('regression-3-a damaged compressed body and bytes that are no UTF-8 are malformed JSON', async () => {
    const damaged = await create({ body: '{}', headers: { 'Content-Encoding': 'gzip' } });
    expect([damaged.status, (await damaged.json()).error.code]).toEqual([400, 'MALFORMED_JSON']);
    const named = '{"product":{"name":"Açaí"}}';
    const latin1 = await create({ body: new Uint8Array(Buffer.from(named, 'latin1')) });
    expect([latin1.status, (await latin1.json()).error.code]).toEqual([400, 'MALFORMED_JSON']);
    const whole = await create({ body: new Uint8Array(gzipSync(named)), headers: { 'Content-Encoding': 'gzip' } });
    expect(whole.status).toBe(201);
  });

  test('cannot hide NUL or lone surrogates in metadata', async () => {
    const invoice = await exampleOf('invoices.create', stranger, api);
    const withMetadata = (metadata: string) => {
      const body = JSON.stringify(invoice.body).replace('{"invoice":{', `{"invoice":{"metadata":[${metadata}],`);
      return send(api, { ...invoice, body });
    };
    for (const metadata of ['{"a":"\\u0000"}', '{"a\\u0000":1}', '{"a":{"b":["\\ud83d"]}}', '{"a":"\\\\\\u0000"}']) {
      expectRefusal(await withMetadata(metadata), 'PARAMETER_INVALID', { param: 'invoice.metadata' });
    }
    const literal = { a: '\\u0000 \\ud83d \u0001 \u{1f99c}' };
    const kept = await withMetadata(JSON.stringify(literal));
    expect([kept.status, (kept.body as { metadata: unknown }).metadata]).toEqual([201, [literal]]);
  });

  test('keeps __proto__ and constructor as what they are: unknown parameters', async () => {
    const body = '{"product":{"name":"Plano","__proto__":{"active":false},"constructor":1}}';
    const answer = await create({ body });
    const { error } = (await answer.json()) as { error: { errors: { param: string; code: string }[] } };
    expect(error.errors.map(({ param, code }) => `${param} ${code}`)).toEqual([
      'product.__proto__ PARAMETER_UNKNOWN',
      'product.constructor PARAMETER_UNKNOWN',
    ]);
  });
});
