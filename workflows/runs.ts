import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import { MODES, type Mode } from '../server/kernel/mode.ts';
import { type RunShard, WHOLE } from '../server/kernel/shards.ts';
import type { Activities, Counts } from './activities.ts';
import { billingOf } from './cases/queues.ts';

const BOTH = MODES;
/** What only live mode has. */
const OF_LIVE = ['live'] as const satisfies readonly Mode[];
const OF_SANDBOXES = ['sandbox'] as const satisfies readonly Mode[];

/**
 * What is done in bulk and on time, each by a schedule of its own that an operator can pause, trigger and backfill; those of
 * sandboxes have schedules beside the live ones. What is `inShards` has a schedule for each shard.
 */
export const runs = {
  /** Bills and charges what the calendar brings, and does the steps of invoices that are in no case. */
  'billing-run': {
    every: '1 minute',
    modes: BOTH,
    inShards: true,
    note: 'Bills and charges periods that begin; tells overdue; sends reminders.',
  },
  /** Decides on checkout sessions that came to their deadline. */
  'session-expiry-run': {
    every: '1 minute',
    modes: BOTH,
    inShards: true,
    note: 'Expires checkout sessions that were not paid in their time.',
  },
  /** Warns of webhook endpoints that accept nothing, and switches them off. */
  'endpoint-health-run': {
    every: '1 minute',
    modes: BOTH,
    note: 'Warns of webhook endpoints that accepted nothing for 3 and 6 days; switches them off after 7.',
  },
  /** Tells accounts, and operators, of acquirers' certificates that end. */
  'acquirer-certificate-run': {
    every: '1 hour',
    modes: OF_LIVE,
    note: 'Writes to accounts 30, 7 and 1 days before the certificate of their acquirer ends; alarms once it has.',
  },
  /** Asks live acquirers what they received, should they not have told. */
  'acquirer-sweep-run': {
    every: '10 minutes',
    modes: OF_LIVE,
    note: 'Asks live acquirers what they received and returned; what nobody told of is asked about.',
  },
  /** Makes the partitions ahead, and deletes what has had its time. */
  'retention-run': { every: '1 hour', modes: BOTH, note: 'Makes partitions ahead; deletes what has had its time.' },
  /** Asks anew for cases that the database knows and Temporal does not: an empty Temporal fills itself. */
  'case-recovery-run': {
    every: '1 minute',
    modes: BOTH,
    note: 'Asks anew for cases that are late, should Temporal have lost them.',
  },
  /** Removes customers of sandboxes that nobody uses any more. */
  'sandbox-removal-run': {
    every: '1 day',
    modes: OF_SANDBOXES,
    note: 'Removes customers of sandboxes of which nothing changed for 90 days, each with all that hangs on it.',
  },
  /** Sends the e-mails that are due. */
  'mail-run': {
    every: '1 minute',
    modes: BOTH,
    inShards: true,
    note: 'Sends e-mails that are due; without SMTP_URL they stay queued.',
  },
} as const;

export type RunName = keyof typeof runs;

const activitiesAt = (taskQueue: string) =>
  proxyActivities<Pick<Activities, 'performRun'>>({
    taskQueue,
    startToCloseTimeout: '30 minutes',
    // Its process died: another one does what is left.
    heartbeatTimeout: '15 seconds',
    retry: { initialInterval: '5 seconds', maximumInterval: '1 minute', maximumAttempts: 5 },
  });

/** The counts that an operator reads as the result of the workflow. */
const runOf =
  (run: RunName, queueOf: (queue: string) => string = (queue) => queue) =>
  (mode: Mode, runShard: RunShard = WHOLE): Promise<Counts> =>
    activitiesAt(queueOf(workflowInfo().taskQueue)).performRun({ run, mode, ...runShard });

export const billingRun = runOf('billing-run', billingOf);
export const sessionExpiryRun = runOf('session-expiry-run');
export const endpointHealthRun = runOf('endpoint-health-run');
export const acquirerCertificateRun = runOf('acquirer-certificate-run');
export const acquirerSweepRun = runOf('acquirer-sweep-run');
export const retentionRun = runOf('retention-run');
export const caseRecoveryRun = runOf('case-recovery-run');
export const sandboxRemovalRun = runOf('sandbox-removal-run');
export const mailRun = runOf('mail-run');
