import { follow } from './case.ts';

/** A QR code that nobody may pay any more, until the bank has ended it (docs/product/pix.md#ending-a-qr-code). */
export async function pixExpiry(key: string): Promise<void> {
  await follow('pix-expiry', key);
}
