import { MODE_GROUPS } from '../../roles.ts';

/** A row of an account in a mode, by the settings of `server/db/reach.ts`; without them nothing is reached. */
const OF_MODE = `current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')`;

/** A row of an account that is of neither mode. */
const ofEither = (account: string): string =>
  `${account} IN (current_setting('fatura.live', true), current_setting('fatura.sandbox', true)) OR current_setting('fatura.live', true) = '*'`;

const quoted = (sql: string): string => `'${sql.replaceAll("'", "''")}'`;

/**
 * Gives a table its policy. With `account_id`, and `live_mode` where rows have a mode, it follows from the columns; any other
 * table says by what its rows are held. Partitions have none: past their table nobody reaches a row. Whoever owns the tables
 * stays outside: migrations and backups see all rows. A login of one mode reaches no row of the other. A policy lets through all that a statement asks for, and the planner takes
 * its comparison for one that keeps a hundredth; of a `coalesce` it expects half.
 */
const HOLD_TO_ACCOUNTS = `CREATE FUNCTION hold_to_accounts(held regclass, condition text DEFAULT NULL) RETURNS void
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
  DECLARE v_columns text[]; v_condition text := condition; v_part regclass;
  BEGIN
    SELECT array_agg(attname::text) INTO v_columns FROM pg_attribute
      WHERE attrelid = held AND attname IN ('account_id', 'live_mode') AND NOT attisdropped;
    IF v_condition IS NULL THEN
      v_condition := CASE WHEN v_columns @> ARRAY['account_id', 'live_mode'] THEN ${quoted(OF_MODE)}
        WHEN v_columns @> ARRAY['account_id'] THEN ${quoted(ofEither('account_id'))} END;
    END IF;
    IF v_condition IS NULL THEN RAISE EXCEPTION '% has no account_id: say by what its rows are held', held; END IF;
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', held);
    EXECUTE format('CREATE POLICY own ON %s USING (coalesce((%s), false))', held, v_condition);
    IF v_columns @> ARRAY['live_mode'] THEN
      EXECUTE format('CREATE POLICY of_live ON %s AS RESTRICTIVE TO ${MODE_GROUPS.live.join(', ')} USING (live_mode)', held);
      EXECUTE format('CREATE POLICY of_sandbox ON %s AS RESTRICTIVE TO ${MODE_GROUPS.sandbox.join(', ')} USING (NOT live_mode)', held);
    END IF;
    FOR v_part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = held LOOP
      EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', v_part);
    END LOOP;
  END $$`;

const hold = (table: string, condition?: string): string =>
  `SELECT hold_to_accounts('${table}'${condition === undefined ? '' : `, ${quoted(condition)}`})`;

const BY_COLUMNS = `customer typed_email product price invoice payment_intent payment_method pix_charge pix_receipt refund_part charge_attempt
  dispute subscription checkout_session mail webhook_endpoint webhook_recovery event delivery event_standing idempotency_key api_key outbox
  account_look audit_log`;

/** The policies of deliveries hold what is under them. */
const UNDER_DELIVERY = `EXISTS (SELECT FROM delivery d WHERE d.day = delivery_attempt.day AND d.event_id = delivery_attempt.event_id
  AND d.endpoint_id = delivery_attempt.endpoint_id AND d.ladder = delivery_attempt.ladder)`;

/** It stands under the deliveries of its event; runs look at all of them. */
const OF_DELIVERY = `current_setting('fatura.live', true) = '*' OR ${UNDER_DELIVERY}`;

/** Only live accounts have one. */
const OF_LIVE = `current_setting('fatura.live', true) IN (account_id, '*')`;

/** A reset empties a sandbox, and no request removes what is live, but for a key whose request came to nothing. */
const REMOVED_IN_SANDBOX = `customer typed_email product price invoice payment_intent payment_method pix_charge pix_receipt refund_part charge_attempt
  dispute subscription checkout_session mail webhook_endpoint webhook_recovery event delivery event_standing`;

const names = (list: string): string[] => list.split(/\s+/);

const removedInSandbox = (table: string, condition: string): string =>
  `CREATE POLICY removed_in_sandbox ON ${table} AS RESTRICTIVE FOR DELETE TO fatura_api USING (${condition})`;

/**
 * An attempt says nothing of its mode, so its endpoint does, which stands for as long as its deliveries. What an endpoint that
 * is gone was sent was of a sandbox: nobody removes a live one. No delivery is asked: it is found by a column of days, which a
 * removal must not choose partitions by (docs/design/sql.md#partitions).
 */
const OF_SANDBOX = `coalesce((SELECT NOT w.live_mode FROM webhook_endpoint w WHERE w.id = delivery_attempt.endpoint_id), true)`;

const isOf = (mode: keyof typeof MODE_GROUPS): string =>
  `(${MODE_GROUPS[mode].map((group) => `pg_has_role(session_user, '${group}', 'USAGE')`).join(' OR ')})`;

/** Whoever logs in for one mode reaches rows of that mode alone, past the policies too; a superuser is of all roles. */
const OF_LOGIN = `CASE WHEN live_mode THEN ${isOf('live')} OR NOT ${isOf('sandbox')} ELSE ${isOf('sandbox')} OR NOT ${isOf('live')} END`;

/** Rows that say nothing of their mode, for the logins of one mode. */
const ofOneMode = (table: string, mode: keyof typeof MODE_GROUPS, condition: string): string =>
  `CREATE POLICY of_${mode} ON ${table} AS RESTRICTIVE TO ${MODE_GROUPS[mode].join(', ')} USING (${condition})`;

/**
 * What an index finds by what an array contains, the planner would read in full behind a policy: it does not trust that with
 * rows of others. So this looks outside of the policies, and holds what it finds to the same.
 */
const EVENTS_OF_OBJECT = `CREATE FUNCTION events_of_object(of_object text, first_day date, last_day date) RETURNS SETOF event LANGUAGE sql STABLE ROWS 100
   SECURITY DEFINER SET search_path = public, pg_temp AS $$
     SELECT * FROM event WHERE related @> ARRAY[of_object] AND day BETWEEN first_day AND last_day AND ${OF_MODE}
       AND ${OF_LOGIN} $$`;

/** The database itself holds each statement to the account and mode that it is for. */
export const policies: readonly string[] = [
  HOLD_TO_ACCOUNTS,
  'REVOKE EXECUTE ON FUNCTION hold_to_accounts(regclass, text) FROM PUBLIC',
  ...names(BY_COLUMNS).map((table) => hold(table)),
  hold('account', ofEither('id')),
  hold('delivery_attempt', OF_DELIVERY),
  hold('live_acquirer', OF_LIVE),
  ofOneMode('live_acquirer', 'sandbox', 'false'),
  ofOneMode('delivery_attempt', 'live', UNDER_DELIVERY),
  ofOneMode('delivery_attempt', 'sandbox', UNDER_DELIVERY),
  ...names(REMOVED_IN_SANDBOX).map((table) => removedInSandbox(table, 'NOT live_mode')),
  removedInSandbox('delivery_attempt', OF_SANDBOX),
  EVENTS_OF_OBJECT,
  'REVOKE EXECUTE ON FUNCTION events_of_object(text, date, date) FROM PUBLIC',
  'GRANT EXECUTE ON FUNCTION events_of_object(text, date, date) TO fatura_api, fatura_worker, fatura_admin',
];
