import type { Mandate as MandateView } from '../../../contract/mandates.ts';
import type { Mandate } from './entity.ts';

/** The mandate as events show it (docs/product/pix-automatico.md#the-mandate): without its QR code. */
export const viewMandate = (mandate: Mandate): MandateView => ({
  id: mandate.id,
  object: 'mandate',
  accepts_retries: true,
  activated_at: mandate.activatedAt ?? null,
  amount: mandate.amount ?? null,
  amount_type: mandate.amountType,
  bank: { name: null, ispb: mandate.payerBank ?? null },
  created: mandate.created,
  customer: mandate.customerId,
  end_reason: mandate.endReason ?? null,
  ended_at: mandate.endedAt ?? null,
  ends_on: null,
  interval: mandate.interval,
  interval_count: mandate.intervalCount,
  journey: mandate.journey,
  live_mode: mandate.liveMode,
  minimum_amount: mandate.minimumAmount ?? null,
  qr: null,
  starts_on: mandate.startsOn,
  status: mandate.status,
  subscription: mandate.subscriptionId,
});
