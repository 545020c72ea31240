import { Migration } from '@mikro-orm/migrations';

/** References without an index of their own: where a row is deleted, each is looked for, and all of an account would be read. */
const references = [
  ['invoice', 'payment_intent_id'],
  ['payment_intent', 'subscription_id'],
  ['subscription', 'payment_method_id'],
  ['subscription', 'latest_invoice_id'],
  ['charge_attempt', 'invoice_id'],
  ['pix_receipt', 'invoice_id'],
] as const;

/** What a reset of a sandbox finds its rows by, and deletes them with. */
export class TestClock extends Migration {
  override up(): void {
    // Keys of before count as live ones: no reset forgets them, and they end within 72 hours.
    this.addSql(`ALTER TABLE idempotency_key ADD COLUMN live_mode boolean NOT NULL DEFAULT true`);
    this.addSql(`CREATE INDEX idempotency_key_sandbox ON idempotency_key (account_id) WHERE NOT live_mode`);
    for (const [table, column] of references) {
      this.addSql(`CREATE INDEX ${table}_of_${column} ON ${table} (${column}) WHERE ${column} IS NOT NULL`);
    }
    for (const table of ['cob', 'card', 'charge']) {
      this.addSql(`CREATE INDEX ${table}_account ON sandbox_bank.${table} (account_id)`);
    }
  }
}
