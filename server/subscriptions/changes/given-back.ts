import type { StoredCredit, StoredLine } from '../../invoices/entity.ts';
import type { PendingItem } from '../decide.ts';

/** What a bill took, as it is stored with it. */
export interface Took {
  readonly lineItems: readonly StoredLine[];
  readonly credits: readonly StoredCredit[];
}

function chargesOf({ lineItems }: Took): PendingItem[] {
  return lineItems.flatMap(({ invoiceItem: id, kind = 'one_time', price, item, period, ...line }) => {
    if (id === undefined || kind === 'recurring') return [];
    const amount = line.quantity * line.unitAmount;
    return [
      {
        ...{ id, type: 'charge', kind, priceId: price, itemId: item ?? null, amount, used: 0 },
        ...{ quantity: line.quantity, unitAmount: line.unitAmount, description: line.description },
        ...{ periodStart: period?.start ?? null, periodEnd: period?.end ?? null },
      } as const,
    ];
  });
}

/** A credit that the bill used up is pending anew with what was used of it; of another the use is taken back. */
function creditsOf(pending: readonly PendingItem[], { credits }: Took): PendingItem[] {
  const usedUp = credits.filter(({ item }) => !pending.some(({ id }) => id === item));
  return usedUp.map(
    ({ item: id, type: kind, amount, description }) =>
      ({
        ...{ id, type: 'credit', kind, amount, used: 0, description, quantity: 1, unitAmount: amount },
      }) as const,
  );
}

/** What waits for the next bill once a bill that was made ahead is void, in the order in which bills take it. */
export function withGivenBack(pending: readonly PendingItem[], bill: Took): PendingItem[] {
  const kept = pending.map((item) => {
    const used = bill.credits.find((credit) => credit.item === item.id)?.amount ?? 0;
    return { ...item, used: item.used - used };
  });
  const back = [...chargesOf(bill), ...creditsOf(pending, bill)];
  const order = ({ id, kind }: PendingItem): string => `${kind === 'setup' ? 0 : 1}${id}`;
  return [...kept, ...back].toSorted((one, other) => (order(one) < order(other) ? -1 : 1));
}
