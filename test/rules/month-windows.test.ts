import { describe, expect, test } from 'vitest';
import { ProductSchema } from '../../server/catalog/entity.ts';
import { InvoiceSchema } from '../../server/invoices/entity.ts';
import { firstSuffixAt, idTimeMs, newId, newIdAfter, newSuffixAfter } from '../../server/kernel/ids.ts';
import { DAY, realTimeMs, SECOND_MS } from '../../server/kernel/time.ts';
import { type IdWindow, windowsOf } from '../../server/unit-of-work/month-windows.ts';

const invoiceAt = (timeMs: number): string => `in_${firstSuffixAt(timeMs)}`;
const isIn = (id: string, { $gte = '', $lt = '~' }: IdWindow): boolean => id >= $gte && id < $lt;

/** Which windows an invoice made then lies in. */
const placesOf = (timeMs: number, windows: readonly IdWindow[]): number[] =>
  windows.flatMap((window, nth) => (isIn(invoiceAt(timeMs), window) ? [nth] : []));

const monthsAgo = (count: number): number => realTimeMs() - count * 30 * DAY * SECOND_MS;

describe('a page of a list of months is looked for', () => {
  test('in two months, in eight, and in all that is left', () => {
    const windows = windowsOf(InvoiceSchema, { cursor: null, isForward: false });
    const places = [0, 0.5, 4, 8, 20, 200].map((months) => placesOf(monthsAgo(months), windows));
    expect(places).toEqual([[0], [0], [1], [1], [2], [2]]);
    // A process whose clock is ahead makes the newest.
    expect(placesOf(realTimeMs() + DAY * SECOND_MS, windows)).toEqual([0]);
  });

  test('from the month of its cursor on, in either direction', () => {
    const cursor = invoiceAt(monthsAgo(20));
    const back = windowsOf(InvoiceSchema, { cursor, isForward: false });
    expect([20.1, 24, 40].map((months) => placesOf(monthsAgo(months), back))).toEqual([[0], [1], [2]]);
    const on = windowsOf(InvoiceSchema, { cursor, isForward: true });
    expect([19.9, 14, 0].map((months) => placesOf(monthsAgo(months), on))).toEqual([[0], [1], [2]]);
  });

  test('before what was made after it by a day', () => {
    const end = monthsAgo(20);
    const windows = windowsOf(InvoiceSchema, {
      cursor: null,
      isForward: false,
      madeBefore: Math.floor(end / SECOND_MS),
    });
    expect([0, 10, 19.9].map((months) => placesOf(monthsAgo(months), windows))).toEqual([[], [], []]);
    expect(placesOf(end + (DAY / 2) * SECOND_MS, windows)).toEqual([0]);
    expect(placesOf(end, windows)).toEqual([0]);
  });

  test('at once where there are no months', () => {
    expect(windowsOf(ProductSchema, { cursor: newId('prod'), isForward: true })).toEqual([{}]);
  });
});

describe('what hangs on a row', () => {
  test('has an id that sorts after that of the row, though another clock made that', () => {
    const ahead = `in_${firstSuffixAt(realTimeMs() + 5_000)}`;
    for (const parent of [newId('in'), ahead]) {
      expect(newIdAfter('pi', parent).slice(3) > parent.slice(3)).toBe(true);
      expect(newSuffixAfter(parent) > parent.slice(3)).toBe(true);
    }
    expect(idTimeMs(newIdAfter('pi', ahead))).toBe((idTimeMs(ahead) ?? 0) + 1);
  });
});
