-- The tables of the service and their indexes. Amounts are cents, instants are Unix seconds on the account's clock; timestamptz is real time.
-- Foreign keys between objects go through (account_id, live_mode, id), so none leads to another account or mode. Only objects that
-- hang on nothing else name their account: on hot tables the shared row would be locked by every insert.
-- `last_event_id` and `last_event_at` are those of the last event that tells of the row: the next one comes after it.
-- `wake_at` is the instant of what is due in real seconds, null while the clock of its account is held.

CREATE TABLE account (
  id text COLLATE "C" PRIMARY KEY,
  email text NOT NULL,
  city text NOT NULL,
  created bigint NOT NULL,
  sandbox_offset_seconds bigint NOT NULL DEFAULT 0,
  pix_validity_seconds integer NOT NULL DEFAULT 86400 CHECK (pix_validity_seconds BETWEEN 300 AND 2592000),
  limits jsonb NOT NULL DEFAULT '{}',
  overdue_days double precision NOT NULL DEFAULT 1 CHECK (overdue_days > 0),
  suspend_days double precision NOT NULL DEFAULT 10,
  cancel_days double precision NOT NULL DEFAULT 30,
  retry_days double precision[] NOT NULL DEFAULT '{1,3,7}' CHECK (0 < ALL (retry_days)),
  clock_held_at bigint,
  clock_target bigint,
  clock_moved_at timestamptz,
  CHECK (overdue_days <= suspend_days AND suspend_days < cancel_days),
  CHECK ((clock_held_at IS NULL) = (clock_target IS NULL)),
  CHECK (clock_held_at <= clock_target)
);

-- What buyers see of a merchant, for each mode apart.
CREATE TABLE account_look (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL REFERENCES account(id),
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  name text NOT NULL,
  tax_id text,
  support_email text,
  support_phone text,
  color text,
  logo_url text,
  logo_media_type text CHECK (logo_media_type IN ('image/png', 'image/jpeg', 'image/webp')),
  logo_digest text,
  logo_content bytea,
  logo_width integer,
  logo_height integer,
  last_event_id text COLLATE "C",
  last_event_at bigint,
  PRIMARY KEY (account_id, live_mode),
  CHECK (id = account_id),
  CONSTRAINT account_look_whole_logo CHECK (num_nonnulls(logo_media_type, logo_digest, logo_content, logo_width, logo_height) IN (0, 5))
);
CREATE INDEX account_look_logo ON account_look (logo_digest) WHERE logo_digest IS NOT NULL;

CREATE TABLE api_key (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES account(id),
  live_mode boolean NOT NULL,
  key_hash bytea NOT NULL UNIQUE,
  hint text NOT NULL,
  scope text NOT NULL CHECK (scope IN ('full', 'read')),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  name text NOT NULL DEFAULT 'default' CHECK (char_length(name) BETWEEN 1 AND 100),
  networks cidr[] NOT NULL DEFAULT '{}',
  -- The key whose count of requests this one goes on with; null: its own.
  bucket text COLLATE "C",
  replaced_by text COLLATE "C" REFERENCES api_key(id),
  revoked_at timestamptz
);
CREATE INDEX api_key_account ON api_key (account_id, live_mode);

-- Apart from the keys: whoever serves requests tells of their use, and changes no key.
CREATE TABLE api_key_use (
  key_id text COLLATE "C" PRIMARY KEY REFERENCES api_key(id),
  used_at timestamptz NOT NULL
);

-- Who moves the live money of each account. `settings` is sealed as a whole; `notice_hash` is a keyed hash of the secret path of its callbacks.
CREATE TABLE live_acquirer (
  account_id text COLLATE "C" NOT NULL REFERENCES account(id),
  method text NOT NULL CHECK (method IN ('pix', 'card')),
  profile text NOT NULL,
  settings bytea NOT NULL,
  notice_hash bytea NOT NULL UNIQUE,
  certificate_ends_at timestamptz,
  swept_until bigint NOT NULL,
  returns_swept_at bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now(),
  -- Days before the end of which the last letter told; of a new certificate none has.
  certificate_warned smallint CHECK (certificate_warned > 0),
  PRIMARY KEY (account_id, method)
);

CREATE TABLE customer (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES account(id),
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  external_code text,
  anonymized_at bigint,
  last_event_id text COLLATE "C",
  last_event_at bigint,
  -- Name, tax id, e-mail, phone and address, sealed; the indexes are keyed hashes.
  personal bytea NOT NULL,
  email_index bytea,
  identifier_index bytea,
  CONSTRAINT customer_scope UNIQUE (account_id, live_mode, id)
);
CREATE UNIQUE INDEX customer_external_code ON customer (account_id, live_mode, external_code) WHERE external_code IS NOT NULL;
-- Account and mode are in the hash, so the hash alone finds the row.
CREATE INDEX customer_email_index ON customer (email_index, id) WHERE email_index IS NOT NULL;
CREATE INDEX customer_identifier_index ON customer (identifier_index, id) WHERE identifier_index IS NOT NULL;
CREATE INDEX customer_of_sandbox ON customer (id) WHERE NOT live_mode;

-- The address of a customer, by whose id the row goes, that its buyer typed on a page: it may be somebody else's.
-- `email_index` tells which address it was.
CREATE TABLE typed_email (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  email_index bytea,
  asked_at bigint,
  confirmed_at bigint,
  CONSTRAINT typed_email_scope UNIQUE (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, id) REFERENCES customer (account_id, live_mode, id)
);
CREATE INDEX typed_email_address ON typed_email (account_id, live_mode, email_index);

