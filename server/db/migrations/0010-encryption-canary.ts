import { Migration } from '@mikro-orm/migrations';

/** A text sealed with the ENCRYPTION_KEY of the first start: a start with another key cannot open it. */
export class EncryptionCanary extends Migration {
  override up(): void {
    this.addSql(`CREATE TABLE encryption_canary (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      sealed bytea NOT NULL
    )`);
  }
}
