import type { Scope, Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { issue } from '../../invoices/life.ts';
import { suspendsAt } from '../../kernel/collection-days.ts';
import { openPix } from '../../payments/pix/checkout.ts';
import { renewalQrExpiresAt } from '../../payments/rules.ts';
import { askForQr } from '../collection/step.ts';
import { lockSubscription } from '../rows.ts';
import { billOfRenewal, isDueNow, lockRenewal, startPeriod } from './renew.ts';

/** `billed`: with its QR code; `billed_without_qr`: the bank is away, and the payment link makes it later. */
export type AheadOutcome = 'billed' | 'billed_without_qr' | 'free' | 'not_due';

/** Bills the next cycle of a subscription that is paid by PIX, ahead of its period, with a QR code (docs/product/subscriptions.md#renewal-by-pix). */
export async function billAhead(deps: Deps, scope: Scope, id: string): Promise<AheadOutcome> {
  const billed = await deps.transaction(scope, (tx) => openBill(tx, id));
  if (billed === null) return 'not_due';
  await deps.failpoint?.('renewal.after-opening');
  if (!billed.isOpen) return 'free';
  return (await askForQr(deps, scope, billed.invoiceId)) ? 'billed' : 'billed_without_qr';
}

async function openBill(tx: Tx, id: string): Promise<{ invoiceId: string; isOpen: boolean } | null> {
  const { contracted, terms } = await lockRenewal(tx, id);
  if (!isDueNow(tx, contracted, 'bill')) return null;
  const invoice = issue(tx, await billOfRenewal(tx, contracted, { cycle: contracted.subscription.cycle + 1, terms }));
  const isOpen = invoice.status === 'open';
  if (isOpen) openPix(tx, invoice, renewalQrExpiresAt(tx.now, suspendsAt(invoice.dueAt, tx.scope.account)));
  return { invoiceId: invoice.id, isOpen };
}

/** Begins a cycle that was billed ahead; false: it is not due. */
export function beginBilledPeriod(deps: Deps, scope: Scope, id: string): Promise<boolean> {
  return deps.transaction(scope, async (tx) => {
    const contracted = await lockSubscription(tx, id);
    if (!isDueNow(tx, contracted, 'start_period')) return false;
    startPeriod(tx, contracted);
    return true;
  });
}
