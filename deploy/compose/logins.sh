#!/bin/sh
# Makes the databases and who logs in to them, once, as the image of PostgreSQL runs it on an empty volume.
set -eu
psql --username postgres --set ON_ERROR_STOP=1 \
  --set temporal="$TEMPORAL_PASSWORD" --set migrator="$MIGRATOR_PASSWORD" --set api="$API_PASSWORD" \
  --set worker="$WORKER_PASSWORD" --set admin="$ADMIN_PASSWORD" --set audit="$AUDIT_PASSWORD" <<'SQL'
CREATE ROLE fatura_api NOLOGIN; CREATE ROLE fatura_worker NOLOGIN; CREATE ROLE fatura_admin NOLOGIN; CREATE ROLE fatura_audit NOLOGIN;
GRANT pg_read_all_stats TO fatura_api, fatura_worker;
CREATE ROLE fatura_api_live NOLOGIN IN ROLE fatura_api; CREATE ROLE fatura_api_sandbox NOLOGIN IN ROLE fatura_api;
CREATE ROLE fatura_worker_live NOLOGIN IN ROLE fatura_worker; CREATE ROLE fatura_worker_sandbox NOLOGIN IN ROLE fatura_worker;
CREATE ROLE migrator LOGIN PASSWORD :'migrator';
CREATE ROLE api LOGIN PASSWORD :'api' IN ROLE fatura_api;
CREATE ROLE worker LOGIN PASSWORD :'worker' IN ROLE fatura_worker;
CREATE ROLE admin LOGIN PASSWORD :'admin' IN ROLE fatura_admin;
CREATE ROLE audit LOGIN PASSWORD :'audit' IN ROLE fatura_audit;
CREATE DATABASE fatura OWNER migrator;
REVOKE TEMPORARY ON DATABASE fatura FROM PUBLIC;
CREATE ROLE temporal LOGIN CREATEDB PASSWORD :'temporal';
SQL
