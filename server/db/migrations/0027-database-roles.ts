import { Migration } from '@mikro-orm/migrations';

/** What each process may do, whoever logs in for it: a login gets its privileges as a member. */
export const GROUPS = ['fatura_api', 'fatura_worker', 'fatura_admin', 'fatura_audit'] as const;

/** They read when transactions of other processes began: without that a page that is read forward could leave something out. */
const READ_ACTIVITY = ['fatura_api', 'fatura_worker'] as const;

const attempt = ({
  isThere,
  sql,
  into,
}: {
  isThere: string;
  sql: string;
  into: string;
}): string => `IF NOT ${isThere} THEN
    BEGIN EXECUTE '${sql}'; EXCEPTION
      WHEN duplicate_object OR unique_violation THEN NULL;
      WHEN insufficient_privilege OR undefined_object THEN ${into} := ${into} || '${sql}; ';
    END;
  END IF;`;

const makeGroup = (group: string): string =>
  attempt({
    isThere: `EXISTS (SELECT FROM pg_roles WHERE rolname = '${group}')`,
    sql: `CREATE ROLE ${group} NOLOGIN`,
    into: 'v_lacking',
  });

const letReadActivity = (group: string): string =>
  attempt({
    isThere: `EXISTS (SELECT FROM pg_roles r WHERE r.rolname = '${group}' AND pg_has_role(r.oid, 'pg_read_all_stats', 'MEMBER'))`,
    sql: `GRANT pg_read_all_stats TO ${group}`,
    into: 'v_wanted',
  });

/**
 * Makes the roles that are missing; they belong to all databases of a server, so another one may have made them. Without a role
 * nothing can be granted; without a look at the activity lists that are read forward come late, and that is all.
 */
export const makeGroups = (
  groups: readonly string[],
  readers: readonly string[],
): string => `DO $$ DECLARE v_lacking text := ''; v_wanted text := ''; BEGIN
  ${groups.map(makeGroup).join('\n')}
  IF v_lacking <> '' THEN
    RAISE insufficient_privilege USING MESSAGE = 'roles of the service are missing, and ' || current_user ||
      ' may not make them. Have an administrator of the server run: ' || v_lacking;
  END IF;
  ${readers.map(letReadActivity).join('\n')}
  IF v_wanted <> '' THEN
    RAISE WARNING 'lists that are read forward come late until an administrator of the server has run: %', v_wanted;
  END IF;
END $$`;

/** What requests and cases write; events and attempts are never changed. */
const DOMAIN = `customer, product, price, invoice, payment_intent, payment_method, pix_charge, pix_receipt, refund_part, charge_attempt,
  dispute, subscription, checkout_session, mail, webhook_endpoint, webhook_recovery, delivery, event_standing, outbox, idempotency_key`;
const BANK = `sandbox_bank.cob, sandbox_bank.pix, sandbox_bank.devolucao, sandbox_bank.card, sandbox_bank.charge, sandbox_bank.estorno`;
const CLOCK = 'sandbox_offset_seconds, clock_held_at, clock_target, clock_moved_at';

const both = [
  `SELECT, INSERT, UPDATE, DELETE ON ${DOMAIN}, ${BANK}, sandbox_bank.behaviour, rate_limit, worker_heartbeat`,
  `SELECT, INSERT, UPDATE (resends), DELETE ON event`,
  `SELECT, INSERT ON encryption_canary`,
  `SELECT ON account, account_logo, live_acquirer, refund`,
];

const grants: Readonly<Record<(typeof GROUPS)[number], readonly string[]>> = {
  fatura_api: [
    ...both,
    `UPDATE (name, tax_id, support_email, support_phone, color, logo_url, ${CLOCK}) ON account`,
    `SELECT ON api_key`,
    `SELECT, DELETE ON delivery_attempt`,
    `INSERT, UPDATE, DELETE ON account_logo`,
  ],
  fatura_worker: [
    ...both,
    `UPDATE (${CLOCK}) ON account`,
    `SELECT, INSERT, DELETE ON delivery_attempt`,
    `UPDATE (certificate_warned, swept_until, returns_swept_at) ON live_acquirer`,
  ],
  fatura_admin: [
    `SELECT ON account, api_key, account_logo, live_acquirer, event, delivery_attempt, refund, encryption_canary, rate_limit, worker_heartbeat,
       migration, ${DOMAIN}, ${BANK}, sandbox_bank.behaviour`,
    `INSERT, UPDATE ON account, api_key`,
    `INSERT, UPDATE, DELETE ON account_logo, live_acquirer, sandbox_bank.behaviour`,
  ],
  fatura_audit: [
    `SELECT ON account, event, delivery_attempt, refund, worker_heartbeat, migration, ${DOMAIN}, ${BANK}, sandbox_bank.behaviour`,
  ],
};

