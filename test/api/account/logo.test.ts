import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { png, pngOf, samples, serveFile, serveFiles } from '../../support/images.ts';
import { refusalOf, send } from '../requests.ts';

const KIB = 1_024;

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

const digestOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
const logoOf = (content: Uint8Array): Promise<Response> => fetch(`${api.baseUrl}/logos/${digestOf(content)}`);
const setLogo = (key: string, logo_url: string | null, more: object = {}) =>
  send(api, { method: 'PATCH', path: '/account', key, body: { account: { logo_url, ...more } } });

const kept = async (accountId: string) => {
  const { rows } = await api.composition.deps.pool.query(
    `SELECT logo_media_type AS media_type, logo_digest AS digest, logo_width AS width, logo_height AS height
     FROM account_look WHERE account_id = $1 AND logo_digest IS NOT NULL`,
    [accountId],
  );
  return rows;
};

/** What keys of an account changed of it, as the log tells, the oldest first. */
const logged = async (accountId: string) => {
  const { rows } = await api.composition.deps.pool.query(
    `SELECT entry::jsonb -> 'before' AS before, entry::jsonb -> 'after' AS after FROM audit_log
     WHERE account_id = $1 AND action = 'account.updated' ORDER BY place`,
    [accountId],
  );
  return rows;
};

