import { describe, expect, test } from 'vitest';
import { createTurns } from '../../../server/web/receipt/turns.ts';

describe('work in turns', () => {
  test('is done in order, with room for others between', async () => {
    const inTurn = createTurns(10);
    const done: string[] = [];
    const all = ['one', 'two'].map((name) => inTurn(() => done.push(name)));
    await all[0];
    expect(done).toEqual(['one']);
    setImmediate(() => done.push('another request'));
    await Promise.all(all);
    expect(done).toEqual(['one', 'another request', 'two']);
  });

  test('is refused once more waits than may, and taken again after that', async () => {
    const inTurn = createTurns(2);
    const taken = [inTurn(() => 1), inTurn(() => 2)];
    await expect((async () => inTurn(() => 3))()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await Promise.all(taken)).toEqual([1, 2]);
    expect(await inTurn(() => 4)).toBe(4);
  });

  test('goes on after one that failed', async () => {
    const inTurn = createTurns(1);
    const fault = new Error('out of ink');
    const failing = inTurn(() => {
      throw fault;
    });
    await expect(failing).rejects.toBe(fault);
    expect(await inTurn(() => 'next')).toBe('next');
  });
});
