import { Migration } from '@mikro-orm/migrations';

/** Whether a charge is one of a renewal's schedule, which the days of an account and so its attempts do not tell. */
export class ScheduledCharges extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE payment_intent ADD COLUMN is_scheduled boolean NOT NULL DEFAULT false`);
    this.addSql(`UPDATE payment_intent p SET is_scheduled = true WHERE p.max_attempts > 1
      OR EXISTS (SELECT FROM charge_attempt c WHERE c.intent_id = p.id AND c.initiator = 'merchant')`);
  }
}
