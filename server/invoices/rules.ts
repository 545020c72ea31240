import type { InvoiceStatus } from '../../contract/invoices.ts';
import type { DiscountInput } from '../../contract/lines.ts';
import { BillingError } from '../kernel/errors.ts';
import { type Cents, cents, percentOfHalfUp } from '../kernel/money.ts';

export type InvoiceAction = 'finalize' | 'pay' | 'void' | 'mark_uncollectible';

/** Every move an invoice can make (docs/product/invoices.md#moves); a move not listed cannot happen. */
export const invoiceMoves = {
  draft: { finalize: 'open', void: 'void' },
  open: { pay: 'paid', void: 'void', mark_uncollectible: 'uncollectible' },
  uncollectible: { pay: 'paid', void: 'void' },
  paid: {},
  void: {},
} as const satisfies Record<InvoiceStatus, Partial<Record<InvoiceAction, InvoiceStatus>>>;

/** Where an action leads from a status; 409 INVALID_STATE when it leads nowhere. */
export function nextInvoiceStatus(
  invoice: { id: string; status: InvoiceStatus },
  action: InvoiceAction,
): InvoiceStatus {
  const moves: Partial<Record<InvoiceAction, InvoiceStatus>> = invoiceMoves[invoice.status];
  const next = moves[action];
  if (next === undefined) {
    const verb = action.replace('_', ' ');
    throw new BillingError('INVALID_STATE', {
      message: `${invoice.id} is ${invoice.status}: it cannot be changed by ${verb}`,
    });
  }
  return next;
}

interface PricedLine {
  readonly quantity: number;
  readonly unitAmount: number;
}

export const lineAmount = (line: PricedLine): Cents => cents(line.unitAmount * line.quantity);

export function subtotalOf(lines: readonly PricedLine[]): Cents {
  return cents(lines.reduce((sum, line) => sum + lineAmount(line), 0));
}

function discountOf(running: Cents, discount: DiscountInput): Cents {
  return discount.type === 'percentage' ? percentOfHalfUp(running, discount.percentage) : cents(discount.amount_cents);
}

/** Subtotal less the discounts, each on what the former ones left; 422 when one takes more than that (docs/product/invoices.md#discounts-and-total). */
export function totalOf(lines: readonly PricedLine[], discounts: readonly DiscountInput[], param: string): Cents {
  let running = subtotalOf(lines);
  for (const [index, discount] of discounts.entries()) {
    const off = discountOf(running, discount);
    if (off > running) {
      throw new BillingError('DISCOUNT_EXCEEDS_SUBTOTAL', {
        message: `${param}[${index}] takes ${off} cents off, ${running} are left of the subtotal`,
        param: `${param}[${index}]`,
      });
    }
    running = cents(running - off);
  }
  return running;
}
