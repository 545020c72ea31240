import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writtenUntilFull } from '../../../server/events/parts.ts';
import { fitting, PAGE_BYTES_MAX, toPage } from '../../../server/kernel/pages.ts';

const AT_ONCE = 150;

interface Row {
  readonly nth: number;
  readonly weight: number;
  readonly bytes: number;
}

const rowsOf = (all: readonly { weight: number; bytes: number }[]): Row[] => all.map((row, nth) => ({ nth, ...row }));

/** What is written of rows, and in which parts they are read. */
async function write(rows: readonly Row[]) {
  const parts: (readonly Row[])[] = [];
  const shown = await writtenUntilFull(rows, async (part) => {
    parts.push(part);
    return part.map(({ nth, bytes }) => ({ text: String(nth), bytes }));
  });
  return { shown, parts };
}

const numbers = (rows: readonly Row[]) => rows.map(({ nth }) => nth);

test('events with few attempts are read together, one with many alone', async () => {
  const weights = [1, 100, 49, 1, 149, 230, 150, 2, 2];
  const { parts, shown } = await write(rowsOf(weights.map((weight) => ({ weight, bytes: 10 }))));
  expect(parts.map(numbers)).toEqual([[0, 1, 2], [3, 4], [5], [6], [7, 8]]);
  expect(shown.map(({ text }) => text)).toEqual(weights.map((_, nth) => String(nth)));
});

test('nothing is read behind the page, but one part that says there is more', async () => {
  const large = { weight: AT_ONCE, bytes: PAGE_BYTES_MAX / 4 };
  const { parts } = await write(rowsOf(Array.from({ length: 101 }, () => large)));
  expect(parts.map(numbers)).toEqual([[0], [1], [2], [3], [4]]);
  const larger = { weight: AT_ONCE, bytes: PAGE_BYTES_MAX / 3 };
  expect((await write(rowsOf(Array.from({ length: 101 }, () => larger)))).parts).toHaveLength(4);
});

test('of no rows nothing is read', async () => {
  expect(await write([])).toEqual({ shown: [], parts: [] });
});

test('a page of them is that of all rows, whatever they weigh and how large they are', async () => {
  const row = fc.record({
    weight: fc.integer({ min: 1, max: 250 }),
    bytes: fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: PAGE_BYTES_MAX })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 101 }), async (all) => {
      const rows = rowsOf(all);
      const { shown, parts } = await write(rows);
      for (const part of parts) {
        const weight = part.reduce((sum, one) => sum + one.weight, 0);
        expect(part.length === 1 || weight <= AT_ONCE).toBe(true);
      }
      const options = { query: { limit: 100 }, url: '/' };
      const whole = rows.map(({ nth, bytes }) => ({ text: String(nth), bytes }));
      const { data, has_more: hasMore } = toPage<number>(shown, options);
      const { data: expected, has_more: isMore } = toPage<number>(whole, options);
      expect({ data, hasMore }).toEqual({ data: expected, hasMore: isMore });
      // Without the last part nothing would say that the page is full.
      const before = shown.slice(0, shown.length - (parts.at(-1)?.length ?? 0));
      expect(fitting(before.map(({ bytes }) => bytes))).toBe(before.length);
    }),
  );
});
