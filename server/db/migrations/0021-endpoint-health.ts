import { Migration } from '@mikro-orm/migrations';
import { ID, references } from './columns.ts';

/** Endpoints that accept nothing are found, and merchants written to; what an endpoint missed is sent again. */
export class EndpointHealth extends Migration {
  override up(): void {
    this.addSql(`CREATE INDEX webhook_endpoint_failing ON webhook_endpoint (failing_since)
      WHERE failing_since IS NOT NULL AND status <> 'disabled' AND deleted_at IS NULL`);
    this.addSql(`ALTER TABLE mail
      ALTER COLUMN invoice_id DROP NOT NULL,
      ADD COLUMN endpoint_id ${ID},
      DROP CONSTRAINT mail_occasion_check,
      ADD CONSTRAINT mail_occasion_check
        CHECK (occasion IN ('reminder', 'declined', 'sent', 'endpoint_failing', 'endpoint_disabled')),
      ADD CONSTRAINT mail_about CHECK (CASE WHEN occasion IN ('endpoint_failing', 'endpoint_disabled')
        THEN endpoint_id IS NOT NULL AND invoice_id IS NULL ELSE invoice_id IS NOT NULL AND endpoint_id IS NULL END),
      ADD ${references('webhook_endpoint', 'endpoint_id')}`);
    // `last_event_id`: the scan has come so far; `due_at` is real time.
    this.addSql(`CREATE TABLE webhook_recovery (
      endpoint_id ${ID} PRIMARY KEY,
      account_id ${ID} NOT NULL,
      live_mode boolean NOT NULL,
      since bigint NOT NULL,
      until bigint NOT NULL,
      status text NOT NULL CHECK (status IN ('running', 'done')),
      events integer NOT NULL CHECK (events >= 0),
      last_event_id ${ID} NOT NULL,
      due_at timestamptz NOT NULL DEFAULT now(),
      CHECK (since <= until),
      ${references('webhook_endpoint', 'endpoint_id')}
    )`);
    this.addSql(`CREATE INDEX webhook_recovery_running ON webhook_recovery (due_at) WHERE status = 'running'`);
    this.addSql('CREATE INDEX webhook_recovery_scope ON webhook_recovery (account_id, live_mode)');
    this.addSql('CREATE INDEX mail_endpoint ON mail (endpoint_id) WHERE endpoint_id IS NOT NULL');
  }
}
