import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cursorOf,
  cutPage,
  type Position,
  positionAt,
  positionOf,
  ROWS_MAX,
} from '../../server/events/feed/position.ts';
import { BillingError } from '../../server/kernel/errors.ts';

const suffix = (n: number): string => `01kaj4w2n8e9r7t5v3${String(n).padStart(8, '0')}`;
const row = (n: number) => ({ id: `evt_${suffix(n)}` });
const numbersOf = (rows: readonly { id: string }[]): number[] => rows.map(({ id }) => Number(id.slice(-8)));

/** What a database with these rows committed answers a reader. */
function readBehind(position: Position, { committed, watermark }: { committed: readonly number[]; watermark: number }) {
  const rows = committed
    .map(row)
    .filter(({ id }) => id > position.after)
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .slice(0, ROWS_MAX);
  return cutPage(rows, { position, watermark: suffix(watermark), isCut: false });
}

describe('a page of the feed', () => {
  test('tells at once what may still be overtaken, and what overtook it when that is committed', () => {
    const first = readBehind(positionAt(suffix(0)), { committed: [1, 5], watermark: 3 });
    expect([numbersOf(first.taken), first.more]).toEqual([[1, 5], false]);
    const second = readBehind(first.next, { committed: [1, 4, 5], watermark: 3 });
    expect(numbersOf(second.taken)).toEqual([4]);
    const third = readBehind(second.next, { committed: [1, 4, 5, 7], watermark: 9 });
    expect(numbersOf(third.taken)).toEqual([7]);
    expect(third.next).toEqual(positionAt(suffix(9)));
  });

  test('has at most 100 events, and says when more wait', () => {
    const committed = Array.from({ length: 250 }, (_, n) => n + 1);
    const first = readBehind(positionAt(suffix(0)), { committed, watermark: 1_000 });
    const second = readBehind(first.next, { committed, watermark: 1_000 });
    const third = readBehind(second.next, { committed, watermark: 1_000 });
    expect([first, second, third].map(({ taken, more }) => [taken.length, more])).toEqual([
      [100, true],
      [100, true],
      [50, false],
    ]);
  });

  test('tells no more than 100 that may be overtaken, and the others once they may not', () => {
    const committed = Array.from({ length: 250 }, (_, n) => n + 10);
    const first = readBehind(positionAt(suffix(0)), { committed, watermark: 5 });
    const second = readBehind(first.next, { committed, watermark: 5 });
    expect([first.taken.length, second.taken.length]).toEqual([100, 0]);
    expect(cursorOf(second.next).split('.')).toHaveLength(101);
    const third = readBehind(second.next, { committed, watermark: 1_000 });
    expect(numbersOf(third.taken)).toEqual(committed.slice(100, 200));
  });

  test('goes on behind the cursor that it gave, which says all of its position', () => {
    const { next } = readBehind(positionAt(suffix(0)), { committed: [1, 5, 6], watermark: 3 });
    expect(positionOf(cursorOf(next))).toEqual(next);
    expect(() => positionOf('evt_zzzzzzzzzzzzzzzzzzzzzzzzzz')).toThrow(BillingError);
  });

  test('leaves nothing out and tells nothing twice, in whatever order rows are committed', () => {
    const commit = fc.record({
      id: fc.integer({ min: 1, max: 2_000 }).map((n) => 2 * n),
      at: fc.integer({ min: 0, max: 40 }),
    });
    const commits = fc.uniqueArray(commit, { maxLength: 400, selector: ({ id }) => id });
    fc.assert(
      fc.property(commits, fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 41 }), (made, slack) => {
        const told: number[] = [];
        let position = positionAt(suffix(0));
        for (let now = 0; now <= 60; now += 1) {
          const committed = made.filter(({ at }) => at <= now).map(({ id }) => id);
          const waiting = made.filter(({ at }) => at > now).map(({ id }) => id);
          // A watermark promises that nothing older is still to come, and may be as cautious as it likes; it is no row's id.
          const watermark = Math.max(1, Math.min(5_000, ...waiting) - 1 - 2 * (slack[now] ?? 0));
          const page = readBehind(position, { committed, watermark });
          told.push(...numbersOf(page.taken));
          expect(page.next.after >= position.after).toBe(true);
          position = positionOf(cursorOf(page.next));
        }
        expect(told.toSorted((a, b) => a - b)).toEqual(made.map(({ id }) => id).toSorted((a, b) => a - b));
      }),
      { numRuns: 200 },
    );
  });
});
