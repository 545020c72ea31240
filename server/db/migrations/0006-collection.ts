import { Migration } from '@mikro-orm/migrations';

/** Work that time brings: what falls due of subscriptions and invoices, how an account collects, and its test clock. */
export class Collection extends Migration {
  override up(): void {
    // Days after an invoice is due, and of the charges after the first one (docs/product/collection.md#charges-by-schedule).
    this.addSql(`ALTER TABLE account
      ADD COLUMN overdue_days float8 NOT NULL DEFAULT 1 CHECK (overdue_days > 0),
      ADD COLUMN suspend_days float8 NOT NULL DEFAULT 10,
      ADD COLUMN cancel_days float8 NOT NULL DEFAULT 30,
      ADD COLUMN retry_days float8[] NOT NULL DEFAULT '{1,3,7}' CHECK (0 < ALL (retry_days)),
      ADD CHECK (overdue_days <= suspend_days AND suspend_days < cancel_days),
      ADD COLUMN clock_held_at bigint,
      ADD COLUMN clock_target bigint,
      ADD COLUMN clock_moved_at timestamptz,
      ADD CHECK ((clock_held_at IS NULL) = (clock_target IS NULL)),
      ADD CHECK (clock_held_at <= clock_target)`);
    // Instants of what is due are on the account's clock; \`wake_at\` is the same in real seconds, null while that clock is held.
    this.addSql(`ALTER TABLE subscription
      ADD COLUMN billed_cycle integer NOT NULL DEFAULT 1 CHECK (billed_cycle >= cycle),
      ADD COLUMN due text CHECK (due IN ('end', 'renew', 'bill', 'start_period')),
      ADD COLUMN due_at bigint,
      ADD COLUMN wake_at bigint,
      ADD CHECK ((due IS NULL) = (due_at IS NULL)),
      ADD CHECK (due_at IS NOT NULL OR wake_at IS NULL)`);
    // What stood before falls due as if it had been made now; nothing had been renewed before.
    this.addSql(`UPDATE subscription s SET billed_cycle = greatest(s.cycle, 1), due = d.due, due_at = d.at, wake_at = d.at - d.ahead
      FROM (SELECT o.id, CASE WHEN o.live_mode THEN 0 ELSE a.sandbox_offset_seconds END AS ahead,
          CASE WHEN o.status = 'pending' THEN 'end' WHEN o.payment_method_type = 'card' THEN 'renew' ELSE 'bill' END AS due,
          CASE WHEN o.status = 'pending' THEN o.pending_until WHEN o.payment_method_type = 'card' THEN o.current_period_end
            ELSE greatest(o.current_period_end - 3 * 86400, o.current_period_start) END AS at
        FROM subscription o JOIN account a ON a.id = o.account_id) d
      WHERE d.id = s.id AND s.status IN ('pending', 'active')`);
    this.addSql(`CREATE INDEX subscription_wake ON subscription (wake_at, id) WHERE wake_at IS NOT NULL`);
    this.addSql(
      `CREATE INDEX subscription_due ON subscription (account_id, due_at, id) WHERE due_at IS NOT NULL AND NOT live_mode`,
    );
    this.addSql(`ALTER TABLE invoice
      ADD COLUMN collection text NOT NULL DEFAULT 'once' CHECK (collection IN ('once', 'awaited', 'renewal', 'suspended')),
      ADD COLUMN charges integer NOT NULL DEFAULT 0 CHECK (charges >= 0),
      ADD COLUMN next_charge_at bigint,
      ADD COLUMN reminders integer NOT NULL DEFAULT 0 CHECK (reminders >= 0),
      ADD COLUMN overdue_at bigint,
      ADD COLUMN in_case boolean NOT NULL DEFAULT false,
      ADD COLUMN step text CHECK (step IN ('charge', 'mark_overdue', 'suspend', 'cancel', 'remind')),
      ADD COLUMN step_at bigint,
      ADD COLUMN wake_at bigint,
      ADD CHECK ((step IS NULL) = (step_at IS NULL)),
      ADD CHECK (step IS NULL OR status = 'open'),
      ADD CHECK (step_at IS NOT NULL OR wake_at IS NULL)`);
    this.addSql(`UPDATE invoice SET collection = 'awaited' WHERE subscription_id IS NOT NULL`);
    this.addSql(`UPDATE invoice i SET step = 'mark_overdue', step_at = i.due_at + 86400,
        wake_at = i.due_at + 86400 - CASE WHEN i.live_mode THEN 0 ELSE a.sandbox_offset_seconds END
      FROM account a WHERE a.id = i.account_id AND i.status = 'open' AND i.subscription_id IS NULL`);
    this.addSql(`CREATE INDEX invoice_wake ON invoice (wake_at, id) WHERE wake_at IS NOT NULL`);
    this.addSql(
      `CREATE INDEX invoice_step ON invoice (account_id, step_at, id) WHERE step_at IS NOT NULL AND NOT live_mode`,
    );
    // Those of held clocks, and what was left asleep by one.
    this.addSql(
      `CREATE INDEX subscription_asleep ON subscription (account_id) WHERE due_at IS NOT NULL AND wake_at IS NULL`,
    );
    this.addSql(`CREATE INDEX invoice_asleep ON invoice (account_id) WHERE step_at IS NOT NULL AND wake_at IS NULL`);
    this.addSql(
      `CREATE INDEX delivery_ladder_account ON delivery (account_id, next_attempt_at) WHERE stage = 'ladder' AND NOT live_mode`,
    );
    // Rows that change once or twice soon after they came find room beside them, without new entries of their indexes.
    for (const table of ['subscription', 'invoice', 'payment_intent', 'charge_attempt'])
      this.addSql(`ALTER TABLE ${table} SET (fillfactor = 70)`);
    this.addSql(`CREATE INDEX invoice_in_case ON invoice (subscription_id, id) WHERE in_case`);
  }
}
