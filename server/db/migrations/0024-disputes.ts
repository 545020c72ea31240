import { Migration } from '@mikro-orm/migrations';
import { ID, references, scoped } from './columns.ts';

/** Most that went back of a payment; rows of before have nothing disputed, so they are not read to prove it. */
const within = (table: string, paid: string): string =>
  `ALTER TABLE ${table} ADD COLUMN amount_disputed bigint NOT NULL DEFAULT 0,
    ADD CONSTRAINT ${table}_disputed CHECK (amount_disputed BETWEEN 0 AND ${paid} - amount_refunded) NOT VALID`;

/** Money that banks take back unasked, and what the sandbox's bank has of it. */
export class Disputes extends Migration {
  override up(): void {
    this.addSql(within('invoice', 'amount_paid'));
    this.addSql(within('payment_intent', 'amount'));
    this.addSql(`CREATE TABLE dispute (
      ${scoped('dispute')},
      intent_id ${ID} NOT NULL,
      invoice_id ${ID} NOT NULL,
      customer_id ${ID} NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      method text NOT NULL CHECK (method IN ('pix', 'card')),
      kind text NOT NULL CHECK (kind IN ('med', 'chargeback', 'inquiry')),
      reason text NOT NULL,
      status text NOT NULL CHECK (status IN ('needs_response', 'under_review', 'won', 'lost', 'closed')),
      funds text NOT NULL CHECK (funds IN ('none', 'withdrawn', 'reinstated')),
      evidence_due_by bigint,
      closed_at bigint,
      withdrawn_at bigint,
      reinstated_at bigint,
      end_to_end_id ${ID},
      return_id ${ID},
      last_event_id ${ID},
      last_event_at bigint,
      CHECK ((kind = 'med') = (end_to_end_id IS NOT NULL AND return_id IS NOT NULL)),
      CHECK ((funds = 'none') = (withdrawn_at IS NULL)),
      CHECK ((funds = 'reinstated') = (reinstated_at IS NOT NULL)),
      ${references('payment_intent', 'intent_id')},
      ${references('invoice', 'invoice_id')},
      ${references('customer', 'customer_id')}
    )`);
    // One for each return of the bank, whoever hears of it and how often.
    this.addSql(`CREATE UNIQUE INDEX dispute_return ON dispute (return_id, end_to_end_id)`);
    this.addSql(`CREATE INDEX dispute_intent ON dispute (intent_id, id)`);
    this.addSql(`CREATE INDEX dispute_invoice ON dispute (invoice_id, id)`);
    this.addSql(`CREATE INDEX dispute_customer ON dispute (customer_id, id)`);
    this.addSql(`ALTER TABLE sandbox_bank.devolucao ADD COLUMN natureza text NOT NULL DEFAULT 'ORIGINAL'
      CHECK (natureza IN ('ORIGINAL', 'MED_FRAUDE', 'MED_OPERACIONAL', 'MED_PIX_AUTOMATICO'))`);
  }
}
