import type { Deps } from '../server/deps.ts';
import { exportFileStep } from '../server/exports/write.ts';
import type { CaseStep } from '../server/kernel/case-step.ts';
import { chargeReconciliationStep } from '../server/payments/card/reconciliation.ts';
import { storedCardStep } from '../server/payments/card/upkeep.ts';
import { pixExpiryStep } from '../server/payments/pix/ending.ts';
import { pixSettlementStep } from '../server/payments/pix/settlement.ts';
import { refundSettlementStep } from '../server/payments/refunds/settlement.ts';
import { pixMandateStep } from '../server/subscriptions/mandates/case.ts';
import type { OutboxKind } from '../server/waiting.ts';

/** Cases that have workflows of their own; each of the others is followed step by step. */
type OwnWorkflow = 'collection' | 'test-clock' | 'webhook-delivery';

export type CaseKind = Exclude<OutboxKind, OwnWorkflow>;

/** Cases whose step needs no more than the service: a recovery also sends, by the tools of deliveries. */
export type PlainCase = Exclude<CaseKind, 'webhook-recovery'>;

/** What is done with the object of a case, as often as it is looked at (docs/design/outbox-and-cases.md#cases). */
export const caseSteps: Readonly<Record<PlainCase, (deps: Deps, key: string) => Promise<CaseStep>>> = {
  'charge-reconciliation': chargeReconciliationStep,
  'refund-settlement': refundSettlementStep,
  'pix-settlement': pixSettlementStep,
  'pix-expiry': pixExpiryStep,
  'pix-mandate': pixMandateStep,
  'export-file': exportFileStep,
  'stored-card': storedCardStep,
};
