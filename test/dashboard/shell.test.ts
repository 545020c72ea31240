import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBuiltPages } from '../../server/web/built.ts';
import { startApi, type TestApi } from '../support/api.ts';

/** What the shell loads at first, compressed. Bytes. */
const BYTES_MAX = 130 * 1_024;

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const get = (path: string) => fetch(api.baseUrl + path, { headers: { 'Accept-Encoding': 'identity' } });

const assetsIn = (markup: string): string[] =>
  [...markup.matchAll(/(?:href|src)="\/dashboard\/assets\/([^"]+)"/g)].map(([, name = '']) => name);

test('what the shell loads at first is small', async () => {
  const markup = await (await get('/dashboard')).text();
  const { files, script, style, preload } = readBuiltPages().dashboard;
  const names = assetsIn(markup);
  expect(names.sort()).toEqual([script, style, ...preload].sort());
  const bytes = names.map((name) => files.get(`${name}.gz`)?.length ?? Number.POSITIVE_INFINITY);
  expect(bytes.reduce((sum, length) => sum + length, gzipSync(markup).length)).toBeLessThanOrEqual(BYTES_MAX);
});

describe('the shell', () => {
  test.each(['/dashboard', '/dashboard/', '/dashboard/sales', '/dashboard/invoices/in_1', '/dashboard/authority'])(
    'is what %s shows',
    async (path) => {
      const { status, headers } = await get(path);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    },
  );

  test('lets a browser run what we built alone, and the widgets put in one style by a nonce', async () => {
    const [one, other] = await Promise.all([get('/dashboard'), get('/dashboard')]);
    const policyOf = ({ headers }: Response): string => headers.get('content-security-policy') ?? '';
    const nonce = /'nonce-([^']+)'/.exec(policyOf(one))?.[1] ?? '';
    expect(policyOf(one).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "connect-src 'self'",
      "frame-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types default',
    ]);
    expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
    expect(await one.text()).toContain(`<meta property="csp-nonce" content="${nonce}">`);
    expect(policyOf(other)).not.toContain(nonce);
  });

  test.each(['/dashboard/assets/nothing.js', '/dashboard/api', '/dashboard/api/v2', '/dashboard/auth/nothing'])(
    'is not what %s shows',
    async (path) => {
      const { status, headers } = await get(path);
      expect(status).toBeGreaterThanOrEqual(401);
      expect(headers.get('content-type')).not.toContain('text/html');
    },
  );

  test('knows the path that the service is under', async () => {
    const markup = await (await get('/dashboard')).text();
    expect(markup).toContain('data-root="/dashboard"');
  });
});

test('what it loads is kept for ever, and tells nothing of the machine that it was built on', async () => {
  const { files, script } = readBuiltPages().dashboard;
  const { headers } = await get(`/dashboard/assets/${script}`);
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  for (const [name, content] of files) {
    if (/\.(br|gz)$/.test(name)) continue;
    expect(name).toMatch(/-[\w-]{8}\.(js|css)$/);
    for (const trace of [process.cwd(), 'fileName:', 'sourceMappingURL']) {
      expect([name, trace, content.includes(trace)]).toEqual([name, trace, false]);
    }
  }
});

/** Asks by a name of one's own, which `fetch` does not let one choose. */
const askedAs = (host: string, path: string): Promise<[status: number | undefined, location: string | undefined]> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.baseUrl);
    const asking = request({ hostname, port, path, headers: { host } }, (response) => {
      response.resume();
      resolve([response.statusCode, response.headers.location]);
    });
    asking.on('error', reject).end();
  });

describe('another name of this machine', () => {
  test.each([
    ['localhost:3000', '/dashboard', '/dashboard'],
    ['localhost:3000', '/dashboard/sales?mode=sandbox&min=9%2C90', '/dashboard/sales?mode=sandbox&min=9%2C90'],
    ['[::1]:3000', '/dashboard/setup', '/dashboard/setup'],
    ['127.0.0.2', '/dashboard//elsewhere.test', '/dashboard//elsewhere.test'],
  ])('%s leads to the one that the service says, at the same path: %s', async (host, path, same) => {
    expect(await askedAs(host, path)).toEqual([307, `http://127.0.0.1:3000${same}`]);
  });

  test.each(['127.0.0.1', '127.0.0.1:8080', 'elsewhere.test', '192.168.0.7:3000', 'localhost.elsewhere.test'])(
    'is not %s',
    async (host) => {
      expect(await askedAs(host, '/dashboard')).toEqual([200, undefined]);
    },
  );

  test('moves neither what scripts ask for nor what a page loads', async () => {
    const [status, location] = await askedAs('localhost:3000', '/dashboard/auth/session');
    expect([status, location]).toEqual([401, undefined]);
  });
});
