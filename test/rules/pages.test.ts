import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { sendWrittenPages } from '../../server/http/written-pages.ts';
import { fitting, PAGE_BYTES_MAX, type Placed, toPage, written } from '../../server/kernel/pages.ts';
import { readForPage } from '../../server/unit-of-work/page-rows.ts';

const MOST = 100;
const scope = { accountId: 'acct_1', liveMode: true };

/** A page as a list of rows of these sizes answers it, and how many rows were read for it. */
async function pageOf(sizes: readonly number[], limit: number, { forward = false } = {}) {
  const all: Placed[] = sizes.map((bytes, nth) => ({ at: String(nth), bytes, text: String(nth) }));
  let read = 0;
  const rows = await readForPage({ scope, url: '/', limit: limit + 1 }, async ({ behind, limit: atOnce }) => {
    const from = behind === undefined ? 0 : Number(behind) + 1;
    const more = all.slice(from, from + atOnce);
    read += more.length;
    return more;
  });
  const query = { limit, ...(forward ? { ending_before: 'in_x' } : {}) };
  const { data, has_more: hasMore } = toPage<number>(rows, { query, url: '/' });
  return { data, hasMore, read };
}

test('a page ends with the object that reaches its bytes, and says that there is more', async () => {
  const large = PAGE_BYTES_MAX / 4;
  const { data, hasMore, read } = await pageOf(
    Array.from({ length: MOST }, () => large),
    MOST,
  );
  expect({ data, hasMore }).toEqual({ data: [0, 1, 2, 3], hasMore: true });
  expect(read).toBeLessThan(MOST / 2);
});

test('of a list whose last page was of large objects few rows are read first, until they are small again', async () => {
  const rows = (bytes: number) => Array.from({ length: MOST }, () => bytes);
  await pageOf(rows(PAGE_BYTES_MAX / 4), MOST);
  // Four fill it, and one beyond them says that there is more.
  expect((await pageOf(rows(PAGE_BYTES_MAX / 4), MOST)).read).toBe(5);
  await pageOf(rows(100), MOST);
  expect((await pageOf(rows(PAGE_BYTES_MAX / 4), MOST)).read).toBeGreaterThan(20);
});

test('a single object is shown however large it is', async () => {
  expect(await pageOf([PAGE_BYTES_MAX * 2], MOST)).toMatchObject({ data: [0], hasMore: false });
  expect(await pageOf([PAGE_BYTES_MAX * 2, 1], MOST)).toMatchObject({ data: [0], hasMore: true });
});

test('a page that is read forward keeps the objects next to its cursor', async () => {
  const sizes = [PAGE_BYTES_MAX / 2, PAGE_BYTES_MAX, 1];
  expect(await pageOf(sizes, MOST, { forward: true })).toMatchObject({ data: [1, 0], hasMore: true });
});

test('pages one behind another show every object once, whatever their sizes', async () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: PAGE_BYTES_MAX })), {
    maxLength: 250,
  });
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: MOST }), async (all, limit) => {
      const shown: number[] = [];
      for (let isMore = true; isMore; ) {
        const { data, hasMore } = await pageOf(all.slice(shown.length), limit);
        expect(data.length > 0 || !hasMore).toBe(true);
        expect(fitting(data.map((nth) => all[shown.length + nth] ?? 0))).toBe(data.length);
        const before = shown.length;
        shown.push(...data.map((nth) => nth + before));
        isMore = hasMore;
      }
      expect(shown).toEqual(all.map((_, nth) => nth));
    }),
  );
});

test('a page is sent as it was written, and reads as what it shows', async () => {
  const rows = [{ id: 'a', note: '"é😀' }, undefined, { id: 'b', note: '' }].map(written);
  const page = toPage<{ id: string }>(rows, { query: { limit: 2 }, url: '/api/v1/"x' });
  const app = express();
  sendWrittenPages(app);
  app.get('/page', (_request, response) => void response.json(page));
  app.get('/other', (_request, response) => void response.json({ data: [] }));
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  // A server that listens on TCP has an address of this form.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = await fetch(`${url}/page`);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const shown = { object: 'list', url: '/api/v1/"x', has_more: true, data: [{ id: 'a', note: '"é😀' }] };
  expect(await answer.text()).toBe(JSON.stringify(shown));
  expect({ ...page, data: page.data }).toEqual(shown);
  expect(await (await fetch(`${url}/other`)).json()).toEqual({ data: [] });
});
