import { Migration } from '@mikro-orm/migrations';
import { ID } from './columns.ts';

/** What buyers see of a merchant; and links, which are made when they are shown, are stored no more. */
export class AccountLook extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE account
      ADD COLUMN tax_id text,
      ADD COLUMN support_email text,
      ADD COLUMN support_phone text,
      ADD COLUMN color text,
      ADD COLUMN logo_url text`);
    this.addSql(`CREATE TABLE account_logo (
      account_id ${ID} PRIMARY KEY REFERENCES account,
      media_type text NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg', 'image/webp')),
      digest text NOT NULL,
      content bytea NOT NULL,
      width integer NOT NULL,
      height integer NOT NULL
    )`);
    this.addSql('CREATE INDEX account_logo_digest ON account_logo (digest)');
    this.addSql('ALTER TABLE checkout_session DROP COLUMN url');
  }
}
