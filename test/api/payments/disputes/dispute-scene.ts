import type { Dispute, PaymentIntent } from '@fatura/sdk';
import { expect } from 'vitest';
import type { DisputeScenario } from '../../../../contract/sandbox.ts';
import type { CaseStep } from '../../../../server/kernel/case-step.ts';
import { pixSettlementStep } from '../../../../server/payments/pix/settlement.ts';
import { refusal } from '../payment-scene.ts';
import { RefundScene, type Sale } from '../refunds/refund-scene.ts';

/** What is told of a return by the bank, and of one that the bank takes back. */
export const TAKEN = ['dispute.created', 'dispute.funds_withdrawn', 'dispute.closed'];
export const GIVEN_BACK = ['dispute.updated', 'dispute.funds_reinstated'];

type Taken = Pick<Sale, 'intent'>;

/** A refund scene whose bank takes money back by itself. */
export class DisputeScene extends RefundScene {
  take(
    { intent }: Taken,
    scenario: DisputeScenario = 'fraud',
    { amount, ...options }: { amount?: number; idempotencyKey?: string } = {},
  ): Promise<PaymentIntent> {
    const body = { scenario, ...(amount === undefined ? {} : { amount }) };
    return this.merchant.fatura.testHelpers.paymentIntents.dispute(intent, body, options);
  }

  /** The bank takes money back, and nobody hears of it but the bank. */
  async takeUnheard(sale: Taken, scenario: DisputeScenario = 'fraud', amount?: number): Promise<void> {
    this.failpoints.crashAt('settlement.after-booking');
    await expect(this.take(sale, scenario, amount === undefined ? {} : { amount })).rejects.toEqual(
      refusal('INTERNAL_ERROR'),
    );
  }

  /** Oldest first. */
  async disputesOf({ intent }: Taken): Promise<Dispute[]> {
    return (await this.merchant.fatura.disputes.list({ payment_intent_id: intent }).all({ max: 100 })).toReversed();
  }

  async disputeOf(sale: Taken): Promise<Dispute> {
    const [dispute, ...more] = await this.disputesOf(sale);
    if (dispute === undefined || more.length > 0)
      expect.fail(`${sale.intent} has ${more.length} disputes more than one`);
    return dispute;
  }

  async txidOf({ intent }: Taken): Promise<string> {
    const [receipt] = await this.rows('SELECT txid FROM pix_receipt WHERE intent_id = $1', intent);
    return String(receipt?.txid);
  }

  /** One look of the case `pix-settlement`, as a notice of the bank has it. */
  async notice(sale: Taken, txid?: string): Promise<CaseStep> {
    return pixSettlementStep(this.deps, txid ?? (await this.txidOf(sale)));
  }

  /** The amounts of a payment and of its invoice, in short. */
  async amounts({ intent, invoice }: Pick<Sale, 'intent' | 'invoice'>) {
    const [payment, paid] = [await this.intent(intent), await this.invoice(invoice)];
    const inShort = ({ status, amount_refunded, amount_disputed }: typeof payment | typeof paid) =>
      `${status}, ${amount_refunded} refunded, ${amount_disputed} disputed`;
    return { intent: inShort(payment), invoice: inShort(paid) };
  }

  /** The bank takes back what it had returned when it was asked to. */
  async revokeAtBank({ intent }: Taken): Promise<void> {
    await this.rows(
      `UPDATE sandbox_bank.devolucao SET refused = true
       WHERE id IN (SELECT reference FROM refund_part WHERE intent_id = $1 AND status = 'refunded')`,
      intent,
    );
  }
}
