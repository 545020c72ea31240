import type { NewInvoiceItem } from '../../invoice-items/pending.ts';
import type { Item, Items } from '../decide.ts';
import type { Contracted } from '../rows.ts';
import type { Period } from '../rules.ts';
import type { PlannedChange, Proration } from './planned.ts';

/** The first item that a change touches, as it was and as it becomes; what goes or comes alone stands for both. */
function touched(before: Items, after: Items): { old: Item; fresh: Item } {
  const old = before.find((item) => {
    const kept = after.find(({ id }) => id === item.id);
    return kept === undefined || kept.price.id !== item.price.id || kept.quantity !== item.quantity;
  });
  const fresh =
    old === undefined
      ? after.find((item) => !before.some(({ id }) => id === item.id))
      : after.find(({ id }) => id === old.id);
  return { old: old ?? fresh ?? before[0], fresh: fresh ?? old ?? after[0] };
}

/** What a change leaves for the next bill: a charge of the rest of a period under the new terms, and a credit of what was charged for it. */
function pairOf(
  { subscription }: Contracted,
  { before, after }: PlannedChange,
  { proration: { charge, credit }, period }: { proration: Proration; period: Period },
): NewInvoiceItem[] {
  const { old, fresh } = touched(before, after);
  const common = {
    customerId: subscription.customerId,
    subscriptionId: subscription.id,
    kind: 'proration',
    quantity: 1,
    periodStart: period.start,
    periodEnd: period.end,
  } as const;
  const of = ({ id, price }: Item) => ({ priceId: price.id, itemId: id === '' ? null : id });
  const charged = { type: 'charge', unitAmount: charge, description: `Ajuste: ${fresh.price.productName}` } as const;
  const credited = { type: 'credit', unitAmount: credit, description: `Crédito: ${old.price.productName}` } as const;
  return [
    ...(charge === 0 ? [] : [{ ...common, ...of(fresh), ...charged }]),
    ...(credit === 0 ? [] : [{ ...common, ...of(old), ...credited }]),
  ];
}

/** The penalty of a change for less within the minimum term. */
export const penaltyItem = (
  { subscription }: Contracted,
  { after, penalty }: Pick<PlannedChange, 'after' | 'penalty'>,
): NewInvoiceItem[] =>
  penalty === 0
    ? []
    : [
        {
          customerId: subscription.customerId,
          subscriptionId: subscription.id,
          ...({ type: 'charge', kind: 'penalty', priceId: after[0].price.id, itemId: null } as const),
          ...{ quantity: 1, unitAmount: penalty },
          description: `Multa por mudar dentro da fidelidade: ${after[0].price.productName}`,
        },
      ];

/** What waits for the next bill once the change is made. */
export function itemsOfChange(contracted: Contracted, planned: PlannedChange, ahead: Period | null): NewInvoiceItem[] {
  const { currentPeriodEnd: end } = contracted.subscription;
  const current = { start: planned.effectiveAt, end: end ?? planned.effectiveAt };
  return [
    ...(planned.current === null || current.end <= current.start
      ? []
      : pairOf(contracted, planned, { proration: planned.current, period: current })),
    ...(planned.ahead === null || ahead === null
      ? []
      : pairOf(contracted, planned, { proration: planned.ahead, period: ahead })),
    ...(planned.cycle === null ? penaltyItem(contracted, planned) : []),
  ];
}
