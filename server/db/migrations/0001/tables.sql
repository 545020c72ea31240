-- The tables of the entities (server/entities.ts), written by `npm run schema`.

create schema if not exists sandbox_bank;

create table account (
  id text collate "C" not null, email text not null, city text not null, created bigint not null,
  sandbox_offset_seconds bigint not null default '0',
  pix_validity_seconds int not null default 86400 check (pix_validity_seconds BETWEEN 300 AND 2592000),
  limits jsonb not null default '{}', refund_limit bigint not null default '100000' check (refund_limit >= 0),
  clock_held_at bigint, clock_target bigint, clock_moved_at timestamptz, primary key (id),
  constraint account_clock_held check ((clock_held_at IS NULL) = (clock_target IS NULL)),
  constraint account_clock_forward check (clock_held_at <= clock_target)
);

create table api_key (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  key_hash bytea not null unique, hint text not null, scope text not null check (scope in ('full', 'read')),
  expires_at timestamptz, name text not null default 'default' check (char_length(name) BETWEEN 1 AND 100),
  networks cidr[] not null default '{}', bucket text collate "C",
  reads text not null default 'latest' check (reads in ('latest', 'eventual')), replaced_by text collate "C",
  revoked_at timestamptz, primary key (id)
);
create index api_key_account on api_key (account_id, live_mode, id);

create table api_key_use (
  key_id text collate "C" not null, used_at timestamptz not null, primary key (key_id)
);

create table audit_log (
  chain text collate "C" not null, place bigint not null, former_hash bytea not null, hash bytea not null, entry text not null,
  id text generated always as ((entry::jsonb) ->> 'id') stored collate "C" unique,
  at bigint generated always as (((entry::jsonb) ->> 'at')::bigint) stored,
  account_id text generated always as ((entry::jsonb) ->> 'account') stored collate "C",
  live_mode boolean generated always as (((entry::jsonb) ->> 'live_mode')::boolean) stored,
  action text generated always as ((entry::jsonb) ->> 'action') stored,
  object text generated always as ((entry::jsonb) ->> 'object') stored,
  actor text generated always as (((entry::jsonb) -> 'actor') ->> 'id') stored, primary key (chain, place),
  constraint audit_log_whole check (id IS NOT NULL AND at IS NOT NULL AND action IS NOT NULL AND actor IS NOT NULL)
);
create index audit_log_account on audit_log (account_id, id) where account_id IS NOT NULL;

create table audit_log_head (
  chain text collate "C" not null, entries bigint not null, hash bytea not null, anchored bigint not null default '0',
  primary key (chain)
);

create table sandbox_bank.behaviour (
  account_id text collate "C" not null, call text not null, latency_ms int check (latency_ms >= 0),
  request_lost float8 check (request_lost BETWEEN 0 AND 1), answer_lost float8 check (answer_lost BETWEEN 0 AND 1),
  fault float8 check (fault BETWEEN 0 AND 1), decline float8 check (decline BETWEEN 0 AND 1),
  refuse float8 check (refuse BETWEEN 0 AND 1), not_found_seconds int check (not_found_seconds >= 0),
  notice_delay_seconds int check (notice_delay_seconds >= 0), notice_repeats int check (notice_repeats BETWEEN 0 AND 5),
  primary key (account_id, call)
);

create table sandbox_bank.card (
  token text collate "C" not null, account_id text collate "C" not null, brand text not null,
  last4 text not null check (last4 ~ '^[0-9]{4}$'), scenario text not null,
  exp_month int not null check (exp_month BETWEEN 1 AND 12), exp_year int not null, is_closed boolean not null default false,
  browser_token bytea, browser_token_until timestamptz, primary key (token),
  constraint card_browser_token_until check ((browser_token IS NULL) = (browser_token_until IS NULL))
);
create index card_account on sandbox_bank.card (account_id);
create unique index card_browser_token on sandbox_bank.card (browser_token) where browser_token IS NOT NULL;

create table sandbox_bank.charge (
  reference text collate "C" not null, account_id text collate "C" not null, token text collate "C" not null,
  amount bigint not null check (amount > 0), installments int not null check (installments BETWEEN 1 AND 12),
  received_at timestamptz not null, deadline_at timestamptz not null, completes_at timestamptz not null,
  outcome text not null check (outcome in ('approved', 'declined')), decline_reason text, code text,
  initiator text not null default 'customer' check (initiator in ('customer', 'merchant')), order_id text collate "C" not null,
  primary key (reference),
  constraint charge_in_time check (received_at < deadline_at),
  constraint charge_declined check ((outcome = 'declined') = (decline_reason IS NOT NULL AND code IS NOT NULL))
);
create index charge_token on sandbox_bank.charge (token);
create index charge_order on sandbox_bank.charge (order_id) where initiator = 'merchant';
create index charge_account on sandbox_bank.charge (account_id);

create table sandbox_bank.cob (
  txid text collate "C" not null, account_id text collate "C" not null, amount bigint not null check (amount > 0),
  created bigint not null, expires_at bigint not null, location text not null, copy_paste text not null,
  status text not null check (status in ('ATIVA', 'CONCLUIDA', 'REMOVIDA_PELO_USUARIO_RECEBEDOR')),
  notices_left int not null default 0, primary key (txid)
);
create index cob_account on sandbox_bank.cob (account_id);

create table sandbox_bank.cobr (
  txid text collate "C" not null, bank_ref text collate "C" not null, due_on text not null,
  status text not null default 'ATIVA' check (status in ('ATIVA', 'CONCLUIDA', 'EXPIRADA', 'REJEITADA', 'CANCELADA')),
  tries json not null, refusal text, primary key (txid)
);
create index cobr_rec on sandbox_bank.cobr (bank_ref);

create table sandbox_bank.rec (
  bank_ref text collate "C" not null, account_id text collate "C" not null, place text collate "C" not null unique,
  contract text not null, first_txid text collate "C", starts_on text not null,
  period text not null check (period in ('week', 'month', 'quarter', 'half', 'year')), fixed bigint check (fixed > 0),
  minimum bigint check (minimum > 0), copy_paste text not null,
  status text not null default 'CRIADA' check (status in ('CRIADA', 'APROVADA', 'REJEITADA', 'EXPIRADA', 'CANCELADA')),
  ended_by text check (ended_by in ('payer', 'payer_bank', 'merchant')), primary key (bank_ref),
  constraint rec_ended_by check ((status = 'CANCELADA') = (ended_by IS NOT NULL))
);
create index rec_account on sandbox_bank.rec (account_id);
create index rec_of_first_txid on sandbox_bank.rec (first_txid) where first_txid IS NOT NULL;

create table sandbox_bank.pix (
  end_to_end_id text collate "C" not null, txid text collate "C" not null, amount bigint not null check (amount > 0),
  paid_at bigint not null, settles_at bigint not null, primary key (end_to_end_id)
);
create index pix_txid on sandbox_bank.pix (txid);

create table sandbox_bank.estorno (
  reference text collate "C" not null, charge text collate "C" not null, amount bigint not null check (amount > 0),
  refused boolean not null, requested_at bigint not null, received_at timestamptz not null default now(), primary key (reference)
);
create index estorno_charge on sandbox_bank.estorno (charge);

create table sandbox_bank.devolucao (
  id text collate "C" not null, end_to_end_id text collate "C" not null, amount bigint not null check (amount > 0),
  requested_at bigint not null, completes_at bigint not null, refused boolean not null,
  received_at timestamptz not null default now(),
  natureza text not null default 'ORIGINAL' check (natureza in ('ORIGINAL', 'MED_FRAUDE', 'MED_OPERACIONAL', 'MED_PIX_AUTOMATICO')),
  primary key (id)
);
create index devolucao_pix on sandbox_bank.devolucao (end_to_end_id);

create table charge_attempt (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  intent_id text collate "C" not null, invoice_id text collate "C" not null,
  initiator text not null default 'customer' check (initiator in ('customer', 'merchant')),
  payment_method_id text collate "C" not null, brand text, last4 text check (last4 ~ '^[0-9]{4}$'),
  amount bigint not null check (amount > 0), installments int not null check (installments BETWEEN 1 AND 12),
  deadline_at timestamptz not null, status text not null check (status in ('sent', 'approved', 'declined', 'never_charged')),
  decline_reason text, acquirer_code text, is_reversible boolean, unknown_at timestamptz, completed_at bigint, primary key (id),
  constraint charge_attempt_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint charge_attempt_made_after check (right(id, 26) >= right(intent_id, 26) AND right(id, 26) >= right(invoice_id, 26)),
  constraint charge_attempt_completed check ((status = 'sent') = (completed_at IS NULL)),
  constraint charge_attempt_declined check ((status IN ('declined', 'never_charged')) = (decline_reason IS NOT NULL AND is_reversible IS NOT NULL))
) partition by range (id);
create index charge_attempt_intent on charge_attempt (intent_id, id);
create index charge_attempt_last4 on charge_attempt (account_id, live_mode, last4, id) where last4 IS NOT NULL;
create index charge_attempt_sent on charge_attempt (deadline_at) where status = 'sent';
create index charge_attempt_of_invoice_id on charge_attempt (invoice_id) where invoice_id IS NOT NULL;
create table charge_attempt_past partition of charge_attempt for values from (minvalue) to ('ca_01');

