import { newId } from '../../../server/kernel/ids.ts';
import { type Fault, fault, sql } from './fault.ts';

const DAY = 86_400;
/** The suffix of an id made long ago. */
const OLD = `01jaaaaaaa${'0'.repeat(16)}`;
const NOTHING = '0'.repeat(26);

const accountFaults: readonly Fault[] = [
  fault('a customer of another account', ['intent-customer', 'invoice-customer-id'], ({ sold, stranger }) => [
    sql`UPDATE invoice SET customer_id = ${stranger.customer} WHERE id = ${sold.invoice}`,
  ]),
  fault(
    'an intent’s customer of another account',
    ['intent-customer', 'payment-intent-customer-id'],
    ({ sold, stranger }) => [
      sql`UPDATE payment_intent SET customer_id = ${stranger.customer} WHERE id = ${sold.intent}`,
    ],
  ),
  fault(
    'an intent of the other mode',
    [
      'invoice-payment-intent-id',
      'payment-intent-customer-id',
      'payment-intent-events',
      'payment-intent-invoice-id',
      'pix-charge-intent-id',
    ],
    ({ waiting }) => [sql`UPDATE payment_intent SET live_mode = true WHERE id = ${waiting.intent}`],
  ),
  fault('an object of no account', ['account'], ({ stranger }) => [
    sql`UPDATE webhook_endpoint SET account_id = ${newId('acct')} WHERE id = ${stranger.endpoint}`,
  ]),
  fault('work asked for under another account', ['outbox-object'], ({ surplus, stranger }) => [
    sql`UPDATE outbox SET account_id = ${stranger.accountId} WHERE key = ${surplus}`,
  ]),
  fault('a charge to be asked about under another account', ['outbox-object'], ({ unknown, stranger }) => [
    sql`UPDATE outbox SET account_id = ${stranger.accountId} WHERE key = ${unknown.intent}`,
  ]),
];

const cardNumberFaults: readonly Fault[] = [
  fault('the number of a card in what was sold', ['card-number-in-clear'], () => [
    sql`UPDATE price SET description = 'cartao 12 4242-4242 4242 4242' WHERE id = (SELECT min(id) FROM price)`,
  ]),
];

