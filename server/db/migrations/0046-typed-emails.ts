import { Migration } from '@mikro-orm/migrations';
import { holdToAccountsSql } from './0028-row-level-security.ts';
import { references, scoped } from './columns.ts';

const OCCASIONS = `'reminder', 'declined', 'sent', 'endpoint_failing', 'endpoint_disabled', 'acquirer_certificate_ending', 'account_changed', 'confirmation'`;

/**
 * The address of a customer, by whose id the row goes, that its buyer typed on a page: it may be somebody else's. `email_index` tells which address it was,
 * null: of a customer whose data were in clear; `asked_at` and `confirmed_at` are on the account's clock.
 */
export class TypedEmails extends Migration {
  override up(): void {
    this.addSql(`CREATE TABLE typed_email (
      ${scoped('typed_email')},
      email_index bytea,
      asked_at bigint,
      confirmed_at bigint,
      ${references('customer', 'id')}
    )`);
    this.addSql('CREATE INDEX CONCURRENTLY typed_email_address ON typed_email (account_id, live_mode, email_index)');
    this.addSql(holdToAccountsSql('typed_email'));
    this.addSql(
      `CREATE POLICY removed_in_sandbox ON typed_email AS RESTRICTIVE FOR DELETE TO fatura_api USING (NOT live_mode)`,
    );
    this.addSql('GRANT SELECT, INSERT, UPDATE, DELETE ON typed_email TO fatura_api, fatura_worker');
    this.addSql('GRANT SELECT ON typed_email TO fatura_admin, fatura_audit');
    // Rows of before are looked at by the next migration, with nobody kept waiting.
    this.addSql(`ALTER TABLE mail DROP CONSTRAINT mail_occasion_check,
      ADD CONSTRAINT mail_occasion_check CHECK (occasion IN (${OCCASIONS})) NOT VALID`);
  }
}
