import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClient } from '../../workflows/temporal.ts';
import { type Stack, startStack, until } from '../support/stack.ts';
import {
  begin,
  differences,
  type HalfYear,
  neverCharged,
  prepareHalfYear,
  readStory,
  type Story,
  untilArrived,
  untilMoving,
  untilStanding,
  without,
} from './half-year.ts';
import { randomOf } from './seeds.ts';

const TEST_MS = 180_000;
const KILLS = process.env.SOAK === '1' ? 6 : 2;
const KILLED_WITHIN_MS = 1_500;

let stack: Stack;
let disturbed: [killed: HalfYear, wiped: HalfYear];
let undisturbed: Story;

beforeAll(async () => {
  stack = await startStack({ settings: { RUN_SHARDS: '4' } });
  const quiet = await prepareHalfYear(stack);
  disturbed = [await prepareHalfYear(stack), await prepareHalfYear(stack)];
  await begin(stack, quiet);
  await untilArrived(stack, quiet);
  undisturbed = await readStory(stack, quiet);
}, TEST_MS);

afterAll(() => stack.stop(), TEST_MS);

/** The same events at the same instants, the same invoices, the same money, and nobody was left untold. */
async function expectUndisturbed(year: HalfYear): Promise<void> {
  const left = await neverCharged(stack, year);
  const [story, expected] = [without(await readStory(stack, year), left), without(undisturbed, left)];
  expect(differences(story, expected)).toEqual([]);
  expect(story).toEqual(expected);
  expect(await stack.audit()).toEqual([]);
}

test('half a year brings what it should', () => {
  expect(undisturbed.untold).toEqual([]);
  const ended = undisturbed.events.filter((line) => line.includes('subscription.canceled'));
  // The card that is declined, and the bill by PIX that nobody pays.
  expect(ended.map((line) => line.split(' ')[0])).toEqual(['2', '4']);
  const paid = undisturbed.invoices.filter((line) => line.split(' ')[2] === 'paid').map((line) => line.split(' ')[0]);
  expect({
    monthly: paid.filter((nth) => nth === '1').length,
    daily: paid.filter((nth) => nth === '5').length,
  }).toEqual({
    monthly: expect.toSatisfy((months: number) => months === 5 || months === 6),
    daily: 182,
  });
});

test(
  'a worker killed at random moments changes nothing of half a year',
  async () => {
    const [killed] = disturbed;
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
    console.log(`SEED=${seed}`);
    const random = randomOf(seed);
    await begin(stack, killed);
    for (let kills = 0; kills < KILLS; kills += 1) {
      await untilMoving(stack, killed);
      await sleep(random(KILLED_WITHIN_MS));
      await stack.worker.kill9();
      await stack.worker.start();
    }
    await untilArrived(stack, killed);
    await expectUndisturbed(killed);
  },
  TEST_MS,
);

test(
  'a Temporal that lost everything in the middle of half a year changes nothing of it',
  async () => {
    const [, wiped] = disturbed;
    await begin(stack, wiped);
    await untilMoving(stack, wiped);
    await stack.wipeTemporal();
    await untilStanding(stack, wiped);
    // A minute in which nobody moved it: the next run asks for it.
    await stack.withDatabase(({ pool }) =>
      pool.query(`UPDATE account SET clock_moved_at = clock_moved_at - interval '1 minute' WHERE id = $1`, [
        wiped.merchant.accountId,
      ]),
    );
    await triggerRecovery();
    await untilArrived(stack, wiped);
    await expectUndisturbed(wiped);
  },
  TEST_MS,
);

/** The schedules come back with the worker. */
async function triggerRecovery(): Promise<void> {
  const client = openClient(
    { address: stack.temporalAddress, namespace: 'default', apiKey: null, tls: null },
    await stack.secretBox(),
  );
  const trigger = () =>
    client.schedule
      .getHandle('case-recovery-run-sandbox')
      .trigger()
      .then(
        () => true,
        () => false,
      );
  await until('the schedules', trigger);
  await client.connection.close();
}
