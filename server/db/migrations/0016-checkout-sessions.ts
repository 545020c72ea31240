import { Migration } from '@mikro-orm/migrations';
import { ID, references, scoped } from './columns.ts';

/** Checkout sessions, and until when the invoice of one can be paid. */
export class CheckoutSessions extends Migration {
  override up(): void {
    this.addSql(`CREATE TABLE checkout_session (
      ${scoped('checkout_session')},
      mode text NOT NULL CHECK (mode IN ('payment', 'subscription')),
      status text NOT NULL CHECK (status IN ('open', 'complete', 'expired')),
      customer_id ${ID},
      invoice_id ${ID},
      subscription_id ${ID},
      amount bigint CHECK (amount >= 0),
      external_code text,
      line_items json NOT NULL,
      discounts json NOT NULL,
      metadata json NOT NULL,
      url text NOT NULL,
      success_url text NOT NULL,
      return_url text NOT NULL,
      expires_at bigint NOT NULL,
      attached_at bigint,
      completed_at bigint,
      expired_at bigint,
      due_at bigint,
      wake_at bigint,
      CHECK ((status = 'complete') = (completed_at IS NOT NULL)),
      CHECK ((status = 'expired') = (expired_at IS NOT NULL)),
      CHECK ((customer_id IS NULL) = (invoice_id IS NULL) AND (customer_id IS NULL) = (amount IS NULL)),
      CHECK ((mode = 'subscription' AND customer_id IS NOT NULL) = (subscription_id IS NOT NULL)),
      CHECK (due_at IS NULL OR status = 'open'),
      ${references('customer', 'customer_id')},
      ${references('invoice', 'invoice_id')},
      ${references('subscription', 'subscription_id')}
    )`);
    this.addSql(
      `CREATE UNIQUE INDEX checkout_session_external_code ON checkout_session (account_id, live_mode, external_code) WHERE external_code IS NOT NULL`,
    );
    this.addSql(
      `CREATE UNIQUE INDEX checkout_session_invoice ON checkout_session (invoice_id) WHERE invoice_id IS NOT NULL`,
    );
    this.addSql(
      `CREATE UNIQUE INDEX checkout_session_subscription ON checkout_session (subscription_id) WHERE subscription_id IS NOT NULL`,
    );
    this.addSql(
      `CREATE INDEX checkout_session_customer ON checkout_session (customer_id, id) WHERE customer_id IS NOT NULL`,
    );
    this.addSql(`CREATE INDEX checkout_session_wake ON checkout_session (wake_at, id) WHERE wake_at IS NOT NULL`);
    this.addSql(
      `CREATE INDEX checkout_session_due ON checkout_session (account_id, due_at, id) WHERE due_at IS NOT NULL AND NOT live_mode`,
    );
    this.addSql(
      `CREATE INDEX checkout_session_asleep ON checkout_session (account_id) WHERE due_at IS NOT NULL AND wake_at IS NULL`,
    );
    this.addSql('ALTER TABLE invoice ADD COLUMN payable_until bigint');
  }
}
