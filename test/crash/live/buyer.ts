import type { LiveScene } from './member.ts';

const payAt = async ({ live }: LiveScene, place: 0 | -1): Promise<void> => {
  const cob = live.psp.books(live.credentials).cobs.at(place);
  if (cob === undefined) throw new Error('the PSP has no QR code to be paid');
  live.pay(cob.txid, { late: true });
};

/** The buyer pays the QR code that the PSP made first, whatever became of it. */
export const payFirst = (scene: LiveScene): Promise<void> => payAt(scene, 0);

/** The same with the one that it made last. */
export const payLast = (scene: LiveScene): Promise<void> => payAt(scene, -1);
