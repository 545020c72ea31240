import { describe, expect, test } from 'vitest';
import { Rotation } from '../../server/db/rotation.ts';
import { Turns } from '../../server/db/turns.ts';

const things = (accountId: string, count: number) => Array.from({ length: count }, (_, at) => ({ accountId, at }));

/** Takes until nothing may be begun. */
function takeAll(turns: Turns<{ accountId: string; at: number }>) {
  const taken = [];
  for (let item = turns.take(); item !== null; item = turns.take()) taken.push(item);
  return taken;
}

const countOf = (taken: readonly { accountId: string }[], accountId: string): number =>
  taken.filter((item) => item.accountId === accountId).length;

describe('accounts whose work waits for the same hands', () => {
  test('take turns, one thing each', () => {
    const turns = new Turns<{ accountId: string; at: number }>(100);
    turns.add([...things('a', 3), ...things('b', 1), ...things('c', 2)]);
    expect(takeAll(turns).map(({ accountId, at }) => `${accountId}${at}`)).toEqual([
      'a0',
      'b0',
      'c0',
      'a1',
      'c1',
      'a2',
    ]);
    expect(turns.isEmpty).toBe(true);
  });

  test('leave a hand for the next one: alone an account has nearly all, never all', () => {
    const turns = new Turns<{ accountId: string; at: number }>(64);
    turns.add(things('a', 1_000));
    expect(takeAll(turns)).toHaveLength(56);
    expect(turns.hasRoom).toBe(true);
    for (const account of ['b', 'c']) {
      turns.add(things(account, 1_000));
      expect(countOf(takeAll(turns), account), account).toBeGreaterThan(0);
    }
  });

  test('have room again as what they began ends', () => {
    const turns = new Turns<{ accountId: string; at: number }>(8);
    turns.add(things('a', 20));
    const begun = takeAll(turns);
    expect(begun).toHaveLength(7);
    for (const item of begun) turns.end(item);
    expect(takeAll(turns)).toHaveLength(7);
  });

  test('are served with two hands too', () => {
    const turns = new Turns<{ accountId: string; at: number }>(2);
    turns.add(things('a', 3));
    expect(takeAll(turns)).toHaveLength(2);
  });
});

describe('claims', () => {
  test('go on behind the last key while they are full, and from the beginning once they are not', () => {
    const rotation = new Rotation();
    expect([rotation.after, rotation.took(['a', 'b', 'a'], 3), rotation.after]).toEqual(['', true, 'b']);
    expect([rotation.took(['c'], 3), rotation.after]).toEqual([true, '']);
    expect([rotation.took([], 3), rotation.after]).toEqual([false, '']);
  });
});
