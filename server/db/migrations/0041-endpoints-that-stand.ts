import { Migration } from '@mikro-orm/migrations';

/** Endpoints that were deleted stay for their deliveries: however many an account has, what it does is not slower for them. */
export class EndpointsThatStand extends Migration {
  override up(): void {
    this.addSql(
      'CREATE INDEX CONCURRENTLY webhook_endpoint_standing ON webhook_endpoint (account_id, live_mode, id) WHERE deleted_at IS NULL',
    );
  }
}
