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

/** Heads are moved by the trigger alone, which runs as the owner of the tables. */
export const auditLogTriggers: readonly string[] = [
  APPEND,
  REFUSE,
  'CREATE TRIGGER append BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION append_to_audit_log()',
  `CREATE TRIGGER only_added BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log()`,
  `CREATE TRIGGER only_appended BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON audit_log_head
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log()`,
];