CREATE TABLE product (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES account(id),
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  name text NOT NULL,
  description text,
  active boolean NOT NULL,
  external_code text,
  last_event_id text COLLATE "C",
  last_event_at bigint,
  CONSTRAINT product_scope UNIQUE (account_id, live_mode, id)
);
CREATE UNIQUE INDEX product_external_code ON product (account_id, live_mode, external_code) WHERE external_code IS NOT NULL;

CREATE TABLE price (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  product_id text COLLATE "C" NOT NULL,
  active boolean NOT NULL,
  type text NOT NULL CHECK (type IN ('one_time', 'recurring')),
  unit_amount integer NOT NULL CHECK (unit_amount BETWEEN 0 AND 999999),
  recurring_interval text CHECK (recurring_interval IN ('day', 'week', 'month')),
  recurring_interval_count integer CHECK (recurring_interval_count >= 1),
  description text,
  external_code text,
  card_installments_enabled boolean NOT NULL,
  max_card_installments integer NOT NULL CHECK (max_card_installments BETWEEN 1 AND 12),
  creation jsonb NOT NULL,
  last_event_id text COLLATE "C",
  last_event_at bigint,
  CONSTRAINT price_scope UNIQUE (account_id, live_mode, id),
  CHECK ((type = 'recurring') = (recurring_interval IS NOT NULL AND recurring_interval_count IS NOT NULL)),
  FOREIGN KEY (account_id, live_mode, product_id) REFERENCES product (account_id, live_mode, id)
);
CREATE UNIQUE INDEX price_external_code ON price (account_id, live_mode, external_code) WHERE external_code IS NOT NULL;
CREATE INDEX price_product ON price (product_id, id);

CREATE TABLE invoice (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  customer_name text NOT NULL,
  customer_email text,
  subscription_id text COLLATE "C",
  status text NOT NULL CHECK (status IN ('draft', 'open', 'paid', 'uncollectible', 'void')),
  billing_reason text NOT NULL,
  total bigint NOT NULL CHECK (total >= 0),
  amount_paid bigint NOT NULL DEFAULT 0,
  amount_refunded bigint NOT NULL DEFAULT 0,
  payment_intent_id text COLLATE "C",
  external_code text,
  description text,
  line_items json NOT NULL,
  discounts json NOT NULL DEFAULT '[]',
  metadata json NOT NULL DEFAULT '[]',
  due_at bigint NOT NULL,
  period_start bigint,
  period_end bigint,
  finalized_at bigint,
  paid_at bigint,
  marked_uncollectible_at bigint,
  voided_at bigint,
  cycle integer CHECK (cycle >= 1),
  collection text NOT NULL DEFAULT 'once' CHECK (collection IN ('once', 'awaited', 'renewal', 'suspended')),
  charges integer NOT NULL DEFAULT 0 CHECK (charges >= 0),
  next_charge_at bigint,
  reminders integer NOT NULL DEFAULT 0 CHECK (reminders >= 0),
  overdue_at bigint,
  in_case boolean NOT NULL DEFAULT false,
  step text CHECK (step IN ('charge', 'mark_overdue', 'suspend', 'cancel', 'remind')),
  step_at bigint,
  wake_at bigint,
  payable_until bigint,
  last_event_id text COLLATE "C",
  last_event_at bigint,
  amount_disputed bigint NOT NULL DEFAULT 0,
  CONSTRAINT invoice_scope UNIQUE (account_id, live_mode, id),
  CHECK (amount_paid = 0 OR amount_paid = total),
  CHECK (amount_refunded BETWEEN 0 AND amount_paid),
  CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
  CHECK (status = 'paid' OR amount_paid = 0),
  CHECK (status <> 'paid' OR amount_paid = total),
  CHECK ((subscription_id IS NULL) = (cycle IS NULL)),
  CHECK ((step IS NULL) = (step_at IS NULL)),
  CHECK (step IS NULL OR status = 'open'),
  CHECK (step_at IS NOT NULL OR wake_at IS NULL),
  CONSTRAINT invoice_disputed CHECK (amount_disputed BETWEEN 0 AND amount_paid - amount_refunded),
  FOREIGN KEY (account_id, live_mode, customer_id) REFERENCES customer (account_id, live_mode, id)
) WITH (fillfactor=70);
CREATE UNIQUE INDEX invoice_external_code ON invoice (account_id, live_mode, external_code) WHERE external_code IS NOT NULL;
CREATE INDEX invoice_customer ON invoice (customer_id, id);
CREATE INDEX invoice_subscription ON invoice (subscription_id, id) WHERE subscription_id IS NOT NULL;
CREATE UNIQUE INDEX invoice_cycle ON invoice (subscription_id, cycle) WHERE subscription_id IS NOT NULL;
CREATE INDEX invoice_wake ON invoice (wake_at, id) WHERE wake_at IS NOT NULL;
CREATE INDEX invoice_step ON invoice (account_id, step_at, id) WHERE step_at IS NOT NULL AND NOT live_mode;
CREATE INDEX invoice_asleep ON invoice (account_id) WHERE step_at IS NOT NULL AND wake_at IS NULL;
CREATE INDEX invoice_in_case ON invoice (subscription_id, id) WHERE in_case;
CREATE INDEX invoice_of_payment_intent_id ON invoice (payment_intent_id) WHERE payment_intent_id IS NOT NULL;
CREATE INDEX invoice_turn ON invoice (live_mode, account_id, wake_at, id) WHERE wake_at IS NOT NULL;

