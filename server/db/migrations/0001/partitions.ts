/** Runs as whoever owns the tables; names are looked for nowhere else than there. */
const AS_OWNER = 'SECURITY DEFINER SET search_path = public, pg_temp';

const WORK = 'make_partition(text, date), drop_partition(text, date), delete_strays(text, date, integer)';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Characters at the head of an id's suffix that hold its 48 bits of milliseconds, five bits each. */
const TIME_CHARACTERS = 10;

/** How many rows of a month may be one of a kind: what holds across months is the lock of the invoice, and `npm run audit` proves it. */
const ONLY_ONE: readonly (readonly [parent: string, name: string, column: string, where: string])[] = [
  // An invoice has one charge that may still settle, and one that settled it.
  ['payment_intent', 'one_unsettled', 'invoice_id', `status IN ('pending', 'scheduled', 'processing', 'failed')`],
  ['payment_intent', 'one_settling', 'invoice_id', `status IN ('paid', 'refunding', 'refunded') AND NOT surplus`],
  ['charge_attempt', 'one_sent', 'intent_id', `status = 'sent'`],
  ['charge_attempt', 'one_approved', 'intent_id', `status = 'approved'`],
  ['pix_charge', 'one_of_intent', 'intent_id', 'true'],
];

const onlyOne = ONLY_ONE.map(
  ([parent, name, column, where]) => `IF parent = '${parent}' THEN
       EXECUTE format('CREATE UNIQUE INDEX %I ON %I (${column}) WHERE ${where.replaceAll(`'`, `''`)}', v_name || '_${name}', v_name);
     END IF;`,
).join('\n     ');

const months: readonly string[] = [
  `CREATE FUNCTION is_partitioned_by_month(wanted text) RETURNS boolean LANGUAGE sql IMMUTABLE
   AS $$ SELECT wanted IN ('invoice', 'payment_intent', 'charge_attempt', 'pix_charge') $$`,
  `CREATE FUNCTION id_prefix(parent text) RETURNS text LANGUAGE sql IMMUTABLE
   RETURN CASE parent WHEN 'invoice' THEN 'in_' WHEN 'payment_intent' THEN 'pi_' WHEN 'charge_attempt' THEN 'ca_' ELSE '' END`,
  // No id that is made from that instant on sorts before it, and every one that was made earlier does.
  `CREATE FUNCTION first_id_of_month(parent text, month date) RETURNS text LANGUAGE sql IMMUTABLE AS $$
   SELECT id_prefix(parent) || string_agg(substr('${ALPHABET}', ((ms >> (5 * (${TIME_CHARACTERS - 1} - place))) & 31)::integer + 1, 1), '' ORDER BY place)
   FROM (SELECT (extract(epoch FROM month::timestamp) * 1000)::bigint AS ms) AS instant, generate_series(0, ${TIME_CHARACTERS - 1}) AS place $$`,
  // It is made beside its table, where nobody waits for it, and then takes its place there. The first one takes whatever is older.
  `CREATE FUNCTION make_month(parent text, month date) RETURNS boolean LANGUAGE plpgsql ${AS_OWNER} SET lock_timeout = '500ms' AS $$
   DECLARE v_name text := parent || to_char(month, '_YYYYMM'); v_from text := first_id_of_month(parent, month);
   BEGIN
     IF to_regclass(v_name) IS NOT NULL THEN RETURN false; END IF;
     IF NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = parent::regclass AND inhrelid::regclass::text ~ '_[0-9]{6}$') THEN
       v_from := id_prefix(parent) || '01';
     END IF;
     EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', v_name, parent);
     -- Its table has the policy: past that nobody reaches a row.
     EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_name);
     -- Rows that change often leave room for their change.
     IF parent <> 'pix_charge' THEN EXECUTE format('ALTER TABLE %I SET (fillfactor = 70)', v_name); END IF;
     ${onlyOne}
     EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, v_name, v_from,
       first_id_of_month(parent, (month + interval '1 month')::date));
     RETURN true;
   END $$`,
];

/** What the worker changes of the schema, and nothing else: partitions of days and of months. */
export const partitions: readonly string[] = [
  ...months,
  `CREATE FUNCTION is_partitioned_by_day(wanted text) RETURNS boolean LANGUAGE sql IMMUTABLE
   AS $$ SELECT wanted IN ('event', 'event_delivery_status', 'delivery', 'delivery_attempt') $$`,
  // Every insert waits behind a change of its table that waits for a long transaction: better to come back later.
  `CREATE FUNCTION make_partition(parent text, from_day date) RETURNS boolean LANGUAGE plpgsql ${AS_OWNER} SET lock_timeout = '500ms' AS $$
   DECLARE v_name text := parent || to_char(from_day, '_YYYYMMDD');
   BEGIN
     IF is_partitioned_by_month(parent) THEN RETURN make_month(parent, date_trunc('month', from_day)::date); END IF;
     IF NOT is_partitioned_by_day(parent) THEN RAISE EXCEPTION '% has no partitions', parent; END IF;
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
  `REVOKE EXECUTE ON FUNCTION ${WORK}, make_month(text, date) FROM PUBLIC`,
  `GRANT EXECUTE ON FUNCTION ${WORK} TO fatura_worker`,
];
