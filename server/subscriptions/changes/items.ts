import { ITEMS_MAX } from '../../../contract/subscription-inputs.ts';
import type { Prices } from '../../catalog/lookup.ts';
import type { BilledPrice } from '../../catalog/rules.ts';
import { refuseUnlessSold } from '../../catalog/sold.ts';
import { BillingError, invalidParameter, missing } from '../../kernel/errors.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { Item, Items } from '../decide.ts';
import type { AskedItem, ChangedItem } from '../entity.ts';
import { refuseOtherIntervals } from '../recurrence.ts';

/** What a change is applied with. */
interface Applying {
  /** The prices that it names. */
  readonly prices: Prices;
  readonly now: Timestamp;
}

function priceOf(prices: Prices, id: string, param: string): BilledPrice {
  const price = prices.get(id);
  if (price === undefined) throw missing('price', id, param);
  return price;
}

/** The item that one names; it keeps what is not named of it. Null: it goes. */
function changedItem(item: Item, asked: AskedItem, { prices, param }: { prices: Prices; param: string }): Item | null {
  if (asked.isRemoved) return null;
  const quantity = asked.quantity ?? item.quantity;
  if (asked.priceId === null || asked.priceId === item.price.id) return { ...item, quantity };
  const price = priceOf(prices, asked.priceId, param);
  refuseUnlessSold(price, 'recurring', param);
  return { ...item, quantity, price };
}

function itemOf({ priceId, quantity, newItem }: AskedItem, applying: Applying, param: string): Item {
  const price = priceOf(applying.prices, priceId ?? '', param);
  refuseUnlessSold(price, 'recurring', param);
  return { id: newItem ?? '', created: applying.now, quantity: quantity ?? 1, price };
}

function refuseUnlessWhole(items: readonly Item[]): Items {
  const [first, ...more] = items;
  if (first === undefined) throw invalidParameter('items', 'items must leave at least one item');
  if (items.length > ITEMS_MAX)
    throw invalidParameter('items', `items must leave at most ${ITEMS_MAX} items, leaves ${items.length}`);
  const twice = items.find(({ price }, index) => items.findIndex((other) => other.price.id === price.id) < index);
  if (twice !== undefined)
    throw invalidParameter('items', `items must leave ${twice.price.id} with one item, not with two`);
  return [first, ...more];
}

/** The items of a subscription as a change makes them; what cannot be is refused. */
export function changedItems(items: Items, asked: readonly AskedItem[], applying: Applying): Items {
  const named = new Map<string, { one: AskedItem; param: string }>();
  for (const [index, one] of asked.entries()) {
    if (one.item === null) continue;
    const param = `items[${index}].item`;
    if (!items.some(({ id }) => id === one.item)) throw missing('subscription item', one.item, param);
    if (named.has(one.item)) throw invalidParameter(param, `${param} must be an item that none before names`);
    named.set(one.item, { one, param: `items[${index}].price_id` });
  }
  const kept = items.flatMap((item) => {
    const found = named.get(item.id);
    if (found === undefined) return [item];
    return changedItem(item, found.one, { prices: applying.prices, param: found.param }) ?? [];
  });
  const added = asked.flatMap((one, index) =>
    one.item === null ? [itemOf(one, applying, `items[${index}].price_id`)] : [],
  );
  const after = refuseUnlessWhole([...kept, ...added]);
  refuseOtherIntervals(after.map(({ price }) => ({ price, param: 'items' })));
  return after;
}

/** Items as a change tells them. */
export const toldItems = (items: Items): ChangedItem[] =>
  items.map(({ id, price, quantity }) => ({ item: id === '' ? null : id, price: price.id, quantity }));

const inWords = (items: Items): string => JSON.stringify(toldItems(items));

/** Refuses a change that leaves everything as it is. */
export function refuseUnlessChanging(before: Items, after: Items): void {
  if (inWords(before) !== inWords(after)) return;
  throw new BillingError('NOTHING_CHANGES', {
    message: 'the items are already as the change asks for',
    param: 'items',
  });
}
