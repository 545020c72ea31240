import { Migration } from '@mikro-orm/migrations';
import { ID, references, scoped } from './columns.ts';

/** Subscriptions, and the cycle that an invoice bills. */
export class Subscriptions extends Migration {
  override up(): void {
    this.addSql(`CREATE TABLE subscription (
      ${scoped('subscription')},
      customer_id ${ID} NOT NULL,
      price_id ${ID} NOT NULL,
      item_id ${ID} NOT NULL UNIQUE,
      quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999),
      external_code text,
      discounts json NOT NULL DEFAULT '[]',
      status text NOT NULL CHECK (status IN ('pending', 'active', 'inactive', 'suspended')),
      billing_cycle_anchor bigint NOT NULL,
      anchor_cycle integer NOT NULL DEFAULT 1 CHECK (anchor_cycle >= 1),
      cycle integer NOT NULL DEFAULT 0 CHECK (cycle >= 0),
      current_period_start bigint,
      current_period_end bigint,
      latest_invoice_id ${ID},
      payment_method_type text CHECK (payment_method_type IN ('pix', 'card')),
      payment_method_id ${ID},
      installments integer NOT NULL DEFAULT 1 CHECK (installments BETWEEN 1 AND 12),
      pending_until bigint,
      activated_at bigint,
      suspended_at bigint,
      reactivated_at bigint,
      ended bigint,
      CHECK ((current_period_start IS NULL) = (current_period_end IS NULL)),
      CHECK (current_period_start < current_period_end),
      CHECK ((status = 'inactive') = (ended IS NOT NULL)),
      CHECK ((status = 'pending') = (pending_until IS NOT NULL)),
      ${references('customer', 'customer_id')},
      ${references('price', 'price_id')},
      ${references('payment_method', 'payment_method_id')}
    )`);
    this.addSql(`CREATE INDEX subscription_customer ON subscription (customer_id, id)`);
    this.addSql(`CREATE INDEX subscription_price ON subscription (price_id, id)`);
    this.addSql(
      `CREATE INDEX subscription_external_code ON subscription (account_id, live_mode, external_code, id) WHERE external_code IS NOT NULL`,
    );
    this.addSql(`ALTER TABLE invoice ADD COLUMN cycle integer CHECK (cycle >= 1)`);
    this.addSql(
      `ALTER TABLE invoice ADD CONSTRAINT invoice_subscription ${references('subscription', 'subscription_id')}`,
    );
    this.addSql(
      `ALTER TABLE payment_intent ADD CONSTRAINT payment_intent_subscription ${references('subscription', 'subscription_id')}`,
    );
    this.addSql(`ALTER TABLE invoice ADD CHECK ((subscription_id IS NULL) = (cycle IS NULL))`);
    this.addSql(
      `CREATE UNIQUE INDEX invoice_cycle ON invoice (subscription_id, cycle) WHERE subscription_id IS NOT NULL`,
    );
    this.addSql(
      `ALTER TABLE subscription ADD CONSTRAINT subscription_latest_invoice ${references('invoice', 'latest_invoice_id')} DEFERRABLE INITIALLY DEFERRED`,
    );
  }
}
