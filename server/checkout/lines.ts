import type { SessionMode } from '../../contract/checkout-sessions.ts';
import { LINE_ITEMS_MAX, type LineItemInput } from '../../contract/lines.ts';
import { ITEMS_MAX, SETUP_MAX } from '../../contract/subscription-inputs.ts';
import type { Prices } from '../catalog/lookup.ts';
import type { BilledPrice } from '../catalog/rules.ts';
import { refuseUnlessSold } from '../catalog/sold.ts';
import { BillingError, invalidParameter } from '../kernel/errors.ts';
import { refuseOtherIntervals } from '../subscriptions/recurrence.ts';

/** Lines of a field of a request. */
interface AskedLines {
  readonly lines: readonly PricedLine[];
  readonly param: string;
}

function refuseMoreThan(most: number, { lines, param, of }: AskedLines & { of: string }): void {
  if (lines.length <= most) return;
  const message = `${param} must have at most ${most} ${of}, has ${lines.length}`;
  throw new BillingError('TOO_MANY_LINE_ITEMS', { message, param });
}

interface PricedLine {
  readonly price: BilledPrice;
  readonly param: string;
}

function refuseRepeated(lines: readonly PricedLine[]): void {
  for (const [index, { price, param }] of lines.entries())
    if (lines.findIndex((line) => line.price.id === price.id) < index)
      throw invalidParameter(param, `${param} must be a price that no line before has, got ${price.id}`);
}

function refuseNoSale({ lines, param: root }: AskedLines): void {
  refuseMoreThan(LINE_ITEMS_MAX, { lines, param: root, of: 'in mode payment' });
  for (const { price, param } of lines) refuseUnlessSold(price, 'one_time', param);
}

/** Up to 20 recurring prices of one recurrence, each once, at least one of them, and up to 10 that are bought once. */
function refuseNoSubscription({ lines, param: root }: AskedLines): void {
  const recurring = lines.filter(({ price }) => price.type === 'recurring');
  const [first] = lines;
  // None recurs: the first is refused as what it is.
  if (recurring.length === 0 && first !== undefined) refuseUnlessSold(first.price, 'recurring', first.param);
  refuseMoreThan(ITEMS_MAX, { lines: recurring, param: root, of: 'recurring prices in mode subscription' });
  refuseMoreThan(SETUP_MAX, {
    lines: lines.filter((line) => !recurring.includes(line)),
    param: root,
    of: 'one-time prices in mode subscription',
  });
  refuseRepeated(recurring);
  for (const { price, param } of lines) refuseUnlessSold(price, price.type, param);
  refuseOtherIntervals(recurring);
}

/** Lines that somebody asks for in a field. */
interface Sold {
  readonly items: readonly LineItemInput[];
  readonly prices: Prices;
  readonly param: string;
}

/** Refuses lines that a session of a mode cannot sell; each price was found before. */
export function refuseUnsaleable(mode: SessionMode, { items, prices, param }: Sold): void {
  const lines = items.flatMap(({ price_id: id }, index): PricedLine[] => {
    const price = prices.get(id);
    return price === undefined ? [] : [{ price, param: `${param}[${index}].price_id` }];
  });
  if (mode === 'subscription') refuseNoSubscription({ lines, param });
  else refuseNoSale({ lines, param });
}
