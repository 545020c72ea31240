import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { paceOf } from '../../server/http/authorize.ts';
import { FairStarts } from '../../server/http/fair-starts.ts';

const FAST = 1e9;
const party = (accountId: string, liveMode = true, perSecond = FAST) => ({ accountId, liveMode, perSecond });

test('each account begins one request in a round, however many another has', async () => {
  const starts = new FairStarts();
  const begun: string[] = [];
  const begin = (accountId: string, nth: number, liveMode = true): void =>
    starts.begin(party(accountId, liveMode), () => begun.push(`${accountId} ${nth}`));
  for (let nth = 1; nth <= 4; nth += 1) begin('loud', nth);
  begin('quiet', 1);
  begin('sandbox', 1, false);
  expect(begun.splice(0)).toEqual(['loud 1', 'quiet 1', 'sandbox 1']);
  await nextRound();
  begin('quiet', 2);
  expect(begun.splice(0)).toEqual(['loud 2', 'quiet 2']);
  await nextRound();
  expect(begun.splice(0)).toEqual(['loud 3']);
  await nextRound();
  expect(begun.splice(0)).toEqual(['loud 4']);
});

test('whoever has nothing under way begins at once, and nothing is begun twice or forgotten', async () => {
  const starts = new FairStarts();
  const begun: number[] = [];
  for (let nth = 0; nth < 50; nth += 1) {
    starts.begin(party(`acc_${nth % 3}`), () => begun.push(nth));
    if (nth % 7 === 0) await nextRound();
  }
  for (let round = 0; round < 50; round += 1) await nextRound();
  expect(begun.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 50 }, (_, nth) => nth));
  starts.begin(party('acc_0'), () => begun.push(50));
  expect(begun.at(-1)).toBe(50);
});

/** Rounds enough for all that may begin, after each millisecond. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed <= ms; passed += 1) {
    if (passed > 0) vi.advanceTimersByTime(1);
    for (let round = 0; round < 60; round += 1) await nextRound();
  }
}

test('beside others four begin without a pause and further ones at the pace of the account, alone all do', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const starts = new FairStarts();
  let begun = 0;
  const begin = (count: number): void => {
    for (let nth = 0; nth < count; nth += 1) starts.begin(party('loud', false, 100), () => (begun += 1));
  };
  begin(50);
  await pass(0);
  expect(begun).toBe(50);
  starts.begin(party('quiet'), () => {});
  begin(500);
  await pass(0);
  expect(begun).toBe(50 + 4);
  await pass(100);
  expect(begun).toBe(50 + 4 + 10);
  // Two seconds later nobody else is there.
  await pass(2_000);
  await pass(600);
  expect(begun).toBe(50 + 500);
});

test('the pace of an account is the even one of its limit, and no small limit makes each request wait', () => {
  const pace = paceOf({ rateLimit: { livePerSecond: 100, sandboxPerSecond: 25 } });
  expect(pace({ liveMode: true, limits: {} })).toBe(100);
  expect(pace({ liveMode: false, limits: {} })).toBe(25);
  expect(pace({ liveMode: true, limits: { general: 12_000 } })).toBe(200);
  expect(pace({ liveMode: true, limits: { general: 3 } })).toBe(10);
});