/** Runs as whoever owns the tables; names are looked for nowhere else than there. */
const AS_OWNER = 'SECURITY DEFINER SET search_path = public, pg_temp';

/** What the worker changes of the schema, and nothing else: partitions of days. */
const partitionFunctions = [
  `CREATE FUNCTION is_partitioned_by_day(wanted text) RETURNS boolean LANGUAGE sql IMMUTABLE
   AS $$ SELECT wanted IN ('event', 'event_standing', 'delivery', 'delivery_attempt') $$`,
  // Every insert waits behind a change of its table that waits for a long transaction: better to come back later.
  `CREATE FUNCTION make_partition(parent text, from_day date) RETURNS boolean LANGUAGE plpgsql ${AS_OWNER} SET lock_timeout = '2s' AS $$
   DECLARE v_name text := parent || to_char(from_day, '_YYYYMMDD');
   BEGIN
     IF NOT is_partitioned_by_day(parent) THEN RAISE EXCEPTION '% has no partitions by day', parent; END IF;
     IF to_regclass(v_name) IS NOT NULL THEN RETURN false; END IF;
     EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', v_name, parent, from_day, from_day + 1);
     -- Its table has the policy: past that nobody reaches a row.
     EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_name);
     -- Rows that are rewritten at once leave dead ones at the head of their indexes: until those go, claims and lists read past them.
     IF parent IN ('delivery', 'event_standing') THEN
       EXECUTE format('ALTER TABLE %I SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)', v_name);
     END IF;
     RETURN true;
   END $$`,
  `CREATE FUNCTION drop_partition(parent text, of_day date) RETURNS void LANGUAGE plpgsql ${AS_OWNER} SET lock_timeout = '2s' AS $$
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
];

const partitionWork = 'make_partition(text, date), drop_partition(text, date), delete_strays(text, date, integer)';

export const MAKE_GROUPS = makeGroups(GROUPS, READ_ACTIVITY);

/**
 * By default anybody may make tables in `public` of an old database, and temporary ones in any. Privileges of the database itself
 * are not in a dump: each migrate asserts them.
 */
export const CLOSE_TO_PUBLIC = `DO $$ BEGIN
  IF pg_has_role((SELECT nspowner FROM pg_namespace WHERE nspname = 'public'), 'USAGE') THEN
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    GRANT USAGE ON SCHEMA public TO ${GROUPS.join(', ')};
  END IF;
  IF pg_has_role((SELECT datdba FROM pg_database WHERE datname = current_database()), 'USAGE') THEN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
  END IF;
  IF has_database_privilege('fatura_api', current_database(), 'TEMPORARY') THEN
    RAISE WARNING 'the API may make temporary tables until the owner of the database has run: %',
      format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC;', current_database());
  END IF;
  IF has_schema_privilege('fatura_api', 'public', 'CREATE') THEN
    RAISE WARNING 'the API may make tables until the owner of the schema has run: REVOKE CREATE ON SCHEMA public FROM PUBLIC;';
  END IF;
END $$`;

/** The API, the worker, operators and the audit each get what they need of the tables; whoever migrates owns them. */
export class DatabaseRoles extends Migration {
  override up(): void {
    this.addSql(MAKE_GROUPS);
    this.addSql(CLOSE_TO_PUBLIC);
    this.addSql(`GRANT USAGE ON SCHEMA sandbox_bank TO ${GROUPS.join(', ')}`);
    // A view reads for whoever asks it.
    this.addSql('ALTER VIEW refund SET (security_invoker = true)');
    for (const group of GROUPS) for (const grant of grants[group]) this.addSql(`GRANT ${grant} TO ${group}`);
    for (const sql of partitionFunctions) this.addSql(sql);
    this.addSql(`REVOKE EXECUTE ON FUNCTION ${partitionWork} FROM PUBLIC`);
    this.addSql(`GRANT EXECUTE ON FUNCTION ${partitionWork} TO fatura_worker`);
  }
}