create table checkout_session (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, mode text not null check (mode in ('payment', 'subscription')),
  status text not null check (status in ('open', 'complete', 'expired')), customer_id text collate "C",
  invoice_id text collate "C", subscription_id text collate "C", amount bigint check (amount >= 0), external_code text,
  line_items json not null, discounts json not null, terms json, allow_promotion_codes boolean not null, metadata json not null,
  success_url text, return_url text, payment_link_id text collate "C", opened_from text, expires_at bigint not null,
  attached_at bigint, completed_at bigint, expired_at bigint, due_at bigint, wake_at bigint,
  shard smallint generated always as (fatura_shard(id)) stored not null, primary key (id),
  constraint checkout_session_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint checkout_session_complete check ((status = 'complete') = (completed_at IS NOT NULL)),
  constraint checkout_session_expired check ((status = 'expired') = (expired_at IS NOT NULL)),
  constraint checkout_session_buyer check (((customer_id IS NULL) = (amount IS NULL)) AND (customer_id IS NOT NULL OR invoice_id IS NULL) AND (customer_id IS NULL OR invoice_id IS NOT NULL OR terms IS NOT NULL)),
  constraint checkout_session_subscribed check ((mode = 'subscription' AND customer_id IS NOT NULL) = (subscription_id IS NOT NULL)),
  constraint checkout_session_due check (due_at IS NULL OR status = 'open'),
  constraint checkout_session_opened_from check (opened_from IS NULL OR (status = 'open' AND payment_link_id IS NOT NULL))
);
create index checkout_session_customer on checkout_session (customer_id, id) where customer_id IS NOT NULL;
create index checkout_session_payment_link on checkout_session (payment_link_id, id) where payment_link_id IS NOT NULL;
create index checkout_session_opened_from on checkout_session (payment_link_id, opened_from) where opened_from IS NOT NULL;
create index checkout_session_of_nobody on checkout_session (id) where customer_id IS NULL AND NOT live_mode;
create index checkout_session_wake on checkout_session (wake_at, shard) where wake_at IS NOT NULL;
create index checkout_session_turn on checkout_session (live_mode, account_id, wake_at, id, shard) where wake_at IS NOT NULL;
create index checkout_session_due on checkout_session (account_id, due_at, id) where due_at IS NOT NULL AND NOT live_mode;
create index checkout_session_asleep on checkout_session (account_id) where due_at IS NOT NULL AND wake_at IS NULL;
create unique index checkout_session_external_code on checkout_session (account_id, live_mode, external_code) where external_code IS NOT NULL;
create unique index checkout_session_invoice on checkout_session (invoice_id) where invoice_id IS NOT NULL;
create unique index checkout_session_subscription on checkout_session (subscription_id) where subscription_id IS NOT NULL;

create table collection_settings (
  account_id text collate "C" not null, live_mode boolean not null, id text collate "C" not null, created bigint not null,
  overdue_days float8 not null default 1 check (overdue_days > 0), suspend_days float8 not null default 10,
  cancel_days float8 not null default 30, retry_days float8[] not null default '{1,3,7}' check (0 < ALL (retry_days)),
  reminder_days smallint[] not null default '{-3,0,1,3,7}', penalty_on_unpaid boolean not null default false, late_fees json,
  portal_cancel text not null default 'period_end' check (portal_cancel in ('period_end', 'none')),
  portal_pause boolean not null default false, portal_change_prices text[] not null default '{}',
  primary key (account_id, live_mode),
  constraint collection_settings_id check (id = account_id),
  constraint collection_settings_days_in_order check (overdue_days <= suspend_days AND suspend_days < cancel_days)
);

create table coupon (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, name text not null,
  type text not null check (type in ('percentage', 'fixed')),
  percentage double precision check (percentage > 0 AND percentage <= 100), amount_cents bigint check (amount_cents >= 1),
  cycles int check (cycles BETWEEN 1 AND 9999), applies_to jsonb,
  max_redemptions int check (max_redemptions BETWEEN 1 AND 1000000), redeem_by bigint,
  minimum_amount bigint check (minimum_amount >= 1), active boolean not null, external_code text,
  times_redeemed int not null default 0 check (times_redeemed >= 0), primary key (id),
  constraint coupon_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint coupon_terms check (((type = 'percentage') = (percentage IS NOT NULL)) AND ((type = 'fixed') = (amount_cents IS NOT NULL))),
  constraint coupon_cap check (times_redeemed <= max_redemptions)
);
create unique index coupon_external_code on coupon (account_id, live_mode, external_code) where external_code IS NOT NULL;

create table customer (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, external_code text, personal bytea not null, email_index bytea,
  identifier_index bytea, anonymized_at bigint, unsubscribed_at bigint, primary key (id),
  constraint customer_account_id_live_mode_id_key unique (account_id, live_mode, id)
);
create index customer_email_index on customer (email_index, id) where email_index IS NOT NULL;
create index customer_identifier_index on customer (identifier_index, id) where identifier_index IS NOT NULL;
create index customer_of_sandbox on customer (id) where NOT live_mode;
create unique index customer_external_code on customer (account_id, live_mode, external_code) where external_code IS NOT NULL;

create table customer_word (
  word bytea not null, customer_id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null,
  primary key (word, customer_id)
);
create index customer_word_customer on customer_word (customer_id);

create table debit_try (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  intent_id text collate "C" not null, invoice_id text collate "C" not null, day text not null,
  status text not null check (status in ('scheduled', 'paid', 'failed', 'given_up')), scheduled_at bigint, decline_reason text,
  acquirer_code text, completed_at bigint, primary key (id),
  constraint debit_try_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint debit_try_day unique (intent_id, day),
  constraint debit_try_completed check ((status = 'scheduled') = (completed_at IS NULL)),
  constraint debit_try_failed check ((status = 'failed') = (decline_reason IS NOT NULL))
);
create index debit_try_of_invoice_id on debit_try (invoice_id) where invoice_id IS NOT NULL;

create table delivery (
  day date not null, event_id text collate "C" not null, endpoint_id text collate "C" not null, ladder int not null default 1,
  account_id text collate "C" not null, live_mode boolean not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  stage text not null default 'fresh' check (stage in ('fresh', 'ladder', 'done')), attempts int not null default 0,
  first_attempt_at bigint, next_attempt_at bigint, claimable_at timestamptz not null default now(),
  primary key (day, event_id, endpoint_id, ladder)
) partition by range (day);
create index delivery_ladder on delivery (claimable_at) where stage = 'ladder';
create index delivery_unaccepted on delivery (account_id, live_mode, event_id) where stage = 'ladder' OR status = 'failed';
create index delivery_endpoint on delivery (endpoint_id, event_id);
create index delivery_ladder_account on delivery (account_id, next_attempt_at) where stage = 'ladder' AND NOT live_mode;
create index delivery_turn on delivery (live_mode, endpoint_id, claimable_at) where stage = 'fresh';
create table delivery_default partition of delivery default;

create table delivery_attempt (
  day date not null, event_id text collate "C" not null, endpoint_id text collate "C" not null, ladder int not null,
  attempt int not null, at bigint not null, status_code int, failure text, detail text, duration_ms int not null, answer text,
  primary key (day, event_id, endpoint_id, ladder, attempt)
) partition by range (day);
create table delivery_attempt_default partition of delivery_attempt default;

create table dispute (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, intent_id text collate "C" not null, invoice_id text collate "C" not null,
  customer_id text collate "C" not null, amount bigint not null check (amount > 0),
  method text not null check (method in ('pix', 'card')), kind text not null check (kind in ('med', 'chargeback', 'inquiry')),
  reason text not null, status text not null check (status in ('needs_response', 'under_review', 'won', 'lost', 'closed')),
  funds text not null check (funds in ('none', 'withdrawn', 'reinstated')), evidence_due_by bigint, closed_at bigint,
  withdrawn_at bigint, reinstated_at bigint, end_to_end_id text collate "C", return_id text collate "C", primary key (id),
  constraint dispute_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint dispute_return unique (return_id, end_to_end_id),
  constraint dispute_med check ((kind = 'med') = (end_to_end_id IS NOT NULL) AND (kind <> 'inquiry') = (return_id IS NOT NULL)),
  constraint dispute_withdrawn check ((funds = 'none') = (withdrawn_at IS NULL)),
  constraint dispute_reinstated check ((funds = 'reinstated') = (reinstated_at IS NOT NULL))
);
create index dispute_intent on dispute (intent_id, id);
create index dispute_invoice on dispute (invoice_id, id);
create index dispute_customer on dispute (customer_id, id);
create index dispute_withdrawn_since on dispute (account_id, live_mode, withdrawn_at) where withdrawn_at IS NOT NULL;
create index dispute_reinstated_since on dispute (account_id, live_mode, reinstated_at) where reinstated_at IS NOT NULL;
create unique index dispute_chargeback on dispute (intent_id, return_id) where kind = 'chargeback';

create table encryption_key (
  id text not null check (id ~ '^[0-9a-f]{8}$'), since timestamptz not null default now(), primary key (id)
);

create table encryption_key_check (
  is_only boolean not null default true check (is_only), sealed bytea not null, hash_key bytea not null, primary key (is_only)
);

create table encryption_ring (
  process text not null, first_key text not null, keys text[] not null, is_stopped boolean not null default false,
  seen_at timestamptz not null default now(), primary key (process)
);

create table event (
  day date not null, id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null,
  type text not null, created bigint not null, object_id text collate "C" not null, related text[] not null, body text not null,
  body_digest uuid not null, traceparent text, resends smallint not null default 0 check (resends BETWEEN 0 AND 3),
  primary key (day, id)
) partition by range (day);
create index event_scope on event (account_id, live_mode, id);
create index event_related on event using gin (related);
create table event_default partition of event default;

