import type { Mandate as MandateView } from '../../../contract/mandates.ts';
import { qrImage } from '../../payments/pix/image.ts';
import type { Mandate } from './entity.ts';
import { viewMandate } from './view.ts';

/** The mandate, with the QR code of one that is pending and was made. */
export async function viewWithQr(mandate: Mandate): Promise<MandateView> {
  const { status, copyPaste } = mandate;
  const view = viewMandate(mandate);
  if (status !== 'pending' || copyPaste == null) return view;
  return { ...view, qr: { copy_paste: copyPaste, image_url: await qrImage(copyPaste), expires_at: mandate.expiresAt } };
}
