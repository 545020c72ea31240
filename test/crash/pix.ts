import type { PixScenario } from '../../contract/sandbox.ts';
import type { Merchant } from '../support/api.ts';
import { newInvoice } from '../support/factories.ts';
import type { Scene } from './cell.ts';

/** A QR code that waits for its buyer, by the ids of all three. */
export interface OpenQr {
  readonly invoiceId: string;
  readonly intentId: string;
  readonly txid: string;
}

export async function openQr({ merchant, stage }: Scene, amount: number): Promise<OpenQr> {
  const { id: invoiceId } = await newInvoice(merchant, { amount });
  const { payment_intent } = await merchant.fatura.invoices.checkout(invoiceId, { payment_method_type: 'pix' });
  const intentId = payment_intent ?? '';
  const { rows } = await stage.composition.deps.pool.query<{ id: string }>(
    'SELECT id FROM pix_charge WHERE intent_id = $1',
    [intentId],
  );
  return { invoiceId, intentId, txid: rows[0]?.id ?? '' };
}

/** The buyer of an intent's QR code pays it. */
export const pay = ({ fatura }: Merchant, intentId: string, scenario: PixScenario, key?: string) =>
  fatura.testHelpers.paymentIntents.payPix(intentId, { scenario }, key === undefined ? {} : { idempotencyKey: key });

/** Ids of the account's charges by PIX, newest first. */
async function pixIntents({ fatura }: Merchant): Promise<string[]> {
  const payments = await fatura.paymentIntents.list().all({ max: 100 });
  return payments.filter(({ payment_method_type }) => payment_method_type === 'pix').map(({ id }) => id);
}

/** The buyer pays the QR code that was handed out last. */
export async function payInTime({ merchant }: Scene): Promise<void> {
  await pay(merchant, (await pixIntents(merchant))[0] ?? '', 'paid');
}

/** The buyer pays the first QR code, whatever became of it. */
export async function payLate({ merchant }: Scene): Promise<void> {
  await pay(merchant, (await pixIntents(merchant)).at(-1) ?? '', 'paid_late');
}
