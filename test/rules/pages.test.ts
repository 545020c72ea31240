import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitting, PAGE_BYTES_MAX, readForPage, toPage } from '../../server/kernel/pages.ts';

const MOST = 100;

interface Row {
  readonly nth: number;
  readonly bytes: number;
}

/** A page as a list of rows of these sizes answers it, and how many rows were read for it. */
async function pageOf(sizes: readonly number[], limit: number, { forward = false } = {}) {
  const all: Row[] = sizes.map((bytes, nth) => ({ nth, bytes }));
  let read = 0;
  const bytesOf = ({ bytes }: Row) => bytes;
  const rows = await readForPage<Row>(
    limit + 1,
    async ({ behind, limit: atOnce }) => {
      const from = behind === undefined ? 0 : behind.nth + 1;
      const more = all.slice(from, from + atOnce);
      read += more.length;
      return more;
    },
    bytesOf,
  );
  const query = { limit, ...(forward ? { ending_before: 'in_x' } : {}) };
  const { data, has_more: hasMore } = toPage(rows, { query, url: '/', view: ({ nth }) => nth, bytesOf });
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
