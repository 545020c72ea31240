import { proxyActivities } from '@temporalio/workflow';
import { LANES, type Lane } from '../server/kernel/lane.ts';
import type { Activities, Counts } from './activities.ts';

const BOTH = LANES;
/** What only live mode has, or what neither mode has for itself. */
const ONCE = ['live'] as const satisfies readonly Lane[];
const OF_SANDBOXES = ['sandbox'] as const satisfies readonly Lane[];

/**
 * What is done in bulk and on time, each by a schedule of its own that an operator can pause, trigger and backfill; those of the
 * sandbox lane have schedules beside the live ones.
 */
export const runs = {
  /** Bills and charges what the calendar brings, and does the steps of invoices that are in no case. */
  'billing-run': {
    every: '1 minute',
    lanes: BOTH,
    note: 'Bills and charges periods that begin; tells overdue; sends reminders.',
  },
  /** Decides on checkout sessions that came to their deadline. */
  'session-expiry-run': {
    every: '1 minute',
    lanes: BOTH,
    note: 'Expires checkout sessions that were not paid in their time.',
  },
  /** Warns of webhook endpoints that accept nothing, and switches them off. */
  'endpoint-health-run': {
    every: '1 minute',
    lanes: BOTH,
    note: 'Warns of webhook endpoints that accepted nothing for 3 and 6 days; switches them off after 7.',
  },
  /** Tells accounts, and operators, of acquirers' certificates that end. */
  'acquirer-certificate-run': {
    every: '1 hour',
    lanes: ONCE,
    note: 'Writes to accounts 30, 7 and 1 days before the certificate of their acquirer ends; alarms once it has.',
  },
  /** Asks live acquirers what they received, should they not have told. */
  'acquirer-sweep-run': {
    every: '10 minutes',
    lanes: ONCE,
    note: 'Asks live acquirers what they received and returned; what nobody told of is asked about.',
  },
  /** Makes the partitions ahead, and deletes what has had its time. */
  'retention-run': { every: '1 hour', lanes: ONCE, note: 'Makes partitions ahead; deletes what has had its time.' },
  /** Asks anew for cases that the database knows and Temporal does not: an empty Temporal fills itself. */
  'case-recovery-run': {
    every: '1 minute',
    lanes: BOTH,
    note: 'Asks anew for cases that are late, should Temporal have lost them.',
  },
  /** Removes customers of sandboxes that nobody uses any more. */
  'sandbox-removal-run': {
    every: '1 day',
    lanes: OF_SANDBOXES,
    note: 'Removes customers of sandboxes of which nothing changed for 90 days, each with all that hangs on it.',
  },
  /** Sends the e-mails that are due. */
  'mail-run': {
    every: '1 minute',
    lanes: BOTH,
    note: 'Sends e-mails that are due; without SMTP_URL they stay queued.',
  },
} as const;

export type RunName = keyof typeof runs;

const { performRun } = proxyActivities<Pick<Activities, 'performRun'>>({
  startToCloseTimeout: '30 minutes',
  // Its process died: another one does what is left.
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '5 seconds', maximumInterval: '1 minute', maximumAttempts: 5 },
});

/** The counts that an operator reads as the result of the workflow. Without a lane a run is of the live one. */
export const billingRun = (lane?: Lane): Promise<Counts> => performRun({ run: 'billing-run', lane });
export const sessionExpiryRun = (lane?: Lane): Promise<Counts> => performRun({ run: 'session-expiry-run', lane });
export const endpointHealthRun = (lane?: Lane): Promise<Counts> => performRun({ run: 'endpoint-health-run', lane });
export const acquirerCertificateRun = (): Promise<Counts> => performRun({ run: 'acquirer-certificate-run' });
export const acquirerSweepRun = (): Promise<Counts> => performRun({ run: 'acquirer-sweep-run' });
export const retentionRun = (): Promise<Counts> => performRun({ run: 'retention-run' });
export const caseRecoveryRun = (lane?: Lane): Promise<Counts> => performRun({ run: 'case-recovery-run', lane });
export const sandboxRemovalRun = (): Promise<Counts> => performRun({ run: 'sandbox-removal-run' });
export const mailRun = (lane?: Lane): Promise<Counts> => performRun({ run: 'mail-run', lane });