create table event_delivery_status (
  day date not null, event_id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null,
  type text collate "C" not null, created bigint not null,
  status text collate "C" not null check (status in ('pending', 'delivered', 'failed', 'not_sent')), primary key (day, event_id)
) partition by range (day);
create index event_delivery_status_list on event_delivery_status (account_id, live_mode, status, type, event_id);
create index event_delivery_status_created on event_delivery_status (account_id, live_mode, created);
create table event_delivery_status_default partition of event_delivery_status default;

create table export (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint,
  type text not null check (type in ('invoices', 'payment_intents', 'customers', 'subscriptions', 'refunds', 'pix_receipts')),
  sealed_filters bytea not null, columns text[] not null,
  status text not null default 'pending' check (status in ('pending', 'completed', 'failed')), parts int not null default 0,
  rows int not null default 0, bytes bigint not null default '0', last_id text collate "C", completed_at bigint, expires_at bigint,
  asked_at timestamptz not null default now(), due_at timestamptz not null default now(), remove_at timestamptz not null,
  primary key (id),
  constraint export_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint export_completed check ((status = 'completed') = (completed_at IS NOT NULL)),
  constraint export_expires check ((completed_at IS NULL) = (expires_at IS NULL)),
  constraint export_written check (parts >= 0 AND rows >= 0 AND bytes >= 0)
);
create index export_pending on export (due_at) where status = 'pending';
create index export_removal on export (remove_at);

create table export_part (
  id text collate "C" not null, export_id text collate "C" not null, account_id text collate "C" not null,
  live_mode boolean not null, content bytea not null, primary key (id)
);
create index export_part_export on export_part (export_id);

create table idempotency_key (
  hash bytea not null, account_id text collate "C" not null, fingerprint bytea not null, holder uuid not null, status int,
  answer bytea, attempt_id text collate "C", lease_until timestamptz, customer_id text collate "C",
  created_at timestamptz not null default now(), live_mode boolean not null, primary key (hash)
);
create index idempotency_key_customer on idempotency_key (customer_id) where customer_id IS NOT NULL;
create index idempotency_key_age on idempotency_key using brin (created_at);
create index idempotency_key_sandbox on idempotency_key (account_id) where NOT live_mode;

create table installation (
  is_only boolean not null default true check (is_only), ready_at timestamptz not null, primary key (is_only)
);

create table invoice (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, customer_id text collate "C" not null, customer_name text not null,
  customer_email text, subscription_id text collate "C", cycle int check (cycle >= 1), superseded boolean not null default false,
  bill_number int check (bill_number >= 1),
  status text not null check (status in ('draft', 'open', 'paid', 'uncollectible', 'void')), billing_reason text not null,
  total bigint not null check (total >= 0), amount_paid bigint not null default '0', amount_refunded bigint not null default '0',
  amount_disputed bigint not null default '0', payment_intent_id text collate "C", external_code text, description text,
  line_items json not null, discounts json not null default '[]', credits json not null default '[]',
  metadata json not null default '[]', late_fees json, late_fine bigint not null default '0' check (late_fine >= 0),
  late_interest bigint not null default '0' check (late_interest >= 0), due_at bigint not null, payable_until bigint,
  period_start bigint, period_end bigint, finalized_at bigint, paid_at bigint, marked_uncollectible_at bigint, voided_at bigint,
  collection text not null default 'once' check (collection in ('once', 'awaited', 'renewal', 'suspended', 'final')),
  collection_days json, charges int not null default 0 check (charges >= 0), next_charge_at bigint, debit_look_at bigint,
  first_declined_at bigint, first_decline_reason text, reminders int not null default 0 check (reminders >= 0), overdue_at bigint,
  in_case boolean not null default false,
  step text check (step in ('charge', 'debit', 'mark_overdue', 'suspend', 'cancel', 'remind')), step_at bigint, wake_at bigint,
  shard smallint generated always as (fatura_shard(coalesce(subscription_id, id))) stored not null, primary key (id),
  constraint invoice_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint invoice_paid_whole check (amount_paid = 0 OR amount_paid = total),
  constraint invoice_refunded check (amount_refunded BETWEEN 0 AND amount_paid),
  constraint invoice_disputed check (amount_disputed BETWEEN 0 AND amount_paid - amount_refunded),
  constraint invoice_paid_at check ((status = 'paid') = (paid_at IS NOT NULL)),
  constraint invoice_unpaid check (status = 'paid' OR amount_paid = 0),
  constraint invoice_late check (late_fine + late_interest <= total AND (status = 'paid' OR late_fine + late_interest = 0)),
  constraint invoice_paid check (status <> 'paid' OR amount_paid = total),
  constraint invoice_of_cycle check (subscription_id IS NOT NULL OR cycle IS NULL),
  constraint invoice_first_decline check ((first_declined_at IS NULL) = (first_decline_reason IS NULL)),
  constraint invoice_superseded check (NOT superseded OR (status = 'void' AND cycle IS NOT NULL)),
  constraint invoice_bill check ((cycle IS NULL) = (bill_number IS NULL)),
  constraint invoice_step_at check ((step IS NULL) = (step_at IS NULL)),
  constraint invoice_step_of_open check (step IS NULL OR status = 'open'),
  constraint invoice_wake check (step_at IS NOT NULL OR wake_at IS NULL)
) partition by range (id);
create index invoice_customer on invoice (customer_id, id);
create index invoice_subscription on invoice (subscription_id, id) where subscription_id IS NOT NULL;
create index invoice_code on invoice (account_id, live_mode, external_code) where external_code IS NOT NULL;
create index invoice_status on invoice (account_id, live_mode, status, id) where status <> 'paid';
create index invoice_in_case on invoice (subscription_id, id) where in_case;
create index invoice_paid_since on invoice (account_id, live_mode, paid_at) where paid_at IS NOT NULL;
create index invoice_total on invoice (account_id, live_mode, total, id);
create index invoice_suspended on invoice (account_id, live_mode, id) where status = 'open' AND collection = 'suspended';
create index invoice_due on invoice (account_id, live_mode, due_at, total, collection) where status = 'open';
create index invoice_declined_since on invoice (account_id, live_mode, first_declined_at, first_decline_reason, status, total) where first_declined_at IS NOT NULL;
create index invoice_of_payment_intent_id on invoice (payment_intent_id) where payment_intent_id IS NOT NULL;
create index invoice_wake on invoice (wake_at, shard) where wake_at IS NOT NULL;
create index invoice_turn on invoice (live_mode, account_id, wake_at, id, shard) where wake_at IS NOT NULL;
create index invoice_step on invoice (account_id, step_at, id) where step_at IS NOT NULL AND NOT live_mode;
create index invoice_asleep on invoice (account_id) where step_at IS NOT NULL AND wake_at IS NULL;
create table invoice_past partition of invoice for values from (minvalue) to ('in_01');

create table invoice_cycle (
  subscription_id text collate "C" not null, cycle int not null, account_id text collate "C" not null, live_mode boolean not null,
  invoice_id text collate "C" not null, primary key (subscription_id, cycle)
);

create table invoice_external_code (
  account_id text collate "C" not null, live_mode boolean not null, external_code text not null,
  invoice_id text collate "C" not null, primary key (account_id, live_mode, external_code)
);

create table invoice_item (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, customer_id text collate "C" not null, subscription_id text collate "C",
  type text not null check (type in ('charge', 'credit')),
  kind text not null check (kind in ('one_time', 'setup', 'proration', 'penalty', 'late_fine', 'late_interest', 'granted', 'unused')),
  status text not null check (status in ('pending', 'billed', 'deleted')), price_id text collate "C", item_id text collate "C",
  quantity int not null check (quantity BETWEEN 1 AND 999), unit_amount bigint not null,
  amount bigint not null check (amount >= 1), used bigint not null default '0', description text not null, period_start bigint,
  period_end bigint, invoice_id text collate "C", primary key (id),
  constraint invoice_item_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint invoice_item_amount check (amount = quantity * unit_amount),
  constraint invoice_item_used check (used BETWEEN 0 AND amount AND (type = 'credit' OR used IN (0, amount))),
  constraint invoice_item_billed check ((status = 'billed') = (used = amount) AND (status <> 'deleted' OR used = 0)),
  constraint invoice_item_invoice check ((invoice_id IS NOT NULL) = (type = 'charge' AND status = 'billed')),
  constraint invoice_item_kind check (type = 'charge' OR kind IN ('proration', 'granted', 'unused')),
  constraint invoice_item_price check (type = 'credit' OR price_id IS NOT NULL),
  constraint invoice_item_period check ((period_start IS NULL) = (period_end IS NULL))
);
create index invoice_item_customer on invoice_item (customer_id, id);
create index invoice_item_subscription on invoice_item (subscription_id, id) where subscription_id IS NOT NULL;
create index invoice_item_invoice on invoice_item (invoice_id) where invoice_id IS NOT NULL;
create index invoice_item_pending on invoice_item (customer_id, id) where status = 'pending';

create table live_acquirer (
  account_id text collate "C" not null, method text not null check (method in ('pix', 'card')), profile text not null,
  settings bytea not null, notice_hash bytea not null unique, certificate_ends_at timestamptz, swept_until bigint not null,
  returns_swept_at bigint not null default '0', created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(), certificate_warned smallint check (certificate_warned > 0),
  primary key (account_id, method)
);

