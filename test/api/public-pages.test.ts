import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorCodes } from '../../contract/errors.ts';
import { eventTypes } from '../../contract/events.ts';
import { routes } from '../../sdk/src/generated/routes.ts';
import { startApi, type TestApi } from '../support/api.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(api.baseUrl + path, { headers, redirect: 'manual' });

const leadsTo = async (path: string, language: string): Promise<[number, string | null]> => {
  const { status, headers } = await get(path, { 'accept-language': language });
  return [status, headers.get('Location')];
};

interface Crawled {
  /** Pages by their path. */
  readonly pages: ReadonlyMap<string, string>;
  /** Links by where they stand. */
  readonly links: readonly { from: string; path: string; anchor: string | null }[];
}

/** Every page and document that is reached from the first page of a language. */
async function crawl(start: string): Promise<Crawled> {
  const pages = new Map<string, string>();
  const links: { from: string; path: string; anchor: string | null }[] = [];
  const queue = [start];
  for (let from = queue.pop(); from !== undefined; from = queue.pop()) {
    if (pages.has(from)) continue;
    const answer = await get(from);
    expect(answer.status, from).toBe(200);
    const text = await answer.text();
    pages.set(from, text);
    if (!answer.headers.get('Content-Type')?.startsWith('text/html')) continue;
    for (const [, href = ''] of text.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      const [path = '', anchor = null] = href.replaceAll('&amp;', '&').split('#');
      if (/^(?:https?|mailto):/.test(path)) continue;
      links.push({ from, path: path === '' ? from : path, anchor });
      queue.push(path === '' ? from : path);
    }
  }
  return { pages, links };
}

const anchorsIn = (page: string): Set<string> => new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));

