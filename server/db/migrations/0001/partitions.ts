/** Runs as whoever owns the tables; names are looked for nowhere else than there. */
const AS_OWNER = 'SECURITY DEFINER SET search_path = public, pg_temp';

const WORK = 'make_partition(text, date), drop_partition(text, date), delete_strays(text, date, integer)';

/** What the worker changes of the schema, and nothing else: partitions of days. */
export const partitions: readonly string[] = [
  `CREATE FUNCTION is_partitioned_by_day(wanted text) RETURNS boolean LANGUAGE sql IMMUTABLE
   AS $$ SELECT wanted IN ('event', 'event_delivery_status', 'delivery', 'delivery_attempt') $$`,
  // Every insert waits behind a change of its table that waits for a long transaction: better to come back later.
  `CREATE FUNCTION make_partition(parent text, from_day date) RETURNS boolean LANGUAGE plpgsql ${AS_OWNER} SET lock_timeout = '500ms' AS $$
   DECLARE v_name text := parent || to_char(from_day, '_YYYYMMDD');
   BEGIN
     IF NOT is_partitioned_by_day(parent) THEN RAISE EXCEPTION '% has no partitions by day', parent; END IF;
     IF to_regclass(v_name) IS NOT NULL THEN RETURN false; END IF;
     EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', v_name, parent, from_day, from_day + 1);
     -- Its table has the policy: past that nobody reaches a row.
     EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_name);
     -- Rows that are rewritten at once leave dead ones at the head of their indexes: until those go, claims and lists read past them.
     IF parent IN ('delivery', 'event_delivery_status') THEN
       EXECUTE format('ALTER TABLE %I SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)', v_name);
     END IF;
     RETURN true;
   END $$`,
  `CREATE FUNCTION drop_partition(parent text, of_day date) RETURNS void LANGUAGE plpgsql ${AS_OWNER} SET lock_timeout = '500ms' AS $$
   BEGIN
     IF NOT is_partitioned_by_day(parent) THEN RAISE EXCEPTION '% has no partitions by day', parent; END IF;
     IF of_day > current_date - 30 THEN RAISE EXCEPTION 'the events of % are kept', of_day; END IF;
     EXECUTE format('DROP TABLE IF EXISTS %I', parent || to_char(of_day, '_YYYYMMDD'));
   END $$`,
  // Rows of days that had no partition of their own; some at a time, so that locks are few and soon gone.
  `CREATE FUNCTION delete_strays(parent text, before_day date, rows_max integer) RETURNS bigint LANGUAGE plpgsql ${AS_OWNER} AS $$
   DECLARE v_deleted bigint;
   BEGIN
     IF NOT is_partitioned_by_day(parent) THEN RAISE EXCEPTION '% has no partitions by day', parent; END IF;
     IF before_day > current_date - 30 THEN RAISE EXCEPTION 'the events of % are kept', before_day; END IF;
     EXECUTE format('DELETE FROM %1$I WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$I WHERE day < %2$L LIMIT %3$s))',
       parent || '_default', before_day, rows_max);
     GET DIAGNOSTICS v_deleted = ROW_COUNT;
     RETURN v_deleted;
   END $$`,
  `REVOKE EXECUTE ON FUNCTION ${WORK} FROM PUBLIC`,
  `GRANT EXECUTE ON FUNCTION ${WORK} TO fatura_worker`,
];
