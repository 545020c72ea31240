import { expect, test } from 'vitest';
import { keyed, type Statement, type Values } from '../../server/db/statement.ts';
import { LookUps } from '../../server/unit-of-work/look-ups.ts';

interface Thing {
  readonly id: string;
}
const locks = keyed<Thing>('lock_thing_of_test', (isAsked) => `SELECT id FROM thing WHERE ${isAsked('id')} FOR UPDATE`);
const reads = keyed<Thing>('read_thing_of_test', (isAsked) => `SELECT id FROM thing WHERE ${isAsked('id')}`);

/** What went out, and in which order; every thing exists but `none`. */
function watched() {
  const sent: [name: string, values: Values][] = [];
  const lookUps = new LookUps(async <Row>({ name }: Statement<Row>, values: Values) => {
    sent.push([name, values]);
    const { key, keys = [key] } = values as { key?: string; keys?: string[] };
    return keys.filter((id) => id !== 'none').map((id) => ({ id }) as Row);
  });
  return { sent, lookUps };
}

/** Work that locks a thing and reads it behind the lock, twice. */
async function work(lookUps: LookUps, id: string) {
  const [locked, read] = await Promise.all([lookUps.find(locks, id), lookUps.find(reads, id)]);
  await Promise.resolve();
  return [locked, read, await lookUps.find(reads, id)];
}

test('works side by side send each look-up once for all keys, reads behind locks', async () => {
  const { sent, lookUps } = watched();
  const answers = await Promise.all(['a', 'b', 'c'].map((id) => work(lookUps, id)));
  expect(answers).toEqual(['a', 'b', 'c'].map((id) => [{ id }, { id }, { id }]));
  expect(sent).toEqual([
    ['lock_thing_of_test_of_many', { keys: ['a', 'b', 'c'] }],
    ['read_thing_of_test_of_many', { keys: ['a', 'b', 'c'] }],
    ['read_thing_of_test_of_many', { keys: ['a', 'b', 'c'] }],
  ]);
});

test('one alone is looked up by a plan for one', async () => {
  const { sent, lookUps } = watched();
  expect(await lookUps.find(reads, 'a')).toEqual({ id: 'a' });
  expect(sent).toEqual([['read_thing_of_test', { key: 'a' }]]);
});

test('a key that several ask for is sent once, and one without a row answers nothing', async () => {
  const { sent, lookUps } = watched();
  const asked = ['a', 'none', 'a'].map((id) => lookUps.find(reads, id));
  expect(await Promise.all(asked)).toEqual([{ id: 'a' }, undefined, { id: 'a' }]);
  expect(sent).toEqual([['read_thing_of_test_of_many', { keys: ['a', 'none'] }]]);
});

test('what waits goes out ahead of a statement that comes behind it', async () => {
  const { sent, lookUps } = watched();
  const locked = lookUps.find(locks, 'a');
  lookUps.send();
  sent.push(['another', {}]);
  await locked;
  expect(sent.map(([name]) => name)).toEqual(['lock_thing_of_test', 'another']);
});

test('what waits when the transaction ends is refused and never sent', async () => {
  const { sent, lookUps } = watched();
  const read = lookUps.find(reads, 'a');
  lookUps.end();
  await expect(read).rejects.toThrow('the transaction ended before this was read');
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toEqual([]);
});

test('a refusal ahead of the first statement refuses every look-up', async () => {
  const lookUps = new LookUps(() => {
    throw new Error('too late');
  });
  const asked = await Promise.allSettled([lookUps.find(locks, 'a'), lookUps.find(reads, 'b')]);
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