create table account_look (
  account_id text collate "C" not null, live_mode boolean not null, id text collate "C" not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, name text not null, tax_id text, support_email text, support_phone text,
  color text, logo_url text, logo_media_type text check (logo_media_type in ('image/png', 'image/jpeg', 'image/webp')),
  logo_digest text, logo_content bytea, logo_width int, logo_height int, cover_color text,
  corner_radius int check (corner_radius BETWEEN 0 AND 24), font text check (font in ('sans', 'serif', 'rounded')), terms_url text,
  privacy_url text, mail_settings jsonb not null default '{}', primary key (account_id, live_mode),
  constraint account_look_id check (id = account_id),
  constraint account_look_whole_logo check (num_nonnulls(logo_media_type, logo_digest, logo_content, logo_width, logo_height) IN (0, 5))
);
create index account_look_logo on account_look (logo_digest) where logo_digest IS NOT NULL;

create table mail (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  customer_id text collate "C", invoice_id text collate "C", subscription_id text collate "C",
  step smallint check (step BETWEEN -7 AND 30), due_at bigint, recipient text, recipient_name text, subject text, body_text text,
  body_html text, message_id text not null unique,
  status text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'dropped', 'kept', 'held')),
  attempts int not null default 0 check (attempts >= 0), next_try_at timestamptz not null default now(), sent_at timestamptz,
  last_error text,
  occasion text not null check (occasion in ('paid', 'refunded', 'subscription_begun', 'trial_begun', 'trial_ending', 'plan_changed', 'renewal_ahead', 'suspended', 'reactivated', 'canceled', 'reminder', 'dispute_decided', 'pix_returned', 'declined', 'sent', 'debit_scheduled', 'debit_failed', 'mandate_ended', 'endpoint_failing', 'endpoint_disabled', 'acquirer_certificate_ending', 'account_changed', 'confirmation', 'portal_link')),
  endpoint_id text collate "C", certificate_ends_at timestamptz, is_optional boolean not null default false,
  attaches_receipt boolean not null default false, counted_on date,
  shard smallint generated always as (fatura_shard(coalesce(subscription_id, invoice_id, id))) stored not null, primary key (id),
  constraint mail_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint mail_once unique (invoice_id, step, due_at),
  constraint mail_about check (CASE
    WHEN occasion IN ('endpoint_failing', 'endpoint_disabled')
      THEN endpoint_id IS NOT NULL AND num_nonnulls(customer_id, certificate_ends_at) = 0
    WHEN occasion = 'acquirer_certificate_ending'
      THEN certificate_ends_at IS NOT NULL AND num_nonnulls(customer_id, endpoint_id) = 0
    WHEN occasion = 'account_changed'
      THEN num_nonnulls(customer_id, endpoint_id, certificate_ends_at) = 0
    ELSE customer_id IS NOT NULL AND num_nonnulls(endpoint_id, certificate_ends_at) = 0 END),
  constraint mail_of_buyer check (num_nonnulls(invoice_id, subscription_id) = 0 OR customer_id IS NOT NULL),
  constraint mail_receipt check (invoice_id IS NOT NULL OR NOT attaches_receipt),
  constraint mail_sent check ((status = 'sent') = (sent_at IS NOT NULL)),
  constraint mail_whole_text check (num_nulls(recipient, recipient_name, subject, body_text, body_html) IN (0, 5)),
  constraint mail_queued check (status <> 'queued' OR recipient IS NOT NULL),
  constraint mail_step_of_reminder check (num_nulls(step, due_at) = CASE WHEN occasion = 'reminder' THEN 0 ELSE 2 END)
);
create index mail_customer on mail (customer_id, id) where customer_id IS NOT NULL;
create index mail_subscription on mail (subscription_id) where subscription_id IS NOT NULL;
create index mail_endpoint on mail (endpoint_id) where endpoint_id IS NOT NULL;
create index mail_turn on mail (live_mode, account_id, next_try_at, shard) where status = 'queued';
create index mail_unsent on mail (account_id, live_mode, status, id) where status <> 'sent';
create index mail_held on mail (account_id, id) where status = 'held';
create index mail_with_text on mail (id) where recipient IS NOT NULL;

create table mail_count (
  day date not null, counted text not null, mails int not null check (mails > 0), primary key (day, counted)
);

create table mail_suppression (
  address text not null, reason text, created_at timestamptz not null default now(), primary key (address)
);

create table mandate (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, subscription_id text collate "C" not null,
  customer_id text collate "C" not null,
  status text not null default 'pending' check (status in ('pending', 'active', 'failed', 'ended')),
  journey text not null check (journey in ('first_payment', 'mandate_only')),
  amount_type text not null default 'variable' check (amount_type in ('variable', 'fixed')), amount bigint check (amount > 0),
  minimum_amount bigint check (minimum_amount > 0), interval text not null check (interval in ('week', 'month')),
  interval_count int not null check (interval_count >= 1), starts_on text not null, billing_cycle_anchor bigint, place text,
  bank_ref text, first_txid text collate "C", copy_paste text, expires_at bigint not null, activated_at bigint, ended_at bigint,
  end_reason text check (end_reason in ('rejected', 'expired', 'cancelled_by_payer', 'cancelled_by_payer_bank', 'cancelled_by_merchant', 'cancelled_by_bank', 'subscription_ended', 'replaced')),
  payer_bank text, asked_at timestamptz, primary key (id),
  constraint mandate_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint mandate_amount check ((amount_type = 'fixed') = (amount IS NOT NULL)),
  constraint mandate_first check (journey = 'first_payment' OR first_txid IS NULL),
  constraint mandate_made check ((bank_ref IS NULL) = (copy_paste IS NULL) AND (bank_ref IS NULL OR place IS NOT NULL)),
  constraint mandate_active check ((activated_at IS NULL) = (status IN ('pending', 'failed')) OR status = 'ended'),
  constraint mandate_over check ((ended_at IS NULL) = (status IN ('pending', 'active'))),
  constraint mandate_end_reason check ((ended_at IS NULL) = (end_reason IS NULL))
);
create index mandate_subscription on mandate (subscription_id, id);
create index mandate_customer on mandate (customer_id, id);
create index mandate_of_first_txid on mandate (first_txid) where first_txid IS NOT NULL;
create index mandate_pending on mandate (expires_at) where status = 'pending';
create index mandate_asked on mandate (asked_at) where asked_at IS NOT NULL;
create unique index mandate_open on mandate (subscription_id) where status IN ('pending', 'active');
create unique index mandate_bank_ref on mandate (account_id, live_mode, bank_ref) where bank_ref IS NOT NULL;

create table note (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  customer_id text collate "C" not null, sealed_text bytea, author json not null, primary key (id),
  constraint note_account_id_live_mode_id_key unique (account_id, live_mode, id)
);
create index note_customer on note (customer_id, id);

create table outbox (
  id bigint generated always as identity not null primary key, kind text not null, key text not null,
  account_id text collate "C" not null, due_at timestamptz not null default now(), version int not null default 1,
  failures int not null default 0, created_at timestamptz not null default now(), traceparent text, live_mode boolean not null,
  constraint outbox_kind_key_key unique (kind, key)
);
create index outbox_due on outbox (due_at);
create index outbox_turn_of_ladders on outbox (live_mode, account_id, due_at) where kind = 'webhook-delivery';
create index outbox_turn_of_others on outbox (live_mode, account_id, due_at) where kind <> 'webhook-delivery';

create table payment_intent (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, invoice_id text collate "C" not null,
  customer_id text collate "C" not null, subscription_id text collate "C",
  status text not null check (status in ('pending', 'scheduled', 'processing', 'paid', 'failed', 'refunding', 'refunded', 'discarded')),
  surplus boolean not null default false, amount bigint not null check (amount > 0),
  late_fine bigint not null default '0' check (late_fine >= 0),
  late_interest bigint not null default '0' check (late_interest >= 0), amount_refunded bigint not null default '0',
  amount_disputed bigint not null default '0', payment_method_type text check (payment_method_type in ('pix', 'card')),
  installments int not null default 1 check (installments BETWEEN 1 AND 12), attempts int not null default 0 check (attempts >= 0),
  max_attempts int not null default 1 check (max_attempts >= 1), is_scheduled boolean not null default false, next_attempt bigint,
  decline_reason text, mandate_id text collate "C", scheduled_for text, due_at bigint not null, scheduled_at bigint,
  processing_at bigint, paid_at bigint, failed_at bigint, refunding_at bigint, refunded_at bigint, discarded_at bigint,
  primary key (id),
  constraint payment_intent_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint payment_intent_made_after check (right(id, 26) >= right(invoice_id, 26)),
  constraint payment_intent_refunded check (amount_refunded BETWEEN 0 AND amount),
  constraint payment_intent_late check (late_fine + late_interest <= amount),
  constraint payment_intent_disputed check (amount_disputed BETWEEN 0 AND amount - amount_refunded),
  constraint payment_intent_debit check (mandate_id IS NOT NULL OR (scheduled_for IS NULL AND scheduled_at IS NULL AND status <> 'scheduled')),
  constraint payment_intent_paid_at check (status NOT IN ('paid', 'refunding', 'refunded') OR paid_at IS NOT NULL)
) partition by range (id);
create index payment_intent_invoice on payment_intent (invoice_id, id);
create index payment_intent_status on payment_intent (account_id, live_mode, status, id) where status <> 'paid';
create index payment_intent_customer on payment_intent (customer_id, id);
create index payment_intent_paid_since on payment_intent (account_id, live_mode, paid_at, amount, payment_method_type, surplus) where paid_at IS NOT NULL;
create index payment_intent_failed_since on payment_intent (account_id, live_mode, failed_at) where failed_at IS NOT NULL;
create index payment_intent_of_mandate_id on payment_intent (mandate_id) where mandate_id IS NOT NULL;
create index payment_intent_of_subscription_id on payment_intent (subscription_id) where subscription_id IS NOT NULL;
create table payment_intent_past partition of payment_intent for values from (minvalue) to ('pi_01');

