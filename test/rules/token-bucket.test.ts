import { expect, test } from 'vitest';
import { TokenBucket } from '../../server/jobs/token-bucket.ts';

/** Time that passes only while somebody waits for it. */
function stillTime() {
  let nowMs = 1_000_000;
  return {
    nowMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const NEVER = Number.POSITIVE_INFINITY;

/** When so many tokens were taken one after the other, in milliseconds from now on. */
async function takeAll(bucket: TokenBucket, time: ReturnType<typeof stillTime>, count: number): Promise<number[]> {
  const beganMs = time.nowMs();
  const taken: number[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    expect(await bucket.hasTokenBy(NEVER)).toBe(true);
    bucket.take();
    taken.push(time.nowMs() - beganMs);
  }
  return taken;
}

test('tokens come evenly, the first at once', async () => {
  const time = stillTime();
  expect(await takeAll(new TokenBucket(() => 5, time), time, 5)).toEqual([0, 200, 400, 600, 800]);
});

test.each([1, 2, 4, 8, 16])('%i shards together take what their account may', async (of) => {
  const times = Array.from({ length: of }, stillTime);
  const taken = await Promise.all(times.map((time) => takeAll(new TokenBucket(() => 20 / of, time), time, 20)));
  const inTenSeconds = taken.flat().filter((atMs) => atMs > 0 && atMs <= 800);
  expect(inTenSeconds).toHaveLength(16);
});

test('what was not taken is no credit beyond one token, or what comes in 50 ms', async () => {
  const time = stillTime();
  const [slow, quick] = [new TokenBucket(() => 20, time), new TokenBucket(() => 1_000, time)];
  time.pass(60_000);
  expect(await takeAll(slow, time, 3)).toEqual([0, 50, 100]);
  const atOnce = (await takeAll(quick, time, 100)).filter((atMs) => atMs === 0);
  expect(atOnce).toHaveLength(50);
});

test('a rate that changes counts for who waits already', async () => {
  const time = stillTime();
  let perSecond = 10;
  const bucket = new TokenBucket(() => perSecond, time);
  expect(await takeAll(bucket, time, 2)).toEqual([0, 100]);
  perSecond = 5;
  expect(await takeAll(bucket, time, 2)).toEqual([200, 400]);
  perSecond = 10;
  expect(await takeAll(bucket, time, 2)).toEqual([100, 200]);
});

test('who waits in vain is told at its time, and has taken nothing', async () => {
  const time = stillTime();
  const bucket = new TokenBucket(() => 1, time);
  await takeAll(bucket, time, 1);
  const untilMs = time.nowMs() + 400;
  expect(await bucket.hasTokenBy(untilMs)).toBe(false);
  expect(time.nowMs()).toBe(untilMs);
  expect(await bucket.hasTokenBy(untilMs)).toBe(false);
  expect(await takeAll(bucket, time, 1)).toEqual([600]);
});

test('works follow each other, also behind one that fails', async () => {
  const bucket = new TokenBucket(() => 1_000);
  const told: string[] = [];
  const work = (name: string) => () => {
    told.push(`${name} begins`);
    return new Promise<string>((resolve, reject) =>
      setImmediate(() => {
        told.push(`${name} ends`);
        if (name === 'two') reject(new Error(name));
        else resolve(name);
      }),
    );
  };
  const all = await Promise.allSettled(['one', 'two', 'three'].map((name) => bucket.inTurn(work(name))));
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(told).toEqual(['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]));
});
