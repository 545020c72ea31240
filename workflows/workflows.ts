// Everything Temporal runs, under the names that operators see.
export {
  followCase as 'charge-reconciliation',
  followCase as 'export-file',
  followCase as 'pix-expiry',
  followCase as 'pix-mandate',
  followCase as 'pix-settlement',
  followCase as 'refund-settlement',
  followCase as 'stored-card',
  followCase as 'webhook-recovery',
} from './cases/case.ts';
export { collection } from './cases/collection.ts';
export { testClock as 'test-clock' } from './cases/test-clock.ts';
export { webhookDelivery as 'webhook-delivery' } from './cases/webhook-delivery.ts';
export {
  acquirerCertificateRun as 'acquirer-certificate-run',
  acquirerSweepRun as 'acquirer-sweep-run',
  billingRun as 'billing-run',
  caseRecoveryRun as 'case-recovery-run',
  endpointHealthRun as 'endpoint-health-run',
  mailRun as 'mail-run',
  retentionRun as 'retention-run',
  sandboxRemovalRun as 'sandbox-removal-run',
  sessionExpiryRun as 'session-expiry-run',
} from './runs.ts';
