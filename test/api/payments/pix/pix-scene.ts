import { PaymentScene } from '../payment-scene.ts';

/** Events of a sale by PIX until its QR code is paid, and with that. */
export const SALE = ['invoice.created', 'payment_intent.created'];
export const SOLD = [...SALE, 'payment_intent.paid', 'invoice.paid'];

/** A scene of sales by PIX, with what the books have of their QR codes. */
export class PixScene extends PaymentScene {
  /** The answer of a checkout, which the QR code is part of. */
  checkout(id: string, options: { idempotencyKey?: string } = {}) {
    return this.merchant.fatura.invoices.checkout(id, { payment_method_type: 'pix' }, options);
  }

  /** Oldest first. */
  qrsOf(invoice: string) {
    return this.rows('SELECT id, state, copy_paste FROM pix_charge WHERE invoice_id = $1 ORDER BY id', invoice);
  }

  receiptsOf(invoice: string) {
    return this.rows('SELECT intent_id, amount FROM pix_receipt WHERE invoice_id = $1 ORDER BY id', invoice);
  }

  /** What the bank told of a QR code and is not settled. */
  async noticesOf(txid: string): Promise<unknown[]> {
    return (await this.casesOf(txid)).filter((kind) => kind === 'pix-settlement');
  }
}
