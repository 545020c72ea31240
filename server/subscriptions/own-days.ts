import type { SubscriptionCollectionInput } from '../../contract/collection-days.ts';
import { checkOwnDays, type OwnDays } from '../kernel/own-days.ts';
import type { Tx } from '../unit-of-work/tx.ts';

/** Own days as they are stored, with what a request changes of them: null takes one away. */
export function changedDays(own: OwnDays | null | undefined, sent: SubscriptionCollectionInput): OwnDays | null {
  const { overdueDays, suspendDays, cancelDays, retryDays, reminderDays } = own ?? {};
  const changed = {
    overdueDays: sent.overdue_days === undefined ? overdueDays : sent.overdue_days,
    suspendDays: sent.suspend_days === undefined ? suspendDays : sent.suspend_days,
    cancelDays: sent.cancel_days === undefined ? cancelDays : sent.cancel_days,
    retryDays: sent.retry_days === undefined ? retryDays : sent.retry_days,
    reminderDays: sent.reminder_days === undefined ? reminderDays : sent.reminder_days,
  };
  const kept = Object.entries(changed).filter(([, days]) => days != null);
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

/** The same, held to an order with the days of the account; `param` is where the request has them. */
export function readOwnDays(
  tx: Tx,
  sent: SubscriptionCollectionInput | undefined,
  { own, param }: { own: OwnDays | null | undefined; param: string },
): OwnDays | null {
  const days = changedDays(own, sent ?? {});
  checkOwnDays(tx.scope.account, days ?? {}, param);
  return days;
}
