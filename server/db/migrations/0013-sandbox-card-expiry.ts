import { Migration } from '@mikro-orm/migrations';

/** When the sandbox bank's cards expire; those that came before the bank asked for it never do. */
export class SandboxCardExpiry extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE sandbox_bank.card
      ADD COLUMN exp_month integer CHECK (exp_month BETWEEN 1 AND 12), ADD COLUMN exp_year integer,
      ADD CHECK ((exp_month IS NULL) = (exp_year IS NULL))`);
  }
}
