// Everything Temporal runs, under the names that operators see.
export { chargeReconciliation as 'charge-reconciliation' } from './cases/charge-reconciliation.ts';
export { collection } from './cases/collection.ts';
export { pixExpiry as 'pix-expiry' } from './cases/pix-expiry.ts';
export { pixSettlement as 'pix-settlement' } from './cases/pix-settlement.ts';
export { refundSettlement as 'refund-settlement' } from './cases/refund-settlement.ts';
export { testClock as 'test-clock' } from './cases/test-clock.ts';
export { webhookDelivery as 'webhook-delivery' } from './cases/webhook-delivery.ts';
export {
  billingRun as 'billing-run',
  caseRecoveryRun as 'case-recovery-run',
  mailRun as 'mail-run',
  retentionRun as 'retention-run',
} from './runs.ts';
