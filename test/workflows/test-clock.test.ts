import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Merchant } from '../support/api.ts';
import { startReceiver } from '../support/receiver.ts';
import { beginAdvance, hasArrived } from '../support/test-clock.ts';
import { CollectionScene } from './collection-scene.ts';
import { eventually, keepHistory, register } from './support.ts';

const TEST_MS = 60_000;
const DAY = 86_400;
const WEEK = 7 * DAY;

const scene = new CollectionScene();

/** An account with a subscription by card, whose receiver takes its time for each event. */
async function slowlyTold(answerMs: number): Promise<{ merchant: Merchant; id: string; end: number }> {
  const merchant = await scene.api.newMerchant();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  await register(merchant, receiver, ['invoice.paid']);
  const { current_period_end: end } = await scene.subscribed(merchant);
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

test(
  'a clock on its way tells where it is and where it goes, and at last how much it did',
  async () => {
    const { merchant, id, end } = await slowlyTold(600);
    const target = end + 52 * WEEK;
    await beginAdvance(scene.pool, merchant.accountId, target);
    const advancing = await scene.untilShown(id, 'advancing');
    expect(advancing).toMatchObject({
      type: 'test-clock',
      account: merchant.accountId,
      object: merchant.accountId,
      note: expect.stringMatching(/^\d{4}-\d\d-\d\d .* UTC: \d+ things done; on the way to .* UTC$/),
    });
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
    const { merchant, id, end } = await slowlyTold(300);
    await beginAdvance(scene.pool, merchant.accountId, end + 52 * WEEK);
    await eventually('the first renewals', async () => (await renewalsOf(merchant)) >= 2);
    await scene.client.workflow.getHandle(id).terminate('lost');
    // Cancelled, the activity leaves at its next heartbeat; until then it goes on as one of a dead worker would not.
    expect(await scene.run('case-recovery-run')).toMatchObject({ 'test-clock': 0 });
    await scene.pool.query(`UPDATE account SET clock_moved_at = now() - interval '20 seconds' WHERE id = $1`, [
      merchant.accountId,
    ]);
    await scene.run('case-recovery-run');
    await eventually('the clock to arrive', () => hasArrived(scene.pool, merchant.accountId));
    expect(await renewalsOf(merchant)).toBe(12);
  },
  TEST_MS,
);
