import { continueAsNew, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities.ts';
import { Attention, show } from './standing.ts';

const { collectionStanding } = proxyLocalActivities<Pick<Activities, 'collectionStanding'>>({
  startToCloseTimeout: '10 seconds',
});

type Steps = 'chargeAgain' | 'markOverdue' | 'suspendSubscription' | 'cancelSubscription' | 'remindBuyer';

/** A charge waits for its acquirer, and may have to end a QR code first. */
const steps = proxyActivities<Pick<Activities, Steps>>({
  startToCloseTimeout: '60 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

const perform = {
  charge: steps.chargeAgain,
  mark_overdue: steps.markOverdue,
  suspend: steps.suspendSubscription,
  cancel: steps.cancelSubscription,
  remind: steps.remindBuyer,
} as const;

/** A subscription in trouble: its unpaid renewals are charged again, told overdue, suspend it and at last end it (docs/product/collection.md#the-case). */
export async function collection(subscriptionId: string): Promise<string> {
  const attention = new Attention();
  for (;;) {
    attention.take();
    const standing = await collectionStanding(subscriptionId);
    if (standing.kind === 'over') {
      if (attention.take()) continue;
      show({ status: 'over', note: standing.note, dueInSeconds: null });
      return standing.note;
    }
    show(standing);
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof collection>(subscriptionId);
    if (standing.kind === 'wait' || standing.dueInSeconds > 0)
      await attention.wait(standing.dueInSeconds, standing.next);
    else await perform[standing.kind](standing.invoiceId);
  }
}
