import { expect, test } from 'vitest';
import type { ReceiptView } from '../../../server/web/checkout/receipt-data.ts';
import { DrawingThread } from '../../../server/web/receipt/thread.ts';

const line = { description: 'Caneca', quantity: 1, unitAmount: 500, amount: 500 };
const view: ReceiptView = {
  ...{ invoiceId: 'inv_1', externalCode: null, isSandbox: false, buyer: null, description: null },
  ...{ subtotal: 500, discounts: [], total: 500, amountPaid: 500, amountRefunded: 0, paidAt: 1_700_000_000 },
  ...{ payment: null, period: null, refunds: [], lines: [line] },
  seller: { name: 'Loja', color: null } as ReceiptView['seller'],
};
const shown = (file: Uint8Array): string => Buffer.from(file.subarray(0, 5)).toString('latin1');

test('a receipt that cannot be drawn is a fault of its own, and the next one is drawn', async () => {
  const thread = new DrawingThread();
  const broken = { ...view, lines: null } as unknown as ReceiptView; // what no reading makes
  await expect(thread.draw(broken)).rejects.toThrow(/null/);
  expect(shown(await thread.draw(view))).toBe('%PDF-');
  expect(shown(await thread.draw(view))).toBe('%PDF-');
});

test('others go on while a receipt is drawn', async () => {
  const thread = new DrawingThread();
  await thread.draw(view);
  let isDrawn = false;
  const drawn = thread.draw({ ...view, lines: Array(400).fill(line) }).then(() => {
    isDrawn = true;
  });
  let rounds = 0;
  while (!isDrawn) {
    rounds += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await drawn;
  expect(rounds).toBeGreaterThan(100);
});
