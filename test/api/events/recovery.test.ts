import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { webhookRecoveryStep } from '../../../server/events/recovery.ts';
import type { CaseStep } from '../../../server/kernel/case-step.ts';
import { firstSuffixAt } from '../../../server/kernel/ids.ts';
import { DeliveryScene } from '../../workflows/deliveries/delivery-scene.ts';
import { eventually, register, sendingTools, settled } from '../../workflows/support.ts';

const scene = new DeliveryScene();

/** An endpoint that was switched off while so many events happened, and is on again. */
async function anOutage(missed: number) {
  const shop = await scene.api.newMerchant();
  const receiver = await scene.receiver();
  const { id } = await register(shop, receiver, ['product.created']);
  const endpoints = shop.fatura.webhookEndpoints;
  await endpoints.update(id, { status: 'disabled' });
  const events: string[] = [];
  for (let nth = 0; nth < missed; nth += 1) events.push(await scene.productEvent(shop));
  await endpoints.enable(id);
  const since = scene.api.clock.now() - 60;
  scene.api.clock.advance(1);
  return { shop, receiver, id, endpoints, events, since };
}

/** One step of the case; what it recorded is in the database when it answers. */
async function step(id: string): Promise<CaseStep> {
  const tools = sendingTools(scene.api);
  try {
    return await webhookRecoveryStep(scene.api.composition.deps, tools, id);
  } finally {
    await tools.recorder.close();
  }
}
const opened = async (id: string): Promise<number> => {
  const { rows } = await scene.pool.query(
    'SELECT count(*)::int AS opened FROM delivery WHERE endpoint_id = $1 AND stage = $2',
    [id, 'fresh'],
  );
  return rows[0].opened;
};
const laddersOf = async (event: string): Promise<number[]> => {
  const { rows } = await scene.pool.query('SELECT ladder FROM delivery WHERE event_id = $1 ORDER BY ladder', [event]);
  return rows.map(({ ladder }) => ladder);
};

