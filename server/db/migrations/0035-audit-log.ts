import { Migration } from '@mikro-orm/migrations';
import { ID } from './columns.ts';

/** What an entry says, as columns that cannot say anything else. */
const told = (name: string, type: string, field = name): string =>
  `${name} ${type} GENERATED ALWAYS AS (((entry::jsonb) ->> '${field}')${type.startsWith('text') ? '' : `::${type}`}) STORED`;

/**
 * Takes the next place of a chain. Its head is locked until the transaction ends, so entries of one chain come one after the
 * other, and nobody but this function moves a head.
 */
const APPEND = `CREATE FUNCTION append_to_audit_log() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
  BEGIN
    NEW.chain := coalesce((NEW.entry::jsonb) ->> 'account', 'service');
    INSERT INTO audit_log_head AS h (chain, entries, hash) VALUES (NEW.chain, 1, sha256(''))
      ON CONFLICT (chain) DO UPDATE SET entries = h.entries + 1
      RETURNING h.entries, h.hash INTO NEW.place, NEW.former_hash;
    NEW.hash := sha256(NEW.former_hash || convert_to(NEW.chain || E'\\n' || NEW.place || E'\\n' || NEW.entry, 'UTF8'));
    UPDATE audit_log_head SET hash = NEW.hash WHERE chain = NEW.chain;
    IF (NEW.entry::jsonb) ->> 'action' = 'audit_log.anchor' THEN
      UPDATE audit_log_head h SET anchored = (a.head ->> 'entries')::bigint
        FROM jsonb_array_elements((NEW.entry::jsonb) -> 'after' -> 'heads') AS a (head) WHERE h.chain = a.head ->> 'chain';
    END IF;
    PERFORM set_config('fatura.logged', 'yes', true);
    RETURN NEW;
  END $$`;

const REFUSE = `CREATE FUNCTION refuse_change_of_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_TABLE_NAME = 'audit_log_head' AND TG_OP <> 'DELETE' AND TG_OP <> 'TRUNCATE' AND pg_trigger_depth() > 1 THEN
      RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the audit log is only added to: % of % is refused', TG_OP, TG_TABLE_NAME
      USING ERRCODE = 'insufficient_privilege';
  END $$`;

/**
 * Where each process has a role of its own: they add entries and change none, and the API tells of the use of keys and
 * changes no key. Heads are moved by the trigger alone, which runs as the owner of the tables.
 */
const GRANT = `DO $$ BEGIN
  IF to_regprocedure('hold_to_accounts(regclass, text)') IS NULL THEN RETURN; END IF;
  PERFORM hold_to_accounts('audit_log');
  GRANT INSERT (entry) ON audit_log TO fatura_api, fatura_worker, fatura_admin;
  GRANT SELECT ON audit_log TO fatura_admin, fatura_audit;
  GRANT SELECT ON audit_log_head TO fatura_worker, fatura_admin, fatura_audit;
  GRANT SELECT, INSERT, UPDATE ON api_key_use TO fatura_api;
  GRANT SELECT ON api_key_use TO fatura_admin, fatura_audit;
END $$`;

/** Who did what: entries that are only added, each with the hash of the one before it (docs/design/audit-log.md). */
export class AuditLog extends Migration {
  override up(): void {
    this.addSql(`CREATE TABLE audit_log_head (
      chain ${ID} PRIMARY KEY,
      entries bigint NOT NULL,
      hash bytea NOT NULL,
      anchored bigint NOT NULL DEFAULT 0
    )`);
    this.addSql(`CREATE TABLE audit_log (
      chain ${ID} NOT NULL,
      place bigint NOT NULL,
      former_hash bytea NOT NULL,
      hash bytea NOT NULL,
      entry text NOT NULL,
      ${told('id', ID)} UNIQUE,
      ${told('at', 'bigint')},
      ${told('account_id', ID, 'account')},
      ${told('live_mode', 'boolean')},
      ${told('action', 'text')},
      actor text GENERATED ALWAYS AS (((entry::jsonb) -> 'actor') ->> 'id') STORED,
      PRIMARY KEY (chain, place),
      CHECK (id IS NOT NULL AND at IS NOT NULL AND action IS NOT NULL AND actor IS NOT NULL)
    )`);
    this.addSql('CREATE INDEX audit_log_account ON audit_log (account_id, id) WHERE account_id IS NOT NULL');
    this.addSql(APPEND);
    this.addSql(REFUSE);
    this.addSql('CREATE TRIGGER append BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION append_to_audit_log()');
    this.addSql(`CREATE TRIGGER only_added BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log()`);
    this.addSql(`CREATE TRIGGER only_appended BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON audit_log_head
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log()`);
    this.addSql(GRANT);
  }
}
