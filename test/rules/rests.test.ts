import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRests } from '../../server/http/rests.ts';
import type { Lane } from '../../server/kernel/lane.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const MIB = 1_024 * 1_024;

/** What an account has of so many seconds when it asks again as soon as its place has rested. */
function taken(
  seconds: number,
  { lane = 'live', ...request }: { lane?: Lane; takenMs: number; bytes: number },
): { ms: number; bytes: number } {
  const rests = createRests(2 * MIB)[lane];
  const had = { ms: 0, bytes: 0 };
  const endMs = performance.now() + seconds * 1_000;
  while (performance.now() < endMs) {
    vi.advanceTimersByTime(request.takenMs);
    had.ms += request.takenMs;
    had.bytes += request.bytes;
    vi.advanceTimersByTime(Math.ceil(rests.after('a', request)));
  }
  return had;
}

test('small lists now and then never rest, and a slow moment among them does not either', () => {
  const rests = createRests(2 * MIB).live;
  for (let nth = 0; nth < 200; nth += 1) {
    expect(rests.after('a', { takenMs: nth === 100 ? 40 : 3, bytes: 5_000 })).toBe(0);
    vi.advanceTimersByTime(45);
  }
});

test('whoever asks again at once has a fifth of the time', () => {
  for (const takenMs of [1, 3, 20, 100, 250]) {
    const { ms } = taken(60, { takenMs, bytes: 0 });
    expect(ms).toBeGreaterThan(60_000 * 0.19);
    expect(ms).toBeLessThan(60_000 * 0.21);
  }
});

test('and as many bytes a second as pass', () => {
  for (const bytes of [100_000, MIB, 2 * MIB]) {
    const had = taken(60, { takenMs: 1, bytes });
    expect(had.bytes / 60).toBeGreaterThan(1.9 * MIB);
    expect(had.bytes / 60).toBeLessThan(2.1 * MIB);
  }
});

test('a sandbox has half of either', () => {
  const { ms } = taken(60, { lane: 'sandbox', takenMs: 20, bytes: 0 });
  expect(ms).toBeGreaterThan(60_000 * 0.09);
  expect(ms).toBeLessThan(60_000 * 0.11);
  const { bytes } = taken(60, { lane: 'sandbox', takenMs: 1, bytes: 100_000 });
  expect(bytes / 60).toBeGreaterThan(0.9 * MIB);
  expect(bytes / 60).toBeLessThan(1.1 * MIB);
});

test('no rest is longer than a second, and those of others are their own', () => {
  const rests = createRests(2 * MIB).live;
  rests.after('a', { takenMs: 3_000, bytes: 20 * MIB });
  expect(rests.after('a', { takenMs: 3_000, bytes: 20 * MIB })).toBe(1_000);
  expect(rests.after('b', { takenMs: 3, bytes: 0 })).toBe(0);
});
