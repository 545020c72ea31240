import { follow } from './case.ts';

/** A return of money, until the bank has made it (decisions §3). */
export async function refundSettlement(key: string): Promise<void> {
  await follow('refund-settlement', key);
}