describe('a logo', () => {
  test.each([
    ['PNG', png(), 'image/png', 120, 40],
    ['JPEG', samples.jpeg, 'image/jpeg', 1, 1],
    ['WebP', samples.webp, 'image/webp', 1, 1],
  ])('of the type %s is fetched once and served from our origin', async (_, content, media_type, width, height) => {
    const { fatura, accountId } = await api.newMerchant();
    const { origin, asked } = await serveFiles((_request, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(content),
    );
    expect((await fatura.account.update({ logo_url: `${origin}/logo?v=2` })).logo_url).toBe(`${origin}/logo?v=2`);
    expect(await kept(accountId)).toEqual([{ media_type, digest: digestOf(content), width, height }]);
    const served = await logoOf(content);
    expect([served.status, Buffer.from(await served.arrayBuffer())]).toEqual([200, Buffer.from(content)]);
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': media_type,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
    expect(asked).toEqual(['/logo?v=2']);
  });

  test('is taken anew from the same address, and the former one is gone', async () => {
    const { fatura, accountId } = await api.newMerchant();
    const [former, newer] = [png({ seed: 11 }), png({ seed: 12, width: 40 })];
    let content = former;
    const { origin } = await serveFiles((_, response) => response.end(content));
    await fatura.account.update({ logo_url: origin });
    content = newer;
    await fatura.account.update({ color: '#0b5d3b' });
    expect((await logoOf(former)).status).toBe(200);
    await fatura.account.update({ logo_url: origin });
    expect([(await logoOf(former)).status, (await logoOf(newer)).status]).toEqual([404, 200]);
    expect(await kept(accountId)).toEqual([
      { media_type: 'image/png', digest: digestOf(newer), width: 40, height: 40 },
    ]);
  });

  test('regression-174-shows in the log by its content, though its address stays', async () => {
    const { fatura, accountId } = await api.newMerchant();
    const [former, newer] = [png({ seed: 13 }), png({ seed: 14 })];
    let content = former;
    const { origin } = await serveFiles((_, response) => response.end(content));
    const account = await fatura.account.update({ logo_url: origin });
    await fatura.account.update({ logo_url: origin });
    content = newer;
    expect(await fatura.account.update({ logo_url: origin })).toEqual(account);
    await fatura.account.update({ color: '#0b5d3b' });
    await fatura.account.update({ logo_url: null });
    const [first, second] = [digestOf(former), digestOf(newer)];
    expect(await logged(accountId)).toEqual([
      { before: { logo_url: null, logo_digest: null }, after: { logo_url: origin, logo_digest: first } },
      { before: { logo_digest: first }, after: { logo_digest: second } },
      { before: { color: null }, after: { color: '#0b5d3b' } },
      { before: { logo_url: origin, logo_digest: second }, after: { logo_url: null, logo_digest: null } },
    ]);
  });

  test('is removed by null', async () => {
    const { fatura, accountId } = await api.newMerchant();
    const content = png({ seed: 21 });
    await fatura.account.update({ logo_url: await serveFile(content) });
    expect((await fatura.account.update({ logo_url: null })).logo_url).toBeNull();
    expect([await kept(accountId), (await logoOf(content)).status]).toEqual([[], 404]);
  });

  test('that two merchants have stays until neither has it', async () => {
    const [one, other] = [await api.newMerchant(), await api.newMerchant()];
    const content = png({ seed: 31 });
    for (const { fatura } of [one, other]) await fatura.account.update({ logo_url: await serveFile(content) });
    await one.fatura.account.update({ logo_url: null });
    expect((await logoOf(content)).status).toBe(200);
    await other.fatura.account.update({ logo_url: null });
    expect((await logoOf(content)).status).toBe(404);
  });

  test('may have 256 KiB and 2,048 pixels a side', async () => {
    for (const content of [pngOf(256 * KIB), png({ width: 2_048, height: 1 }), png({ width: 1, height: 2_048 })]) {
      expect((await setLogo(shop.sandboxKey, await serveFile(content))).status).toBe(200);
    }
  });

  test('is fetched once for a request and its repeats under one Idempotency-Key', async () => {
    const { origin, asked } = await serveFiles((_, response) => response.end(png({ seed: 41 })));
    const options = { idempotencyKey: 'logo-1' };
    const first = await shop.fatura.account.update({ logo_url: origin }, options);
    expect(await shop.fatura.account.update({ logo_url: origin }, options)).toEqual(first);
    expect(asked).toEqual(['/']);
  });

  test('and the address that it came from change together, whoever changes them at the same moment', async () => {
    const { fatura, accountId } = await api.newMerchant();
    const contents = [51, 52, 53].map((seed) => png({ seed }));
    const urls = await Promise.all(contents.map((content) => serveFile(content)));
    await Promise.all(urls.map((logo_url) => fatura.account.update({ logo_url })));
    const { logo_url: url } = await fatura.account.retrieve();
    const content = contents[urls.indexOf(url ?? '')] ?? Buffer.alloc(0);
    expect(await kept(accountId)).toMatchObject([{ digest: digestOf(content) }]);
    // Each entry goes on from the one before it.
    const entries = await logged(accountId);
    const digests = [null, ...entries.map(({ after }) => after.logo_digest)];
    expect(entries.map(({ before }) => before.logo_digest)).toEqual(digests.slice(0, -1));
    expect(digests.at(-1)).toBe(digestOf(content));
  });

  test.each(['', 'x', `${'0'.repeat(64)}`, `${'0'.repeat(63)}G`, '..%2F..%2Fetc', `${digestOf(png())}.png`])(
    'is not served under %j',
    async (name) => expect((await fetch(`${api.baseUrl}/logos/${name}`)).status).toBe(404),
  );
});

describe('what is no logo is refused, and changes nothing:', () => {
  const rule = 'account.logo_url must lead to a PNG, JPEG or WebP of at most 256 KiB and 2048 x 2048 pixels';
  const bomb = png({ width: 9, height: 9 });
  bomb.writeUInt32BE(30_000, 16);
  const none = Buffer.from(png());
  none.writeUInt32BE(0, 20);

  test.each([
    ['an SVG', samples.svg, 'a file of no such type, declared as image/png'],
    ['a GIF', samples.gif, 'a file of the type gif'],
    ['a page', Buffer.from('<!doctype html><title>Loja</title>'), 'a file of no such type, declared as image/png'],
    ['nothing', Buffer.alloc(0), 'a file of no such type, declared as image/png'],
    ['the beginning of a PNG', png().subarray(0, 12), 'a file of no such type, declared as image/png'],
    ['a PNG behind other bytes', Buffer.concat([Buffer.from(' '), png()]), 'a file of no such type'],
    ['one byte too many', pngOf(256 * KIB + 1), 'more than 262,144 bytes'],
    ['a picture too wide to be shown', bomb, 'an image of 30000 x 9 pixels'],
    ['a picture without height', none, 'an image of 120 x 0 pixels'],
  ])('%s', async (_, content, came) => {
    const before = [await shop.fatura.account.retrieve(), await kept(shop.accountId)];
    const answer = await setLogo(shop.sandboxKey, await serveFile(content, 'image/png'), { color: '#123456' });
    const refused = refusalOf(answer);
    expect(refused).toMatchObject({ status: 422, code: 'LOGO_REFUSED', param: 'account.logo_url' });
    expect(refused.message).toContain(rule);
    expect(refused.message).toContain(`; what came: ${came}`);
    expect([await shop.fatura.account.retrieve(), await kept(shop.accountId)]).toEqual(before);
  });

  test.each([
    [302, 'redirect_refused: HTTP 302'],
    [404, 'http_status: HTTP 404'],
  ])('an answer of status %i', async (status, came) => {
    const elsewhere = await serveFiles((_, response) => response.end(png()));
    const { origin } = await serveFiles((_, response) =>
      response.writeHead(status, { Location: elsewhere.origin }).end(png()),
    );
    expect(refusalOf(await setLogo(shop.sandboxKey, origin))).toMatchObject({
      status: 422,
      code: 'LOGO_REFUSED',
      message: expect.stringContaining(`, without a redirect; what came: ${came}`),
    });
    expect(elsewhere.asked).toEqual([]);
  });

  test('an answer that takes longer than ten seconds', async () => {
    const { origin } = await serveFiles((_, response) => response.writeHead(200).write('x'));
    expect(refusalOf(await setLogo(shop.sandboxKey, origin))).toMatchObject({
      status: 422,
      message: expect.stringContaining('what came: timeout: not there within 10000 ms'),
    });
  });

  test('an address inside the network', async () => {
    const inside = (url: string, key: string) => setLogo(key, url).then(refusalOf);
    const outside = { status: 422, code: 'LOGO_REFUSED', message: expect.stringContaining('private_address') };
    expect(await inside('http://10.0.0.1/logo.png', shop.sandboxKey)).toMatchObject(outside);
    expect(await inside('http://169.254.169.254/latest/meta-data', shop.sandboxKey)).toMatchObject(outside);
    // What the sandbox of this service may reach, live mode may not.
    expect(await inside('https://127.0.0.1/logo.png', shop.liveKey)).toMatchObject(outside);
  });

  test('a live address without TLS', async () => {
    const refused = refusalOf(await setLogo(shop.liveKey, 'http://loja.test/logo.png'));
    const message = 'account.logo_url must begin with https:// in live mode';
    expect(refused).toMatchObject({ status: 400, code: 'PARAMETER_INVALID', param: 'account.logo_url', message });
  });

  test('a fifth one of the account and mode at once, which may be sent again', async () => {
    const { sandboxKey, liveKey } = await api.newMerchant();
    const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
    const { origin, asked: paths } = await serveFiles((_, response) => asked.then(() => response.end(png())));
    const under = Array.from({ length: 4 }, () => setLogo(sandboxKey, origin));
    await expect.poll(() => paths.length).toBe(4);
    const refused = await setLogo(sandboxKey, origin);
    expect(refusalOf(refused)).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(refused.headers.get('Retry-After')).toBe('1');
    // What a sandbox fetches takes none of the places of live mode.
    expect(refusalOf(await setLogo(liveKey, 'https://127.0.0.1/logo.png'))).toMatchObject({ code: 'LOGO_REFUSED' });
    answer();
    expect((await Promise.all(under)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});
