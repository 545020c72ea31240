import { Migration } from '@mikro-orm/migrations';

/** What a receiver answered, as its owner is shown it. */
export class AttemptAnswers extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE delivery_attempt ADD COLUMN answer text');
  }
}
