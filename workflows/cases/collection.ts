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

/** What a step of the case ends tells the case too, about so late: one that is over must not begin anew for that. */
const ECHO_SECONDS = 5;

/** A subscription in trouble: its unpaid renewals are charged again, told overdue, suspend it and at last end it (docs/product/collection.md#the-case). */
export async function collection(subscriptionId: string): Promise<string> {
  const attention = new Attention();
  let awaitsEcho = false;
  for (;;) {
    if (attention.take()) awaitsEcho = false;
    const standing = await collectionStanding(subscriptionId);
    if (standing.kind === 'over') {
      if (awaitsEcho) await attention.wait(ECHO_SECONDS, 'its own step tells it too');
      if (attention.take() || awaitsEcho) {
        awaitsEcho = false;
        continue;
      }
      show({ status: 'over', note: standing.note, dueInSeconds: null });
      return standing.note;
    }
    show(standing);
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof collection>(subscriptionId);
    if (standing.kind === 'wait' || standing.dueInSeconds > 0)
      await attention.wait(standing.dueInSeconds, standing.next);
    else {
      await perform[standing.kind](standing.invoiceId);
      awaitsEcho = true;
    }
  }
}
