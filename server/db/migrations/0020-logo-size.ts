import { Migration } from '@mikro-orm/migrations';

/** A page keeps room for a logo before it has come, and asks for it by its digest. No logo was kept before. */
export class LogoSize extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE account_logo ADD COLUMN width integer NOT NULL, ADD COLUMN height integer NOT NULL');
    this.addSql('CREATE INDEX account_logo_digest ON account_logo (digest)');
  }
}