CREATE TABLE payment_intent (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  invoice_id text COLLATE "C" NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  subscription_id text COLLATE "C",
  status text NOT NULL CHECK (status IN ('pending', 'processing', 'paid', 'failed', 'refunding', 'refunded', 'discarded')),
  surplus boolean NOT NULL DEFAULT false,
  amount bigint NOT NULL CHECK (amount > 0),
  amount_refunded bigint NOT NULL DEFAULT 0,
  payment_method_type text CHECK (payment_method_type IN ('pix', 'card')),
  installments integer NOT NULL DEFAULT 1 CHECK (installments BETWEEN 1 AND 12),
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  max_attempts integer NOT NULL DEFAULT 1 CHECK (max_attempts >= 1),
  next_attempt bigint,
  decline_reason text,
  due_at bigint NOT NULL,
  processing_at bigint,
  paid_at bigint,
  failed_at bigint,
  refunding_at bigint,
  refunded_at bigint,
  discarded_at bigint,
  is_scheduled boolean NOT NULL DEFAULT false,
  last_event_id text COLLATE "C",
  last_event_at bigint,
  amount_disputed bigint NOT NULL DEFAULT 0,
  CONSTRAINT payment_intent_scope UNIQUE (account_id, live_mode, id),
  CHECK (amount_refunded BETWEEN 0 AND amount),
  CHECK (status NOT IN ('paid', 'refunding', 'refunded') OR paid_at IS NOT NULL),
  CONSTRAINT payment_intent_disputed CHECK (amount_disputed BETWEEN 0 AND amount - amount_refunded),
  FOREIGN KEY (account_id, live_mode, customer_id) REFERENCES customer (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, invoice_id) REFERENCES invoice (account_id, live_mode, id)
) WITH (fillfactor=70);
-- An invoice has one charge that may still settle, and one that settled it.
CREATE UNIQUE INDEX payment_intent_one_unsettled ON payment_intent (invoice_id) WHERE status IN ('pending', 'processing', 'failed');
CREATE UNIQUE INDEX payment_intent_one_settling ON payment_intent (invoice_id)
  WHERE status IN ('paid', 'refunding', 'refunded') AND NOT surplus;
CREATE INDEX payment_intent_invoice ON payment_intent (invoice_id, id);
CREATE INDEX payment_intent_customer ON payment_intent (customer_id, id);
CREATE INDEX payment_intent_of_subscription_id ON payment_intent (subscription_id) WHERE subscription_id IS NOT NULL;

CREATE TABLE payment_method (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  brand text,
  last4 text CHECK (last4 ~ '^[0-9]{4}$'),
  sealed_token bytea,
  CONSTRAINT payment_method_scope UNIQUE (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, customer_id) REFERENCES customer (account_id, live_mode, id)
);
CREATE INDEX payment_method_customer ON payment_method (customer_id, id);

CREATE TABLE charge_attempt (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  intent_id text COLLATE "C" NOT NULL,
  invoice_id text COLLATE "C" NOT NULL,
  payment_method_id text COLLATE "C" NOT NULL,
  brand text,
  last4 text CHECK (last4 ~ '^[0-9]{4}$'),
  amount bigint NOT NULL CHECK (amount > 0),
  installments integer NOT NULL CHECK (installments BETWEEN 1 AND 12),
  deadline_at timestamptz NOT NULL,
  status text NOT NULL CHECK (status IN ('sent', 'approved', 'declined', 'never_charged')),
  decline_reason text,
  acquirer_code text,
  is_reversible boolean,
  unknown_at timestamptz,
  completed_at bigint,
  initiator text NOT NULL DEFAULT 'customer' CHECK (initiator IN ('customer', 'merchant')),
  CONSTRAINT charge_attempt_scope UNIQUE (account_id, live_mode, id),
  CHECK ((status = 'sent') = (completed_at IS NULL)),
  CHECK ((status IN ('declined', 'never_charged')) = (decline_reason IS NOT NULL AND is_reversible IS NOT NULL)),
  FOREIGN KEY (account_id, live_mode, intent_id) REFERENCES payment_intent (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, invoice_id) REFERENCES invoice (account_id, live_mode, id)
) WITH (fillfactor=70);
CREATE UNIQUE INDEX charge_attempt_one_sent ON charge_attempt (intent_id) WHERE status = 'sent';
CREATE UNIQUE INDEX charge_attempt_one_approved ON charge_attempt (intent_id) WHERE status = 'approved';
CREATE INDEX charge_attempt_intent ON charge_attempt (intent_id, id);
CREATE INDEX charge_attempt_sent ON charge_attempt (deadline_at) WHERE status = 'sent';
CREATE INDEX charge_attempt_of_invoice_id ON charge_attempt (invoice_id) WHERE invoice_id IS NOT NULL;

CREATE TABLE pix_charge (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  intent_id text COLLATE "C" NOT NULL UNIQUE,
  invoice_id text COLLATE "C" NOT NULL,
  payment_method_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  expires_at bigint NOT NULL,
  copy_paste text,
  state text NOT NULL CHECK (state IN ('creating', 'active', 'retiring', 'ended')),
  confirmed_at bigint,
  CONSTRAINT pix_charge_scope UNIQUE (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, intent_id) REFERENCES payment_intent (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, invoice_id) REFERENCES invoice (account_id, live_mode, id)
);
CREATE INDEX pix_charge_invoice ON pix_charge (invoice_id, id);
CREATE INDEX pix_charge_waiting ON pix_charge (id) WHERE state = 'retiring' OR confirmed_at IS NOT NULL;

