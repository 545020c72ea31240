import type { Customer } from '../customers/entity.ts';
import { mine, statement } from '../db/statement.ts';
import type { Tx } from '../unit-of-work/tx.ts';

const eraseComments = statement(
  'erase_cancellation_comments',
  `UPDATE subscription s SET cancel_comment = NULL WHERE ${mine('s')} AND s.customer_id = :id AND s.cancel_comment IS NOT NULL`,
);

const eraseConsents = statement(
  'erase_consents',
  `UPDATE subscription s SET consent_text = NULL, consent_ip = NULL, consent_at = NULL
   WHERE ${mine('s')} AND s.customer_id = :id AND s.consent_text IS NOT NULL`,
);

/** From which address a buyer agreed to a subscription tells who it was. */
export async function eraseConsent(tx: Tx, { id }: Customer): Promise<void> {
  await tx.query(eraseConsents, { id });
}

/** What a buyer said in leaving may tell who it was. */
export async function eraseCancellations(tx: Tx, { id }: Customer): Promise<void> {
  await tx.query(eraseComments, { id });
}
