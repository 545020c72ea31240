import { Migration } from '@mikro-orm/migrations';

/** A refund stands in its list by the first of its parts that stands, which is found without a look at all the others. */
export class RefundsByFirstPart extends Migration {
  override up(): void {
    this.addSql(
      `CREATE INDEX refund_part_listed ON refund_part (account_id, live_mode, id) WHERE status <> 'failed' AND reason <> 'surplus'`,
    );
    this.addSql(`CREATE OR REPLACE VIEW refund AS
      SELECT p.intent_id AS id, p.account_id, p.live_mode, p.created, p.id AS first_part_id
      FROM refund_part p WHERE p.status <> 'failed' AND p.reason <> 'surplus' AND NOT EXISTS (
        SELECT FROM refund_part e
        WHERE e.intent_id = p.intent_id AND e.id < p.id AND e.status <> 'failed' AND e.reason <> 'surplus')`);
  }
}