describe('a recovery', () => {
  test('asks for its case, and one of an endpoint runs at a time', async () => {
    const { id, endpoints, since } = await anOutage(1);
    const answers = await Promise.allSettled([1, 2, 3].map(() => endpoints.recover(id, { since })));
    const refused = answers.filter((answer) => answer.status === 'rejected');
    expect(refused.map(({ reason }) => reason.code)).toEqual(['INVALID_STATE', 'INVALID_STATE']);
    expect(await scene.outboxKeys()).toEqual([`webhook-recovery ${id}`]);
  });

  test('sends one event behind the other, oldest first, and never one twice', async () => {
    const { id, endpoints, since, receiver, events } = await anOutage(30);
    await endpoints.recover(id, { since });
    let underWay = 0;
    let most = 0;
    receiver.answer = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await sleep(Math.random() * 30);
      underWay -= 1;
      return 200;
    };
    const steps = await Promise.all([step(id), step(id)]);
    expect(steps).toContainEqual({ done: true });
    expect(receiver.accepted.map((event) => event.id)).toEqual(events);
    expect(most).toBe(1);
    expect(await endpoints.retrieveRecovery(id)).toMatchObject({ status: 'done', events: 30 });
  });

  test('goes on two seconds after an event without an answer, and is done when each has one', async () => {
    const { id, endpoints, since, receiver, events } = await anOutage(3);
    await endpoints.recover(id, { since });
    const cameMs: number[] = [];
    receiver.answer = async () => {
      cameMs.push(performance.now());
      if (cameMs.length === 1) await sleep(4_000);
      expect(await endpoints.retrieveRecovery(id)).toMatchObject({ status: 'running' });
      return 200;
    };
    await eventually('the end', async () => (await step(id)).done);
    const [first = 0, second = 0, third = 0] = cameMs;
    expect(second - first).toBeGreaterThan(1_900);
    expect(second - first).toBeLessThan(3_500);
    expect(third - second).toBeLessThan(1_500);
    expect(receiver.accepted.map((event) => event.id).toSorted()).toEqual(events);
    expect(await endpoints.retrieveRecovery(id)).toMatchObject({ status: 'done', events: 3 });
  });

  test('sends events of days ago', async () => {
    const { shop, id, endpoints, receiver } = await anOutage(51);
    const agoMs = 10 * 86_400_000;
    const first = firstSuffixAt(Date.now() - agoMs).slice(0, -4);
    await scene.pool.query(
      'DELETE FROM event_delivery_status WHERE account_id = (SELECT account_id FROM webhook_endpoint WHERE id = $1)',
      [id],
    );
    await scene.pool.query(
      `UPDATE event e SET day = $2::date, id = o.id, created = e.created - $3, body = replace(e.body, e.id, o.id),
         body_digest = md5(replace(e.body, e.id, o.id))::uuid
       FROM (SELECT id AS former, 'evt_' || $4 || lpad(row_number() OVER (ORDER BY id)::text, 4, '0') AS id FROM event
         WHERE account_id = (SELECT account_id FROM webhook_endpoint WHERE id = $1)) o WHERE e.id = o.former`,
      [id, new Date(Date.now() - agoMs).toISOString().slice(0, 10), agoMs / 1_000, first],
    );
    await endpoints.recover(id, { since: scene.api.clock.now() - 11 * 86_400 });
    await eventually('the end', async () => (await step(id)).done);
    expect(receiver.accepted).toHaveLength(51);
    // The audit knows that no event is older than its object.
    await shop.fatura.testClock.reset();
  });

  test('leaves out what is being tried with, and what the endpoint does not subscribe to', async () => {
    const { shop, id, endpoints, receiver, since, events } = await anOutage(2);
    receiver.answer = () => 500;
    scene.deliver();
    const tried = await scene.productEvent(shop);
    await eventually('its first attempt', async () => (await scene.ladderOf(tried))?.attempts === 1);
    await shop.fatura.customers.create({ name: 'Ana Lima', email: 'ana@loja.test', identifier: '52998224725' });
    receiver.answer = () => 200;
    scene.api.clock.advance(1);
    await endpoints.recover(id, { since });
    expect(await step(id)).toEqual({ done: true });
    expect(receiver.accepted.map((event) => event.id)).toEqual(events);
    await settled(shop, events[0] ?? '', 'delivered');
  });

  test('asks one that accepts nothing by one event at a time', async () => {
    const { id, endpoints, since, receiver } = await anOutage(3);
    await scene.pool.query(
      `UPDATE webhook_endpoint SET status = 'unstable', consecutive_failures = 7, failing_since = $2 WHERE id = $1`,
      [id, scene.api.clock.now()],
    );
    await endpoints.recover(id, { since });
    expect(await step(id)).toMatchObject({ done: false, dueInSeconds: 5 });
    expect(receiver.requests).toBe(1);
  });

  test('regression-178-opens no ladder beyond 20 at its endpoint, goes on with other events, and leaves the resends', async () => {
    const { shop, id, endpoints, since, receiver } = await anOutage(0);
    receiver.answer = () => 500;
    const event = await scene.productEvent(shop);
    const recover = async () => {
      await endpoints.update(id, { status: 'disabled' });
      await endpoints.enable(id);
      await endpoints.recover(id, { since });
      expect(await step(id)).toEqual({ done: true });
      return (await endpoints.retrieveRecovery(id)).events;
    };
    scene.api.clock.advance(1);
    for (let ladder = 2; ladder <= 20; ladder += 1) expect(await recover()).toBe(1);
    expect(await recover()).toBe(0);
    const other = await scene.productEvent(shop);
    scene.api.clock.advance(1);
    expect(await recover()).toBe(1);
    expect(await laddersOf(other)).toEqual([1, 2]);
    const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);
    expect(await laddersOf(event)).toEqual(upTo(20));
    const { delivery_status: result, deliveries } = await shop.fatura.events.deliveries(event);
    expect([result, deliveries.data.map(({ ladder }) => ladder)]).toEqual(['failed', upTo(20).toReversed()]);
    const { data: failed } = await endpoints.deliveries(id, { status: 'failed' }).page();
    expect(failed.map((one) => one.id)).toEqual([event]);
    await shop.fatura.events.resend(event);
    expect(await laddersOf(event)).toEqual(upTo(21));
  });

  test('opens no ladder of an event that had 100 at all its endpoints, deleted ones among them', async () => {
    const { shop, id, endpoints, since, events, receiver } = await anOutage(1);
    const [event = ''] = events;
    // Each registration gives the receiver another secret.
    receiver.answer = () => 500;
    for (let former = 1; former <= 5; former += 1) {
      const { id: gone } = await register(shop, receiver, ['product.created']);
      await scene.pool.query(
        `INSERT INTO delivery (day, event_id, endpoint_id, ladder, account_id, live_mode, status, stage)
         SELECT e.day, e.id, $2, nth, e.account_id, e.live_mode, 'failed', 'done'
         FROM event e CROSS JOIN generate_series(1, $3::int) AS nth WHERE e.id = $1`,
        [event, gone, former === 1 ? 19 : 20],
      );
      await endpoints.delete(gone);
    }
    await endpoints.recover(id, { since });
    expect(await step(id)).toEqual({ done: true });
    expect(receiver.requests).toBe(1);
    const { id: next } = await register(shop, receiver, ['product.created']);
    await endpoints.recover(next, { since });
    expect(await step(next)).toEqual({ done: true });
    expect(await endpoints.retrieveRecovery(next)).toMatchObject({ status: 'done', events: 0 });
    expect(await laddersOf(event)).toHaveLength(100);
  });

  test.each(['disabled', 'deleted'])('ends when its endpoint is %s', async (how) => {
    const { id, endpoints, since } = await anOutage(2);
    await endpoints.recover(id, { since });
    if (how === 'deleted') await endpoints.delete(id);
    else await endpoints.update(id, { status: 'disabled' });
    expect(await step(id)).toEqual({ done: true });
    expect(await opened(id)).toBe(0);
    if (how === 'disabled') expect(await endpoints.retrieveRecovery(id)).toMatchObject({ status: 'done', events: 0 });
  });

  test('belongs to one account and mode', async () => {
    const { id, since, endpoints } = await anOutage(1);
    await endpoints.recover(id, { since });
    const stranger = await scene.api.newMerchant();
    const theirs = stranger.fatura.webhookEndpoints;
    await expect(theirs.recover(id, { since })).rejects.toMatchObject({ code: 'RESOURCE_MISSING' });
    await expect(theirs.retrieveRecovery(id)).rejects.toMatchObject({ code: 'RESOURCE_MISSING' });
  });
});
