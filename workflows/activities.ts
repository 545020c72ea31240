import { Context, heartbeat } from '@temporalio/activity';
import { anchorLogs } from '../server/audit-log/anchor.ts';
import { runExpiry } from '../server/checkout/run.ts';
import { ensurePartitions } from '../server/db/partitions.ts';
import type { Deps } from '../server/deps.ts';
import { attemptDelivery, type LadderStep, type LadderTools, ladderStep } from '../server/events/deliveries/ladder.ts';
import type { DeliveryRef } from '../server/events/deliveries/results.ts';
import { runHealth } from '../server/events/health.ts';
import { webhookRecoveryStep } from '../server/events/recovery.ts';
import { dropOldEvents } from '../server/events/retention.ts';
import { removeOldExports } from '../server/exports/retention.ts';
import type { CaseStep } from '../server/kernel/case-step.ts';
import type { Mode } from '../server/kernel/mode.ts';
import { forgetMails } from '../server/mail/retention.ts';
import { sendMails } from '../server/mail/sending.ts';
import { purge } from '../server/outbox/purge.ts';
import { recoverCases } from '../server/outbox/recovery.ts';
import { runCertificates } from '../server/payments/live/certificates.ts';
import { runSweep } from '../server/payments/live/sweep.ts';
import { removeEndedPortalLinks } from '../server/portal/links.ts';
import { runBilling } from '../server/subscriptions/billing/due.ts';
import { type CollectionStatus, collectionStatus } from '../server/subscriptions/collection/case.ts';
import { performStep, type StepOutcome } from '../server/subscriptions/collection/step.ts';
import { rewake } from '../server/test-clock/asleep.ts';
import { type AdvanceStatus, advanceSlice } from '../server/test-clock/loop.ts';
import { removeOldCustomers } from '../server/test-clock/removal.ts';
import type { RunName } from './runs.ts';
import { type CaseKind, caseSteps } from './steps.ts';

export type { DeliveryRef, LadderStep };

/** What a run did, by name. */
export type Counts = Record<string, number>;

const runners: Record<RunName, (deps: Deps, mode: Mode) => Promise<Counts>> = {
  'retention-run': async ({ pool, logger }) => ({
    logsAnchored: await anchor(pool, logger),
    partitionsMade: await ensurePartitions(pool),
    ...(await dropOldEvents(pool, heartbeat)),
    ...(await purge(pool, heartbeat)),
    mailsForgotten: await forgetMails(pool, heartbeat),
    exportsRemoved: await removeOldExports(pool, heartbeat),
    portalLinksRemoved: await removeEndedPortalLinks(pool, heartbeat),
  }),
  'billing-run': (deps, mode) => runBilling(deps, { mode, told: heartbeat }),
  'session-expiry-run': (deps, mode) => runExpiry(deps, { mode, told: heartbeat }),
  'endpoint-health-run': (deps, mode) => runHealth(deps, { mode, told: heartbeat }),
  'acquirer-certificate-run': (deps) => runCertificates(deps, { told: heartbeat }),
  'acquirer-sweep-run': (deps) => runSweep(deps, { told: heartbeat }),
  'case-recovery-run': async ({ pool }, mode) => ({
    ...(await recoverCases(pool, { mode })),
    // Clocks that an advance holds are of sandboxes.
    ...(mode === 'sandbox' ? await rewake(pool) : {}),
  }),
  'sandbox-removal-run': (deps) => removeOldCustomers(deps, { told: heartbeat }),
  'mail-run': (deps, mode) => sendMails(deps, { mode, told: heartbeat }),
};

/** The line is the copy outside of the database that the audit log is compared with (docs/design/audit-log.md#anchors). */
async function anchor(pool: Deps['pool'], logger: Deps['logger']): Promise<number> {
  const { anchored, head } = await anchorLogs(pool);
  if (head !== null) logger.info({ ...head }, 'audit log');
  return anchored;
}

/** What workflows may ask for: each is one use case of the server. */
export const createActivities = (deps: Deps, ladder: LadderTools) => ({
  collectionStatus: (subscriptionId: string): Promise<CollectionStatus> => collectionStatus(deps, subscriptionId),
  ...collectionSteps(deps),
  advanceClock: (accountId: string): Promise<AdvanceStatus> =>
    withHeartbeats(() =>
      advanceSlice(deps, ladder, {
        accountId,
        isStopping: () => Context.current().cancellationSignal.aborted,
      }),
    ),
  ladderStep: (ref: DeliveryRef): Promise<LadderStep> => ladderStep(ladder, ref),
  attemptDelivery: (ref: DeliveryRef): Promise<LadderStep> => attemptDelivery(ladder, ref),
  caseStep: ({ kind, key }: { kind: CaseKind; key: string }): Promise<CaseStep> =>
    kind === 'webhook-recovery' ? webhookRecoveryStep(deps, ladder, key) : caseSteps[kind](deps, key),
  performRun: ({ run, mode }: { run: RunName; mode: Mode }): Promise<Counts> =>
    withHeartbeats(() => runners[run](deps, mode)),
});

const HEARTBEAT_MS = 2_000;

/** Tells that the activity is at work, whatever it waits for: only a process that died goes silent. */
async function withHeartbeats<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** What is due with an invoice, by the names that an operator reads in the history of its case. */
function collectionSteps(deps: Deps) {
  const perform = (invoiceId: string): Promise<StepOutcome> => performStep(deps, invoiceId);
  return {
    chargeAgain: perform,
    seeToDebit: perform,
    markOverdue: perform,
    suspendSubscription: perform,
    cancelSubscription: perform,
    remindBuyer: perform,
  };
}

export type Activities = ReturnType<typeof createActivities>;
