import { Migration } from '@mikro-orm/migrations';
import { ID, references, scoped } from './columns.ts';

/** Only objects that hang on nothing else name their account: on hot tables the shared row would be locked by every insert. */
const ofAccount = 'FOREIGN KEY (account_id) REFERENCES account';

const externalCode = (table: string): string =>
  `CREATE UNIQUE INDEX ${table}_external_code ON ${table} (account_id, live_mode, external_code) WHERE external_code IS NOT NULL`;

const accounts = [
  `CREATE TABLE account (
    id ${ID} PRIMARY KEY,
    name text NOT NULL,
    email text NOT NULL,
    city text NOT NULL,
    created bigint NOT NULL,
    sandbox_offset_seconds bigint NOT NULL DEFAULT 0,
    pix_validity_seconds integer NOT NULL DEFAULT 86400 CHECK (pix_validity_seconds BETWEEN 300 AND 2592000),
    limits jsonb NOT NULL DEFAULT '{}'
  )`,
  `CREATE TABLE api_key (
    id ${ID} PRIMARY KEY,
    account_id ${ID} NOT NULL REFERENCES account,
    live_mode boolean NOT NULL,
    key_hash bytea NOT NULL UNIQUE,
    hint text NOT NULL,
    scope text NOT NULL CHECK (scope IN ('full', 'read')),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz
  )`,
  `CREATE INDEX api_key_account ON api_key (account_id, live_mode)`,
];

const catalogue = [
  `CREATE TABLE customer (
    ${scoped('customer')},
    name text NOT NULL,
    identifier text,
    email text,
    phone text,
    external_code text,
    address jsonb,
    anonymized_at bigint,
    ${ofAccount}
  )`,
  externalCode('customer'),
  `CREATE INDEX customer_email ON customer (account_id, live_mode, email, id) WHERE email IS NOT NULL`,
  `CREATE INDEX customer_identifier ON customer (account_id, live_mode, identifier, id) WHERE identifier IS NOT NULL`,
  `CREATE TABLE product (
    ${scoped('product')},
    name text NOT NULL,
    description text,
    active boolean NOT NULL,
    external_code text,
    ${ofAccount}
  )`,
  externalCode('product'),
  `CREATE TABLE price (
    ${scoped('price')},
    product_id ${ID} NOT NULL,
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
    CHECK ((type = 'recurring') = (recurring_interval IS NOT NULL AND recurring_interval_count IS NOT NULL)),
    ${references('product', 'product_id')}
  )`,
  externalCode('price'),
  `CREATE INDEX price_product ON price (product_id, id)`,
];

const invoices = [
  `CREATE TABLE invoice (
    ${scoped('invoice')},
    customer_id ${ID} NOT NULL,
    customer_name text NOT NULL,
    customer_email text,
    subscription_id ${ID},
    status text NOT NULL CHECK (status IN ('draft', 'open', 'paid', 'uncollectible', 'void')),
    billing_reason text NOT NULL,
    total bigint NOT NULL CHECK (total >= 0),
    amount_paid bigint NOT NULL DEFAULT 0 CHECK (amount_paid IN (0, total)),
    amount_refunded bigint NOT NULL DEFAULT 0 CHECK (amount_refunded BETWEEN 0 AND amount_paid),
    payment_intent_id ${ID},
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
    CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
    CHECK (status = 'paid' OR amount_paid = 0),
    CHECK (status <> 'paid' OR amount_paid = total),
    ${references('customer', 'customer_id')}
  )`,
  externalCode('invoice'),
  `CREATE INDEX invoice_customer ON invoice (customer_id, id)`,
  `CREATE INDEX invoice_subscription ON invoice (subscription_id, id) WHERE subscription_id IS NOT NULL`,
];

