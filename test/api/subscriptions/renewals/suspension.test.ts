import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runBilling } from '../../../../server/subscriptions/billing/due.ts';
import { collectionStatus } from '../../../../server/subscriptions/collection/case.ts';
import { CardRetryScene } from './card-retry-scene.ts';

const DAY = 86_400;
const scene = new CardRetryScene();

const statusesByCycle = async (id: string) =>
  (await scene.cycles(id)).invoices.map(([cycle, status]) => [cycle, status]);

test('regression-15-of one subscription at one instant a renewal is charged before another suspends it', async () => {
  const { id, older, younger, at } = await scene.twoOpen();
  await scene.pass(id, at + 10 * DAY - 1 - scene.now());
  await scene.issuerAnswers({ id }, 'approved');
  scene.api.clock.advance(1);
  expect(await collectionStatus(scene.deps, id)).toMatchObject({ kind: 'charge', invoiceId: younger });
  await scene.perform(younger);
  expect(await collectionStatus(scene.deps, id)).toMatchObject({ kind: 'suspend', invoiceId: older });
  await scene.perform(older);
  expect(await statusesByCycle(id)).toEqual([
    [1, 'paid'],
    [2, 'open'],
    [3, 'paid'],
  ]);
  expect(await scene.status(id)).toBe('suspended');
});

test('regression-16-a suspension by a younger invoice leaves the oldest to be paid', async () => {
  const { id } = await scene.subscribeUnfunded({ interval: 'week' });
  await scene.withDays('suspend_days = 29', async () => {
    await scene.renew(id);
    await scene.renew(id);
  });
  await scene.suspend(id);
  expect(await statusesByCycle(id)).toEqual([
    [1, 'paid'],
    [2, 'open'],
    [3, 'void'],
    [4, 'void'],
    [5, 'void'],
  ]);
});

test('regression-22-a suspension whose case is late comes before the cycle of its instant', async () => {
  const { id } = await scene.subscribeUnfunded({ interval: 'day' });
  await scene.renew(id);
  const at = scene.now();
  await scene.pass(id, 10 * DAY - 1);
  await scene.issuerAnswers({ id }, 'approved');
  scene.api.clock.advance(at + 10 * DAY - scene.now());
  await runBilling(scene.deps, { mode: 'sandbox', told: () => {} });
  expect(await scene.status(id)).toBe('suspended');
  expect((await scene.cycles(id)).cycle).toBe(11);
});

const requestsOf = (id: string) =>
  scene.rows(`SELECT due_at > now() AS claimed FROM outbox WHERE kind = 'collection' AND key = $1`, id);

test('a look answers what was asked before it, and ends the case once the relay has signalled what it claimed', async () => {
  const { id } = await scene.twoOpen();
  expect(await requestsOf(id)).toEqual([{ claimed: false }]);
  expect(await collectionStatus(scene.deps, id)).not.toMatchObject({ kind: 'over' });
  expect(await requestsOf(id)).toEqual([]);
  await scene.fatura.subscriptions.cancel(id);
  expect(await requestsOf(id)).toEqual([{ claimed: false }]);
  await scene.rows(`UPDATE outbox SET due_at = now() + interval '60 seconds' WHERE key = $1`, id);
  const ended = collectionStatus(scene.deps, id);
  const first = await Promise.race([ended, sleep(200, 'waits')]);
  expect([first, await requestsOf(id)]).toEqual(['waits', [{ claimed: true }]]);
  await scene.rows('DELETE FROM outbox WHERE key = $1', id);
  expect(await ended).toEqual({ kind: 'over', note: 'The subscription ended.' });
});
