import type { Deps } from '../../deps.ts';
import { BillingError } from '../../kernel/errors.ts';
import { checkoutByPix } from '../../payments/pix/checkout.ts';
import type { Scope } from '../../unit-of-work/tx.ts';

/** Has the acquirer make the QR code of a bill; false: it is away, and the payment link asks for it too. */
export async function askForQr(deps: Deps, scope: Scope, invoiceId: string): Promise<boolean> {
  try {
    await checkoutByPix(deps, scope, { invoiceId, show: async (_, invoice) => invoice });
    return true;
  } catch (error) {
    if (error instanceof BillingError) return false;
    throw error;
  }
}
