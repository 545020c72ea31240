import { setImmediate as nextRound } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { SandboxPace } from '../../server/http/sandbox-pace.ts';
import { createRefusals } from '../../server/http/turns-of-budgets.ts';
import { LiveWork } from '../../server/kernel/live-work.ts';
import { createMetrics } from '../../server/metrics.ts';
import { AdvancePace } from '../../server/test-clock/pace.ts';

const live = { accountId: 'acc_live', liveMode: true };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
});

/** Lets all that may go on do so, and then time pass. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed <= ms; passed += 1) {
    if (passed > 0) vi.advanceTimersByTime(1);
    for (let round = 0; round < 5; round += 1) await nextRound();
  }
}

describe('requests of sandboxes', () => {
  const open = () => {
    const pace = new SandboxPace(createRefusals({ metrics: createMetrics() }));
    const begun = new Map<string, number>();
    const refused: unknown[] = [];
    const begin = (accountId: string, count: number): void => {
      for (let nth = 0; nth < count; nth += 1)
        pace.begin({ accountId, liveMode: false }).then(
          () => begun.set(accountId, (begun.get(accountId) ?? 0) + 1),
          (error) => refused.push(error),
        );
    };
    return { pace, begun, refused, begin };
  };

  test('begin as they come while no live account asks for anything', async () => {
    const { pace, begun, begin } = open();
    begin('loud', 500);
    await pass(0);
    expect(begun.get('loud')).toBe(500);
    await pace.begin(live);
    await pass(2_001);
    begin('loud', 500);
    await pass(0);
    expect(begun.get('loud')).toBe(1_000);
  });

  test('beside live ones begin at fifty a second together, each account in its turn', async () => {
    const { pace, begun, begin } = open();
    pace.saw(live);
    begin('loud', 150);
    await pass(0);
    expect(begun.get('loud')).toBe(2);
    begin('quiet', 1);
    await pass(0);
    expect(begun.get('quiet')).toBe(1);
    for (let nth = 0; nth < 9; nth += 1) begin(`other${nth}`, 1);
    await pass(300);
    expect(begun.size).toBe(11);
    await pass(1_000);
    // Half of the pace is left to accounts that had none.
    expect(begun.get('loud')).toBeGreaterThanOrEqual(25);
    expect(begun.get('loud')).toBeLessThanOrEqual(34);
  });

  test('that waited begin one by one', async () => {
    const { pace, begun, begin } = open();
    pace.saw(live);
    for (let nth = 0; nth < 44; nth += 1) begin(`shop${nth}`, 1);
    await pass(0);
    expect(begun.size).toBe(4);
    const begins: number[] = [];
    for (let passedMs = 1; passedMs <= 900; passedMs += 1) {
      const before = begun.size;
      await pass(1);
      if (begun.size > before) begins.push(begun.size - before);
    }
    expect(begins).toEqual(Array.from({ length: 40 }, () => 1));
  });

  test('never hold live ones', async () => {
    const { pace, begin } = open();
    pace.saw(live);
    begin('loud', 150);
    for (let nth = 0; nth < 200; nth += 1) await pace.begin(live);
  });

  test('wait two seconds at most, and are told which budget they waited for', async () => {
    const { pace, begun, refused, begin } = open();
    pace.saw(live);
    for (let nth = 0; nth < 400; nth += 1) begin(`acc${nth}`, 1);
    await pass(2_001);
    expect(begun.size).toBeGreaterThanOrEqual(100);
    expect(begun.size).toBeLessThanOrEqual(110);
    expect(refused).toHaveLength(400 - begun.size);
    expect(refused[0]).toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 1,
      message: expect.stringContaining('"sandboxes" of 50 requests a second'),
    });
  });
});

describe('advances of clocks', () => {
  const open = () => {
    const liveWork = new LiveWork();
    const pace = new AdvancePace(liveWork);
    let underWay = 0;
    let most = 0;
    let done = 0;
    const work = (ms: number) => async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, ms));
      underWay -= 1;
      done += 1;
    };
    const begin = (count: number, ms: number): void => {
      for (let nth = 0; nth < count; nth += 1) void pace.run(`acc${nth}`, work(ms));
    };
    return { liveWork, pace, begin, tally: () => ({ most, done }) };
  };

  test('go on at once while no live account changes anything', async () => {
    const { begin, tally } = open();
    begin(8, 10);
    await pass(11);
    expect(tally()).toEqual({ most: 8, done: 8 });
  });

  test('beside live work do one thing at a time, and leave twice as much time free', async () => {
    const { liveWork, begin, tally } = open();
    liveWork.saw();
    begin(8, 10);
    await pass(105);
    expect(tally()).toEqual({ most: 1, done: 4 });
    await pass(120);
    expect(tally()).toEqual({ most: 1, done: 8 });
  });

  test('wait for none that waits for an acquirer, nor for one that failed', async () => {
    const { liveWork, pace, begin, tally } = open();
    liveWork.saw();
    begin(1, 60_000);
    const failing = pace.run('acc_failing', () => Promise.reject(new Error('no'))).catch(() => 'failed');
    const next = pace.run('acc_next', () => Promise.resolve('done'));
    await pass(110);
    await expect(failing).resolves.toBe('failed');
    await expect(next).resolves.toBe('done');
    expect(tally().done).toBe(0);
  });
});
