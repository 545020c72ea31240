import { continueAsNew, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities.ts';
import { show, WakeUps } from './status.ts';

const { collectionStatus } = proxyLocalActivities<Pick<Activities, 'collectionStatus'>>({
  startToCloseTimeout: '10 seconds',
});

type Steps =
  | 'chargeAgain'
  | 'seeToDebit'
  | 'markOverdue'
  | 'suspendSubscription'
  | 'cancelSubscription'
  | 'remindBuyer';

/** A charge waits for its acquirer, and may have to end a QR code first. */
const steps = proxyActivities<Pick<Activities, Steps>>({
  startToCloseTimeout: '60 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

const perform = {
  charge: steps.chargeAgain,
  debit: steps.seeToDebit,
  mark_overdue: steps.markOverdue,
  suspend: steps.suspendSubscription,
  cancel: steps.cancelSubscription,
  remind: steps.remindBuyer,
} as const;

/** A subscription in trouble: its unpaid renewals are charged again, told overdue, suspend it and at last end it (docs/product/collection.md#the-case). */
export async function collection(subscriptionId: string): Promise<string> {
  const wakeUps = new WakeUps();
  for (;;) {
    wakeUps.take();
    const status = await collectionStatus(subscriptionId);
    if (status.kind === 'over') {
      if (wakeUps.take()) continue;
      show({ status: 'over', note: status.note, dueInSeconds: null });
      return status.note;
    }
    show(status);
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof collection>(subscriptionId);
    if (status.kind === 'wait' || status.dueInSeconds > 0) await wakeUps.wait(status.dueInSeconds, status.next);
    else await perform[status.kind](status.invoiceId);
  }
}
