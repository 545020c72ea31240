import { follow } from './case.ts';

/** A return of money, until the bank has made it (docs/product/refunds.md#by-pix). */
export async function refundSettlement(key: string): Promise<void> {
  await follow('refund-settlement', key);
}
