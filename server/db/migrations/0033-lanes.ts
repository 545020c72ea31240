import { Migration } from '@mikro-orm/migrations';

/** Live and sandbox work is claimed apart, and within each by account, so that neither waits for the other's. */
export class Lanes extends Migration {
  override up(): void {
    // The version before knows no lane: its rows are done where its cases are, among the live ones.
    this.addSql(`ALTER TABLE outbox ADD COLUMN lane text NOT NULL DEFAULT 'live',
      ADD CONSTRAINT outbox_lane_check CHECK (lane IN ('live', 'sandbox')) NOT VALID`);
    this.addSql('ALTER TABLE outbox VALIDATE CONSTRAINT outbox_lane_check');
    this.addSql('CREATE INDEX CONCURRENTLY outbox_turn ON outbox (lane, account_id, due_at)');
    this.addSql(
      `CREATE INDEX CONCURRENTLY mail_turn ON mail (live_mode, account_id, next_try_at) WHERE status = 'queued'`,
    );
    this.addSql('DROP INDEX mail_queue');
    for (const table of ['subscription', 'invoice', 'checkout_session'])
      this.addSql(
        `CREATE INDEX CONCURRENTLY ${table}_turn ON ${table} (live_mode, account_id, wake_at, id) WHERE wake_at IS NOT NULL`,
      );
    // By mode first, so that no claim of live deliveries steps over the receivers of sandboxes.
    this.addSql(`CREATE INDEX delivery_turn ON delivery (live_mode, endpoint_id, claimable_at) WHERE stage = 'fresh'`);
    this.addSql('DROP INDEX delivery_fresh');
  }
}
