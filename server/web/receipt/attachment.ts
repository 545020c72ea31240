import type { Deps } from '../../deps.ts';
import type { ReceiptFiles } from '../../mail/mailer.ts';
import { readReceipt } from './read.ts';
import { DrawingThread } from './thread.ts';

/** Draws the receipts that go with letters, one after another, in a thread that begins with the first. */
export function createReceiptFiles(deps: Pick<Deps, 'pool' | 'secretBox'>): ReceiptFiles {
  const thread = new DrawingThread();
  let last: Promise<unknown> = Promise.resolve();
  return async (invoiceId) => {
    const found = await readReceipt(deps, invoiceId);
    if (found === null || found.receipt === 'unpaid') return null;
    const { receipt } = found;
    const content = last.then(() => thread.draw(receipt));
    last = content.catch(() => {});
    return { filename: `recibo-${invoiceId}.pdf`, contentType: 'application/pdf', content: await content };
  };
}
