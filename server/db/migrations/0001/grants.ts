import { GROUPS } from '../../roles.ts';

/** What requests and cases write; events and attempts are never changed. */
const DOMAIN = `customer, customer_word, note, typed_email, product, price, coupon, promotion_code, payment_link, redemption, invoice, invoice_item, payment_intent, payment_method, mandate, debit_try, pix_charge, pix_receipt, refund_part,
  charge_attempt, dispute, subscription, subscription_change, checkout_session, portal_link, export, export_part, mail, webhook_endpoint, webhook_recovery, delivery,
  event_delivery_status, outbox, idempotency_key`;
/** The people of the dashboard, and what they sign in with. */
const STAFF = 'staff, staff_member, staff_invitation, staff_passkey, staff_session, staff_token';
const BANK = `sandbox_bank.cob, sandbox_bank.pix, sandbox_bank.devolucao, sandbox_bank.rec, sandbox_bank.cobr, sandbox_bank.card,
  sandbox_bank.charge, sandbox_bank.estorno`;
const CLOCK = 'sandbox_offset_seconds, clock_held_at, clock_target, clock_moved_at';
const LOOK = `name, tax_id, support_email, support_phone, color, logo_url, logo_media_type, logo_digest, logo_content, logo_width,
  logo_height, mail_settings, cover_color, corner_radius, font, terms_url, privacy_url, last_event_id, last_event_at`;

const COLLECTION = `overdue_days, suspend_days, cancel_days, retry_days, reminder_days, penalty_on_unpaid, late_fees, portal_cancel, portal_pause, portal_change_prices`;

const both = [
  `SELECT, INSERT, UPDATE, DELETE ON ${DOMAIN}, ${BANK}, sandbox_bank.behaviour, rate_limit, worker_heartbeat, encryption_ring`,
  'SELECT, INSERT, UPDATE (resends), DELETE ON event',
  'SELECT, INSERT ON encryption_key_check, encryption_key, wrapped_key',
  'SELECT, INSERT, DELETE ON write_proof, subscription_term',
  'SELECT ON account, account_look, collection_settings, live_acquirer, refund, invoice_cycle, invoice_external_code',
  `UPDATE (${CLOCK}) ON account`,
  'INSERT (entry) ON audit_log',
];

/** An operator reads all but events' answers, has everything sealed anew, and lets go of e-mails that are held. */
const operator = [
  `SELECT ON account, account_look, collection_settings, api_key, api_key_use, live_acquirer, event, delivery_attempt, refund, encryption_key_check,
    encryption_key, encryption_ring, wrapped_key, rate_limit, worker_heartbeat, migration, subscription_term, invoice_cycle, invoice_external_code, audit_log, audit_log_head, mail_count, mail_suppression,
    ${DOMAIN}, ${BANK}, sandbox_bank.behaviour`,
  'INSERT, UPDATE ON account, account_look, collection_settings, api_key, encryption_key_check',
  'INSERT, UPDATE, DELETE ON live_acquirer, sandbox_bank.behaviour, encryption_ring, mail_suppression',
  'INSERT, DELETE ON encryption_key',
  'UPDATE (wrapped) ON wrapped_key',
  'INSERT ON event, event_delivery_status, delivery, mail',
  'UPDATE (personal) ON customer',
  'UPDATE (sealed_text) ON note',
  'UPDATE (sealed_token) ON payment_method',
  'UPDATE (sealed_filters) ON export',
  'UPDATE (content) ON export_part',
  'UPDATE (secret, former_secret) ON webhook_endpoint',
  'UPDATE (answer) ON idempotency_key',
  'UPDATE (status, next_try_at, last_error) ON mail',
  `SELECT, INSERT, UPDATE, DELETE ON ${STAFF}`,
  'INSERT (entry) ON audit_log',
];

const of: Readonly<Record<(typeof GROUPS)[number], readonly string[]>> = {
  fatura_api: [
    ...both,
    `UPDATE (${LOOK}) ON account_look`,
    `UPDATE (${COLLECTION}) ON collection_settings`,
    'SELECT, INSERT, UPDATE (name, networks, expires_at, revoked_at, replaced_by) ON api_key',
    `SELECT, INSERT, UPDATE, DELETE ON ${STAFF}`,
    'UPDATE (refund_limit) ON account',
    // An owner sets credentials in the dashboard; what is sealed for one account opens for no other.
    'INSERT (account_id, method, profile, settings, notice_hash, certificate_ends_at, swept_until) ON live_acquirer',
    'UPDATE (profile, settings, notice_hash, certificate_ends_at, changed_at, certificate_warned) ON live_acquirer',
    'SELECT ON audit_log, mail_count, mail_suppression, installation',
    'SELECT, INSERT, UPDATE ON api_key_use',
    'SELECT, DELETE ON delivery_attempt',
  ],
  fatura_worker: [
    ...both,
    'UPDATE (certificate_warned, swept_until, returns_swept_at) ON live_acquirer',
    'SELECT, INSERT, DELETE ON delivery_attempt',
    'SELECT, INSERT, UPDATE, DELETE ON mail_count',
    'SELECT ON mail_suppression, audit_log_head',
    'SELECT, INSERT ON installation',
  ],
  fatura_admin: operator,
  fatura_audit: [
    `SELECT ON account, account_look, collection_settings, api_key_use, staff_member, staff_invitation, event, delivery_attempt, refund, worker_heartbeat, migration, subscription_term, invoice_cycle, invoice_external_code, audit_log, audit_log_head,
      ${DOMAIN}, ${BANK}, sandbox_bank.behaviour`,
  ],
};

/** The API, the worker, operators and the audit each get what they need of the tables; whoever migrates owns them. */
export const grants: readonly string[] = [
  `GRANT USAGE ON SCHEMA sandbox_bank TO ${GROUPS.join(', ')}`,
  ...GROUPS.flatMap((group) => of[group].map((grant) => `GRANT ${grant} TO ${group}`)),
];
