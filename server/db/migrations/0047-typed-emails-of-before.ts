import { Migration } from '@mikro-orm/migrations';

/**
 * A customer that was made in the instant in which a page named the buyer of a session was made of what was typed there. Whoever
 * paid since has proven more than a confirmation does, and needs no row.
 */
export class TypedEmailsOfBefore extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE mail VALIDATE CONSTRAINT mail_occasion_check');
    this.addSql(`INSERT INTO typed_email (id, account_id, live_mode, created, email_index)
      SELECT u.id, u.account_id, u.live_mode, u.created, u.email_index FROM customer u
      WHERE u.anonymized_at IS NULL
        AND EXISTS (SELECT FROM checkout_session s WHERE s.customer_id = u.id AND s.attached_at = u.created)
        AND NOT EXISTS (SELECT FROM invoice i WHERE i.customer_id = u.id AND i.amount_paid > 0)
      ON CONFLICT DO NOTHING`);
  }
}
