import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { groupTransactions } from '../../server/unit-of-work/grouped.ts';
import type { Scope, Tx } from '../../server/unit-of-work/tx.ts';

const scopeOf = (accountId: string, liveMode = false): Scope => ({ accountId, liveMode }) as Scope;
const SHOP = scopeOf('acct_1');

/** Groups over transactions that take as long as they are told, and how many works each of these had. */
function setUp({ lastsMs = 0 } = {}) {
  const works: number[] = [];
  let splits = 0;
  const transaction = async <T>(_: Scope, work: (tx: Tx) => Promise<T>): Promise<T> => {
    let count = 0;
    // A transaction is told of each work by the work itself.
    const answer = await work({ come: () => (count += 1) } as unknown as Tx);
    works.push(count);
    await sleep(lastsMs);
    return answer;
  };
  const grouped = groupTransactions({
    transaction,
    logger: { warn: () => {} },
    metrics: { groupsSplit: { inc: () => (splits += 1) } },
  });
  const come = (tx: Tx): void => void (tx as unknown as { come(): void }).come();
  const work = (of: string, { scope = SHOP, fails = false } = {}): Promise<string> =>
    grouped(scope, of, async (tx) => {
      come(tx);
      if (fails) throw new Error(`${of} cannot be done`);
      return of;
    });
  return { works, work, splits: () => splits };
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `sub_${index}`);

test('works of an account that come together share a transaction, 32 at most', async () => {
  const { works, work } = setUp();
  expect(await Promise.all(names(70).map((of) => work(of)))).toEqual(names(70));
  expect(works.toSorted((one, other) => other - one)).toEqual([32, 32, 6]);
});

test('each account and mode has groups of its own', async () => {
  const { works, work } = setUp();
  const scopes = [scopeOf('acct_1'), scopeOf('acct_1', true), scopeOf('acct_2')];
  await Promise.all(scopes.flatMap((scope) => names(3).map((of) => work(of, { scope }))));
  expect(works).toEqual([3, 3, 3]);
});

test('two works of one subscription are never in a group', async () => {
  const { works, work } = setUp();
  await Promise.all(['sub_1', 'sub_2', 'sub_1', 'sub_3', 'sub_1'].map((of) => work(of)));
  expect(works.toSorted()).toEqual([1, 2, 2]);
});

test('of a group with one that fails, that one alone fails', async () => {
  const { works, work, splits } = setUp();
  const done = await Promise.allSettled(names(5).map((of, place) => work(of, { fails: place === 2 })));
  expect(done.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    ...Array(2).fill('fulfilled'),
  ]);
  expect(done[2]).toMatchObject({ reason: { message: 'sub_2 cannot be done' } });
  expect([works, splits()]).toEqual([[1, 1, 1, 1], 1]);
});

test('an account whose groups failed twice has a transaction for each work', async () => {
  const { works, work, splits } = setUp();
  for (let round = 0; round < 3; round += 1)
    await Promise.allSettled(names(3).map((of, place) => work(of, { fails: place === 0 })));
  expect(splits()).toBe(2);
  works.length = 0;
  await Promise.all(names(3).map((of) => work(of)));
  expect(works).toEqual([1, 1, 1]);
});

test('a long transaction keeps no other works from theirs', async () => {
  const { works, work } = setUp({ lastsMs: 200 });
  const first = Promise.all(names(3).map((of) => work(of)));
  await sleep(50);
  await Promise.all([first, ...names(2).map((of) => work(of))]);
  expect(works).toEqual([3, 2]);
});
