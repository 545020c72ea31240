import { BillingError } from '../kernel/errors.ts';
import type { Timestamp } from '../kernel/time.ts';

/** The transaction did not reach the database in time: another one makes younger ids. */
export class LateBegin extends Error {}

/** While the transaction waited for a row, an event of a later instant was told of that row: another one is no earlier. */
export class Overtaken extends Error {
  readonly at: Timestamp;

  constructor(at: Timestamp) {
    super(`an event of ${at} was told meanwhile`);
    this.at = at;
  }
}

export const contended = (): BillingError =>
  new BillingError('SERVICE_UNAVAILABLE', {
    message: 'Others change the same objects at this moment; repeat with the same Idempotency-Key',
  });
