import { Migration } from '@mikro-orm/migrations';

/** What the removal of old customers of sandboxes, and of texts of old letters, walks along. */
export class Removal extends Migration {
  override up(): void {
    this.addSql('CREATE INDEX CONCURRENTLY customer_of_sandbox ON customer (id) WHERE NOT live_mode');
    this.addSql(
      'CREATE INDEX CONCURRENTLY checkout_session_of_nobody ON checkout_session (id) WHERE customer_id IS NULL AND NOT live_mode',
    );
    this.addSql('CREATE INDEX CONCURRENTLY mail_with_text ON mail (id) WHERE recipient IS NOT NULL');
  }
}