-- Money that came by PIX; `intent_id` is null until it is decided what it pays.
CREATE TABLE pix_receipt (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  txid text COLLATE "C" NOT NULL,
  invoice_id text COLLATE "C" NOT NULL,
  intent_id text COLLATE "C",
  amount bigint NOT NULL CHECK (amount > 0),
  paid_at bigint NOT NULL,
  CONSTRAINT pix_receipt_scope UNIQUE (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, intent_id) REFERENCES payment_intent (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, invoice_id) REFERENCES invoice (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, txid) REFERENCES pix_charge (account_id, live_mode, id)
);
CREATE UNIQUE INDEX pix_receipt_intent ON pix_receipt (intent_id) WHERE intent_id IS NOT NULL;
CREATE INDEX pix_receipt_txid ON pix_receipt (txid);
CREATE INDEX pix_receipt_undecided ON pix_receipt (invoice_id) WHERE intent_id IS NULL;
CREATE INDEX pix_receipt_of_invoice_id ON pix_receipt (invoice_id) WHERE invoice_id IS NOT NULL;

CREATE TABLE refund_part (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  intent_id text COLLATE "C" NOT NULL,
  invoice_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  reason text NOT NULL,
  status text NOT NULL CHECK (status IN ('refunding', 'refunded', 'failed')),
  reference text COLLATE "C" NOT NULL UNIQUE,
  requests integer NOT NULL DEFAULT 1,
  retry_at bigint,
  completed_at bigint,
  CONSTRAINT refund_part_scope UNIQUE (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, intent_id) REFERENCES payment_intent (account_id, live_mode, id)
);
CREATE INDEX refund_part_intent ON refund_part (intent_id, id);
CREATE INDEX refund_part_unsettled ON refund_part (id) WHERE status = 'refunding';
CREATE INDEX refund_part_standing ON refund_part (account_id, live_mode, intent_id) WHERE status <> 'failed' AND reason <> 'surplus';
-- A refund stands in its list by the first of its parts that stands, which is found without a look at all the others.
CREATE INDEX refund_part_listed ON refund_part (account_id, live_mode, id) WHERE status <> 'failed' AND reason <> 'surplus';

-- A view reads for whoever asks it.
CREATE VIEW refund WITH (security_invoker = true) AS
  SELECT p.intent_id AS id, p.account_id, p.live_mode, p.created, p.id AS first_part_id
  FROM refund_part p WHERE p.status <> 'failed' AND p.reason <> 'surplus' AND NOT EXISTS (
    SELECT FROM refund_part e
    WHERE e.intent_id = p.intent_id AND e.id < p.id AND e.status <> 'failed' AND e.reason <> 'surplus');

CREATE TABLE dispute (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  intent_id text COLLATE "C" NOT NULL,
  invoice_id text COLLATE "C" NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  method text NOT NULL CHECK (method IN ('pix', 'card')),
  kind text NOT NULL CHECK (kind IN ('med', 'chargeback', 'inquiry')),
  reason text NOT NULL,
  status text NOT NULL CHECK (status IN ('needs_response', 'under_review', 'won', 'lost', 'closed')),
  funds text NOT NULL CHECK (funds IN ('none', 'withdrawn', 'reinstated')),
  evidence_due_by bigint,
  closed_at bigint,
  withdrawn_at bigint,
  reinstated_at bigint,
  end_to_end_id text COLLATE "C",
  return_id text COLLATE "C",
  last_event_id text COLLATE "C",
  last_event_at bigint,
  CONSTRAINT dispute_scope UNIQUE (account_id, live_mode, id),
  CHECK ((kind = 'med') = (end_to_end_id IS NOT NULL AND return_id IS NOT NULL)),
  CHECK ((funds = 'none') = (withdrawn_at IS NULL)),
  CHECK ((funds = 'reinstated') = (reinstated_at IS NOT NULL)),
  FOREIGN KEY (account_id, live_mode, customer_id) REFERENCES customer (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, intent_id) REFERENCES payment_intent (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, invoice_id) REFERENCES invoice (account_id, live_mode, id)
);
-- One for each return of the bank, whoever hears of it and how often.
CREATE UNIQUE INDEX dispute_return ON dispute (return_id, end_to_end_id);
CREATE INDEX dispute_intent ON dispute (intent_id, id);
CREATE INDEX dispute_invoice ON dispute (invoice_id, id);
CREATE INDEX dispute_customer ON dispute (customer_id, id);

