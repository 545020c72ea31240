import type { LineItemInput } from '../../contract/lines.ts';
import type { SubscriptionCreate } from '../../contract/subscription-inputs.ts';

/** An item that is asked for, and where its price stands in the request. */
export interface PlacedItem extends LineItemInput {
  readonly param: string;
}

/** `price_id` and `quantity` stand for a list of one. */
export function askedItems({ items, price_id, quantity = 1 }: SubscriptionCreate): PlacedItem[] {
  if (price_id !== undefined) return [{ price_id, quantity, param: 'subscription.price_id' }];
  return (items ?? []).map((item, index) => ({
    price_id: item.price_id,
    quantity: item.quantity ?? 1,
    param: `subscription.items[${index}].price_id`,
  }));
}

/** What the first bill asks for once. */
export const askedSetup = ({ setup = [] }: SubscriptionCreate): PlacedItem[] =>
  setup.map(({ price_id, quantity = 1 }, index) => ({
    ...{ price_id, quantity },
    param: `subscription.setup[${index}].price_id`,
  }));