const referenceFaults: readonly Fault[] = [
  fault('a price of no product', ['price-product-id'], () => [
    sql`UPDATE price SET product_id = ${NOTHING} WHERE id = (SELECT min(id) FROM price)`,
  ]),
  fault('a promotion code of no coupon', ['promotion-code-coupon-id'], () => [
    sql`UPDATE promotion_code SET coupon_id = ${NOTHING} WHERE id = (SELECT min(id) FROM promotion_code)`,
  ]),
  fault('a promotion code of no customer', ['promotion-code-customer-id'], () => [
    sql`UPDATE promotion_code SET customer_id = ${NOTHING} WHERE id = (SELECT min(id) FROM promotion_code WHERE customer_id IS NOT NULL)`,
  ]),
  fault(
    'a redemption of no coupon',
    ['coupon-redemptions', 'redemption-coupon-id', 'redemption-discount', 'subscription-discount'],
    () => [sql`UPDATE redemption SET coupon_id = ${NOTHING} WHERE status = 'redeemed'`],
  ),
  fault(
    'a redemption of no promotion code',
    ['promotion-code-redemptions', 'redemption-promotion-code-id', 'subscription-discount'],
    () => [sql`UPDATE redemption SET promotion_code_id = ${NOTHING} WHERE status = 'redeemed'`],
  ),
  fault(
    'a redemption of no customer',
    ['redemption-customer-id', 'redemption-of-invoice', 'redemption-of-subscription'],
    () => [sql`UPDATE redemption SET customer_id = ${NOTHING} WHERE status = 'redeemed'`],
  ),
  fault('a redemption of no invoice', ['redemption-invoice-id', 'redemption-of-subscription'], () => [
    sql`UPDATE redemption SET invoice_id = ${NOTHING} WHERE status = 'redeemed'`,
  ]),
  fault('a redemption of no subscription', ['redemption-subscription-id', 'subscription-discount'], () => [
    sql`UPDATE redemption SET subscription_id = ${NOTHING} WHERE subscription_id IS NOT NULL`,
  ]),
  fault(
    'a redemption of a subscription by another’s bill',
    ['redemption-of-invoice', 'redemption-of-subscription'],
    () => [
      sql`UPDATE redemption SET invoice_id = (SELECT r.invoice_id FROM redemption r WHERE r.subscription_id IS NULL AND r.status = 'released')
      WHERE subscription_id IS NOT NULL AND status = 'released'`,
    ],
  ),
  fault('a discount of a subscription with other terms', ['subscription-discount'], () => [
    sql`UPDATE subscription SET discounts = replace(discounts::text, '"percentage":10', '"percentage":11')::json WHERE discounts #>> '{0,redemption}' IS NOT NULL`,
  ]),
  fault('a redemption for nothing', ['redemption-of-session', 'redemption-of-subscription'], () => [
    sql`UPDATE redemption SET invoice_id = NULL WHERE status = 'redeemed'`,
  ]),
  fault('a credit that says another use', ['invoice-item-used'], () => [
    sql`UPDATE invoice_item SET used = used + 1 WHERE type = 'credit' AND status = 'pending'`,
  ]),
  fault('a charge that no invoice bills', ['invoice-item-invoice', 'invoice-item-used'], () => [
    sql`UPDATE invoice_item SET status = 'pending', used = 0, invoice_id = NULL WHERE type = 'charge' AND status = 'billed'`,
  ]),
  fault('a charge of another subscription', ['invoice-item-owner', 'invoice-item-subscription-id'], () => [
    sql`UPDATE invoice_item SET subscription_id = ${NOTHING} WHERE type = 'charge' AND status = 'billed'`,
  ]),
  fault('an invoice item of no customer', ['invoice-item-customer-id', 'invoice-item-owner'], () => [
    sql`UPDATE invoice_item SET customer_id = ${NOTHING} WHERE type = 'charge' AND status = 'billed'`,
  ]),
  fault('a change of no subscription', ['subscription-change-subscription-id'], () => [
    sql`UPDATE subscription_change SET subscription_id = ${NOTHING} WHERE invoice_id IS NULL`,
  ]),
  fault('a change that waits for nothing', ['subscription-change-invoice', 'subscription-change-invoice-id'], () => [
    sql`UPDATE subscription_change SET invoice_id = ${NOTHING} WHERE status = 'awaiting_payment'`,
  ]),
  fault('a change that holds and is not paid', ['subscription-change-awaited', 'subscription-change-invoice'], () => [
    sql`UPDATE subscription_change SET status = 'applied' WHERE status = 'awaiting_payment'`,
  ]),
  fault('an invoice item of no price', ['invoice-item-price-id'], () => [
    sql`UPDATE invoice_item SET price_id = ${NOTHING} WHERE type = 'charge' AND status = 'billed'`,
  ]),
  fault('a charge that another invoice is to bill', ['invoice-item-invoice', 'invoice-item-invoice-id'], () => [
    sql`UPDATE invoice_item SET invoice_id = ${NOTHING} WHERE type = 'charge' AND status = 'billed'`,
  ]),
  fault('a coupon that counts a redemption too many', ['coupon-redemptions'], () => [
    sql`UPDATE coupon SET times_redeemed = times_redeemed + 1 WHERE id IN (SELECT coupon_id FROM redemption WHERE status = 'redeemed')`,
  ]),
  fault('a QR code of no intent', ['pix-charge-intent-id'], ({ sold }) => [
    sql`UPDATE pix_charge SET intent_id = ${NOTHING} WHERE id = ${sold.txid}`,
  ]),
  fault('a QR code of no invoice', ['pix-charge-invoice-id', 'qr-code-of-intent', 'receipt-of-invoice'], ({ sold }) => [
    sql`UPDATE pix_charge SET invoice_id = ${NOTHING} WHERE id = ${sold.txid}`,
  ]),
  fault('a receipt of no QR code', ['pix-receipt-txid', 'receipt-at-bank'], ({ sold }) => [
    sql`UPDATE pix_receipt SET txid = ${NOTHING} WHERE txid = ${sold.txid}`,
  ]),
  fault('a receipt of no invoice', ['pix-receipt-invoice-id', 'receipt-of-invoice'], ({ sold }) => [
    sql`UPDATE pix_receipt SET invoice_id = ${NOTHING} WHERE txid = ${sold.txid}`,
  ]),
  fault('a receipt of no intent', ['pix-receipt-intent-id', 'receipt-of-intent'], ({ sold }) => [
    sql`UPDATE pix_receipt SET intent_id = ${NOTHING} WHERE txid = ${sold.txid}`,
  ]),
  fault(
    'a return of no intent',
    ['event-count', 'intent-refunded', 'refund-part-intent-id', 'surplus-return'],
    ({ surplus }) => [sql`UPDATE refund_part SET intent_id = ${NOTHING} WHERE intent_id = ${surplus}`],
  ),
  fault('a return of no invoice', ['refund-part-invoice-id', 'refund-part-of-invoice'], ({ surplus }) => [
    sql`UPDATE refund_part SET invoice_id = ${NOTHING} WHERE intent_id = ${surplus}`,
  ]),
];

