import { type CollectionDays, checkCollectionDays } from './collection-days.ts';

/** The days of collection that a subscription has of its own; the others are those of its account. */
export type OwnDays = { readonly [Name in keyof CollectionDays]?: CollectionDays[Name] };

/** Refuses own days that come to no order with those of the account; `at` is where the request has them. */
export function checkOwnDays(account: CollectionDays, own: OwnDays, at: string): void {
  if (Object.keys(own).length > 0) checkCollectionDays({ ...account, ...own }, at);
}

const within = (day: number, { least, most }: { least: number; most: number }): number =>
  Math.max(least, Math.min(most, day));

/**
 * The days by which a bill is collected. Where the account has changed its own since, so that both come to no order any more, its days
 * give way (docs/product/collection.md#days-of-a-subscription).
 */
export function mergedDays(account: CollectionDays, own: OwnDays): CollectionDays {
  const beforeEnd = (own.cancelDays ?? Number.POSITIVE_INFINITY) - 1;
  const overdueDays = own.overdueDays ?? Math.min(account.overdueDays, own.suspendDays ?? beforeEnd);
  const least = Math.max(overdueDays, own.retryDays?.at(-1) ?? 0);
  const suspendDays = own.suspendDays ?? within(account.suspendDays, { least, most: beforeEnd });
  return {
    overdueDays,
    suspendDays,
    cancelDays: own.cancelDays ?? (account.cancelDays > suspendDays ? account.cancelDays : suspendDays + 1),
    retryDays: own.retryDays ?? account.retryDays.filter((day) => day <= suspendDays),
    reminderDays: own.reminderDays ?? account.reminderDays,
  };
}
