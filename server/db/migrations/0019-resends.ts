import { Migration } from '@mikro-orm/migrations';

/** How often an event was sent again by hand. */
export class Resends extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE event ADD COLUMN resends smallint NOT NULL DEFAULT 0 CHECK (resends BETWEEN 0 AND 3)');
  }
}
