import { Migration } from '@mikro-orm/migrations';
import { ID } from './columns.ts';

const initiator = `initiator text NOT NULL DEFAULT 'customer' CHECK (initiator IN ('customer', 'merchant'))`;

/** Who began a charge, a buyer or the schedule of a renewal, and in the sandbox bank's books what it is for. */
export class RenewalCharges extends Migration {
  override up(): void {
    // Nothing scheduled charges before this: buyers asked for all of them.
    this.addSql(`ALTER TABLE charge_attempt ADD COLUMN ${initiator}`);
    this.addSql(`ALTER TABLE sandbox_bank.charge ADD COLUMN ${initiator}`);
    this.addSql(`ALTER TABLE sandbox_bank.charge ADD COLUMN order_id ${ID}`);
    // What no attempt asked for stays an order of its own.
    this.addSql(`UPDATE sandbox_bank.charge AS b SET order_id = coalesce(
      (SELECT c.invoice_id FROM charge_attempt c WHERE c.id = b.reference), b.reference)`);
    this.addSql(`ALTER TABLE sandbox_bank.charge ALTER COLUMN order_id SET NOT NULL`);
    this.addSql(`CREATE INDEX charge_order ON sandbox_bank.charge (order_id) WHERE initiator = 'merchant'`);
  }
}
