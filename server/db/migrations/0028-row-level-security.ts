import { Migration } from '@mikro-orm/migrations';

/** A row of an account in a mode, by the settings of `server/db/reach.ts`; without them nothing is reached. */
export const OF_MODE = `current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')`;

/** A row of an account that is of neither mode. */
const ofEither = (account: string): string =>
  `${account} IN (current_setting('fatura.live', true), current_setting('fatura.sandbox', true)) OR current_setting('fatura.live', true) = '*'`;

const quoted = (sql: string): string => `'${sql.replaceAll("'", "''")}'`;

/**
 * Gives a table its policy. With `account_id`, and `live_mode` where rows have a mode, it follows from the columns; any other
 * table says by what its rows are held. Partitions have none: past their table nobody reaches a row. Whoever owns the tables
 * stays outside: migrations and backups see all rows.
 */
const holdToAccounts = `CREATE FUNCTION hold_to_accounts(held regclass, condition text DEFAULT NULL) RETURNS void
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
    EXECUTE format('DROP POLICY IF EXISTS own ON %s', held);
    EXECUTE format('CREATE POLICY own ON %s USING (%s)', held, v_condition);
    FOR v_part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = held LOOP
      EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', v_part);
    END LOOP;
  END $$`;

/** SQL that holds the rows of a new table to the account and mode of whoever asks (docs/design/security.md#a-new-table). */
export const holdToAccountsSql = (table: string, condition?: string): string =>
  `SELECT hold_to_accounts('${table}'${condition === undefined ? '' : `, ${quoted(condition)}`})`;

const byColumns = `customer product price invoice payment_intent payment_method pix_charge pix_receipt refund_part charge_attempt dispute
  subscription checkout_session mail webhook_endpoint webhook_recovery event delivery event_standing idempotency_key api_key outbox account_logo`;

/** The tables of the policy `own`. */
export const HELD = [...byColumns.split(/\s+/), 'account', 'delivery_attempt', 'live_acquirer'];

/** It stands under the deliveries of its event; runs look at all of them. */
const OF_DELIVERY = `current_setting('fatura.live', true) = '*' OR EXISTS (SELECT FROM delivery d
  WHERE d.day = delivery_attempt.day AND d.event_id = delivery_attempt.event_id
    AND d.endpoint_id = delivery_attempt.endpoint_id AND d.ladder = delivery_attempt.ladder)`;

/** Only live accounts have one. */
const OF_LIVE = `current_setting('fatura.live', true) IN (account_id, '*')`;

/** A reset empties a sandbox, and no request removes what is live, but for a key whose request came to nothing. */
const REMOVED_IN_SANDBOX = `customer product price invoice payment_intent payment_method pix_charge pix_receipt refund_part charge_attempt
  dispute subscription checkout_session mail webhook_endpoint webhook_recovery event delivery event_standing`;

const names = (list: string): string[] => list.split(/\s+/);

/**
 * What an index finds by an expression or by what an array contains, the planner would read in full behind a policy: it
 * trusts neither with rows of others. So these look outside of the policies, and hold what they find to the same.
 */
const finders = [
  `CREATE FUNCTION events_of_object(of_object text, first_day date, last_day date) RETURNS SETOF event LANGUAGE sql STABLE ROWS 100
   SECURITY DEFINER SET search_path = public, pg_temp AS $$
     SELECT * FROM event WHERE related @> ARRAY[of_object] AND day BETWEEN first_day AND last_day AND ${OF_MODE} $$`,
  `CREATE FUNCTION customers_of_email(of_account text, of_mode boolean, of_email text) RETURNS SETOF text LANGUAGE sql STABLE ROWS 10
   SECURITY DEFINER SET search_path = public, pg_temp AS $$
     SELECT id FROM customer WHERE account_id = of_account COLLATE "C" AND live_mode = of_mode AND email IS NOT NULL AND lower(email) = of_email
       AND ${OF_MODE} $$`,
];

/** The database itself holds each statement to the account and mode that it is for. */
export class RowLevelSecurity extends Migration {
  override up(): void {
    this.addSql(holdToAccounts);
    for (const table of names(byColumns)) this.addSql(holdToAccountsSql(table));
    this.addSql(holdToAccountsSql('account', ofEither('id')));
    this.addSql(holdToAccountsSql('delivery_attempt', OF_DELIVERY));
    this.addSql(holdToAccountsSql('live_acquirer', OF_LIVE));
    for (const table of names(REMOVED_IN_SANDBOX)) {
      this.addSql(
        `CREATE POLICY removed_in_sandbox ON ${table} AS RESTRICTIVE FOR DELETE TO fatura_api USING (NOT live_mode)`,
      );
    }
    for (const sql of finders) this.addSql(sql);
    this.addSql(`REVOKE EXECUTE ON FUNCTION hold_to_accounts(regclass, text) FROM PUBLIC`);
    for (const finder of ['events_of_object(text, date, date)', 'customers_of_email(text, boolean, text)']) {
      this.addSql(`REVOKE EXECUTE ON FUNCTION ${finder} FROM PUBLIC`);
      this.addSql(`GRANT EXECUTE ON FUNCTION ${finder} TO fatura_api, fatura_worker, fatura_admin`);
    }
  }
}
