import { Migration } from '@mikro-orm/migrations';

/** Accounts are written to before the certificate ends with which their acquirer knows them. */
export class CertificateWarnings extends Migration {
  override up(): void {
    // Days before the end of which the last letter told; of a new certificate none has.
    this.addSql('ALTER TABLE live_acquirer ADD COLUMN certificate_warned smallint CHECK (certificate_warned > 0)');
    // `certificate_ends_at` names the certificate that a letter is about: once another one is there, it is not sent.
    this.addSql(`ALTER TABLE mail
      ADD COLUMN certificate_ends_at timestamptz,
      DROP CONSTRAINT mail_occasion_check,
      ADD CONSTRAINT mail_occasion_check CHECK (occasion IN
        ('reminder', 'declined', 'sent', 'endpoint_failing', 'endpoint_disabled', 'acquirer_certificate_ending')),
      DROP CONSTRAINT mail_about,
      ADD CONSTRAINT mail_about CHECK (CASE
        WHEN occasion IN ('endpoint_failing', 'endpoint_disabled')
          THEN endpoint_id IS NOT NULL AND invoice_id IS NULL AND certificate_ends_at IS NULL
        WHEN occasion = 'acquirer_certificate_ending'
          THEN certificate_ends_at IS NOT NULL AND invoice_id IS NULL AND endpoint_id IS NULL
        ELSE invoice_id IS NOT NULL AND endpoint_id IS NULL AND certificate_ends_at IS NULL END)`);
  }
}
