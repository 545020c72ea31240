import { BillingError } from '../kernel/errors.ts';
import type { Timestamp } from '../kernel/time.ts';

/** The transaction reached the database too late for its ids, which are sorted by time: it is repeated with new ones. */
export class StaleIds extends Error {}

/** Another transaction recorded a later event of the same row: this one is repeated at that instant or later. */
export class WriteConflict extends Error {
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
