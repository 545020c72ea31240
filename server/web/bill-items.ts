import type { InvoiceStatus } from '../../contract/invoices.ts';
import type { LateFees } from '../../contract/late-fees.ts';
import type { DiscountView } from '../../web/page/page-data.ts';
import type { InvoiceDiscount, StoredCredit, StoredLine } from '../invoices/entity.ts';
import { type LateAmounts, lateAtPayment, lateOf, lateTotal, linesWithLate } from '../invoices/late-fees.ts';
import { asDiscountInputs } from '../invoices/lines.ts';
import { lineAmount, subtotalOf, takeOff } from '../invoices/rules.ts';
import type { Timestamp } from '../kernel/time.ts';
import { acceptsPayment } from '../payments/rules.ts';
import type { FoundPurchase } from './purchase.ts';

/** What each discount takes off. */
function viewDiscounts(lines: readonly StoredLine[], stored: readonly InvoiceDiscount[]): DiscountView[] {
  const { offs } = takeOff(lines, asDiscountInputs(stored));
  return stored.flatMap(({ description, percentage, redemption }, index) => {
    const amount = offs[index]?.off ?? 0;
    // The items were changed to such that the coupon does not apply to.
    if (redemption != null && amount === 0) return [];
    return [{ description: description ?? null, percentage: percentage ?? null, amount }];
  });
}

/** What is bought, and what is taken off: discounts, then credits. */
export const viewItems = (
  lines: readonly StoredLine[],
  discounts: readonly InvoiceDiscount[],
  credits: readonly StoredCredit[] = [],
): Pick<FoundPurchase, 'lines' | 'subtotal' | 'discounts'> => ({
  lines: lines.map((line) => {
    const { description, quantity, unitAmount } = line;
    return { description, quantity, unitAmount, amount: lineAmount(line) };
  }),
  subtotal: subtotalOf(lines),
  discounts: [
    ...viewDiscounts(lines, discounts),
    ...credits.map(({ description, amount }) => ({ description, percentage: null, amount })),
  ],
});

/** What of an invoice says what its buyer pays. */
export interface Billed {
  readonly status: InvoiceStatus;
  readonly lineItems: StoredLine[];
  readonly discounts: InvoiceDiscount[];
  readonly credits: StoredCredit[];
  readonly total: number;
  readonly amountPaid: number;
  readonly dueAt: Timestamp;
  readonly lateFees: LateFees | null;
  readonly lateFine: number;
  readonly lateInterest: number;
  /** By its unsettled charge. */
  readonly askedFine: number | null;
  readonly askedInterest: number | null;
}

interface At {
  readonly isPayable: boolean;
  readonly now: Timestamp;
}

/** What is paid beside the total: was, by the charge that is on its way, or would be now. */
function lateNow(row: Billed, { isPayable, now }: At): LateAmounts {
  if (!acceptsPayment(row.status)) return lateOf(row);
  const { askedFine, askedInterest } = row;
  if (isPayable || askedFine === null || askedInterest === null) return lateAtPayment(row, now);
  return lateOf({ lateFine: askedFine, lateInterest: askedInterest });
}

/** What is bought and what it comes to: page and code ask for it with what it costs that it is late, wherever it is added up. */
export function viewBill(
  row: Billed,
  at: At,
): Pick<FoundPurchase, 'lines' | 'subtotal' | 'discounts' | 'total' | 'amount'> {
  const { discounts, credits, amountPaid, lateFine, lateInterest } = row;
  const late = lateNow(row, at);
  const total = row.total - lateFine - lateInterest + lateTotal(late);
  return {
    ...viewItems(linesWithLate(row, late), discounts, credits),
    ...{ total, amount: row.status === 'paid' ? amountPaid : total - amountPaid },
  };
}
