import { isSignedId, signId } from '../db/signed-id.ts';
import type { Deps } from '../deps.ts';

const purpose = 'payment-link';

/** Where a buyer pays an invoice. Whoever has the link may see and pay it, and no other link can be guessed from it. */
export const paymentLink = ({ secretBox, settings }: Pick<Deps, 'secretBox' | 'settings'>, invoiceId: string): string =>
  `${settings.publicUrl}/pay/${invoiceId}/${signId(secretBox, { purpose, id: invoiceId })}`;

/** Whether a link was made here. */
export const isPaymentLink = (
  { secretBox }: Pick<Deps, 'secretBox'>,
  { invoiceId, signature }: { invoiceId: string; signature: string },
): boolean => isSignedId(secretBox, { purpose, id: invoiceId, signature });