const payments = [
  `CREATE TABLE payment_intent (
    ${scoped('payment_intent')},
    invoice_id ${ID} NOT NULL,
    customer_id ${ID} NOT NULL,
    subscription_id ${ID},
    status text NOT NULL CHECK (status IN ('pending', 'processing', 'paid', 'failed', 'refunding', 'refunded', 'discarded')),
    surplus boolean NOT NULL DEFAULT false,
    amount bigint NOT NULL CHECK (amount > 0),
    amount_refunded bigint NOT NULL DEFAULT 0 CHECK (amount_refunded BETWEEN 0 AND amount),
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
    CHECK (status NOT IN ('paid', 'refunding', 'refunded') OR paid_at IS NOT NULL),
    ${references('invoice', 'invoice_id')},
    ${references('customer', 'customer_id')}
  )`,
  `CREATE UNIQUE INDEX payment_intent_one_unsettled ON payment_intent (invoice_id) WHERE status IN ('pending', 'processing', 'failed')`,
  `CREATE UNIQUE INDEX payment_intent_one_settling ON payment_intent (invoice_id) WHERE status IN ('paid', 'refunding', 'refunded') AND NOT surplus`,
  `CREATE INDEX payment_intent_invoice ON payment_intent (invoice_id, id)`,
  `CREATE INDEX payment_intent_customer ON payment_intent (customer_id, id)`,
  `ALTER TABLE invoice ADD CONSTRAINT invoice_payment_intent ${references('payment_intent', 'payment_intent_id')} DEFERRABLE INITIALLY DEFERRED`,
  `CREATE TABLE pix_charge (
    ${scoped('pix_charge')},
    intent_id ${ID} NOT NULL UNIQUE,
    invoice_id ${ID} NOT NULL,
    payment_method_id ${ID} NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    expires_at bigint NOT NULL,
    copy_paste text,
    state text NOT NULL CHECK (state IN ('creating', 'active', 'retiring', 'ended')),
    confirmed_at bigint,
    ${references('payment_intent', 'intent_id')},
    ${references('invoice', 'invoice_id')}
  )`,
  `CREATE INDEX pix_charge_invoice ON pix_charge (invoice_id, id)`,
  `CREATE INDEX pix_charge_waiting ON pix_charge (id) WHERE state = 'retiring' OR confirmed_at IS NOT NULL`,
  `CREATE TABLE pix_receipt (
    ${scoped('pix_receipt')},
    txid ${ID} NOT NULL,
    invoice_id ${ID} NOT NULL,
    intent_id ${ID},
    amount bigint NOT NULL CHECK (amount > 0),
    paid_at bigint NOT NULL,
    ${references('pix_charge', 'txid')},
    ${references('invoice', 'invoice_id')},
    ${references('payment_intent', 'intent_id')}
  )`,
  `CREATE UNIQUE INDEX pix_receipt_intent ON pix_receipt (intent_id) WHERE intent_id IS NOT NULL`,
  `CREATE INDEX pix_receipt_txid ON pix_receipt (txid)`,
  `CREATE INDEX pix_receipt_undecided ON pix_receipt (invoice_id) WHERE intent_id IS NULL`,
  `CREATE TABLE refund_part (
    ${scoped('refund_part')},
    intent_id ${ID} NOT NULL,
    invoice_id ${ID} NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    reason text NOT NULL,
    status text NOT NULL CHECK (status IN ('refunding', 'refunded', 'failed')),
    reference ${ID} NOT NULL UNIQUE,
    requests integer NOT NULL DEFAULT 1,
    retry_at bigint,
    completed_at bigint,
    ${references('payment_intent', 'intent_id')}
  )`,
  `CREATE INDEX refund_part_intent ON refund_part (intent_id, id)`,
  `CREATE INDEX refund_part_unsettled ON refund_part (id) WHERE status = 'refunding'`,
];

