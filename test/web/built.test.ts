import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get as rawGet } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { digestOf, isBuilt } from '../../scripts/built.mjs';
import { PagesNotBuilt, readBuiltPages } from '../../server/web/built.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { newInvoice } from '../support/factories.ts';

/** What a page loads, its markup included, compressed. Bytes. */
const BYTES_MAX = 45 * 1_024;

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const get = (path: string, encoding: string) => fetch(api.baseUrl + path, { headers: { 'Accept-Encoding': encoding } });

async function assetsOf(markup: string): Promise<string[]> {
  return [...markup.matchAll(/(?:href|src)="\.\.\/(assets\/[^"]+)"/g)].map(([, name]) => `/pay/${name}`);
}

test('everything that a page loads is small', async () => {
  const shop = await api.newMerchant();
  const { id } = await newInvoice(shop);
  await shop.fatura.invoices.checkout(id, { payment_method_type: 'pix' });
  const { pathname } = new URL(api.composition.deps.links.payment({ id, liveMode: false }));
  const packed = await received(pathname);
  const names = await assetsOf(gunzipSync(packed).toString());
  expect(names).toHaveLength(2);
  const files = await Promise.all(names.map(received));
  expect(files.reduce((sum, { length }) => sum + length, packed.length)).toBeLessThanOrEqual(BYTES_MAX);
});

/** A body as it comes over the wire to a browser that takes gzip. */
const received = (path: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    rawGet(api.baseUrl + path, { headers: { 'Accept-Encoding': 'gzip' } }, (response) => {
      expect(response.headers['content-encoding']).toBe('gzip');
      buffer(response).then(resolve, reject);
    }).on('error', reject);
  });

test('a page comes packed to whoever takes that, and plain to others', async () => {
  const { id } = await newInvoice(await api.newMerchant());
  const { pathname } = new URL(api.composition.deps.links.payment({ id, liveMode: false }));
  for (const path of [pathname, `${pathname}/state`]) {
    for (const [accepted, coding] of [
      ['gzip, deflate, br', 'gzip'],
      ['identity', null],
      ['gzip;q=0', null],
    ] as const) {
      const { headers } = await get(path, accepted);
      expect([accepted, headers.get('content-encoding')]).toEqual([accepted, coding]);
      expect(headers.get('vary')).toContain('Accept-Encoding');
    }
  }
});

describe('what a page loads', () => {
  const { assets } = readBuiltPages();

  test.each([assets.script, assets.style])('%s is kept for ever, under a name of its content', async (name) => {
    expect(name).toMatch(/^[a-z]+-[\w-]{8}\.(js|css)$/);
    const { status, headers } = await get(`/pay/assets/${name}`, 'identity');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('vary')).toContain('Accept-Encoding');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/);
  });

  test('comes as the browser takes it', async () => {
    const codings = async (accepted: string) =>
      (await get(`/pay/assets/${assets.script}`, accepted)).headers.get('content-encoding');
    expect(await codings('gzip, deflate, br')).toBe('br');
    expect(await codings('gzip')).toBe('gzip');
    expect(await codings('identity')).toBeNull();
    const { files } = readBuiltPages();
    const unpacked = gunzipSync(files.get(`${assets.script}.gz`) ?? '').toString();
    expect(unpacked).toBe(files.get(assets.script)?.toString());
  });

  test.each(['nothing.js', `${assets.script}.gz`, 'built.json', '..%2Fbuilt.json'])('has no %s', async (name) => {
    expect((await get(`/pay/assets/${name}`, 'identity')).status).toBe(404);
  });

  test('tells nothing of the machine that it was built on', () => {
    for (const [name, content] of readBuiltPages().files) {
      if (/\.(br|gz)$/.test(name)) continue;
      for (const trace of [process.cwd(), 'fileName:', 'sourceMappingURL']) {
        expect([name, trace, content.includes(trace)]).toEqual([name, trace, false]);
      }
    }
  });
});

test('a server without a build says how to make one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fatura-unbuilt-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(() => readBuiltPages(folder)).toThrow(PagesNotBuilt);
  expect(() => readBuiltPages(folder)).toThrow(/are not built in .*: run `npm run build`/);
  expect(isBuilt(folder)).toBe(false);
});

test('a build is one of the sources as they are', () => {
  const { sources, digest } = JSON.parse(readFileSync('.fatura/build/built.json', 'utf8'));
  expect(sources).toEqual(
    expect.arrayContaining([
      'package-lock.json',
      'scripts/build.ts',
      'server/payments/card/number.ts',
      'web/page/style/theme.css',
      'web/page/client.tsx',
      'web/page/server.tsx',
    ]),
  );
  expect(digestOf('.', sources)).toBe(digest);
  expect(digestOf('.', [...sources, 'no/such/file'])).toBeNull();
  expect(isBuilt('.')).toBe(true);
});
