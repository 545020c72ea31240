import type { DisputeStatus } from '@fatura/sdk';

/** What somebody has to do comes first. */
export const disputeStatuses = [
  'needs_response',
  'under_review',
  'lost',
  'won',
  'closed',
] as const satisfies readonly DisputeStatus[];
