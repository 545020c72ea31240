import { statement, type Write } from '../db/statement.ts';
import { codeOf } from '../kernel/errors.ts';

/** The Idempotency-Key of one request, as its transactions see it (docs/product/requests.md#idempotency). */
export interface Idempotency {
  /** The attempt that an earlier run of the request left: its outcome is the answer, and nothing is attempted anew. */
  readonly formerAttempt: string | null;
  /** The row that answers a repeat of the request. */
  answerWrite(view: unknown, status: number | undefined): Write;
  /** The row that holds the key while an attempt is on its way. */
  leaseWrite(attemptId: string): Write;
}

/**
 * Both statements fail the transaction when another request holds the key: its effect must not be committed beside ours.
 * A CASE without ELSE makes the fingerprint NULL there, which the column refuses. An ended lease is taken over only by a
 * request that knows the attempt it was for: whoever has not seen that one would attempt the same again.
 */
const IS_OURS = `k.status IS NULL AND k.fingerprint = excluded.fingerprint AND (k.holder = excluded.holder
     OR ((k.lease_until IS NULL OR k.lease_until < now()) AND k.attempt_id IS NOT DISTINCT FROM :formerAttempt::text))`;

export const storeAnswer = statement(
  'store_answer',
  `INSERT INTO idempotency_key AS k (hash, account_id, live_mode, fingerprint, holder, status, answer, customer_id)
   VALUES (:hash, :accountId, :liveMode, :fingerprint, :holder, :status, :answer, :customerId)
   ON CONFLICT (hash) DO UPDATE SET
     fingerprint = CASE WHEN ${IS_OURS} THEN excluded.fingerprint END,
     status = excluded.status, answer = excluded.answer, customer_id = excluded.customer_id, lease_until = NULL`,
);

export const storeLease = statement(
  'store_lease',
  `INSERT INTO idempotency_key AS k (hash, account_id, live_mode, fingerprint, holder, attempt_id, lease_until)
   VALUES (:hash, :accountId, :liveMode, :fingerprint, :holder, :attemptId, now() + interval '90 seconds')
   ON CONFLICT (hash) DO UPDATE SET
     fingerprint = CASE WHEN ${IS_OURS} THEN excluded.fingerprint END,
     holder = excluded.holder, attempt_id = excluded.attempt_id, lease_until = excluded.lease_until`,
);

const NOT_NULL_VIOLATION = '23502';

/** Whether a transaction failed because another request holds its Idempotency-Key. */
export const isKeyHeld = (error: unknown): boolean =>
  error instanceof Error &&
  codeOf(error) === NOT_NULL_VIOLATION &&
  'table' in error &&
  error.table === 'idempotency_key';
