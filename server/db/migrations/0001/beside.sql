-- What the ORM cannot say of the tables: room for rows that change often, a table without a log, one without a key, whose rights a view reads by, a function.
ALTER TABLE subscription SET (fillfactor = 70);

-- Lost on a crash of the database, which costs a window of counting and nothing else.
ALTER TABLE rate_limit SET UNLOGGED;

-- A row takes a page of its own, so that writing it needs room on the disk.
CREATE TABLE write_proof (
  page text STORAGE PLAIN NOT NULL
);

-- Its table has the policy: past that nobody reaches a row.
ALTER TABLE event_default ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_delivery_status_default ENABLE ROW LEVEL SECURITY;
ALTER TABLE delivery_default ENABLE ROW LEVEL SECURITY;
ALTER TABLE delivery_attempt_default ENABLE ROW LEVEL SECURITY;
ALTER TABLE invoice_past ENABLE ROW LEVEL SECURITY;
ALTER TABLE payment_intent_past ENABLE ROW LEVEL SECURITY;
ALTER TABLE charge_attempt_past ENABLE ROW LEVEL SECURITY;
ALTER TABLE pix_charge_past ENABLE ROW LEVEL SECURITY;

-- A view reads for whoever asks it.
ALTER VIEW refund SET (security_invoker = true);

-- Whether the login is of the processes of a mode; a superuser is of both.
CREATE FUNCTION logs_in_for(mode text) RETURNS boolean LANGUAGE sql STABLE
  RETURN pg_has_role(session_user, 'fatura_api_' || mode, 'USAGE') OR pg_has_role(session_user, 'fatura_worker_' || mode, 'USAGE');

-- What an index finds by what an array contains, the planner would read in full behind a policy: it does not trust that with
-- rows of others. So this looks outside of the policies, and holds what it finds to the same, and to the login.
CREATE FUNCTION events_of_object(of_object text, first_day date, last_day date) RETURNS SETOF event LANGUAGE sql STABLE ROWS 100
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT * FROM event WHERE related @> ARRAY[of_object] AND day BETWEEN first_day AND last_day
      AND current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')
      AND CASE WHEN live_mode THEN logs_in_for('live') OR NOT logs_in_for('sandbox') ELSE logs_in_for('sandbox') OR NOT logs_in_for('live') END $$;
REVOKE EXECUTE ON FUNCTION events_of_object(text, date, date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION events_of_object(text, date, date) TO fatura_api, fatura_worker, fatura_admin;
