import { drawQr, merchantNameOf, type QrDrawing, qrPngDataUrl } from '../acquirer/br-code.ts';

/** A QR code is drawn anew in a tenth of a millisecond; the few asked for again and again are remembered. */
const IMAGES_MAX = 256;

const images = new Map<string, Promise<string>>();

/** The image of a BR Code, always the same for the same text. */
export function qrImage(copyPaste: string): Promise<string> {
  const known = images.get(copyPaste);
  if (known !== undefined) return known;
  const [oldest] = images.keys();
  if (images.size >= IMAGES_MAX && oldest !== undefined) images.delete(oldest);
  const drawn = qrPngDataUrl(copyPaste);
  images.set(copyPaste, drawn);
  drawn.catch(() => images.delete(copyPaste));
  return drawn;
}

/** A BR Code as a page shows it: its drawing, and whom the payer's bank will name as the recipient. */
export function showBrCode(copyPaste: string): { drawing: QrDrawing; recipient: string | null } {
  return { drawing: drawQr(copyPaste), recipient: merchantNameOf(copyPaste) };
}