describe('the docs', () => {
  let crawled: Crawled;

  beforeAll(async () => {
    crawled = await crawl('/docs/en');
  });

  test('regression-99-the address of the service leads, without a key, to them in the language of the reader', async () => {
    for (const path of ['/', '/docs']) {
      expect(await leadsTo(path, 'pt-BR,pt;q=0.9,en;q=0.8'), path).toEqual([302, '/docs/pt']);
      expect(await leadsTo(path, 'en-US'), path).toEqual([302, '/docs/en']);
      expect(await leadsTo(path, 'fr'), path).toEqual([302, '/docs/pt']);
    }
  });

  test('lead to both languages and every document, and each link to a page and a place on it', () => {
    const { pages, links } = crawled;
    const expected = [
      '/docs/pt',
      '/docs/en/errors',
      '/openapi.json',
      '/llms.txt',
      '/llms-full.txt',
      '/docs/postman.json',
    ];
    expect([...pages.keys()]).toEqual(expect.arrayContaining(expected));
    expect(links.length).toBeGreaterThan(3_000);
    const lost = links.filter(
      ({ path, anchor }) => anchor !== null && !anchorsIn(pages.get(path) ?? '').has(decodeURIComponent(anchor)),
    );
    expect(lost).toEqual([]);
  });

  test('show every operation, error code and event type under its own name, where doc_url and the search lead', async () => {
    const find = async (language: string) => {
      const { findables: index }: { findables: { url: string; kind: string }[] } = await (
        await get(`/docs/${language}/search.json`)
      ).json();
      for (const { url } of index) {
        const [path = '', anchor] = url.split('#');
        const page = crawled.pages.get(path) ?? '';
        expect(page, url).not.toBe('');
        if (anchor !== undefined) expect(anchorsIn(page), url).toContain(decodeURIComponent(anchor));
      }
      return (kind: string) => index.filter((found) => found.kind === kind).map(({ url }) => url.split('#')[1]);
    };
    for (const language of ['en', 'pt']) {
      const found = await find(language);
      expect(new Set(found('operation'))).toEqual(new Set(Object.keys(routes)));
      expect(found('error')).toEqual(errorCodes);
      expect(found('event')).toEqual([...eventTypes, 'webhook.test']);
    }
    expect(await leadsTo('/docs/errors', 'en')).toEqual([302, '/docs/en/errors']);
  });

  test('tell the contract in the language of the page', () => {
    const told = { en: ['Create an invoice', 'Name of the product.'], pt: ['Criar uma fatura', 'Nome do produto.'] };
    for (const [language, texts] of Object.entries(told)) {
      const page = ['invoices', 'products']
        .map((group) => crawled.pages.get(`/docs/${language}/api/${group}`))
        .join('');
      for (const text of Object.values(told).flat()) expect(page.includes(text), text).toBe(texts.includes(text));
    }
  });

  test('name the type of every field, also where it may be null', () => {
    expect(crawled.pages.get('/docs/pt/api/prices')).toContain(
      '<code>description</code> <span class="shape">string ou null</span>',
    );
    for (const [path, page] of crawled.pages) expect(page, path).not.toContain('<span class="shape"></span>');
  });

  test('allow a page to load and send nothing elsewhere, and show texts as texts', () => {
    for (const [path, page] of crawled.pages) {
      if (!path.startsWith('/docs/') || !page.startsWith('<!doctype')) continue;
      expect(page, path).not.toMatch(/<(?:script|link(?! rel="alternate")|img)[^>]+(?:src|href)="(?!\/docs\/|data:,)/);
      expect(page, path).not.toMatch(/ style="|<style/);
      const prose = page.replaceAll(/<(pre|textarea)[\s\S]*?<\/\1>/g, '');
      expect(prose, path).not.toMatch(/`|\]\(/);
    }
  });

  test('are at most 300 KB packed in their first view, and are not sent again unchanged', async () => {
    for (const path of crawled.pages.keys()) {
      const answer = await get(path, { 'accept-encoding': 'gzip' });
      expect(Number(answer.headers.get('Content-Length')), path).toBeLessThan(200_000);
      const etag = answer.headers.get('ETag') ?? '';
      expect((await get(path, { 'if-none-match': etag, 'cache-control': 'max-age=0' })).status, path).toBe(304);
    }
  });

  test('answer an address that leads nowhere with a page that leads back', async () => {
    const answer = await get('/docs/pt/guides/nothing');
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('href="/docs/pt"');
  });

  test('tell the test cards as docs/product/sandbox.md does', () => {
    const documented = readFileSync('docs/product/sandbox.md', 'utf8').matchAll(/^\| ([\d ]{15,}) \| .+ \|$/gm);
    const cards = [...documented].map(([, number]) => number);
    expect(cards.length).toBeGreaterThan(10);
    for (const language of ['en', 'pt']) {
      const page = crawled.pages.get(`/docs/${language}/guides/testing`) ?? '';
      for (const number of cards) expect(page, number).toContain(number);
    }
  });

  test('are told to language models whole', async () => {
    const whole = crawled.pages.get('/llms-full.txt') ?? '';
    for (const name of [...Object.keys(routes), ...errorCodes]) expect(whole).toContain(name);
    const index = crawled.pages.get('/llms.txt') ?? '';
    expect(whole).not.toMatch(/\]\((?:ref|code|event):|\]\([a-z-]+\.md/);
    const own = [...`${index}${whole}`.matchAll(/\]\(http:\/\/127\.0\.0\.1:3000([^)#]+)/g)].map(
      ([, path = '']) => path,
    );
    expect(own.length).toBeGreaterThan(20);
    for (const path of new Set(own)) expect((await get(path)).status, path).toBe(200);
  });

  test('come as a collection that holds every operation', () => {
    const { item } = JSON.parse(crawled.pages.get('/docs/postman.json') ?? '{}') as {
      item: { item: { request: { method: string; url: { path: string[] } } }[] }[];
    };
    const held = item
      .flatMap((group) => group.item)
      .map(({ request: { method, url } }) => `${method} /${url.path.join('/')}`);
    const offered = Object.values(routes).map(
      ({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    );
    expect(new Set(held)).toEqual(new Set(offered));
  });
});
