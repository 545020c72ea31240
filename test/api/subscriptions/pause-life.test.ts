import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { civilDaysBetween } from '../../../server/kernel/brazil.ts';
import { performDue } from '../../../server/subscriptions/billing/due.ts';
import { byCard, cards } from '../../support/cards.ts';
import { SubscriptionScene } from './subscription-scene.ts';

const scene = new SubscriptionScene();
const DAY = 86_400;
const SEED = 20_261_126;
/** The clock goes on by half a year with each, and cards expire with 2099. */
const RUNS = 100;
const RUNS_MS = 2_000 * RUNS;
const CYCLES = 2;

const pause = (id: string, resumesAt?: number) =>
  scene.subscriptions.pause(id, { at: 'now', ...(resumesAt !== undefined && { resumes_at: resumesAt }) });
const resume = (id: string) => scene.subscriptions.resume(id);
const due = (id: string) => performDue(scene.api.composition.deps, id);
const count = (types: readonly unknown[], one: string): number => types.filter((type) => type === one).length;

interface Told {
  readonly type: string;
  readonly at: number;
}

/** When a subscription began its periods, and was paused and resumed. */
async function toldOf(id: string): Promise<Told[]> {
  const rows = await scene.rows(
    `SELECT type, created FROM event WHERE object_id = $1
       AND type IN ('subscription.period_started', 'subscription.paused', 'subscription.resumed') ORDER BY id`,
    id,
  );
  return rows.map(({ type, created }) => ({ type: String(type).replace('subscription.', ''), at: Number(created) }));
}

/** The civil days that each period which is over was served for. */
function servedOf(told: readonly Told[]): number[] {
  const served: number[] = [];
  let since: number | null = null;
  for (const { type, at } of told) {
    const newest = served.length - 1;
    if (since !== null) served[newest] = (served[newest] ?? 0) + civilDaysBetween(since, at);
    if (type === 'period_started') served.push(0);
    since = type === 'paused' ? null : at;
  }
  return served.slice(0, -1);
}

async function billedOf(id: string): Promise<number[]> {
  const { invoices } = await scene.cycles(id);
  return invoices.map(([, , from, until]) => civilDaysBetween(Number(from), Number(until)));
}

test(
  'the days that are served are those that were billed, whatever pauses come between',
  async () => {
    const away = fc.record({
      serves: fc.integer({ min: 0, max: 40 * DAY }),
      rests: fc.integer({ min: 0, max: 60 * DAY }),
    });
    const recurring = fc.constantFrom({ interval: 'month' as const }, { interval: 'week' as const, interval_count: 2 });
    const lives = fc.asyncProperty(recurring, fc.array(away, { minLength: 1, maxLength: 5 }), async (every, pauses) => {
      const { id } = await scene.subscribePaidByPix(every);
      await scene.subscriptions.updatePaymentMethod(id, byCard(cards.approved, { card: { exp_year: 2099 } }));
      for (const { serves, rests } of pauses) {
        await scene.pass(id, serves);
        await pause(id);
        await scene.pass(id, rests);
        await resume(id);
      }
      for (let cycle = 0; cycle < CYCLES; cycle += 1) await scene.renew(id);
      const served = servedOf(await toldOf(id));
      expect(served).toEqual((await billedOf(id)).slice(0, served.length));
      expect(served.length).toBeGreaterThanOrEqual(CYCLES);
    });
    await fc.assert(lives, { numRuns: RUNS, seed: SEED, endOnFailure: true });
  },
  RUNS_MS,
);

test('an advance of two hundred days brings what as many advances of a day bring', async () => {
  const lives = [];
  for (const step of [200, 1]) {
    const made = await scene.subscribePaidByPix({ interval: 'week' });
    const start = scene.now();
    await scene.subscriptions.updatePaymentMethod(made.id, byCard(cards.approved, { card: { exp_year: 2099 } }));
    await scene.pass(made.id, 3 * DAY);
    await pause(made.id, scene.now() + 30 * DAY);
    for (let gone = 0; gone < 200; gone += step) await scene.pass(made.id, step * DAY);
    const { cycle, anchorCycle, invoices } = await scene.cycles(made.id);
    const bills = invoices.map(([n, status, ...period]) => [n, status, ...period.map((at) => Number(at) - start)]);
    lives.push({ cycle, anchorCycle, bills, story: await scene.story(made.id, start) });
  }
  expect(lives[1]).toEqual(lives[0]);
  expect(lives[0]?.story).toContainEqual([33, 'subscription.resumed']);
});

describe('at one moment', () => {
  test('a pause and the renewal are paused once, with the period that was billed or with no days', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id } = await scene.subscribeByCard(cards.approved, { card: { exp_year: 2099 } });
      await scene.untilDue(id);
      await Promise.all([due(id), pause(id)]);
      const { status, pause: kept } = await scene.subscriptions.retrieve(id);
      expect(status).toBe('paused');
      const billed = await billedOf(id);
      expect(kept?.days_left).toBe(billed.length === 1 ? 0 : billed[1]);
      const told = await scene.types(id);
      expect([count(told, 'subscription.paused'), count(told, 'subscription.period_started')]).toEqual([
        1,
        billed.length,
      ]);
      await due(id);
      expect(await billedOf(id)).toEqual(billed);
    }
  });

  test('a resume and a cancellation end it, whichever comes first', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id } = await scene.subscribeByCard(cards.approved, { card: { exp_year: 2099 } });
      await pause(id);
      const [resumed, canceled] = await Promise.allSettled([resume(id), scene.subscriptions.cancel(id)]);
      expect(canceled.status).toBe('fulfilled');
      if (resumed.status === 'rejected') expect(resumed.reason).toMatchObject({ code: 'INVALID_STATE' });
      const told = await scene.types(id);
      expect(await scene.subscriptions.retrieve(id)).toMatchObject({ status: 'inactive', pause: null });
      expect(count(told, 'subscription.resumed')).toBe(resumed.status === 'fulfilled' ? 1 : 0);
      expect(count(told, 'subscription.canceled')).toBe(1);
    }
  });

  test('its time, and two who ask for it, resume it once', async () => {
    const { id } = await scene.subscribeByCard(cards.approved, { card: { exp_year: 2099 } });
    await pause(id, scene.now() + 10 * DAY);
    await scene.untilDue(id);
    await Promise.all([due(id), resume(id), resume(id), due(id)]);
    expect(await scene.status(id)).toBe('active');
    expect(count(await scene.types(id), 'subscription.resumed')).toBe(1);
  });

  test('a pause and the payment of the bill ahead are one after the other, or one is refused', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id } = await scene.subscribePaidByPix();
      await scene.untilDue(id);
      await scene.pass(id, 0);
      const [ahead] = await scene.openInvoices(id);
      const { intent } = await scene.checkoutByPix(ahead?.id ?? '');
      const [paused] = await Promise.allSettled([pause(id), scene.payPix(intent)]);
      const { status } = await scene.invoice(ahead?.id ?? '');
      if (paused.status === 'fulfilled') expect(['void', 'paid']).toContain(status);
      else expect(['PIX_PAYMENT_CONFIRMED', 'PAYMENT_IN_PROGRESS']).toContain(paused.reason.code);
      expect(await scene.status(id)).toBe(paused.status === 'fulfilled' ? 'paused' : 'active');
    }
  });
});
