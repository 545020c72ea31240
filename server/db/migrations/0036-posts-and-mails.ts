import { Migration } from '@mikro-orm/migrations';

/** What a sandbox posts to hosts that have proven nothing is bounded, and so are the e-mails of a day. */
export class PostsAndMails extends Migration {
  override up(): void {
    // Deliveries that its URL accepted, counted as far as they matter.
    this.addSql('ALTER TABLE webhook_endpoint ADD COLUMN accepted_posts smallint NOT NULL DEFAULT 0');
    // `counted_on`: the day in whose budgets the mail is, so that a mail that is tried again is counted once.
    this.addSql(`ALTER TABLE mail ADD COLUMN counted_on date,
      DROP CONSTRAINT mail_status_check,
      ADD CONSTRAINT mail_status_check CHECK (status IN ('queued', 'sent', 'failed', 'dropped', 'kept', 'held')) NOT VALID`);
    this.addSql('ALTER TABLE mail VALIDATE CONSTRAINT mail_status_check');
    // Recipients are hashes: what counts needs not know whom it counts.
    this.addSql(`CREATE TABLE mail_count (
      day date NOT NULL,
      counted text NOT NULL,
      mails integer NOT NULL CHECK (mails > 0),
      PRIMARY KEY (day, counted)
    )`);
    this.addSql(`CREATE TABLE mail_suppression (
      address text PRIMARY KEY,
      reason text,
      created_at timestamptz NOT NULL DEFAULT now()
    )`);
    this.addSql(`CREATE INDEX CONCURRENTLY mail_held ON mail (account_id, id) WHERE status = 'held'`);
  }
}
