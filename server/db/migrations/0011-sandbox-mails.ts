import { Migration } from '@mikro-orm/migrations';

/** A sandbox mail to another address than the account's own is kept, and never sent. */
export class SandboxMails extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE mail DROP CONSTRAINT mail_status_check,
      ADD CONSTRAINT mail_status_check CHECK (status IN ('queued', 'sent', 'failed', 'dropped', 'kept'))`);
  }
}