CREATE TABLE subscription (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  price_id text COLLATE "C" NOT NULL,
  item_id text COLLATE "C" NOT NULL UNIQUE,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999),
  external_code text,
  discounts json NOT NULL DEFAULT '[]',
  status text NOT NULL CHECK (status IN ('pending', 'active', 'inactive', 'suspended')),
  billing_cycle_anchor bigint NOT NULL,
  anchor_cycle integer NOT NULL DEFAULT 1 CHECK (anchor_cycle >= 1),
  cycle integer NOT NULL DEFAULT 0 CHECK (cycle >= 0),
  current_period_start bigint,
  current_period_end bigint,
  latest_invoice_id text COLLATE "C",
  payment_method_type text CHECK (payment_method_type IN ('pix', 'card')),
  payment_method_id text COLLATE "C",
  installments integer NOT NULL DEFAULT 1 CHECK (installments BETWEEN 1 AND 12),
  pending_until bigint,
  activated_at bigint,
  suspended_at bigint,
  reactivated_at bigint,
  ended bigint,
  billed_cycle integer NOT NULL DEFAULT 1,
  due text CHECK (due IN ('end', 'renew', 'bill', 'start_period')),
  due_at bigint,
  wake_at bigint,
  last_event_id text COLLATE "C",
  last_event_at bigint,
  CONSTRAINT subscription_scope UNIQUE (account_id, live_mode, id),
  CHECK ((current_period_start IS NULL) = (current_period_end IS NULL)),
  CHECK (current_period_start < current_period_end),
  CHECK ((status = 'inactive') = (ended IS NOT NULL)),
  CHECK ((status = 'pending') = (pending_until IS NOT NULL)),
  CHECK (billed_cycle >= cycle),
  CHECK ((due IS NULL) = (due_at IS NULL)),
  CHECK (due_at IS NOT NULL OR wake_at IS NULL),
  FOREIGN KEY (account_id, live_mode, customer_id) REFERENCES customer (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, payment_method_id) REFERENCES payment_method (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, price_id) REFERENCES price (account_id, live_mode, id),
  CONSTRAINT subscription_latest_invoice FOREIGN KEY (account_id, live_mode, latest_invoice_id) REFERENCES invoice (account_id, live_mode, id) DEFERRABLE INITIALLY DEFERRED
) WITH (fillfactor=70);
CREATE INDEX subscription_customer ON subscription (customer_id, id);
CREATE INDEX subscription_price ON subscription (price_id, id);
CREATE INDEX subscription_external_code ON subscription (account_id, live_mode, external_code, id) WHERE external_code IS NOT NULL;
CREATE INDEX subscription_wake ON subscription (wake_at, id) WHERE wake_at IS NOT NULL;
CREATE INDEX subscription_due ON subscription (account_id, due_at, id) WHERE due_at IS NOT NULL AND NOT live_mode;
CREATE INDEX subscription_asleep ON subscription (account_id) WHERE due_at IS NOT NULL AND wake_at IS NULL;
CREATE INDEX subscription_of_payment_method_id ON subscription (payment_method_id) WHERE payment_method_id IS NOT NULL;
CREATE INDEX subscription_of_latest_invoice_id ON subscription (latest_invoice_id) WHERE latest_invoice_id IS NOT NULL;
CREATE INDEX subscription_turn ON subscription (live_mode, account_id, wake_at, id) WHERE wake_at IS NOT NULL;

CREATE TABLE checkout_session (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  mode text NOT NULL CHECK (mode IN ('payment', 'subscription')),
  status text NOT NULL CHECK (status IN ('open', 'complete', 'expired')),
  customer_id text COLLATE "C",
  invoice_id text COLLATE "C",
  subscription_id text COLLATE "C",
  amount bigint CHECK (amount >= 0),
  external_code text,
  line_items json NOT NULL,
  discounts json NOT NULL,
  metadata json NOT NULL,
  success_url text NOT NULL,
  return_url text NOT NULL,
  expires_at bigint NOT NULL,
  attached_at bigint,
  completed_at bigint,
  expired_at bigint,
  due_at bigint,
  wake_at bigint,
  last_event_id text COLLATE "C",
  last_event_at bigint,
  CONSTRAINT checkout_session_scope UNIQUE (account_id, live_mode, id),
  CHECK ((status = 'complete') = (completed_at IS NOT NULL)),
  CHECK ((status = 'expired') = (expired_at IS NOT NULL)),
  CHECK (((customer_id IS NULL) = (invoice_id IS NULL)) AND ((customer_id IS NULL) = (amount IS NULL))),
  CHECK ((mode = 'subscription' AND customer_id IS NOT NULL) = (subscription_id IS NOT NULL)),
  CHECK (due_at IS NULL OR status = 'open'),
  FOREIGN KEY (account_id, live_mode, customer_id) REFERENCES customer (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, invoice_id) REFERENCES invoice (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, subscription_id) REFERENCES subscription (account_id, live_mode, id)
);
CREATE UNIQUE INDEX checkout_session_external_code ON checkout_session (account_id, live_mode, external_code)
  WHERE external_code IS NOT NULL;
CREATE UNIQUE INDEX checkout_session_invoice ON checkout_session (invoice_id) WHERE invoice_id IS NOT NULL;
CREATE UNIQUE INDEX checkout_session_subscription ON checkout_session (subscription_id) WHERE subscription_id IS NOT NULL;
CREATE INDEX checkout_session_customer ON checkout_session (customer_id, id) WHERE customer_id IS NOT NULL;
CREATE INDEX checkout_session_wake ON checkout_session (wake_at, id) WHERE wake_at IS NOT NULL;
CREATE INDEX checkout_session_due ON checkout_session (account_id, due_at, id) WHERE due_at IS NOT NULL AND NOT live_mode;
CREATE INDEX checkout_session_asleep ON checkout_session (account_id) WHERE due_at IS NOT NULL AND wake_at IS NULL;
CREATE INDEX checkout_session_turn ON checkout_session (live_mode, account_id, wake_at, id) WHERE wake_at IS NOT NULL;
CREATE INDEX checkout_session_of_nobody ON checkout_session (id) WHERE customer_id IS NULL AND NOT live_mode;

CREATE TABLE webhook_endpoint (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES account(id),
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  url text NOT NULL,
  event_types text[] NOT NULL,
  description text,
  status text NOT NULL CHECK (status IN ('active', 'unstable', 'disabled')),
  secret bytea NOT NULL,
  former_secret bytea,
  former_secret_until bigint,
  subscribed_at timestamptz NOT NULL DEFAULT now(),
  consecutive_failures integer NOT NULL DEFAULT 0,
  failing_since bigint,
  warned_at bigint,
  disabled_at bigint,
  deleted_at bigint,
  -- Deliveries that its URL accepted, counted as far as they matter.
  accepted_posts smallint NOT NULL DEFAULT 0,
  CONSTRAINT webhook_endpoint_scope UNIQUE (account_id, live_mode, id)
);
CREATE INDEX webhook_endpoint_failing ON webhook_endpoint (failing_since)
  WHERE failing_since IS NOT NULL AND status <> 'disabled' AND deleted_at IS NULL;
