import { Migration } from '@mikro-orm/migrations';

/** Ladders and all other cases are claimed apart, so that neither waits for the other's. */
export class TurnsOfLadders extends Migration {
  override up(): void {
    for (const [name, kinds] of [
      ['outbox_turn_of_ladders', `kind = 'webhook-delivery'`],
      ['outbox_turn_of_others', `kind <> 'webhook-delivery'`],
    ])
      this.addSql(`CREATE INDEX CONCURRENTLY ${name} ON outbox (lane, account_id, due_at) WHERE ${kinds}`);
    this.addSql('DROP INDEX outbox_turn');
  }
}
