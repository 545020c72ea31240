import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renewPlans } from '../../workflows/delivery-pool.ts';

const MIDNIGHT_MS = Date.UTC(2026, 10, 24);
const MEGABYTE = 1_048_576;

let bytesOfDay: Record<string, number>;
let renewed: number;

/** A connection that tells how large a day is, and counts how often its plans are discarded. */
const connection = () => ({
  query: vi.fn(async (sql: string, values: string[] = []) => {
    if (sql === 'DISCARD PLANS') renewed += 1;
    return { rows: [{ bytes: bytesOfDay[values[0] ?? ''] ?? 0 }] };
  }),
});

/** How often the plans of a connection are made anew when it is taken at each of these times. */
async function renewals(timesMs: readonly number[]): Promise<number> {
  const [acquired, client] = [renewPlans(), connection()];
  for (const timeMs of timesMs) {
    vi.setSystemTime(timeMs);
    // Of a client of pg no more than this is called.
    acquired(client as never);
    await Promise.resolve();
    await Promise.resolve();
  }
  return renewed;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  [bytesOfDay, renewed] = [{}, 0];
});
afterEach(() => void vi.useRealTimers());

const everyMs = (stepMs: number, times: number, fromMs = MIDNIGHT_MS) =>
  Array.from({ length: times }, (_, nth) => fromMs + nth * stepMs);

test('plans are made anew every two seconds as long as the day has few rows', async () => {
  bytesOfDay = { '2026-11-24': MEGABYTE - 1 };
  expect(await renewals(everyMs(500, 20))).toBe(5);
});

test('and are kept once it has enough', async () => {
  bytesOfDay = { '2026-11-24': MEGABYTE };
  expect(await renewals(everyMs(500, 20))).toBe(1);
});

test('until the next day, which begins empty', async () => {
  bytesOfDay = { '2026-11-24': MEGABYTE };
  const lastHour = everyMs(500, 3, MIDNIGHT_MS + 86_398_500);
  expect(await renewals([...lastHour, ...everyMs(500, 5, MIDNIGHT_MS + 86_400_000)])).toBe(3);
});