-- Endpoints that were deleted stay for their deliveries: however many an account has, what it does is not slower for them.
CREATE INDEX webhook_endpoint_standing ON webhook_endpoint (account_id, live_mode, id) WHERE deleted_at IS NULL;

-- `last_event_id`: the scan has come so far.
CREATE TABLE webhook_recovery (
  endpoint_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  since bigint NOT NULL,
  until bigint NOT NULL,
  status text NOT NULL CHECK (status IN ('running', 'done')),
  events integer NOT NULL CHECK (events >= 0),
  last_event_id text COLLATE "C" NOT NULL,
  due_at timestamptz NOT NULL DEFAULT now(),
  CHECK (since <= until),
  FOREIGN KEY (account_id, live_mode, endpoint_id) REFERENCES webhook_endpoint (account_id, live_mode, id)
);
CREATE INDEX webhook_recovery_running ON webhook_recovery (due_at) WHERE status = 'running';
CREATE INDEX webhook_recovery_scope ON webhook_recovery (account_id, live_mode);

-- Partitioned by the UTC day of the event's id, so that retention drops tables instead of deleting rows.
-- Rows of days whose partition was not made in time land in the default one instead of failing the sale.
CREATE TABLE event (
  day date NOT NULL,
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  type text NOT NULL,
  created bigint NOT NULL,
  object_id text COLLATE "C" NOT NULL,
  related text[] NOT NULL,
  body text NOT NULL,
  body_digest uuid NOT NULL,
  -- How often it was sent again by hand.
  resends smallint NOT NULL DEFAULT 0 CHECK (resends BETWEEN 0 AND 3),
  PRIMARY KEY (day, id)
) PARTITION BY RANGE (day);
CREATE INDEX event_scope ON event (account_id, live_mode, id);
CREATE INDEX event_related ON event USING gin (related);

CREATE TABLE event_default PARTITION OF event DEFAULT;

-- What lists of events look for, beside the event itself: its columns that never change, and how its deliveries stand. Triggers keep it.
CREATE TABLE event_standing (
  day date NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  type text COLLATE "C" NOT NULL,
  created bigint NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('pending', 'delivered', 'failed', 'not_sent')),
  PRIMARY KEY (day, event_id)
) PARTITION BY RANGE (day);
CREATE INDEX event_standing_list ON event_standing (account_id, live_mode, status, type, event_id);
CREATE INDEX event_standing_created ON event_standing (account_id, live_mode, created);

CREATE TABLE event_standing_default PARTITION OF event_standing DEFAULT;

CREATE TABLE delivery (
  day date NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  ladder integer NOT NULL DEFAULT 1,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  stage text NOT NULL DEFAULT 'fresh' CHECK (stage IN ('fresh', 'ladder', 'done')),
  attempts integer NOT NULL DEFAULT 0,
  first_attempt_at bigint,
  next_attempt_at bigint,
  claimable_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (day, event_id, endpoint_id, ladder)
) PARTITION BY RANGE (day);
CREATE INDEX delivery_ladder ON delivery (claimable_at) WHERE stage = 'ladder';
-- Touched by failures alone: what lists of undelivered events and the end of an endpoint look for.
CREATE INDEX delivery_unaccepted ON delivery (account_id, live_mode, event_id) WHERE stage = 'ladder' OR status = 'failed';
CREATE INDEX delivery_endpoint ON delivery (endpoint_id, event_id);
CREATE INDEX delivery_ladder_account ON delivery (account_id, next_attempt_at) WHERE stage = 'ladder' AND NOT live_mode;
-- By mode and endpoint first, so that the backlog of one receiver is stepped over instead of read through.
CREATE INDEX delivery_turn ON delivery (live_mode, endpoint_id, claimable_at) WHERE stage = 'fresh';

CREATE TABLE delivery_default PARTITION OF delivery DEFAULT;

CREATE TABLE delivery_attempt (
  day date NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  ladder integer NOT NULL,
  attempt integer NOT NULL,
  at bigint NOT NULL,
  status_code integer,
  failure text,
  detail text,
  duration_ms integer NOT NULL,
  -- What the receiver answered, as its owner is shown it.
  answer text,
  PRIMARY KEY (day, event_id, endpoint_id, ladder, attempt)
) PARTITION BY RANGE (day);

CREATE TABLE delivery_attempt_default PARTITION OF delivery_attempt DEFAULT;