create table payment_link (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, mode text not null check (mode in ('payment', 'subscription')),
  active boolean not null, line_items json not null, amount bigint check (amount >= 1), description text,
  max_sales int check (max_sales BETWEEN 1 AND 1000000), sales int not null default 0 check (sales >= 0),
  reserved int not null default 0 check (reserved >= 0), expires_at bigint, success_url text, return_url text, external_code text,
  terms json, allow_promotion_codes boolean not null default false, metadata json not null, primary key (id),
  constraint payment_link_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint payment_link_amount check ((amount IS NULL) = (description IS NULL)),
  constraint payment_link_terms check (terms IS NULL OR mode = 'subscription'),
  constraint payment_link_stock check (sales + reserved <= max_sales)
);
create unique index payment_link_external_code on payment_link (account_id, live_mode, external_code) where external_code IS NOT NULL;

create table payment_method (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, customer_id text collate "C" not null, sealed_token bytea,
  token_index bytea, brand text, last4 text check (last4 ~ '^[0-9]{4}$'), exp_month int check (exp_month BETWEEN 1 AND 12),
  exp_year int, network_origin text, consent_ip text, stored_at bigint, is_default boolean not null default false,
  closed_at bigint, deleted_at bigint, asked_at timestamptz, primary key (id),
  constraint payment_method_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint payment_method_is_default check (NOT is_default OR (stored_at IS NOT NULL AND deleted_at IS NULL))
);
create index payment_method_customer on payment_method (customer_id, id);
create index payment_method_token on payment_method (token_index) where token_index IS NOT NULL;
create index payment_method_asked on payment_method (asked_at) where asked_at IS NOT NULL;
create unique index payment_method_default on payment_method (customer_id) where is_default;

create table pix_receipt (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  txid text collate "C" not null, invoice_id text collate "C" not null, intent_id text collate "C",
  amount bigint not null check (amount > 0), paid_at bigint not null, primary key (id),
  constraint pix_receipt_account_id_live_mode_id_key unique (account_id, live_mode, id)
);
create index pix_receipt_txid on pix_receipt (txid);
create index pix_receipt_listed on pix_receipt (account_id, live_mode, paid_at, id);
create index pix_receipt_undecided on pix_receipt (invoice_id) where intent_id IS NULL;
create index pix_receipt_of_invoice_id on pix_receipt (invoice_id) where invoice_id IS NOT NULL;
create unique index pix_receipt_intent on pix_receipt (intent_id) where intent_id IS NOT NULL;

create table portal_link (
  secret_hash bytea not null, account_id text collate "C" not null, live_mode boolean not null,
  customer_id text collate "C" not null, return_url text, created_at timestamptz not null default now(),
  expires_at timestamptz not null, primary key (secret_hash)
);
create index portal_link_customer on portal_link (customer_id);
create index portal_link_end on portal_link (expires_at);

create table price (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, product_id text collate "C" not null, active boolean not null,
  type text not null check (type in ('one_time', 'recurring')), unit_amount int not null check (unit_amount BETWEEN 0 AND 999999),
  recurring_interval text check (recurring_interval in ('day', 'week', 'month')),
  recurring_interval_count int check (recurring_interval_count >= 1), description text, external_code text,
  card_installments_enabled boolean not null, max_card_installments int not null check (max_card_installments BETWEEN 1 AND 12),
  creation jsonb not null, primary key (id),
  constraint price_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint price_recurring check ((type = 'recurring') = (recurring_interval IS NOT NULL AND recurring_interval_count IS NOT NULL))
);
create index price_product on price (product_id, id);
create unique index price_external_code on price (account_id, live_mode, external_code) where external_code IS NOT NULL;

create table product (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, name text not null, description text, active boolean not null,
  external_code text, primary key (id),
  constraint product_account_id_live_mode_id_key unique (account_id, live_mode, id)
);
create unique index product_external_code on product (account_id, live_mode, external_code) where external_code IS NOT NULL;

create table promotion_code (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, coupon_id text collate "C" not null, code text not null,
  customer_id text collate "C", first_time_only boolean not null,
  max_redemptions int check (max_redemptions BETWEEN 1 AND 1000000), expires_at bigint, active boolean not null,
  times_redeemed int not null default 0 check (times_redeemed >= 0), primary key (id),
  constraint promotion_code_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint promotion_code_cap check (times_redeemed <= max_redemptions)
);
create index promotion_code_code on promotion_code (account_id, live_mode, code, id);
create index promotion_code_coupon on promotion_code (coupon_id, id);
create index promotion_code_customer on promotion_code (customer_id, id) where customer_id IS NOT NULL;
create unique index promotion_code_active on promotion_code (account_id, live_mode, code) where active;

create table pix_charge (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  intent_id text collate "C" not null, invoice_id text collate "C" not null, payment_method_id text collate "C" not null,
  amount bigint not null check (amount > 0), expires_at bigint not null, copy_paste text,
  state text not null check (state in ('creating', 'active', 'retiring', 'ended')), confirmed_at bigint, due_on text,
  primary key (id),
  constraint pix_charge_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint pix_charge_made_after check (right(id, 26) >= right(intent_id, 26) AND right(id, 26) >= right(invoice_id, 26))
) partition by range (id);
create index pix_charge_intent on pix_charge (intent_id, id);
create index pix_charge_invoice on pix_charge (invoice_id, id);
create index pix_charge_waiting on pix_charge (id) where state = 'retiring' OR confirmed_at IS NOT NULL;
create table pix_charge_past partition of pix_charge for values from (minvalue) to ('01');

create table rate_limit (
  key text collate "C" not null, points int not null, granted int not null, expire bigint not null, primary key (key)
);

create table redemption (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, coupon_id text collate "C" not null, promotion_code_id text collate "C",
  status text not null check (status in ('reserved', 'redeemed', 'released')), customer_id text collate "C",
  invoice_id text collate "C", subscription_id text collate "C", name text not null,
  type text not null check (type in ('percentage', 'fixed')), percentage double precision, amount_cents bigint, cycles int,
  applies_to jsonb, minimum_amount bigint, redeemed_at bigint, released_at bigint, primary key (id),
  constraint redemption_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint redemption_status check (((status = 'redeemed') = (redeemed_at IS NOT NULL)) AND ((status = 'released') = (released_at IS NOT NULL)))
);
create index redemption_coupon on redemption (coupon_id, id);
create index redemption_promotion_code on redemption (promotion_code_id, id) where promotion_code_id IS NOT NULL;
create index redemption_customer on redemption (customer_id, id) where customer_id IS NOT NULL;
create index redemption_invoice on redemption (invoice_id) where invoice_id IS NOT NULL;
create index redemption_subscription on redemption (subscription_id) where subscription_id IS NOT NULL;

create table refund_part (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  intent_id text collate "C" not null, invoice_id text collate "C" not null, amount bigint not null check (amount > 0),
  reason text not null, status text not null check (status in ('refunding', 'refunded', 'failed')),
  reference text collate "C" not null unique, requests int not null default 1, retry_at bigint, completed_at bigint,
  primary key (id),
  constraint refund_part_account_id_live_mode_id_key unique (account_id, live_mode, id)
);
create index refund_part_intent on refund_part (intent_id, id);
create index refund_part_completed_since on refund_part (account_id, live_mode, completed_at) where completed_at IS NOT NULL;
create index refund_part_unsettled on refund_part (id) where status = 'refunding';
create index refund_part_not_failed on refund_part (account_id, live_mode, intent_id) where status <> 'failed' AND reason <> 'surplus';
create index refund_part_listed on refund_part (account_id, live_mode, id) where status <> 'failed' AND reason <> 'surplus';

create table staff (
  id text collate "C" not null, email text not null unique, name text not null check (char_length(name) BETWEEN 1 AND 100),
  created_at timestamptz not null default now(), seen_at timestamptz, password_hash text, totp_secret bytea,
  totp_since timestamptz, totp_step bigint, oidc_subject text unique, primary key (id),
  constraint staff_totp check (totp_since IS NULL OR totp_secret IS NOT NULL)
);

create table staff_invitation (
  id text collate "C" not null, account_id text collate "C" not null, email text not null,
  role text not null check (role in ('owner', 'finance', 'support', 'developer', 'viewer')), token_hash bytea not null unique,
  created_at timestamptz not null default now(), expires_at timestamptz not null, primary key (id),
  constraint staff_invitation_email unique (account_id, email)
);

create table staff_member (
  account_id text collate "C" not null, staff_id text collate "C" not null,
  role text not null check (role in ('owner', 'finance', 'support', 'developer', 'viewer')),
  created_at timestamptz not null default now(), primary key (account_id, staff_id)
);
create index staff_member_staff on staff_member (staff_id);

create table staff_passkey (
  id text collate "C" not null, staff_id text collate "C" not null, public_key bytea not null, counter bigint not null,
  transports text[] not null, name text not null, created_at timestamptz not null default now(), last_used_at timestamptz,
  primary key (id)
);
create index staff_passkey_staff on staff_passkey (staff_id);

create table staff_session (
  id text collate "C" not null, staff_id text collate "C" not null, token_hash bytea not null unique,
  created_at timestamptz not null default now(), seen_at timestamptz not null default now(),
  fresh_at timestamptz not null default now(), address text, user_agent text, primary key (id)
);
create index staff_session_staff on staff_session (staff_id);

create table staff_token (
  hash bytea not null, kind text not null check (kind in ('reset', 'challenge', 'oidc')), staff_id text collate "C",
  data jsonb not null, expires_at timestamptz not null, primary key (hash)
);
create index staff_token_end on staff_token (expires_at);

