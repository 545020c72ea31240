import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { goBy } from '../../server/kernel/time.ts';
import { renewPlans } from '../../workflows/delivery-pool.ts';

const MIDNIGHT_MS = Date.UTC(2026, 10, 24);
const MEGABYTE = 1_048_576;

/** Has the process go by this instant, until it goes by the clock of the machine again. */
function showTime(shownMs: number): void {
  const askedMs = performance.now();
  goBy({ shownMs, askedMs, answeredMs: askedMs });
}

let bytesOfDay: Record<string, number>;
let renewed: number;

/** A connection that tells how large a day is, and counts how often its plans are discarded. */
function connection() {
  const acquired = renewPlans();
  const client = {
    query: vi.fn(async (sql: string, values: string[] = []) => {
      if (sql === 'DISCARD PLANS') renewed += 1;
      return { rows: [{ bytes: bytesOfDay[values[0] ?? ''] ?? 0 }] };
    }),
  };
  return {
    async acquireAt(timesMs: readonly number[]): Promise<void> {
      for (const timeMs of timesMs) {
        showTime(timeMs);
        // Of a client of pg no more than this is called.
        acquired(client as never);
        await Promise.resolve();
        await Promise.resolve();
      }
    },
  };
}

beforeEach(() => {
  [bytesOfDay, renewed] = [{}, 0];
});
afterEach(() => showTime(Date.now()));

const everyMs = (stepMs: number, times: number, fromMs = MIDNIGHT_MS) =>
  Array.from({ length: times }, (_, nth) => fromMs + nth * stepMs);

test('plans of a day that has nothing, or no more than before, are kept', async () => {
  const { acquireAt } = connection();
  await acquireAt(everyMs(500, 20));
  expect(renewed).toBe(0);
  bytesOfDay = { '2026-11-24': 8_192 };
  await acquireAt(everyMs(500, 200, MIDNIGHT_MS + 10_000));
  expect(renewed).toBe(1);
});

test('plans are made anew each time the day has twice as much, until it has enough', async () => {
  const { acquireAt } = connection();
  const sizes = [8_192, 12_000, 16_384, 500_000, 999_999, MEGABYTE, 8 * MEGABYTE, 64 * MEGABYTE];
  const counts: number[] = [];
  for (const [nth, bytes] of sizes.entries()) {
    bytesOfDay = { '2026-11-24': bytes };
    await acquireAt(everyMs(500, 8, MIDNIGHT_MS + nth * 4_000));
    counts.push(renewed);
  }
  expect(counts).toEqual([1, 1, 2, 3, 3, 4, 4, 4]);
});

test('the next day begins empty', async () => {
  const { acquireAt } = connection();
  bytesOfDay = { '2026-11-24': MEGABYTE };
  await acquireAt(everyMs(500, 3, MIDNIGHT_MS + 86_390_000));
  expect(renewed).toBe(1);
  await acquireAt(everyMs(500, 5, MIDNIGHT_MS + 86_400_000));
  expect(renewed).toBe(1);
  bytesOfDay = { '2026-11-25': 8_192 };
  await acquireAt(everyMs(500, 8, MIDNIGHT_MS + 86_402_500));
  expect(renewed).toBe(2);
});
