import { Migration } from '@mikro-orm/migrations';

/** The owner of an account is written to when what its live buyers see was changed, by a key or by an operator. */
export class ToldOfLooks extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE mail
      DROP CONSTRAINT mail_occasion_check,
      ADD CONSTRAINT mail_occasion_check CHECK (occasion IN
        ('reminder', 'declined', 'sent', 'endpoint_failing', 'endpoint_disabled', 'acquirer_certificate_ending', 'account_changed')) NOT VALID,
      DROP CONSTRAINT mail_about,
      ADD CONSTRAINT mail_about CHECK (CASE
        WHEN occasion IN ('endpoint_failing', 'endpoint_disabled')
          THEN endpoint_id IS NOT NULL AND invoice_id IS NULL AND certificate_ends_at IS NULL
        WHEN occasion = 'acquirer_certificate_ending'
          THEN certificate_ends_at IS NOT NULL AND invoice_id IS NULL AND endpoint_id IS NULL
        WHEN occasion = 'account_changed'
          THEN invoice_id IS NULL AND endpoint_id IS NULL AND certificate_ends_at IS NULL
        ELSE invoice_id IS NOT NULL AND endpoint_id IS NULL AND certificate_ends_at IS NULL END) NOT VALID`);
    for (const check of ['mail_occasion_check', 'mail_about'])
      this.addSql(`ALTER TABLE mail VALIDATE CONSTRAINT ${check}`);
    for (const table of ['event', 'event_standing', 'delivery', 'mail'])
      this.addSql(`GRANT INSERT ON ${table} TO fatura_admin`);
  }
}
