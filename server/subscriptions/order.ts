import { STEP_RANKS } from '../invoices/collection/rules.ts';
import { DUE_RANKS } from './billing/rules.ts';

const caseOf = (column: string, ranks: Readonly<Record<string, number>>): string =>
  `CASE ${column} ${Object.entries(ranks)
    .map(([kind, rank]) => `WHEN '${kind}' THEN ${rank}`)
    .join(' ')} END`;

/** SQL for the place of a step, and of what the calendar brings, among what falls at one instant (docs/product/collection.md#order-at-one-instant). */
export const stepRank = (column: string): string => caseOf(column, STEP_RANKS);
export const dueRank = (column: string): string => caseOf(column, DUE_RANKS);
