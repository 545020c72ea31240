import { readdirSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { DrawingThread } from '../../../server/web/receipt/thread.ts';
import type { ReceiptView } from '../../../web/page/receipt-data.ts';

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

/** How much each thread of this process steps back behind others, by its number. */
const nicenessOfThreads = (): Map<number, number> =>
  new Map(readdirSync('/proc/self/task').map((id) => [Number(id), getPriority(Number(id))]));

test.runIf(process.platform === 'linux')('a receipt is drawn behind what answers requests', async () => {
  const thread = new DrawingThread();
  const before = nicenessOfThreads();
  await thread.draw(view);
  const after = nicenessOfThreads();
  const begun = [...after].filter(([id]) => !before.has(id)).map(([, niceness]) => niceness);
  const base = before.get(process.pid) ?? Number.NaN;
  expect(after.get(process.pid)).toBe(base);
  expect(begun).toContain(Math.max(base, constants.priority.PRIORITY_BELOW_NORMAL));
});
