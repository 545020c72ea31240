import { Migration } from '@mikro-orm/migrations';

/** What is personal of a customer, and tokens of cards, are sealed; keyed hashes find customers (docs/design/keys.md#sealed-rows). */
export class SealedCustomers extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE customer
      ADD COLUMN personal bytea,
      ADD COLUMN email_index bytea,
      ADD COLUMN identifier_index bytea,
      ALTER COLUMN name DROP NOT NULL,
      ADD CONSTRAINT customer_named CHECK (num_nonnulls(name, personal) > 0) NOT VALID`);
    this.addSql('ALTER TABLE customer VALIDATE CONSTRAINT customer_named');
    // Account and mode are in the hash, so the hash alone finds the row.
    this.addSql(
      `CREATE INDEX CONCURRENTLY customer_email_index ON customer (email_index, id) WHERE email_index IS NOT NULL`,
    );
    this.addSql(
      `CREATE INDEX CONCURRENTLY customer_identifier_index ON customer (identifier_index, id) WHERE identifier_index IS NOT NULL`,
    );
    this.addSql(`CREATE INDEX CONCURRENTLY customer_in_clear ON customer (id) WHERE personal IS NULL`);
    this.addSql('ALTER TABLE payment_method ADD COLUMN sealed_token bytea');
    this.addSql(`CREATE INDEX CONCURRENTLY payment_method_in_clear ON payment_method (id) WHERE token IS NOT NULL`);
  }
}
