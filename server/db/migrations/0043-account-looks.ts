import { Migration } from '@mikro-orm/migrations';
import { holdToAccountsSql } from './0028-row-level-security.ts';
import { ID } from './columns.ts';

const LOGO = 'logo_media_type, logo_digest, logo_content, logo_width, logo_height';
const LOOK = `name, tax_id, support_email, support_phone, color, logo_url, ${LOGO}`;

/** What the account and its logo showed in both modes. */
const SHOWN = `a.name, a.tax_id, a.support_email, a.support_phone, a.color, a.logo_url,
  l.media_type, l.digest, l.content, l.width, l.height`;
const ACCOUNTS = 'account a LEFT JOIN account_logo l ON l.account_id = a.id';

const copyLooks = (which: string): string => `INSERT INTO account_look (id, account_id, live_mode, created, ${LOOK})
  SELECT a.id, a.id, m.live_mode, a.created, ${SHOWN} FROM ${ACCOUNTS} CROSS JOIN (VALUES (true), (false)) AS m (live_mode) ${which}`;

/**
 * The version before goes on writing the account and its logo. What it writes for a key changes the look of the key's mode,
 * because the policy of the table hides the other one. This runs with COMMIT: that version writes the logo last.
 */
const followAccount = `CREATE FUNCTION follow_account() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      ${copyLooks('WHERE a.id = NEW.id ON CONFLICT DO NOTHING')};
    ELSE
      UPDATE account_look SET (${LOOK}) = (SELECT ${SHOWN} FROM ${ACCOUNTS} WHERE a.id = NEW.id) WHERE account_id = NEW.id;
    END IF;
    RETURN NULL;
  END $$`;

/** What buyers see of a merchant stands for each mode apart; the sandbox begins with what both modes showed. */
export class AccountLooks extends Migration {
  override up(): void {
    this.addSql(`CREATE TABLE account_look (
      id ${ID} NOT NULL CHECK (id = account_id),
      account_id ${ID} NOT NULL REFERENCES account,
      live_mode boolean NOT NULL,
      created bigint NOT NULL,
      name text NOT NULL,
      tax_id text,
      support_email text,
      support_phone text,
      color text,
      logo_url text,
      logo_media_type text CHECK (logo_media_type IN ('image/png', 'image/jpeg', 'image/webp')),
      logo_digest text,
      logo_content bytea,
      logo_width integer,
      logo_height integer,
      last_event_id ${ID},
      last_event_at bigint,
      PRIMARY KEY (account_id, live_mode),
      CONSTRAINT account_look_whole_logo CHECK (num_nonnulls(${LOGO}) IN (0, 5))
    )`);
    this.addSql('CREATE INDEX account_look_logo ON account_look (logo_digest) WHERE logo_digest IS NOT NULL');
    this.addSql(holdToAccountsSql('account_look'));
    this.addSql('GRANT SELECT ON account_look TO fatura_api, fatura_worker, fatura_admin, fatura_audit');
    this.addSql(`GRANT UPDATE (${LOOK}, last_event_id, last_event_at) ON account_look TO fatura_api`);
    this.addSql('GRANT INSERT, UPDATE ON account_look TO fatura_admin');
    this.addSql(followAccount);
    this.addSql(`CREATE CONSTRAINT TRIGGER follow_account AFTER INSERT OR UPDATE OF name, tax_id, support_email, support_phone, color, logo_url
      ON account DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION follow_account()`);
    // Whoever changes an account meanwhile waits, and changes its looks behind this.
    this.addSql(copyLooks('FOR NO KEY UPDATE OF a ON CONFLICT DO NOTHING'));
  }
}
