import { timingSafeEqual } from 'node:crypto';
import type { Deps } from '../deps.ts';

const PURPOSE = 'payment-link';

const signatureOf = ({ secretBox }: Pick<Deps, 'secretBox'>, invoiceId: string): string =>
  secretBox.fingerprint([PURPOSE, invoiceId]).toString('base64url');

/** Where a buyer pays an invoice. Whoever has the link may see and pay it, and no other link can be guessed from it. */
export const paymentLink = (deps: Pick<Deps, 'secretBox' | 'settings'>, invoiceId: string): string =>
  `${deps.settings.publicUrl}/pay/${invoiceId}/${signatureOf(deps, invoiceId)}`;

/** Whether a link was made here. */
export function isPaymentLink(
  deps: Pick<Deps, 'secretBox'>,
  { invoiceId, signature }: { invoiceId: string; signature: string },
): boolean {
  const expected = Buffer.from(signatureOf(deps, invoiceId));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