/** Partitioned by the UTC day of the event's id, so that retention drops tables instead of deleting rows. */
const events = [
  `CREATE TABLE webhook_endpoint (
    ${scoped('webhook_endpoint')},
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
    ${ofAccount}
  )`,
  `CREATE TABLE event (
    day date NOT NULL,
    id ${ID} NOT NULL,
    account_id ${ID} NOT NULL,
    live_mode boolean NOT NULL,
    type text NOT NULL,
    created bigint NOT NULL,
    object_id ${ID} NOT NULL,
    related text[] NOT NULL,
    body text NOT NULL,
    body_digest uuid NOT NULL,
    PRIMARY KEY (day, id)
  ) PARTITION BY RANGE (day)`,
  `CREATE INDEX event_scope ON event (account_id, live_mode, id)`,
  `CREATE INDEX event_related ON event USING gin (related)`,
  `CREATE TABLE delivery (
    day date NOT NULL,
    event_id ${ID} NOT NULL,
    endpoint_id ${ID} NOT NULL,
    ladder integer NOT NULL DEFAULT 1,
    account_id ${ID} NOT NULL,
    live_mode boolean NOT NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
    stage text NOT NULL DEFAULT 'fresh' CHECK (stage IN ('fresh', 'ladder', 'done')),
    attempts integer NOT NULL DEFAULT 0,
    first_attempt_at bigint,
    next_attempt_at bigint,
    claimable_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (day, event_id, endpoint_id, ladder)
  ) PARTITION BY RANGE (day)`,
  // By endpoint first, so that the backlog of one receiver is stepped over instead of read through.
  `CREATE INDEX delivery_fresh ON delivery (endpoint_id, claimable_at) WHERE stage = 'fresh'`,
  `CREATE INDEX delivery_ladder ON delivery (claimable_at) WHERE stage = 'ladder'`,
  // Touched by failures alone: what lists of undelivered events and the end of an endpoint look for.
  `CREATE INDEX delivery_unaccepted ON delivery (account_id, live_mode, event_id) WHERE stage = 'ladder' OR status = 'failed'`,
  `CREATE INDEX delivery_endpoint ON delivery (endpoint_id, event_id)`,
  `CREATE TABLE delivery_attempt (
    day date NOT NULL,
    event_id ${ID} NOT NULL,
    endpoint_id ${ID} NOT NULL,
    ladder integer NOT NULL,
    attempt integer NOT NULL,
    at bigint NOT NULL,
    status_code integer,
    failure text,
    detail text,
    duration_ms integer NOT NULL,
    PRIMARY KEY (day, event_id, endpoint_id, ladder, attempt)
  ) PARTITION BY RANGE (day)`,
  // Rows of days whose partition was not made in time land here instead of failing the sale.
  `CREATE TABLE event_default PARTITION OF event DEFAULT`,
  `CREATE TABLE delivery_default PARTITION OF delivery DEFAULT`,
  `CREATE TABLE delivery_attempt_default PARTITION OF delivery_attempt DEFAULT`,
];

const machinery = [
  `CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    key text NOT NULL,
    account_id ${ID} NOT NULL,
    due_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1,
    failures integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (kind, key)
  )`,
  `CREATE INDEX outbox_due ON outbox (due_at)`,
  `CREATE TABLE idempotency_key (
    hash bytea PRIMARY KEY,
    account_id ${ID} NOT NULL,
    fingerprint bytea NOT NULL,
    holder uuid NOT NULL,
    status integer,
    answer bytea,
    attempt_id ${ID},
    lease_until timestamptz,
    customer_id ${ID},
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX idempotency_key_customer ON idempotency_key (customer_id) WHERE customer_id IS NOT NULL`,
  `CREATE INDEX idempotency_key_age ON idempotency_key USING brin (created_at)`,
  `CREATE TABLE worker_heartbeat (id text PRIMARY KEY, seen_at timestamptz NOT NULL, temporal_ok boolean NOT NULL, metrics json NOT NULL)`,
  // Lost on a crash of the database, which costs a window of counting and nothing else.
  `CREATE UNLOGGED TABLE rate_limit (key text COLLATE "C" PRIMARY KEY, points integer NOT NULL, granted integer NOT NULL, expire bigint NOT NULL)`,
];

export class InitialSchema extends Migration {
  override up(): void {
    for (const sql of [accounts, catalogue, invoices, payments, events, machinery].flat()) this.addSql(sql);
  }
}
