import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { FairSemaphore, NoPermit, type Release } from '../../server/kernel/fair-semaphore.ts';

const nextRound = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Releases all that is held, and what is then handed out, so that nobody is left waiting when the test is over. */
async function releaseAll(held: Release[]): Promise<void> {
  for (let release = held.pop(); release !== undefined; release = held.pop()) {
    release();
    await nextRound();
  }
}

/** Who was served, in order; each permit is released by its name. */
function serving(semaphore: FairSemaphore) {
  const served: string[] = [];
  const taken = new Map<string, Release>();
  const held: Release[] = [];
  onTestFinished(() => releaseAll(held));
  const ask = (key: string, name: string, weight = 1): Promise<void> =>
    semaphore.acquire(key, weight).then((release) => {
      served.push(name);
      taken.set(name, release);
      held.push(release);
    });
  const end = async (name: string): Promise<void> => {
    taken.get(name)?.();
    await nextRound();
  };
  return { served, ask, end };
}

test('the key that holds fewest comes next, however many of another wait before', async () => {
  const { served, ask, end } = serving(new FairSemaphore({ total: 2, each: 2 }));
  await ask('loud', 'loud 1');
  await ask('loud', 'loud 2');
  for (let nth = 3; nth <= 6; nth += 1) void ask('loud', `loud ${nth}`);
  void ask('quiet', 'quiet 1');
  await end('loud 1');
  expect(served).toEqual(['loud 1', 'loud 2', 'quiet 1']);
  await end('loud 2');
  expect(served.at(-1)).toBe('loud 3');
});

test('of keys that hold as few, the one that was served last comes last', async () => {
  const { served, ask, end } = serving(new FairSemaphore({ total: 1, each: 1 }));
  await ask('a', 'a 1');
  for (const name of ['a 2', 'a 3', 'b 1', 'b 2', 'c 1']) void ask(name[0] ?? '', name);
  for (const name of ['a 1', 'a 2', 'b 1', 'c 1', 'a 3']) await end(name);
  expect(served).toEqual(['a 1', 'a 2', 'b 1', 'c 1', 'a 3', 'b 2']);
});

test('a heavy request waits for all its permits, and lighter ones of its key wait behind it', async () => {
  const semaphore = new FairSemaphore({ each: 5 });
  const { served, ask, end } = serving(semaphore);
  await ask('a', 'light 1');
  await ask('a', 'light 2');
  void ask('a', 'heavy', 4);
  void ask('a', 'light 3');
  expect(semaphore.left('a')).toBe(0);
  expect(served).toEqual(['light 1', 'light 2']);
  await end('light 1');
  expect(served).toEqual(['light 1', 'light 2', 'heavy']);
  await end('light 2');
  expect(served).toEqual(['light 1', 'light 2', 'heavy', 'light 3']);
  expect(semaphore.use).toEqual({ taken: 5, waiting: 0 });
});

test('more than the queue takes are refused at once, and whoever waited until the timeout is', async () => {
  const semaphore = new FairSemaphore({ total: 1, each: 1, queue: 1, timeoutMs: 20 });
  const release = await semaphore.acquire('a');
  const late = semaphore.acquire('a');
  await expect(semaphore.acquire('a')).rejects.toEqual(new NoPermit('full'));
  await expect(late).rejects.toEqual(new NoPermit('timeout'));
  expect(semaphore.use).toEqual({ taken: 1, waiting: 0 });
  expect(semaphore.tryAcquire('b')).toBe(null);
  release();
  release();
  expect(semaphore.use).toEqual({ taken: 0, waiting: 0 });
});

test('a request that waits behind one that timed out is served', async () => {
  const semaphore = new FairSemaphore({ each: 3, timeoutMs: 50 });
  const release = await semaphore.acquire('a', 2);
  const heavy = semaphore.acquire('a', 3);
  const refused = expect(heavy).rejects.toEqual(new NoPermit('timeout'));
  const waits = semaphore.acquire('a', 1).then((end) => end());
  await refused;
  await waits;
  release();
  expect(semaphore.use).toEqual({ taken: 0, waiting: 0 });
});

test('no order of takes and releases goes beyond a bound, or leaves one waiting that could be served', async () => {
  const bounds = fc.record({ total: fc.integer({ min: 1, max: 5 }), each: fc.integer({ min: 1, max: 4 }) });
  const steps = fc.array(fc.record({ takes: fc.boolean(), key: fc.nat({ max: 3 }) }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(bounds, steps, async ({ total, each }, actions) => {
      const semaphore = new FairSemaphore({ total, each });
      const held = new Map<number, Release[]>();
      const asked = new Map<number, number>();
      for (const { takes, key } of actions) {
        const own = held.get(key) ?? [];
        held.set(key, own);
        if (takes) {
          asked.set(key, (asked.get(key) ?? 0) + 1);
          void semaphore.acquire(`${key}`).then((release) => own.push(release));
        } else if (own.length > 0) {
          own.pop()?.();
          asked.set(key, (asked.get(key) ?? 1) - 1);
        }
        await nextRound();
        const taken = [...held.values()].map(({ length }) => length);
        const all = taken.reduce((sum, count) => sum + count, 0);
        expect(Math.max(...taken)).toBeLessThanOrEqual(each);
        const could = [...asked.values()].reduce((sum, count) => sum + Math.min(count, each), 0);
        expect(all).toBe(Math.min(total, could));
      }
      while ([...held.values()].some(({ length }) => length > 0)) {
        for (const own of held.values()) await releaseAll(own);
      }
      expect(semaphore.use).toEqual({ taken: 0, waiting: 0 });
    }),
    { numRuns: 200 },
  );
});