-- Recipient and text go with the data of their customer. `certificate_ends_at` names the certificate that a letter is about.
-- `counted_on`: the day in whose budgets the mail is, so that a mail that is tried again is counted once.
CREATE TABLE mail (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  live_mode boolean NOT NULL,
  created bigint NOT NULL,
  invoice_id text COLLATE "C",
  step smallint CHECK (step IN (-3, 0, 1, 3, 7)),
  recipient text,
  recipient_name text,
  subject text,
  body_text text,
  body_html text,
  message_id text NOT NULL UNIQUE,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'sent', 'failed', 'dropped', 'kept', 'held')),
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  next_try_at timestamptz NOT NULL DEFAULT now(),
  sent_at timestamptz,
  last_error text,
  occasion text NOT NULL CHECK (occasion IN ('reminder', 'declined', 'sent', 'endpoint_failing', 'endpoint_disabled', 'acquirer_certificate_ending', 'account_changed', 'confirmation')),
  endpoint_id text COLLATE "C",
  certificate_ends_at timestamptz,
  counted_on date,
  CONSTRAINT mail_once UNIQUE (invoice_id, step),
  CONSTRAINT mail_scope UNIQUE (account_id, live_mode, id),
  CONSTRAINT mail_about CHECK (CASE
    WHEN occasion IN ('endpoint_failing', 'endpoint_disabled')
      THEN endpoint_id IS NOT NULL AND invoice_id IS NULL AND certificate_ends_at IS NULL
    WHEN occasion = 'acquirer_certificate_ending'
      THEN certificate_ends_at IS NOT NULL AND invoice_id IS NULL AND endpoint_id IS NULL
    WHEN occasion = 'account_changed'
      THEN invoice_id IS NULL AND endpoint_id IS NULL AND certificate_ends_at IS NULL
    ELSE invoice_id IS NOT NULL AND endpoint_id IS NULL AND certificate_ends_at IS NULL END),
  CHECK ((status = 'sent') = (sent_at IS NOT NULL)),
  CHECK (num_nulls(recipient, recipient_name, subject, body_text, body_html) IN (0, 5)),
  CHECK (status <> 'queued' OR recipient IS NOT NULL),
  CONSTRAINT mail_step_of_reminder CHECK ((occasion = 'reminder') = (step IS NOT NULL)),
  FOREIGN KEY (account_id, live_mode, endpoint_id) REFERENCES webhook_endpoint (account_id, live_mode, id),
  FOREIGN KEY (account_id, live_mode, invoice_id) REFERENCES invoice (account_id, live_mode, id)
);
CREATE INDEX mail_endpoint ON mail (endpoint_id) WHERE endpoint_id IS NOT NULL;
CREATE INDEX mail_turn ON mail (live_mode, account_id, next_try_at) WHERE status = 'queued';
CREATE INDEX mail_held ON mail (account_id, id) WHERE status = 'held';
CREATE INDEX mail_with_text ON mail (id) WHERE recipient IS NOT NULL;

-- Recipients are hashes: what counts needs not know whom it counts.
CREATE TABLE mail_count (
  day date NOT NULL,
  counted text NOT NULL,
  mails integer NOT NULL CHECK (mails > 0),
  PRIMARY KEY (day, counted)
);

CREATE TABLE mail_suppression (
  address text PRIMARY KEY,
  reason text,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  key text NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  due_at timestamptz NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  failures integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  live_mode boolean NOT NULL,
  UNIQUE (kind, key)
);
CREATE INDEX outbox_due ON outbox (due_at);
CREATE INDEX outbox_turn_of_ladders ON outbox (live_mode, account_id, due_at) WHERE kind = 'webhook-delivery';
CREATE INDEX outbox_turn_of_others ON outbox (live_mode, account_id, due_at) WHERE kind <> 'webhook-delivery';