const mailFaults: readonly Fault[] = [
  fault('a mail about no invoice', ['mail-invoice-id'], ({ reminded }) => [
    sql`UPDATE mail SET invoice_id = ${NOTHING} WHERE invoice_id = ${reminded}`,
  ]),
  fault('a mail to no customer', ['mail-customer-id'], ({ reminded }) => [
    sql`UPDATE mail SET customer_id = ${NOTHING} WHERE invoice_id = ${reminded}`,
  ]),
  fault('a mail about no subscription', ['mail-subscription-id'], ({ reminded }) => [
    sql`UPDATE mail SET subscription_id = ${NOTHING} WHERE invoice_id = ${reminded}`,
  ]),
  fault('a mail of another account', ['mail-customer-id', 'mail-invoice-id'], ({ reminded, stranger }) => [
    sql`UPDATE mail SET account_id = ${stranger.accountId} WHERE invoice_id = ${reminded}`,
  ]),
  fault('a mail of the other mode', ['mail-customer-id', 'mail-invoice-id'], ({ reminded }) => [
    sql`UPDATE mail SET live_mode = true WHERE invoice_id = ${reminded}`,
  ]),
  fault('a mail about no endpoint', ['mail-endpoint-id'], ({ reminded }) => [
    sql`UPDATE mail SET invoice_id = NULL, customer_id = NULL, occasion = 'endpoint_failing', step = NULL, due_at = NULL, endpoint_id = ${NOTHING} WHERE invoice_id = ${reminded}`,
  ]),
  fault('an address that was typed by no customer', ['typed-email-id'], ({ accountId }) => [
    sql`INSERT INTO typed_email (id, account_id, live_mode, created) VALUES (${NOTHING}, ${accountId}, false, 1)`,
  ]),
  fault('a mail that still names an anonymized customer', ['mail-erased'], ({ forgotten }) => [
    sql`UPDATE mail SET recipient = 'maria@example.com', recipient_name = 'Maria', subject = 'Fatura', body_text = 'Olá',
      body_html = 'Olá' WHERE invoice_id = ${forgotten}`,
  ]),
  fault('a link to the page of a customer that ended two days ago', ['portal-link-ended'], ({ accountId, waiting }) => [
    sql`INSERT INTO portal_link (secret_hash, account_id, live_mode, customer_id, expires_at)
      SELECT '\\x01', ${accountId}, false, customer_id, now() - interval '2 days' FROM invoice WHERE id = ${waiting.invoice}`,
  ]),
  fault('a link to the page of an anonymized customer', ['portal-link-anonymized'], ({ accountId, forgotten }) => [
    sql`INSERT INTO portal_link (secret_hash, account_id, live_mode, customer_id, expires_at)
      SELECT '\\x01', ${accountId}, false, customer_id, now() + interval '1 hour' FROM invoice WHERE id = ${forgotten}`,
  ]),
  fault('a mail that is tried for too long', ['mail-tries'], ({ reminded }) => [
    sql`UPDATE mail SET attempts = 10 WHERE invoice_id = ${reminded}`,
  ]),
];

const word = (account: string, customer: string) =>
  sql`INSERT INTO customer_word (word, customer_id, account_id, live_mode) VALUES ('maria', ${customer}, ${account}, false)`;

const wordFaults: readonly Fault[] = [
  fault('a word that finds an anonymized customer', ['customer-words'], ({ accountId, forgotten }) => [
    sql`INSERT INTO customer_word (word, customer_id, account_id, live_mode)
      SELECT 'maria', customer_id, ${accountId}, false FROM invoice WHERE id = ${forgotten}`,
  ]),
  fault('a word that finds nobody', ['customer-words'], ({ accountId }) => [word(accountId, `cus_${NOTHING}`)]),
  fault('a word of another account', ['customer-words'], ({ accountId, stranger }) => [
    word(accountId, stranger.customer),
  ]),
];

