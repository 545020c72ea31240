import { Migration } from '@mikro-orm/migrations';
import { ID, references, scoped } from './columns.ts';

/** Charges by card with their attempts, cards that renewals will charge, and refunds that merchants ask for. */
export class CardsAndRefunds extends Migration {
  override up(): void {
    this.addSql(`CREATE TABLE payment_method (
      ${scoped('payment_method')},
      customer_id ${ID} NOT NULL,
      token text,
      brand text,
      last4 text CHECK (last4 ~ '^[0-9]{4}$'),
      ${references('customer', 'customer_id')}
    )`);
    this.addSql(`CREATE INDEX payment_method_customer ON payment_method (customer_id, id)`);
    // Instants of the acquirer's side are real; `completed_at` is on the account's clock.
    this.addSql(`CREATE TABLE charge_attempt (
      ${scoped('charge_attempt')},
      intent_id ${ID} NOT NULL,
      invoice_id ${ID} NOT NULL,
      payment_method_id ${ID} NOT NULL,
      brand text,
      last4 text CHECK (last4 ~ '^[0-9]{4}$'),
      amount bigint NOT NULL CHECK (amount > 0),
      installments integer NOT NULL CHECK (installments BETWEEN 1 AND 12),
      deadline_at timestamptz NOT NULL,
      status text NOT NULL CHECK (status IN ('sent', 'approved', 'declined', 'never_charged')),
      decline_reason text,
      acquirer_code text,
      is_reversible boolean,
      unknown_at timestamptz,
      completed_at bigint,
      CHECK ((status = 'sent') = (completed_at IS NULL)),
      CHECK ((status IN ('declined', 'never_charged')) = (decline_reason IS NOT NULL AND is_reversible IS NOT NULL)),
      ${references('payment_intent', 'intent_id')},
      ${references('invoice', 'invoice_id')}
    )`);
    this.addSql(`CREATE UNIQUE INDEX charge_attempt_one_sent ON charge_attempt (intent_id) WHERE status = 'sent'`);
    this.addSql(
      `CREATE UNIQUE INDEX charge_attempt_one_approved ON charge_attempt (intent_id) WHERE status = 'approved'`,
    );
    this.addSql(`CREATE INDEX charge_attempt_intent ON charge_attempt (intent_id, id)`);
    this.addSql(`CREATE INDEX charge_attempt_sent ON charge_attempt (deadline_at) WHERE status = 'sent'`);
    this.addSql(
      `CREATE INDEX refund_part_standing ON refund_part (account_id, live_mode, intent_id) WHERE status <> 'failed' AND reason <> 'surplus'`,
    );
    this.addSql(`CREATE VIEW refund AS
      SELECT intent_id AS id, account_id, live_mode, min(created) AS created
      FROM refund_part WHERE status <> 'failed' AND reason <> 'surplus' GROUP BY account_id, live_mode, intent_id`);
  }
}
