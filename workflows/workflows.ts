// Everything Temporal runs, under the names that operators see.
export { chargeReconciliation as 'charge-reconciliation' } from './cases/charge-reconciliation.ts';
export { pixExpiry as 'pix-expiry' } from './cases/pix-expiry.ts';
export { pixSettlement as 'pix-settlement' } from './cases/pix-settlement.ts';
export { refundSettlement as 'refund-settlement' } from './cases/refund-settlement.ts';
export { webhookDelivery as 'webhook-delivery' } from './cases/webhook-delivery.ts';
export { caseRecoveryRun as 'case-recovery-run', retentionRun as 'retention-run' } from './runs.ts';
