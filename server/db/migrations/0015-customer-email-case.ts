import { Migration } from '@mikro-orm/migrations';

/** Customers are looked for by their e-mail whatever its case. */
export class CustomerEmailCase extends Migration {
  override up(): void {
    this.addSql(
      `CREATE INDEX customer_email_lower ON customer (account_id, live_mode, lower(email), id) WHERE email IS NOT NULL`,
    );
    this.addSql('DROP INDEX customer_email');
  }
}