create table subscription (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  last_event_id text collate "C", last_event_at bigint, customer_id text collate "C" not null, term_seq int not null default 1,
  external_code text, discounts json not null default '[]',
  status text not null check (status in ('pending', 'active', 'inactive', 'suspended', 'paused', 'scheduled', 'trialing')),
  billing_cycle_anchor bigint not null, anchor_cycle int not null default 1 check (anchor_cycle >= 1),
  cycle int not null default 0 check (cycle >= 0), billed_cycle int not null default 1,
  bills int not null default 0 check (bills >= 0), current_period_start bigint, current_period_end bigint, period_net bigint,
  ahead_net bigint, period_apart bigint not null default '0', ahead_apart bigint not null default '0',
  latest_invoice_id text collate "C", payment_method_type text check (payment_method_type in ('pix', 'card', 'pix_automatico')),
  mandate_id text collate "C", payment_method_id text collate "C",
  installments int not null default 1 check (installments BETWEEN 1 AND 12), pending_until bigint, starts_at bigint,
  trial_days int check (trial_days BETWEEN 1 AND 730), trial_needs_method boolean not null default false, trial_start_at bigint,
  trial_end_at bigint, trial_end_behavior text check (trial_end_behavior in ('invoice', 'cancel', 'pause')),
  trial_told boolean not null default false, tells_renewal boolean not null default false, renewal_told int not null default 0,
  activated_at bigint, suspended_at bigint, reactivated_at bigint, cancel_at bigint,
  cancel_at_period_end boolean not null default false, paused_at bigint, resumes_at bigint, resumed_at bigint,
  days_left int check (days_left >= 0), period_days int check (period_days >= 0),
  term_cycles int check (term_cycles BETWEEN 1 AND 36), term_cycles_left int, term_days int,
  penalty_type text check (penalty_type in ('remaining_percentage', 'declining_amount')),
  penalty_value bigint check (penalty_value > 0), late_fees json, own_days json, penalty_waived boolean not null default false,
  unused text not null default 'none' check (unused in ('none', 'credit', 'refund')),
  cancel_reason text check (cancel_reason in ('too_expensive', 'missing_features', 'switched_service', 'unused', 'customer_service', 'low_quality', 'too_complex', 'other')),
  cancel_comment text, consent_text text, consent_ip text, consent_at bigint, ended bigint,
  canceled_reason text check (canceled_reason in ('requested', 'unpaid', 'withdrawal', 'trial_ended')), change_lapses_at bigint,
  due text check (due in ('end', 'renew', 'bill', 'start_period', 'pause', 'resume', 'start', 'tell_trial', 'tell_renewal', 'end_trial', 'lapse_change')),
  due_at bigint, wake_at bigint, shard smallint generated always as (fatura_shard(id)) stored not null, primary key (id),
  constraint subscription_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint subscription_in_term check (term_seq >= 1),
  constraint subscription_period check ((current_period_start IS NULL) = (current_period_end IS NULL)),
  constraint subscription_period_forward check (current_period_start < current_period_end),
  constraint subscription_ended check ((status = 'inactive') = (ended IS NOT NULL)),
  constraint subscription_consent check ((consent_text IS NULL) = (consent_ip IS NULL) AND (consent_at IS NULL OR consent_text IS NOT NULL)),
  constraint subscription_canceled check ((ended IS NULL) = (canceled_reason IS NULL)),
  constraint subscription_cancel_at check (cancel_at IS NOT NULL OR NOT cancel_at_period_end),
  constraint subscription_paused check ((status = 'paused') = (days_left IS NOT NULL)),
  constraint subscription_paused_at check (CASE status WHEN 'paused' THEN paused_at IS NOT NULL WHEN 'active' THEN true ELSE paused_at IS NULL END),
  constraint subscription_resumes_at check ((paused_at IS NOT NULL OR resumes_at IS NULL) AND resumes_at > paused_at),
  constraint subscription_days_left check (days_left <= period_days),
  constraint subscription_minimum_term check (num_nulls(term_cycles, term_cycles_left, penalty_type, penalty_value) IN (0, 4)),
  constraint subscription_term_left check (term_cycles_left BETWEEN 0 AND term_cycles),
  constraint subscription_term_days check (term_days IS NULL OR term_cycles IS NOT NULL),
  constraint subscription_pending check ((status = 'pending') = (pending_until IS NOT NULL)),
  constraint subscription_scheduled check (status <> 'scheduled' OR starts_at IS NOT NULL),
  constraint subscription_trialing check (status <> 'trialing' OR trial_start_at IS NOT NULL),
  constraint subscription_trial check ((trial_end_behavior IS NULL) = (trial_days IS NULL AND trial_end_at IS NULL) AND (trial_start_at IS NULL OR trial_end_at >= trial_start_at)),
  constraint subscription_trial_told check (trial_end_behavior IS NOT NULL OR (trial_start_at IS NULL AND NOT trial_told AND NOT trial_needs_method)),
  constraint subscription_billed check (billed_cycle >= cycle),
  constraint subscription_change_lapses check (change_lapses_at IS NULL OR status = 'active'),
  constraint subscription_mandate check (payment_method_type <> 'pix_automatico' OR mandate_id IS NOT NULL),
  constraint subscription_due_at check ((due IS NULL) = (due_at IS NULL)),
  constraint subscription_wake check (due_at IS NOT NULL OR wake_at IS NULL)
);
create index subscription_customer on subscription (customer_id, id);
create index subscription_external_code on subscription (account_id, live_mode, external_code, id) where external_code IS NOT NULL;
create index subscription_of_payment_method_id on subscription (payment_method_id) where payment_method_id IS NOT NULL;
create index subscription_of_mandate_id on subscription (mandate_id) where mandate_id IS NOT NULL;
create index subscription_of_latest_invoice_id on subscription (latest_invoice_id) where latest_invoice_id IS NOT NULL;
create index subscription_wake on subscription (wake_at, shard) where wake_at IS NOT NULL;
create index subscription_turn on subscription (live_mode, account_id, wake_at, id, shard) where wake_at IS NOT NULL;
create index subscription_due on subscription (account_id, due_at, id) where due_at IS NOT NULL AND NOT live_mode;
create index subscription_asleep on subscription (account_id) where due_at IS NOT NULL AND wake_at IS NULL;

create table subscription_change (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  subscription_id text collate "C" not null,
  status text not null check (status in ('scheduled', 'awaiting_payment', 'applied', 'lapsed', 'canceled')),
  effective text not null check (effective in ('now', 'period_end', 'cycle')), effective_at bigint not null, cycle int,
  proration text not null check (proration in ('next_invoice', 'invoice_now', 'none')), asked json not null,
  items_before json not null, items_after json not null, charge bigint not null default '0' check (charge >= 0),
  credit bigint not null default '0' check (credit >= 0), invoice_id text collate "C", lapses_at bigint,
  penalty text check (penalty in ('apply', 'waive')), period_net bigint, ahead_net bigint, primary key (id),
  constraint subscription_change_account_id_live_mode_id_key unique (account_id, live_mode, id),
  constraint subscription_change_cycle check ((effective = 'now') = (cycle IS NULL)),
  constraint subscription_change_now check (effective <> 'now' OR status = 'applied' OR lapses_at IS NOT NULL),
  constraint subscription_change_invoice check (invoice_id IS NOT NULL OR lapses_at IS NULL),
  constraint subscription_change_awaits check (status <> 'awaiting_payment' OR lapses_at IS NOT NULL)
);
create index subscription_change_subscription on subscription_change (subscription_id, id);
create index subscription_change_waiting on subscription_change (subscription_id) where status IN ('scheduled', 'awaiting_payment');
create unique index subscription_change_scheduled on subscription_change (subscription_id) where status = 'scheduled' AND effective = 'period_end';
create unique index subscription_change_later on subscription_change (subscription_id, cycle) where status = 'scheduled' AND effective = 'cycle';
create unique index subscription_change_awaiting on subscription_change (subscription_id) where status = 'awaiting_payment';
create unique index subscription_change_of_invoice_id on subscription_change (invoice_id) where invoice_id IS NOT NULL;

create table subscription_term (
  subscription_id text collate "C" not null, seq int not null check (seq >= 1),
  position int not null check (position BETWEEN 0 AND 19), account_id text collate "C" not null, live_mode boolean not null,
  created bigint not null, effective_at bigint not null, item_id text collate "C" not null, item_created bigint not null,
  price_id text collate "C" not null, quantity int not null check (quantity BETWEEN 1 AND 999),
  primary key (subscription_id, seq, position)
);
create index subscription_term_item on subscription_term (item_id);
create index subscription_term_price on subscription_term (price_id, subscription_id);

create table typed_email (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  email_index bytea, asked_at bigint, confirmed_at bigint, primary key (id),
  constraint typed_email_account_id_live_mode_id_key unique (account_id, live_mode, id)
);
create index typed_email_address on typed_email (account_id, live_mode, email_index);

create table webhook_endpoint (
  id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, created bigint not null,
  url text not null, event_types text[] not null, description text,
  status text not null check (status in ('active', 'unstable', 'disabled')), secret bytea not null, former_secret bytea,
  former_secret_until bigint, subscribed_at timestamptz not null default now(), consecutive_failures int not null default 0,
  accepted_posts smallint not null default 0, failing_since bigint, warned_at bigint, disabled_at bigint, deleted_at bigint,
  primary key (id),
  constraint webhook_endpoint_account_id_live_mode_id_key unique (account_id, live_mode, id)
);
create index webhook_endpoint_failing on webhook_endpoint (failing_since) where failing_since IS NOT NULL AND status <> 'disabled' AND deleted_at IS NULL;
create index webhook_endpoint_kept on webhook_endpoint (account_id, live_mode, id) where deleted_at IS NULL;

