import type { InvoiceItem } from '../invoice-items/entity.ts';
import { takeFrom } from '../invoice-items/pending.ts';
import { cents } from '../kernel/money.ts';
import type { Decision } from './decide.ts';
import type { Contracted } from './rows.ts';

/** Takes from what waited what a bill decided to. */
export function takeDecided(
  { credit }: Contracted,
  {
    decision,
    pending,
    invoiceId,
  }: { decision: Pick<Decision, 'lines' | 'credits'>; pending: readonly InvoiceItem[]; invoiceId: string },
): void {
  for (const item of pending) {
    const used = decision.credits.find(({ item: id }) => id === item.id)?.amount;
    const isBilled = decision.lines.some(({ invoiceItem: id }) => id === item.id);
    if (used === undefined && !isBilled) continue;
    takeFrom(item, { amount: used ?? cents(item.amount), invoiceId });
    if (item.subscriptionId != null) credit.left -= used ?? 0;
  }
}
