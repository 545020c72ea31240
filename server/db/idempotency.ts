import { statement, type Write } from './statement.ts';

/** The Idempotency-Key of one request, as its transactions see it (decisions §2). */
export interface Idempotency {
  /** The row that answers a repeat of the request. */
  answerWrite(view: unknown, status: number | undefined): Write;
  /** The row that holds the key while an attempt is on its way. */
  leaseWrite(attemptId: string): Write;
}

/** A first answer is inserted; one that follows a lease of the same request fills it. A second answer violates the key. */
export const storeAnswer = statement(
  'store_answer',
  `INSERT INTO idempotency_key (hash, account_id, fingerprint, status, answer, customer_id)
   VALUES ($1, $2, $3, $4, $5, $6)`,
);

export const fillAnswer = statement(
  'fill_answer',
  `UPDATE idempotency_key SET status = $2, answer = $3, customer_id = $4, lease_until = NULL WHERE hash = $1`,
);

export const storeLease = statement(
  'store_lease',
  `INSERT INTO idempotency_key (hash, account_id, fingerprint, attempt_id, lease_until)
   VALUES ($1, $2, $3, $4, now() + interval '90 seconds')
   ON CONFLICT (hash) DO UPDATE SET attempt_id = excluded.attempt_id, lease_until = excluded.lease_until`,
);
