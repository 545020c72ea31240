import { Migration } from '@mikro-orm/migrations';
import { ID, references, scoped } from './columns.ts';

/** What an e-mail says and whom it says it to: all of it goes with the data of its customer. */
const PERSONAL = 'recipient, recipient_name, subject, body_text, body_html';
const PERSONAL_COUNT = PERSONAL.split(',').length;

/** E-mails to buyers, and whether they were sent. */
export class Mail extends Migration {
  override up(): void {
    // `created` is on the account's clock; what happens at the mail server happens in real time.
    this.addSql(`CREATE TABLE mail (
      ${scoped('mail')},
      invoice_id ${ID} NOT NULL,
      step smallint NOT NULL CHECK (step IN (-3, 0, 1, 3, 7)),
      recipient text,
      recipient_name text,
      subject text,
      body_text text,
      body_html text,
      message_id text NOT NULL UNIQUE,
      status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'sent', 'failed', 'dropped')),
      attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
      next_try_at timestamptz NOT NULL DEFAULT now(),
      sent_at timestamptz,
      last_error text,
      CONSTRAINT mail_once UNIQUE (invoice_id, step),
      CHECK ((status = 'sent') = (sent_at IS NOT NULL)),
      CHECK (num_nulls(${PERSONAL}) IN (0, ${PERSONAL_COUNT})),
      CHECK (status <> 'queued' OR recipient IS NOT NULL),
      ${references('invoice', 'invoice_id')}
    )`);
    this.addSql(`CREATE INDEX mail_queue ON mail (next_try_at) WHERE status = 'queued'`);
  }
}
