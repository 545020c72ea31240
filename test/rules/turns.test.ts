import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { NoTurn, Turns } from '../../server/db/turns.ts';

const LONG_MS = 60_000;

const nextRound = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Gives back all that is held, and what is then handed out, so that nobody is left waiting when the test is over. */
async function giveAllBack(held: (() => void)[]): Promise<void> {
  for (let giveBack = held.pop(); giveBack !== undefined; giveBack = held.pop()) {
    giveBack();
    await nextRound();
  }
}

/** Who was served, in order; each place is given back by its name. */
function serving(turns: Turns) {
  const served: string[] = [];
  const taken = new Map<string, () => void>();
  const held: (() => void)[] = [];
  onTestFinished(() => giveAllBack(held));
  const ask = (holder: string, name: string): Promise<void> =>
    turns.take(holder).then((giveBack) => {
      served.push(name);
      taken.set(name, giveBack);
      held.push(giveBack);
    });
  const end = async (name: string): Promise<void> => {
    taken.get(name)?.();
    await nextRound();
  };
  return { served, ask, end };
}

test('whoever holds fewest comes next, however many of another wait before', async () => {
  const { served, ask, end } = serving(new Turns({ total: 2, each: 2, spare: 0, waitMs: LONG_MS }));
  await ask('loud', 'loud 1');
  await ask('loud', 'loud 2');
  for (let nth = 3; nth <= 6; nth += 1) void ask('loud', `loud ${nth}`);
  void ask('quiet', 'quiet 1');
  await end('loud 1');
  expect(served).toEqual(['loud 1', 'loud 2', 'quiet 1']);
  await end('loud 2');
  expect(served.at(-1)).toBe('loud 3');
});

test('of those who hold as few, whoever was served last comes last', async () => {
  const { served, ask, end } = serving(new Turns({ total: 1, each: 1, spare: 0, waitMs: LONG_MS }));
  await ask('a', 'a 1');
  for (const [holder, name] of [
    ['a', 'a 2'],
    ['a', 'a 3'],
    ['b', 'b 1'],
    ['b', 'b 2'],
    ['c', 'c 1'],
  ] as const)
    void ask(holder, name);
  for (const name of ['a 1', 'a 2', 'b 1', 'c 1', 'a 3']) await end(name);
  expect(served).toEqual(['a 1', 'a 2', 'b 1', 'c 1', 'a 3', 'b 2']);
});

test('the last places are left to holders that have none', async () => {
  const turns = new Turns({ total: 3, each: 3, spare: 1, waitMs: LONG_MS });
  const { served, ask } = serving(turns);
  await ask('loud', 'loud 1');
  await ask('loud', 'loud 2');
  void ask('loud', 'loud 3');
  await ask('quiet', 'quiet 1');
  expect(served).toEqual(['loud 1', 'loud 2', 'quiet 1']);
  expect(turns.use).toEqual({ taken: 3, waiting: 1 });
});

test('more than may wait are refused at once, and whoever waited for so long as it may is', async () => {
  const turns = new Turns({ total: 1, each: 1, spare: 0, waitingMax: 1, waitMs: 20 });
  const giveBack = await turns.take('a');
  const late = turns.take('a');
  await expect(turns.take('a')).rejects.toEqual(new NoTurn('busy'));
  await expect(late).rejects.toEqual(new NoTurn('late'));
  expect(turns.use).toEqual({ taken: 1, waiting: 0 });
  giveBack();
  giveBack();
  expect(turns.use).toEqual({ taken: 0, waiting: 0 });
});

test('no order of takes and returns goes beyond a bound, or leaves one waiting who could be served', async () => {
  const bounds = fc.record({ total: fc.integer({ min: 1, max: 5 }), each: fc.integer({ min: 1, max: 4 }) });
  const steps = fc.array(fc.record({ takes: fc.boolean(), holder: fc.nat({ max: 3 }) }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(bounds, steps, async ({ total, each }, actions) => {
      const turns = new Turns({ total, each, spare: 0, waitMs: LONG_MS });
      const held = new Map<number, (() => void)[]>();
      const asked = new Map<number, number>();
      for (const { takes, holder } of actions) {
        const own = held.get(holder) ?? [];
        held.set(holder, own);
        if (takes) {
          asked.set(holder, (asked.get(holder) ?? 0) + 1);
          void turns.take(`${holder}`).then((giveBack) => own.push(giveBack));
        } else if (own.length > 0) {
          own.pop()?.();
          asked.set(holder, (asked.get(holder) ?? 1) - 1);
        }
        await nextRound();
        const taken = [...held.values()].map(({ length }) => length);
        const all = taken.reduce((sum, count) => sum + count, 0);
        expect(Math.max(...taken)).toBeLessThanOrEqual(each);
        const could = [...asked.values()].reduce((sum, count) => sum + Math.min(count, each), 0);
        expect(all).toBe(Math.min(total, could));
      }
      while ([...held.values()].some(({ length }) => length > 0)) {
        for (const own of held.values()) await giveAllBack(own);
      }
      expect(turns.use).toEqual({ taken: 0, waiting: 0 });
    }),
    { numRuns: 200 },
  );
});
