import { timingSafeEqual } from 'node:crypto';
import type { SecretBox } from './secret-box.ts';

/** What a signature permits; one for a purpose is good for no other. */
export type SignedPurpose = 'payment-link' | 'checkout-link';

interface Signed {
  readonly purpose: SignedPurpose;
  readonly id: string;
}

/** A signature that only the service makes: whoever shows it with the id was given both. */
export const signId = (secretBox: SecretBox, { purpose, id }: Signed): string =>
  secretBox.fingerprint([purpose, id]).toString('base64url');

/** Whether a signature was made here for this purpose and id. */
export function isSignedId(
  secretBox: SecretBox,
  { signature, ...signed }: Signed & { readonly signature: string },
): boolean {
  const expected = Buffer.from(signId(secretBox, signed));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
