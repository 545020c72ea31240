import { Migration } from '@mikro-orm/migrations';

/** Why a buyer was written to: a reminder of a day, a card that was declined, or by the merchant's wish. */
export class MailOccasions extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE mail
      ADD COLUMN occasion text NOT NULL DEFAULT 'reminder' CHECK (occasion IN ('reminder', 'declined', 'sent')),
      ALTER COLUMN step DROP NOT NULL,
      ADD CONSTRAINT mail_step_of_reminder CHECK ((occasion = 'reminder') = (step IS NOT NULL))`);
    this.addSql('ALTER TABLE mail ALTER COLUMN occasion DROP DEFAULT');
  }
}
