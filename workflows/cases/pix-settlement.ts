import { follow } from './case.ts';

/** A payment the bank told of, until it is settled and booked (docs/product/pix.md#checkout-by-pix). */
export async function pixSettlement(key: string): Promise<void> {
  await follow('pix-settlement', key);
}
