import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Merchant } from '../../support/api.ts';
import { newProduct } from '../../support/factories.ts';
import { Failpoints } from '../../support/failpoints.ts';
import { startReceiver } from '../../support/receiver.ts';
import { beginAdvance, isReady } from '../../support/test-clock.ts';
import { CollectionScene } from '../billing/collection-scene.ts';
import { askedFor, beginNow, eventOf, eventually, keepHistory, register } from '../support.ts';

const TEST_MS = 60_000;
/** Less than a ladder waits in real time before its second attempt. */
const SOON_MS = 40_000;
const DAY = 86_400;
const WEEK = 7 * DAY;
/** Longer than an answer of the receiver. */
const STANDING_MS = 2_000;

const failpoints = new Failpoints();
const scene = new CollectionScene({ failpoint: failpoints.hook });

/** Longer than a slice, after which an advance tells how far it came. */
const SLICE_OVER_MS = 5_500;

/** An account with a subscription by card, whose receiver takes its time for each event. */
async function slowlyTold(answerMs: number): Promise<{ merchant: Merchant; id: string; end: number }> {
  const merchant = await scene.api.newMerchant();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  await register(merchant, receiver, ['invoice.paid']);
  const { current_period_end: end } = await scene.subscribed(merchant);
  // What is not sent yet would be sent by the advance.
  await eventually('its first payment to be told', async () => receiver.requests === 1);
  receiver.answer = () => sleep(answerMs).then(() => 200);
  return { merchant, id: `test-clock/${merchant.accountId}`, end: end ?? 0 };
}

const renewalsOf = async ({ accountId }: Merchant): Promise<number> => {
  const { rows } = await scene.pool.query(
    `SELECT count(*)::int AS paid FROM invoice WHERE account_id = $1 AND status = 'paid'`,
    [accountId],
  );
  return rows[0].paid - 1;
};

/** The activity of a workflow that was terminated ends with its slice, or when its heartbeat is refused. */
async function untilStanding({ accountId }: Merchant): Promise<void> {
  const heldAt = async (): Promise<number | null> => {
    const { rows } = await scene.pool.query('SELECT clock_held_at FROM account WHERE id = $1', [accountId]);
    return rows[0].clock_held_at;
  };
  await eventually('the clock to stand still', async () => {
    const from = await heldAt();
    await sleep(STANDING_MS);
    return (await heldAt()) === from;
  });
}

test(
  'a clock on its way tells where it is and where it goes, and at last how much it did',
  async () => {
    const { merchant, id, end } = await slowlyTold(0);
    const seen = Promise.withResolvers<void>();
    onTestFinished(() => seen.resolve());
    // The first charge lasts longer than a slice; the second, of the next slice, until the clock was seen on its way.
    failpoints.meanwhile('card.after-charge', () => {
      failpoints.meanwhile('card.after-charge', () => seen.promise);
      return sleep(SLICE_OVER_MS);
    });
    const target = end + 52 * WEEK;
    await beginAdvance(scene.api.baseUrl, merchant, target);
    const advancing = await scene.untilShown(id, 'advancing');
    expect(advancing).toMatchObject({
      type: 'test-clock',
      account: merchant.accountId,
      object: merchant.accountId,
      note: expect.stringMatching(/^\d{4}-\d\d-\d\d .* UTC: \d+ things done; on the way to .* UTC$/),
    });
    seen.resolve();
    // Twelve renewals in their months, and an attempt for each.
    const arrived = new Date(target * 1_000).toISOString().slice(0, 10);
    expect(await scene.result(id)).toMatch(new RegExp(`^${arrived} .* UTC: 24 things done$`));
    expect(new Set(await scene.activitiesOf(id))).toEqual(new Set(['advanceClock']));
    expect(await renewalsOf(merchant)).toBe(12);
    await keepHistory(scene.client, id, 'test-clock');
  },
  TEST_MS,
);

test(
  'a clock whose workflow was lost goes on within the minute in which it is seen to stand still',
  async () => {
    const { merchant, id, end } = await slowlyTold(800);
    await beginAdvance(scene.api.baseUrl, merchant, end + 52 * WEEK);
    await eventually('the first renewals', async () => (await renewalsOf(merchant)) >= 2);
    await scene.client.workflow.getHandle(id).terminate('lost');
    expect(await scene.run('case-recovery-run')).toMatchObject({ 'test-clock': 0 });
    await untilStanding(merchant);
    await scene.pool.query(`UPDATE account SET clock_moved_at = now() - interval '20 seconds' WHERE id = $1`, [
      merchant.accountId,
    ]);
    await scene.run('case-recovery-run');
    await eventually('the clock to arrive', () => isReady(merchant));
    expect(await renewalsOf(merchant)).toBe(12);
  },
  TEST_MS,
);

test(
  'regression-8-a charge whose process died is booked at its instant, before the clock moves on',
  async () => {
    const merchant = await scene.api.newMerchant();
    const { id, current_period_end: end } = await scene.subscribed(merchant);
    failpoints.crashAt('card.after-charge');
    await merchant.fatura.testClock.advance({ to: (end ?? 0) + 3 * DAY });
    const { latest_invoice: renewal } = await merchant.fatura.subscriptions.retrieve(id);
    expect(await merchant.fatura.invoices.retrieve(renewal ?? '')).toMatchObject({
      status: 'paid',
      status_transitions: { paid_at: end },
    });
  },
  TEST_MS,
);

test.each([
  ['waits for its hour', (id: string) => beginNow(scene.pool, id).then(() => scene.untilShown(id, 'pending'))],
  ['has not begun', (id: string) => askedFor(scene.pool, id)],
])(
  'regression-162-a ladder that an advance climbed to its end is over in Temporal, too, whose case %s',
  async (_, bring) => {
    const [merchant, receiver] = [await scene.api.newMerchant(), await startReceiver()];
    onTestFinished(() => receiver.stop());
    const answers = [500, 500, 200];
    receiver.answer = () => answers.shift() ?? 200;
    const { id: endpoint } = await register(merchant, receiver, ['product.created']);
    const event = await eventOf(merchant, (await newProduct(merchant)).id, 'product.created');
    const id = `webhook-delivery/${event}/${endpoint}/1`;
    await bring(id);
    const { now } = await merchant.fatura.testClock.retrieve();
    await merchant.fatura.testClock.advance({ to: now + DAY });
    const result = await eventually('the end of its case', () => scene.result(id).catch(() => null));
    expect(result).toBe('delivered; 3 of 10 attempts made; last: accepted');
  },
  SOON_MS,
);