create table webhook_recovery (
  endpoint_id text collate "C" not null, account_id text collate "C" not null, live_mode boolean not null, since bigint not null,
  until bigint not null, status text not null check (status in ('running', 'done')), events int not null check (events >= 0),
  last_event_id text collate "C" not null, due_at timestamptz not null default now(), primary key (endpoint_id),
  constraint webhook_recovery_forward check (since <= until)
);
create index webhook_recovery_running on webhook_recovery (due_at) where status = 'running';
create index webhook_recovery_scope on webhook_recovery (account_id, live_mode);

create table worker_heartbeat (
  id text not null, modes text[] not null, seen_at timestamptz not null, temporal_ok boolean not null, build text,
  metrics json not null, primary key (id)
);

create table wrapped_key (
  reference text not null, wrapped text not null, since timestamptz not null default now(), primary key (reference)
);

alter table api_key add foreign key (account_id) references account (id);
alter table api_key add foreign key (replaced_by) references api_key (id);

alter table api_key_use add foreign key (key_id) references api_key (id);

alter table sandbox_bank.charge add foreign key (token) references sandbox_bank.card (token);

alter table sandbox_bank.cobr add foreign key (txid) references sandbox_bank.cob (txid);
alter table sandbox_bank.cobr add foreign key (bank_ref) references sandbox_bank.rec (bank_ref);

alter table sandbox_bank.rec add foreign key (first_txid) references sandbox_bank.cob (txid);

alter table sandbox_bank.pix add foreign key (txid) references sandbox_bank.cob (txid);

alter table sandbox_bank.estorno add foreign key (charge) references sandbox_bank.charge (reference);

alter table sandbox_bank.devolucao add foreign key (end_to_end_id) references sandbox_bank.pix (end_to_end_id);

alter table charge_attempt add foreign key (account_id, live_mode, intent_id) references payment_intent (account_id, live_mode, id);
alter table charge_attempt add foreign key (account_id, live_mode, invoice_id) references invoice (account_id, live_mode, id);

alter table checkout_session add foreign key (account_id, live_mode, customer_id) references customer (account_id, live_mode, id);
alter table checkout_session add foreign key (account_id, live_mode, invoice_id) references invoice (account_id, live_mode, id);
alter table checkout_session add foreign key (account_id, live_mode, subscription_id) references subscription (account_id, live_mode, id);
alter table checkout_session add foreign key (account_id, live_mode, payment_link_id) references payment_link (account_id, live_mode, id);

alter table collection_settings add foreign key (account_id) references account (id);

alter table coupon add foreign key (account_id) references account (id);

alter table customer add foreign key (account_id) references account (id);

alter table debit_try add foreign key (account_id, live_mode, intent_id) references payment_intent (account_id, live_mode, id);
alter table debit_try add foreign key (account_id, live_mode, invoice_id) references invoice (account_id, live_mode, id);

alter table dispute add foreign key (account_id, live_mode, intent_id) references payment_intent (account_id, live_mode, id);
alter table dispute add foreign key (account_id, live_mode, invoice_id) references invoice (account_id, live_mode, id);
alter table dispute add foreign key (account_id, live_mode, customer_id) references customer (account_id, live_mode, id);

alter table export add foreign key (account_id) references account (id);

alter table export_part add foreign key (account_id, live_mode, export_id) references export (account_id, live_mode, id);

alter table invoice add foreign key (account_id, live_mode, customer_id) references customer (account_id, live_mode, id);
alter table invoice add foreign key (account_id, live_mode, subscription_id) references subscription (account_id, live_mode, id);
alter table invoice add foreign key (account_id, live_mode, payment_intent_id) references payment_intent (account_id, live_mode, id) deferrable initially deferred;

alter table invoice_item add foreign key (account_id, live_mode, customer_id) references customer (account_id, live_mode, id);
alter table invoice_item add foreign key (account_id, live_mode, subscription_id) references subscription (account_id, live_mode, id);
alter table invoice_item add foreign key (account_id, live_mode, price_id) references price (account_id, live_mode, id);
alter table invoice_item add foreign key (account_id, live_mode, invoice_id) references invoice (account_id, live_mode, id);

alter table live_acquirer add foreign key (account_id) references account (id);

alter table account_look add foreign key (account_id) references account (id);

alter table mail add foreign key (account_id, live_mode, customer_id) references customer (account_id, live_mode, id);
alter table mail add foreign key (account_id, live_mode, invoice_id) references invoice (account_id, live_mode, id);
alter table mail add foreign key (account_id, live_mode, subscription_id) references subscription (account_id, live_mode, id);
alter table mail add foreign key (account_id, live_mode, endpoint_id) references webhook_endpoint (account_id, live_mode, id);

alter table mandate add foreign key (account_id, live_mode, subscription_id) references subscription (account_id, live_mode, id);
alter table mandate add foreign key (account_id, live_mode, customer_id) references customer (account_id, live_mode, id);
alter table mandate add foreign key (account_id, live_mode, first_txid) references pix_charge (account_id, live_mode, id) deferrable initially deferred;

alter table note add foreign key (account_id, live_mode, customer_id) references customer (account_id, live_mode, id);

alter table payment_intent add foreign key (account_id, live_mode, invoice_id) references invoice (account_id, live_mode, id);
alter table payment_intent add foreign key (account_id, live_mode, customer_id) references customer (account_id, live_mode, id);
alter table payment_intent add foreign key (account_id, live_mode, subscription_id) references subscription (account_id, live_mode, id);
alter table payment_intent add foreign key (account_id, live_mode, mandate_id) references mandate (account_id, live_mode, id) deferrable initially deferred;

alter table payment_link add foreign key (account_id) references account (id);

alter table payment_method add foreign key (account_id, live_mode, customer_id) references customer (account_id, live_mode, id);

alter table pix_receipt add foreign key (account_id, live_mode, txid) references pix_charge (account_id, live_mode, id);
alter table pix_receipt add foreign key (account_id, live_mode, invoice_id) references invoice (account_id, live_mode, id);
alter table pix_receipt add foreign key (account_id, live_mode, intent_id) references payment_intent (account_id, live_mode, id);

alter table portal_link add foreign key (account_id, live_mode, customer_id) references customer (account_id, live_mode, id);

alter table price add foreign key (account_id, live_mode, product_id) references product (account_id, live_mode, id);

alter table product add foreign key (account_id) references account (id);

alter table promotion_code add foreign key (account_id, live_mode, coupon_id) references coupon (account_id, live_mode, id);
alter table promotion_code add foreign key (account_id, live_mode, customer_id) references customer (account_id, live_mode, id);

alter table pix_charge add foreign key (account_id, live_mode, intent_id) references payment_intent (account_id, live_mode, id);
alter table pix_charge add foreign key (account_id, live_mode, invoice_id) references invoice (account_id, live_mode, id);

alter table redemption add foreign key (account_id, live_mode, coupon_id) references coupon (account_id, live_mode, id);
alter table redemption add foreign key (account_id, live_mode, promotion_code_id) references promotion_code (account_id, live_mode, id);
alter table redemption add foreign key (account_id, live_mode, customer_id) references customer (account_id, live_mode, id);
alter table redemption add foreign key (account_id, live_mode, invoice_id) references invoice (account_id, live_mode, id);
alter table redemption add foreign key (account_id, live_mode, subscription_id) references subscription (account_id, live_mode, id);

alter table refund_part add foreign key (account_id, live_mode, intent_id) references payment_intent (account_id, live_mode, id);

alter table staff_invitation add foreign key (account_id) references account (id);

alter table staff_member add foreign key (account_id) references account (id);
alter table staff_member add foreign key (staff_id) references staff (id);

alter table staff_passkey add foreign key (staff_id) references staff (id);

alter table staff_session add foreign key (staff_id) references staff (id);

alter table staff_token add foreign key (staff_id) references staff (id);

alter table subscription add foreign key (account_id, live_mode, customer_id) references customer (account_id, live_mode, id);
alter table subscription add foreign key (account_id, live_mode, latest_invoice_id) references invoice (account_id, live_mode, id) deferrable initially deferred;
alter table subscription add foreign key (account_id, live_mode, mandate_id) references mandate (account_id, live_mode, id) deferrable initially deferred;
alter table subscription add foreign key (account_id, live_mode, payment_method_id) references payment_method (account_id, live_mode, id);

alter table subscription_change add foreign key (account_id, live_mode, subscription_id) references subscription (account_id, live_mode, id);
alter table subscription_change add foreign key (account_id, live_mode, invoice_id) references invoice (account_id, live_mode, id) deferrable initially deferred;

alter table subscription_term add foreign key (account_id, live_mode, subscription_id) references subscription (account_id, live_mode, id);
alter table subscription_term add foreign key (account_id, live_mode, price_id) references price (account_id, live_mode, id);

alter table typed_email add foreign key (account_id, live_mode, id) references customer (account_id, live_mode, id);

alter table webhook_endpoint add foreign key (account_id) references account (id);

alter table webhook_recovery add foreign key (account_id, live_mode, endpoint_id) references webhook_endpoint (account_id, live_mode, id);

alter table account enable row level security;
create policy own on account
  using (coalesce((id IN (current_setting('fatura.live', true), current_setting('fatura.sandbox', true)) OR current_setting('fatura.live', true) = '*'), false));