CREATE TABLE idempotency_key (
  hash bytea PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  holder uuid NOT NULL,
  status integer,
  answer bytea,
  attempt_id text COLLATE "C",
  lease_until timestamptz,
  customer_id text COLLATE "C",
  created_at timestamptz NOT NULL DEFAULT now(),
  live_mode boolean NOT NULL DEFAULT true
);
CREATE INDEX idempotency_key_customer ON idempotency_key (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX idempotency_key_age ON idempotency_key USING brin (created_at);
CREATE INDEX idempotency_key_sandbox ON idempotency_key (account_id) WHERE NOT live_mode;

-- Lost on a crash of the database, which costs a window of counting and nothing else.
CREATE UNLOGGED TABLE rate_limit (
  key text COLLATE "C" PRIMARY KEY,
  points integer NOT NULL,
  granted integer NOT NULL,
  expire bigint NOT NULL
);

CREATE TABLE worker_heartbeat (
  id text PRIMARY KEY,
  -- Whose work the worker does.
  modes text[] NOT NULL,
  seen_at timestamptz NOT NULL,
  temporal_ok boolean NOT NULL,
  metrics json NOT NULL
);

-- Since when PostgreSQL, Temporal and a worker have worked together.
CREATE TABLE installation (
  is_only boolean DEFAULT true PRIMARY KEY CHECK (is_only),
  ready_at timestamptz NOT NULL
);

-- A row takes a page of its own, so that writing it needs room on the disk.
CREATE TABLE write_proof (
  page text STORAGE PLAIN NOT NULL
);

-- A text sealed with the first key: a start with another one cannot open it. `hash_key` is the key of hashes, sealed.
CREATE TABLE encryption_canary (
  is_only boolean DEFAULT true PRIMARY KEY CHECK (is_only),
  sealed bytea NOT NULL,
  hash_key bytea NOT NULL
);

CREATE TABLE encryption_key (
  id text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{8}$'),
  since timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE encryption_ring (
  process text PRIMARY KEY,
  first_key text NOT NULL,
  keys text[] NOT NULL,
  is_stopped boolean NOT NULL DEFAULT false,
  seen_at timestamptz NOT NULL DEFAULT now()
);

-- Who did what: entries that are only added, each with the hash of the one before it (docs/design/audit-log.md).
CREATE TABLE audit_log_head (
  chain text COLLATE "C" PRIMARY KEY,
  entries bigint NOT NULL,
  hash bytea NOT NULL,
  anchored bigint NOT NULL DEFAULT 0
);

CREATE TABLE audit_log (
  chain text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  former_hash bytea NOT NULL,
  hash bytea NOT NULL,
  entry text NOT NULL,
  id text COLLATE "C" GENERATED ALWAYS AS ((entry::jsonb) ->> 'id') STORED UNIQUE,
  at bigint GENERATED ALWAYS AS (((entry::jsonb) ->> 'at')::bigint) STORED,
  account_id text COLLATE "C" GENERATED ALWAYS AS ((entry::jsonb) ->> 'account') STORED,
  live_mode boolean GENERATED ALWAYS AS (((entry::jsonb) ->> 'live_mode')::boolean) STORED,
  action text GENERATED ALWAYS AS ((entry::jsonb) ->> 'action') STORED,
  actor text GENERATED ALWAYS AS ((((entry::jsonb) -> 'actor') ->> 'id')) STORED,
  PRIMARY KEY (chain, place),
  CHECK (id IS NOT NULL AND at IS NOT NULL AND action IS NOT NULL AND actor IS NOT NULL)
);
CREATE INDEX audit_log_account ON audit_log (account_id, id) WHERE account_id IS NOT NULL;

-- The books of the sandbox acquirer: a bank of its own that shares nothing with ours but the database.
CREATE SCHEMA sandbox_bank;

CREATE TABLE sandbox_bank.cob (
  txid text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  created bigint NOT NULL,
  expires_at bigint NOT NULL,
  location text NOT NULL,
  copy_paste text NOT NULL,
  status text NOT NULL CHECK (status IN ('ATIVA', 'CONCLUIDA', 'REMOVIDA_PELO_USUARIO_RECEBEDOR')),
  notices_left integer NOT NULL DEFAULT 0
);
CREATE INDEX cob_account ON sandbox_bank.cob (account_id);

CREATE TABLE sandbox_bank.pix (
  end_to_end_id text COLLATE "C" PRIMARY KEY,
  txid text COLLATE "C" NOT NULL REFERENCES sandbox_bank.cob,
  amount bigint NOT NULL CHECK (amount > 0),
  paid_at bigint NOT NULL,
  settles_at bigint NOT NULL
);
CREATE INDEX pix_txid ON sandbox_bank.pix (txid);

CREATE TABLE sandbox_bank.devolucao (
  id text COLLATE "C" PRIMARY KEY,
  end_to_end_id text COLLATE "C" NOT NULL REFERENCES sandbox_bank.pix,
  amount bigint NOT NULL CHECK (amount > 0),
  requested_at bigint NOT NULL,
  completes_at bigint NOT NULL,
  refused boolean NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  natureza text NOT NULL DEFAULT 'ORIGINAL' CHECK (natureza IN ('ORIGINAL', 'MED_FRAUDE', 'MED_OPERACIONAL', 'MED_PIX_AUTOMATICO'))
);
CREATE INDEX devolucao_pix ON sandbox_bank.devolucao (end_to_end_id);

CREATE TABLE sandbox_bank.card (
  token text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  brand text NOT NULL,
  last4 text NOT NULL CHECK (last4 ~ '^[0-9]{4}$'),
  scenario text NOT NULL,
  exp_month integer CHECK (exp_month BETWEEN 1 AND 12),
  exp_year integer,
  CHECK ((exp_month IS NULL) = (exp_year IS NULL))
);
CREATE INDEX card_account ON sandbox_bank.card (account_id);

CREATE TABLE sandbox_bank.charge (
  reference text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL REFERENCES sandbox_bank.card,
  amount bigint NOT NULL CHECK (amount > 0),
  installments integer NOT NULL CHECK (installments BETWEEN 1 AND 12),
  received_at timestamptz NOT NULL,
  deadline_at timestamptz NOT NULL,
  completes_at timestamptz NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('approved', 'declined')),
  decline_reason text,
  code text,
  initiator text NOT NULL DEFAULT 'customer' CHECK (initiator IN ('customer', 'merchant')),
  order_id text COLLATE "C" NOT NULL,
  CHECK (received_at < deadline_at),
  CHECK ((outcome = 'declined') = (decline_reason IS NOT NULL AND code IS NOT NULL))
);
CREATE INDEX charge_token ON sandbox_bank.charge (token);
CREATE INDEX charge_order ON sandbox_bank.charge (order_id) WHERE initiator = 'merchant';
CREATE INDEX charge_account ON sandbox_bank.charge (account_id);

CREATE TABLE sandbox_bank.estorno (
  reference text COLLATE "C" PRIMARY KEY,
  charge text COLLATE "C" NOT NULL REFERENCES sandbox_bank.charge,
  amount bigint NOT NULL CHECK (amount > 0),
  refused boolean NOT NULL,
  requested_at bigint NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX estorno_charge ON sandbox_bank.estorno (charge);

CREATE TABLE sandbox_bank.behaviour (
  account_id text COLLATE "C" NOT NULL,
  call text NOT NULL,
  latency_ms integer CHECK (latency_ms >= 0),
  request_lost double precision CHECK (request_lost BETWEEN 0 AND 1),
  answer_lost double precision CHECK (answer_lost BETWEEN 0 AND 1),
  fault double precision CHECK (fault BETWEEN 0 AND 1),
  decline double precision CHECK (decline BETWEEN 0 AND 1),
  refuse double precision CHECK (refuse BETWEEN 0 AND 1),
  not_found_seconds integer CHECK (not_found_seconds >= 0),
  notice_delay_seconds integer CHECK (notice_delay_seconds >= 0),
  notice_repeats integer CHECK (notice_repeats BETWEEN 0 AND 5),
  PRIMARY KEY (account_id, call)
);

ALTER TABLE invoice ADD CONSTRAINT invoice_payment_intent
  FOREIGN KEY (account_id, live_mode, payment_intent_id)
  REFERENCES payment_intent (account_id, live_mode, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE invoice ADD CONSTRAINT invoice_subscription
  FOREIGN KEY (account_id, live_mode, subscription_id)
  REFERENCES subscription (account_id, live_mode, id);
ALTER TABLE payment_intent ADD CONSTRAINT payment_intent_subscription
  FOREIGN KEY (account_id, live_mode, subscription_id)
  REFERENCES subscription (account_id, live_mode, id);
