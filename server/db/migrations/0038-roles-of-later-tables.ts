import { Migration } from '@mikro-orm/migrations';
import { OF_MODE } from './0028-row-level-security.ts';

/** Each process tells of its ring of keys, and one that starts first writes the key of hashes. */
const RING = `DO $$ BEGIN
  GRANT SELECT, INSERT ON encryption_key TO fatura_api, fatura_worker, fatura_admin;
  GRANT SELECT, INSERT, UPDATE, DELETE ON encryption_ring TO fatura_api, fatura_worker, fatura_admin;
  GRANT UPDATE (hash_key) ON encryption_canary TO fatura_api, fatura_worker;
  GRANT SELECT (cleared_at) ON encryption_canary TO fatura_audit;
END $$`;

/** An operator has everything sealed anew, and rows in clear become sealed ones. */
const SEALING = `DO $$ BEGIN
  GRANT INSERT, UPDATE ON encryption_canary TO fatura_admin;
  GRANT DELETE ON encryption_key TO fatura_admin;
  GRANT UPDATE ON customer, payment_method TO fatura_admin;
  GRANT UPDATE (secret, former_secret) ON webhook_endpoint TO fatura_admin;
  GRANT UPDATE (answer) ON idempotency_key TO fatura_admin;
END $$`;

/**
 * The worker counts e-mails and asks whom nothing is sent to; requests ask whether the counts are used up. An operator suppresses
 * addresses, and lets go of e-mails that are held.
 */
const MAILS = `DO $$ BEGIN
  GRANT SELECT, INSERT, UPDATE, DELETE ON mail_count TO fatura_worker;
  GRANT SELECT ON mail_suppression TO fatura_worker;
  GRANT SELECT ON mail_count TO fatura_api, fatura_admin;
  GRANT SELECT, INSERT, UPDATE, DELETE ON mail_suppression TO fatura_admin;
  GRANT UPDATE (status, next_try_at, last_error) ON mail TO fatura_admin;
END $$`;

/** Customers are found by the keyed hash of their e-mail, and those of before, in clear, by the e-mail. */
const FIND_CUSTOMERS = `CREATE OR REPLACE FUNCTION customers_of_email(of_account text, of_mode boolean, of_email text, of_index bytea)
  RETURNS SETOF text LANGUAGE sql STABLE ROWS 10 SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT id FROM customer WHERE email_index = of_index AND account_id = of_account COLLATE "C" AND live_mode = of_mode AND ${OF_MODE}
    UNION ALL
    SELECT id FROM customer WHERE account_id = of_account COLLATE "C" AND live_mode = of_mode AND email IS NOT NULL AND lower(email) = of_email
      AND ${OF_MODE} $$`;

/** What each process may do with the tables and columns that came after the roles; none of the tables has rows of accounts. */
export class RolesOfLaterTables extends Migration {
  override up(): void {
    for (const sql of [RING, SEALING, MAILS]) this.addSql(sql);
    this.addSql('DROP FUNCTION IF EXISTS customers_of_email(text, boolean, text)');
    this.addSql(FIND_CUSTOMERS);
    this.addSql('REVOKE EXECUTE ON FUNCTION customers_of_email(text, boolean, text, bytea) FROM PUBLIC');
    this.addSql(
      'GRANT EXECUTE ON FUNCTION customers_of_email(text, boolean, text, bytea) TO fatura_api, fatura_worker, fatura_admin',
    );
  }
}
