import { Migration } from '@mikro-orm/migrations';

/**
 * An attempt says nothing of its mode, so its endpoint does, which stands for as long as its deliveries. What an endpoint that
 * is gone was sent was of a sandbox: nobody removes a live one. No delivery is asked: it is found by a column of days, which a
 * removal must not choose partitions by (docs/design/sql.md#partitions).
 */
const OF_SANDBOX = `coalesce((SELECT NOT w.live_mode FROM webhook_endpoint w WHERE w.id = delivery_attempt.endpoint_id), true)`;

/** No request removes an attempt to deliver a live event. */
export class RemovalOfAttempts extends Migration {
  override up(): void {
    this.addSql(
      `CREATE POLICY removed_in_sandbox ON delivery_attempt AS RESTRICTIVE FOR DELETE TO fatura_api USING (${OF_SANDBOX})`,
    );
  }
}
