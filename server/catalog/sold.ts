import { BillingError } from '../kernel/errors.ts';
import type { BilledPrice } from './rules.ts';

const TYPE_NAMES: Readonly<Record<BilledPrice['type'], string>> = { one_time: 'one-time', recurring: 'recurring' };

/** Refuses a price of another type, and one that is not on sale. */
export function refuseUnlessSold(price: BilledPrice, type: BilledPrice['type'], param: string): void {
  if (price.type !== type)
    throw new BillingError('PRICE_TYPE_MISMATCH', {
      message: `${param} must be a ${TYPE_NAMES[type]} price, ${price.id} is ${TYPE_NAMES[price.type]}`,
      param,
    });
  if (!price.isSold)
    throw new BillingError('PRICE_INACTIVE', { message: `${param}: ${price.id} or its product is not active`, param });
}
