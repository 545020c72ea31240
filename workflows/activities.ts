import { Context, heartbeat } from '@temporalio/activity';
import { anchorLogs } from '../server/audit-log/anchor.ts';
import { runExpiry } from '../server/checkout/run.ts';
import { ensurePartitions, findMissingMonths } from '../server/db/partitions.ts';
import type { Deps } from '../server/deps.ts';
import { attemptDelivery, type LadderStep, type LadderTools, ladderStep } from '../server/events/deliveries/ladder.ts';
import type { DeliveryRef } from '../server/events/deliveries/results.ts';
import { runHealth } from '../server/events/health.ts';
import { webhookRecoveryStep } from '../server/events/recovery.ts';
import { dropOldEvents } from '../server/events/retention.ts';
import { removeOldExports } from '../server/exports/retention.ts';
import { permitsFor } from '../server/jobs/due-run.ts';
import { raiseAlarm } from '../server/kernel/alarms.ts';
import type { CaseStep } from '../server/kernel/case-step.ts';
import { type Mode, perMode } from '../server/kernel/mode.ts';
import type { RunShard } from '../server/kernel/shards.ts';
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

interface Run {
  readonly mode: Mode;
  readonly runShard: RunShard;
}

/** Of each worker its own: the shards of a run that it has at once share the permits of the run. */
const createRunners = (deps: Deps): Record<RunName, (run: Run) => Promise<Counts>> => {
  const { pool, logger, metrics } = deps;
  const told = heartbeat;
  const [billing, expiry] = [perMode(() => permitsFor(deps.settings.chargesAtOnce)), perMode(() => permitsFor())];
  return {
    'retention-run': async () => ({
      partitionsMade: await makePartitions({ pool, logger, metrics }),
      logsAnchored: await anchor(pool, logger),
      ...(await dropOldEvents(pool, heartbeat)),
      ...(await purge(pool, heartbeat)),
      mailsForgotten: await forgetMails(pool, heartbeat),
      exportsRemoved: await removeOldExports(pool, heartbeat),
      portalLinksRemoved: await removeEndedPortalLinks(pool, heartbeat),
    }),
    'billing-run': (run) => runBilling(deps, { ...run, told, permits: billing[run.mode] }),
    'session-expiry-run': (run) => runExpiry(deps, { ...run, told, permits: expiry[run.mode] }),
    'endpoint-health-run': ({ mode }) => runHealth(deps, { mode, told }),
    'acquirer-certificate-run': () => runCertificates(deps, { told }),
    'acquirer-sweep-run': () => runSweep(deps, { told }),
    'case-recovery-run': async ({ mode }) => ({
      ...(await recoverCases(pool, { mode })),
      // Clocks that an advance holds are of sandboxes.
      ...(mode === 'sandbox' ? await rewake(pool) : {}),
    }),
    'sandbox-removal-run': () => removeOldCustomers(deps, { told }),
    'mail-run': (run) => sendMails(deps, { ...run, told }),
  };
};

/** Months are made so early that it is told while there is time where they cannot be. */
async function makePartitions({ pool, ...tools }: Pick<Deps, 'pool' | 'logger' | 'metrics'>): Promise<number> {
  try {
    return await ensurePartitions(pool);
  } finally {
    const missing = await findMissingMonths(pool);
    if (missing.length > 0)
      raiseAlarm(tools, 'months_missing', { missing, message: 'the next month has no partitions' });
  }
}

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
  ...runSteps(deps),
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

function runSteps(deps: Deps) {
  const runners = createRunners(deps);
  return {
    performRun: ({ run, mode, ...runShard }: { run: RunName; mode: Mode } & RunShard): Promise<Counts> =>
      withHeartbeats(() => runners[run]({ mode, runShard })),
  };
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