alter table api_key enable row level security;
create policy own on api_key
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on api_key as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on api_key as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
alter table audit_log enable row level security;
create policy own on audit_log
  using (coalesce(((live_mode IS NOT FALSE AND current_setting('fatura.live', true) IN (account_id, '*'))
        OR (live_mode IS NOT TRUE AND current_setting('fatura.sandbox', true) IN (account_id, '*'))), false));
create policy of_live on audit_log as restrictive to fatura_api_live, fatura_worker_live using (live_mode IS NOT FALSE);
create policy of_sandbox on audit_log as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (live_mode IS NOT TRUE);
alter table charge_attempt enable row level security;
create policy own on charge_attempt
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on charge_attempt as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on charge_attempt as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on charge_attempt as restrictive for delete to fatura_api using (NOT live_mode);
alter table checkout_session enable row level security;
create policy own on checkout_session
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on checkout_session as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on checkout_session as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on checkout_session as restrictive for delete to fatura_api using (NOT live_mode);
alter table collection_settings enable row level security;
create policy own on collection_settings
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on collection_settings as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on collection_settings as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
alter table coupon enable row level security;
create policy own on coupon
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on coupon as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on coupon as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on coupon as restrictive for delete to fatura_api using (NOT live_mode);
alter table customer enable row level security;
create policy own on customer
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on customer as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on customer as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on customer as restrictive for delete to fatura_api using (NOT live_mode);
alter table customer_word enable row level security;
create policy own on customer_word
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on customer_word as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on customer_word as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
alter table debit_try enable row level security;
create policy own on debit_try
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on debit_try as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on debit_try as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on debit_try as restrictive for delete to fatura_api using (NOT live_mode);
alter table delivery enable row level security;
create policy own on delivery
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on delivery as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on delivery as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on delivery as restrictive for delete to fatura_api using (NOT live_mode);
alter table delivery_attempt enable row level security;
create policy own on delivery_attempt
  using (coalesce((current_setting('fatura.live', true) = '*' OR EXISTS (SELECT FROM delivery d WHERE d.day = delivery_attempt.day AND d.event_id = delivery_attempt.event_id
  AND d.endpoint_id = delivery_attempt.endpoint_id AND d.ladder = delivery_attempt.ladder)), false));
create policy of_live on delivery_attempt as restrictive to fatura_api_live, fatura_worker_live
  using (EXISTS (SELECT FROM delivery d WHERE d.day = delivery_attempt.day AND d.event_id = delivery_attempt.event_id
  AND d.endpoint_id = delivery_attempt.endpoint_id AND d.ladder = delivery_attempt.ladder));
create policy of_sandbox on delivery_attempt as restrictive to fatura_api_sandbox, fatura_worker_sandbox
  using (EXISTS (SELECT FROM delivery d WHERE d.day = delivery_attempt.day AND d.event_id = delivery_attempt.event_id
  AND d.endpoint_id = delivery_attempt.endpoint_id AND d.ladder = delivery_attempt.ladder));
create policy removed_in_sandbox on delivery_attempt as restrictive for delete to fatura_api
  using (coalesce((SELECT NOT w.live_mode FROM webhook_endpoint w WHERE w.id = delivery_attempt.endpoint_id), true));
alter table dispute enable row level security;
create policy own on dispute
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on dispute as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on dispute as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on dispute as restrictive for delete to fatura_api using (NOT live_mode);
alter table event enable row level security;
create policy own on event
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on event as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on event as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on event as restrictive for delete to fatura_api using (NOT live_mode);
alter table event_delivery_status enable row level security;
create policy own on event_delivery_status
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on event_delivery_status as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on event_delivery_status as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on event_delivery_status as restrictive for delete to fatura_api using (NOT live_mode);
alter table export enable row level security;
create policy own on export
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on export as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on export as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
alter table export_part enable row level security;
create policy own on export_part
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on export_part as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on export_part as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
alter table idempotency_key enable row level security;
create policy own on idempotency_key
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on idempotency_key as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on idempotency_key as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
alter table invoice enable row level security;
create policy own on invoice
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on invoice as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on invoice as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on invoice as restrictive for delete to fatura_api using (NOT live_mode);
alter table invoice_cycle enable row level security;
create policy own on invoice_cycle
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on invoice_cycle as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on invoice_cycle as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on invoice_cycle as restrictive for delete to fatura_api using (NOT live_mode);
alter table invoice_external_code enable row level security;
create policy own on invoice_external_code
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on invoice_external_code as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on invoice_external_code as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on invoice_external_code as restrictive for delete to fatura_api using (NOT live_mode);
alter table invoice_item enable row level security;
create policy own on invoice_item
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on invoice_item as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on invoice_item as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on invoice_item as restrictive for delete to fatura_api using (NOT live_mode);
alter table live_acquirer enable row level security;
create policy own on live_acquirer
  using (coalesce((current_setting('fatura.live', true) IN (account_id, '*')), false));
create policy of_sandbox on live_acquirer as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (false);
alter table account_look enable row level security;
create policy own on account_look
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on account_look as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on account_look as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
alter table mail enable row level security;
create policy own on mail
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on mail as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on mail as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on mail as restrictive for delete to fatura_api using (NOT live_mode);
alter table mandate enable row level security;
create policy own on mandate
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on mandate as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on mandate as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on mandate as restrictive for delete to fatura_api using (NOT live_mode);
alter table note enable row level security;
create policy own on note
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on note as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on note as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on note as restrictive for delete to fatura_api using (NOT live_mode);
alter table outbox enable row level security;
create policy own on outbox
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on outbox as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on outbox as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
alter table payment_intent enable row level security;
create policy own on payment_intent
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on payment_intent as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on payment_intent as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on payment_intent as restrictive for delete to fatura_api using (NOT live_mode);
alter table payment_link enable row level security;
create policy own on payment_link
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on payment_link as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on payment_link as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on payment_link as restrictive for delete to fatura_api using (NOT live_mode);
alter table payment_method enable row level security;
create policy own on payment_method
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on payment_method as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on payment_method as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on payment_method as restrictive for delete to fatura_api using (NOT live_mode);
alter table pix_receipt enable row level security;
create policy own on pix_receipt
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on pix_receipt as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on pix_receipt as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on pix_receipt as restrictive for delete to fatura_api using (NOT live_mode);
alter table portal_link enable row level security;
create policy own on portal_link
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on portal_link as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on portal_link as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
alter table price enable row level security;
create policy own on price
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on price as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on price as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on price as restrictive for delete to fatura_api using (NOT live_mode);
alter table product enable row level security;
create policy own on product
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on product as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on product as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on product as restrictive for delete to fatura_api using (NOT live_mode);
alter table promotion_code enable row level security;
create policy own on promotion_code
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on promotion_code as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on promotion_code as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on promotion_code as restrictive for delete to fatura_api using (NOT live_mode);
alter table pix_charge enable row level security;
create policy own on pix_charge
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on pix_charge as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on pix_charge as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on pix_charge as restrictive for delete to fatura_api using (NOT live_mode);
alter table redemption enable row level security;
create policy own on redemption
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on redemption as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on redemption as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on redemption as restrictive for delete to fatura_api using (NOT live_mode);
alter table refund_part enable row level security;
create policy own on refund_part
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on refund_part as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on refund_part as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on refund_part as restrictive for delete to fatura_api using (NOT live_mode);
alter table staff_invitation enable row level security;
create policy own on staff_invitation
  using (coalesce((account_id IN (current_setting('fatura.live', true), current_setting('fatura.sandbox', true)) OR current_setting('fatura.live', true) = '*'), false));
alter table staff_member enable row level security;
create policy own on staff_member
  using (coalesce((account_id IN (current_setting('fatura.live', true), current_setting('fatura.sandbox', true)) OR current_setting('fatura.live', true) = '*'), false));
alter table subscription enable row level security;
create policy own on subscription
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on subscription as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on subscription as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on subscription as restrictive for delete to fatura_api using (NOT live_mode);
alter table subscription_change enable row level security;
create policy own on subscription_change
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on subscription_change as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on subscription_change as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on subscription_change as restrictive for delete to fatura_api using (NOT live_mode);
alter table subscription_term enable row level security;
create policy own on subscription_term
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on subscription_term as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on subscription_term as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on subscription_term as restrictive for delete to fatura_api using (NOT live_mode);
alter table typed_email enable row level security;
create policy own on typed_email
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on typed_email as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on typed_email as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on typed_email as restrictive for delete to fatura_api using (NOT live_mode);
alter table webhook_endpoint enable row level security;
create policy own on webhook_endpoint
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on webhook_endpoint as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on webhook_endpoint as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on webhook_endpoint as restrictive for delete to fatura_api using (NOT live_mode);
alter table webhook_recovery enable row level security;
create policy own on webhook_recovery
  using (coalesce((current_setting(CASE WHEN live_mode THEN 'fatura.live' ELSE 'fatura.sandbox' END, true) IN (account_id, '*')), false));
create policy of_live on webhook_recovery as restrictive to fatura_api_live, fatura_worker_live using (live_mode);
create policy of_sandbox on webhook_recovery as restrictive to fatura_api_sandbox, fatura_worker_sandbox using (NOT live_mode);
create policy removed_in_sandbox on webhook_recovery as restrictive for delete to fatura_api using (NOT live_mode);
create view refund as SELECT p.intent_id AS id, p.account_id, p.live_mode, p.created, p.id AS first_part_id
  FROM refund_part p WHERE p.status <> 'failed' AND p.reason <> 'surplus' AND NOT EXISTS (
    SELECT FROM refund_part e
    WHERE e.intent_id = p.intent_id AND e.id < p.id AND e.status <> 'failed' AND e.reason <> 'surplus');
