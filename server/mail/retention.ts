import type pg from 'pg';
import { acrossAccounts, run } from '../db/statement.ts';
import { inBatches, ROWS_PER_BATCH } from '../jobs/batched-delete.ts';
import { firstSuffixAt } from '../kernel/ids.ts';
import { DAY, realTimeMs, SECOND_MS } from '../kernel/time.ts';

/** What a letter said, and to whom, is kept for so long, in real time (docs/product/mail.md#how-long-letters-are-kept). */
export const TEXT_DAYS = 30;

/** A letter that nobody sent for so long would come too late. */
const forgetOld = acrossAccounts(
  'forget_mails',
  `UPDATE mail m SET recipient = NULL, recipient_name = NULL, subject = NULL, body_text = NULL, body_html = NULL, last_error = NULL,
     status = CASE WHEN m.status IN ('queued', 'held') THEN 'dropped' ELSE m.status END
   FROM (SELECT id FROM mail WHERE recipient IS NOT NULL AND id < 'mail_' || :before::text
     ORDER BY id LIMIT ${ROWS_PER_BATCH} FOR UPDATE SKIP LOCKED) old
   WHERE m.id = old.id RETURNING 1`,
);

/** Erases texts and addresses of old letters, and answers of how many; that a letter was written, and what became of it, stays. */
export async function forgetMails(pool: pg.Pool, told: () => void, nowMs: number = realTimeMs()): Promise<number> {
  const before = firstSuffixAt(nowMs - TEXT_DAYS * DAY * SECOND_MS);
  return inBatches(() => {
    told();
    return run(pool, forgetOld, { before });
  });
}