const noteFaults: readonly Fault[] = [
  fault('a note on nobody', ['note-customer-id'], ({ accountId }) => [
    sql`INSERT INTO note (id, account_id, live_mode, created, customer_id, author)
      VALUES (${newId('note')}, ${accountId}, false, 1, ${NOTHING}, '{}')`,
  ]),
  fault('a note that still tells of an anonymized customer', ['note-erased'], ({ accountId, forgotten }) => [
    sql`INSERT INTO note (id, account_id, live_mode, created, customer_id, sealed_text, author)
      SELECT ${newId('note')}, ${accountId}, false, 1, customer_id, 'a', '{}' FROM invoice WHERE id = ${forgotten}`,
  ]),
];

const idempotencyKey = (accountId: string, dates: { lease: string | null; made: string }) =>
  sql`INSERT INTO idempotency_key (hash, account_id, live_mode, fingerprint, holder, lease_until, created_at)
    VALUES ('a', ${accountId}, false, 'a', gen_random_uuid(), now() + ${dates.lease}::interval, now() - ${dates.made}::interval)`;

const deadlineFaults: readonly Fault[] = [
  fault('work that nobody takes', ['outbox-stuck'], ({ surplus }) => [
    sql`UPDATE outbox SET due_at = now() - interval '1 hour' WHERE key = ${surplus}`,
  ]),
  fault('a first delivery that is not sent', ['delivery-stuck'], () => [
    sql`UPDATE delivery SET claimable_at = now() - interval '1 hour' WHERE stage = 'fresh'`,
  ]),
  fault('a ladder that is not climbed', ['delivery-stuck'], () => [
    sql`UPDATE delivery SET claimable_at = now() - interval '1 hour' WHERE stage = 'ladder'`,
  ]),
  fault('an idempotency key that is leased for too long', ['idempotency-lease'], ({ accountId }) => [
    idempotencyKey(accountId, { lease: '1 hour', made: '0' }),
  ]),
  fault('an idempotency key that is kept for too long', ['idempotency-lease'], ({ accountId }) => [
    idempotencyKey(accountId, { lease: null, made: '5 days' }),
  ]),
  fault('no fault: an idempotency key whose attempt is on its way', [], ({ accountId }) => [
    idempotencyKey(accountId, { lease: '1 minute', made: '1 day' }),
  ]),
  fault('a QR code that nobody ends at the bank', ['qr-code-retiring'], ({ waiting, now }) => [
    sql`UPDATE sandbox_bank.cob SET txid = ${OLD} WHERE txid = ${waiting.txid}`,
    sql`ALTER TABLE pix_charge DROP CONSTRAINT pix_charge_made_after`,
    sql`UPDATE pix_charge SET id = ${OLD}, state = 'retiring', created = ${now - DAY} WHERE id = ${waiting.txid}`,
  ]),
  fault('a payment that is confirmed and never settled', ['qr-code-confirmed'], ({ confirmed, now }) => [
    sql`UPDATE sandbox_bank.pix SET txid = ${OLD} WHERE txid = ${confirmed.txid}`,
    sql`UPDATE sandbox_bank.cob SET txid = ${OLD} WHERE txid = ${confirmed.txid}`,
    sql`UPDATE outbox SET key = ${OLD} WHERE key = ${confirmed.txid}`,
    sql`ALTER TABLE pix_charge DROP CONSTRAINT pix_charge_made_after`,
    sql`UPDATE pix_charge SET id = ${OLD}, confirmed_at = ${now - 2 * DAY} WHERE id = ${confirmed.txid}`,
  ]),
  fault('a test clock that nobody moves on', ['test-clock-stuck'], ({ accountId, now }) => [
    sql`UPDATE account SET clock_held_at = ${now}, clock_target = ${now + DAY}, clock_moved_at = now() - interval '1 hour'
      WHERE id = ${accountId}`,
  ]),
  fault('a return that never ends', ['refund-stuck'], ({ now }) => [
    sql`UPDATE refund_part SET id = ${`rp_${OLD}`}, created = ${now - DAY}
      WHERE id = (SELECT min(id) FROM refund_part WHERE status = 'refunding' AND reason = 'surplus' AND retry_at IS NULL)`,
  ]),
];

export const otherFaults: readonly Fault[] = [
  ...accountFaults,
  ...cardNumberFaults,
  ...referenceFaults,
  ...mailFaults,
  ...wordFaults,
  ...noteFaults,
  ...deadlineFaults,
];
