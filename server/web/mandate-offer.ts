import type { MandateJourney, MandateStatus } from '../../contract/mandates.ts';
import type { Recurrence } from '../catalog/rules.ts';
import type { Timestamp } from '../kernel/time.ts';
import { mandatePeriodOf } from '../subscriptions/mandates/terms.ts';
import { everyOf, type FoundPurchase } from './purchase.ts';

/** The open mandate of a subscription; all null: it has none. */
export interface MandateColumns {
  mandateId: string | null;
  mandateStatus: MandateStatus | null;
  mandateJourney: MandateJourney | null;
  mandateTxid: string | null;
  mandateCode: string | null;
  mandateExpiresAt: Timestamp | null;
}

export const mandateColumns = `m.id AS "mandateId", m.status AS "mandateStatus", m.journey AS "mandateJourney",
     m.first_txid AS "mandateTxid", m.copy_paste AS "mandateCode", m.expires_at AS "mandateExpiresAt"`;

/** The open mandate, if any, of the subscription of an id, as text. */
export const mandateVersion = (subscriptionId: string): string =>
  `(SELECT concat_ws(' ', o.id, o.status, o.bank_ref) FROM mandate o
     WHERE o.subscription_id = ${subscriptionId} AND o.status IN ('pending', 'active'))`;

/** What its buyer can authorise; null: nothing, or it is authorised. `journey`: the act that authorises; `txid`: of the QR code that stands. */
export function offeredMandate(
  row: MandateColumns,
  { recurrence, journey, txid }: { recurrence: Recurrence; journey: MandateJourney; txid: string | null },
  now: Timestamp,
): FoundPurchase['mandate'] {
  const { mandateId: id, mandateStatus, mandateJourney, mandateTxid, mandateCode, mandateExpiresAt } = row;
  if (mandatePeriodOf(recurrence) === null) return null;
  const every = everyOf(recurrence);
  if (id === null || mandateStatus === null) return { id, every, qr: null };
  if (mandateStatus !== 'pending' || mandateJourney !== journey) return null;
  const isCurrent = mandateTxid === txid && mandateExpiresAt !== null && now < mandateExpiresAt;
  const qr = isCurrent && mandateCode !== null ? { copyPaste: mandateCode, expiresAt: mandateExpiresAt } : null;
  return { id, every, qr };
}
