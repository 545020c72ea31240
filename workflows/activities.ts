import { heartbeat } from '@temporalio/activity';
import { ensurePartitions } from '../server/db/partitions.ts';
import type { Deps } from '../server/deps.ts';
import { attemptDelivery, type LadderDeps, type LadderStep, ladderStep } from '../server/events/ladder.ts';
import type { DeliveryRef } from '../server/events/record.ts';
import { dropOldEvents } from '../server/events/retention.ts';
import { purge } from '../server/outbox/purge.ts';
import { recoverCases } from '../server/outbox/recovery.ts';
import {
  type CaseStep,
  chargeReconciliationStep,
  pixExpiryStep,
  pixSettlementStep,
  refundSettlementStep,
} from '../server/payments/cases.ts';
import type { RunName } from './runs.ts';

export type { DeliveryRef, LadderStep };

/** What a run did, by name. */
export type Counts = Record<string, number>;

const caseSteps = {
  'charge-reconciliation': chargeReconciliationStep,
  'refund-settlement': refundSettlementStep,
  'pix-settlement': pixSettlementStep,
  'pix-expiry': pixExpiryStep,
} as const satisfies Record<string, (deps: Deps, key: string) => Promise<CaseStep>>;

export type CaseKind = keyof typeof caseSteps;

const runners: Record<RunName, (deps: Deps) => Promise<Counts>> = {
  'retention-run': async ({ pool }) => ({
    partitionsMade: await ensurePartitions(pool),
    ...(await dropOldEvents(pool, heartbeat)),
    ...(await purge(pool, heartbeat)),
  }),
  'case-recovery-run': async ({ pool }) => recoverCases(pool),
};

/** What workflows may ask for: each is one use case of the server. */
export const createActivities = (deps: Deps, ladder: LadderDeps) => ({
  ladderStep: (ref: DeliveryRef): Promise<LadderStep> => ladderStep(ladder, ref),
  attemptDelivery: (ref: DeliveryRef): Promise<LadderStep> => attemptDelivery(ladder, ref),
  caseStep: ({ kind, key }: { kind: CaseKind; key: string }): Promise<CaseStep> => caseSteps[kind](deps, key),
  performRun: ({ run }: { run: RunName }): Promise<Counts> => runners[run](deps),
});

export type Activities = ReturnType<typeof createActivities>;
