import { expect, test } from 'vitest';
import { type DueRow, runDue } from '../../../../server/jobs/due-run.ts';
import { dueWork } from '../../../../server/subscriptions/billing/due.ts';
import { SubscriptionScene } from '../subscription-scene.ts';

const DAY = 86_400;
const scene = new SubscriptionScene();

/** What a run did, and whom each of it was to ask. */
async function performed(): Promise<string[]> {
  const asks = new Map<string, DueRow['asks']>();
  const done: string[] = [];
  const kinds = dueWork(scene.deps, { mode: 'sandbox' }).map(({ claim, perform }) => ({
    claim,
    perform: async (id: string) => {
      const outcome = await perform(id);
      done.push(`${outcome} asks ${asks.get(id)}`);
      return outcome;
    },
    bucketOf: (row: DueRow) => {
      asks.set(row.id, row.asks);
      return null;
    },
  }));
  await runDue(scene.deps, { mode: 'sandbox', told: () => {} }, kinds);
  return [...new Set(done)].sort();
}

test('a run knows of what is due whether it asks an acquirer, and which', async () => {
  const { id } = await scene.subscribeByCard();
  await scene.subscribePaidByPix();
  await scene.newInvoice();
  const { current_period_end: end } = await scene.subscriptions.retrieve(id);
  scene.api.clock.advance((end ?? 0) - 2 * DAY - scene.now());
  expect(await performed()).toEqual(['billed asks pix', 'mark_overdue asks null', 'remind asks null']);
  scene.api.clock.advance(4 * DAY);
  expect(await performed()).toEqual([
    'approved asks card',
    'mark_overdue asks pix',
    'period_started asks null',
    'remind asks null',
  ]);
});
