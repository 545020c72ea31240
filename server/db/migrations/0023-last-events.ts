import { Migration } from '@mikro-orm/migrations';

/** What events tell of remembers the last of them: the next one comes after it, whichever process makes it. */
export class LastEvents extends Migration {
  override up(): void {
    for (const table of [
      'customer',
      'product',
      'price',
      'invoice',
      'payment_intent',
      'subscription',
      'checkout_session',
    ])
      this.addSql(`ALTER TABLE ${table} ADD COLUMN last_event_id text COLLATE "C", ADD COLUMN last_event_at bigint`);
  }
}
