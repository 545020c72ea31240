import { follow } from './case.ts';

/** A QR code that nobody may pay any more, until the bank has ended it (decisions §3). */
export async function pixExpiry(key: string): Promise<void> {
  await follow('pix-expiry', key);
}
