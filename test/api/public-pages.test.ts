import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../support/api.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

async function pageAt(path: string): Promise<string> {
  const response = await fetch(api.baseUrl + path);
  expect(response.status, path).toBe(200);
  expect(response.headers.get('Content-Type'), path).toBe('text/html; charset=utf-8');
  return response.text();
}

const linksOf = (page: string): string[] => [...page.matchAll(/<a href="([^"]+)"/g)].map(([, path = '']) => path);

describe('the pages of the docs', () => {
  test('regression-99-the address of the service leads, without a key, to all that is there', async () => {
    const links = linksOf(await pageAt('/'));
    expect(new Set(links)).toEqual(new Set(['/', '/docs', '/docs/guide', '/docs/errors', '/openapi.json', '/readyz']));
    for (const path of links) expect((await fetch(api.baseUrl + path)).status, path).toBe(200);
  });

  test('lead to each other, and fit the width of a telephone', async () => {
    for (const path of ['/', '/docs', '/docs/guide', '/docs/errors']) {
      const page = await pageAt(path);
      expect(linksOf(page), path).toEqual(expect.arrayContaining(['/', '/docs', '/docs/guide', '/docs/errors']));
      expect(page, path).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    }
  });

  test('show code as code: no backtick is left over', async () => {
    for (const path of ['/', '/docs/guide', '/docs/errors']) expect(await pageAt(path), path).not.toContain('`');
    expect(await pageAt('/docs/errors')).toContain('of the form <code>ApiKey &lt;API_KEY&gt;</code>');
  });

  test('tell the test cards as docs/product/sandbox.md does', async () => {
    const documented = readFileSync('docs/product/sandbox.md', 'utf8').matchAll(/^\| ([\d ]{15,}) \| (.+) \|$/gm);
    const cards = [...documented].map(([, number, outcome]) => `${number}: ${outcome}`);
    const rows = (await pageAt('/docs/guide')).matchAll(/<tr><td><code>([\d ]+)<\/code><\/td><td>(.*?)<\/td>/g);
    const shown = [...rows].map(([, number, outcome = '']) => `${number}: ${outcome.replaceAll(/<\/?code>/g, '`')}`);
    expect(cards.length).toBeGreaterThan(10);
    expect(shown).toEqual(cards);
  });
});
