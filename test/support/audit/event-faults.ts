import { newId } from '../../../server/kernel/ids.ts';
import { type Fault, fault, sql } from './fault.ts';

const orphans = sql`DELETE FROM delivery WHERE event_id NOT IN (SELECT id FROM event)`;
const remove = (type: string, object: string) => sql`DELETE FROM event WHERE type = ${type} AND object_id = ${object}`;

const eventFaults: readonly Fault[] = [
  fault('a body that was changed', ['event-body'], ({ sold }) => [
    sql`UPDATE event SET body = replace(body, 'amount_paid":1000', 'amount_paid":1001')
      WHERE type = 'invoice.paid' AND object_id = ${sold.invoice}`,
  ]),
  fault('an event of an invoice that is missing', ['invoice-events'], ({ sold }) => [
    remove('invoice.paid', sold.invoice),
    orphans,
  ]),
  fault('an event of an intent that is missing', ['payment-intent-events'], ({ sold }) => [
    remove('payment_intent.paid', sold.intent),
    orphans,
  ]),
  fault('an event of a customer that is missing', ['customer-events'], ({ stranger }) => [
    remove('customer.created', stranger.customer),
  ]),
  fault('events of the catalogue that are missing', ['price-events', 'product-events'], () => [
    sql`DELETE FROM event WHERE type IN ('price.created', 'product.created')`,
  ]),
  fault('events of invoice items that are missing', ['invoice-item-events'], () => [
    sql`DELETE FROM event WHERE type = 'invoice_item.created'`,
  ]),
  fault('events of payment links that are missing', ['payment-link-events'], () => [
    sql`DELETE FROM event WHERE type = 'payment_link.created'`,
  ]),
  fault('events of coupons and codes that are missing', ['coupon-events', 'promotion-code-events'], () => [
    sql`DELETE FROM event WHERE type IN ('coupon.created', 'promotion_code.created')`,
  ]),
  fault('an event of a redemption that is missing', ['redemption-events'], () => [
    sql`DELETE FROM event WHERE type = 'discount.redeemed'`,
  ]),
  fault('an event that came twice', ['delivery-missing', 'invoice-events'], ({ sold }) => [
    sql`INSERT INTO event SELECT day, ${newId('evt')}, account_id, live_mode, type, created, object_id, related, body, body_digest
      FROM event WHERE type = 'invoice.paid' AND object_id = ${sold.invoice}`,
    sql`UPDATE event SET body = jsonb_set(body::jsonb, '{id}', to_jsonb(id))::text WHERE body::json ->> 'id' <> id`,
    sql`UPDATE event SET body_digest = md5(body)::uuid WHERE body_digest <> md5(body)::uuid`,
  ]),
  fault('an event of what never happened', ['event-columns', 'invoice-events'], ({ sold, waiting }) => [
    sql`UPDATE event SET object_id = ${waiting.invoice} WHERE type = 'invoice.paid' AND object_id = ${sold.invoice}`,
  ]),
  fault(
    'an event at another instant than its fact',
    ['event-columns', 'event-delivery-status', 'invoice-events'],
    ({ sold }) => [
      sql`UPDATE event SET created = created + 1 WHERE type = 'invoice.paid' AND object_id = ${sold.invoice}`,
    ],
  ),
  fault('an event of nothing', ['event-columns', 'event-object'], () => [
    sql`UPDATE event SET object_id = ${newId('cus')} WHERE type = 'customer.updated'`,
  ]),
  fault('an event that is found under too little', ['event-columns'], ({ sold }) => [
    sql`UPDATE event SET related = related[:1] WHERE type = 'payment_intent.paid' AND object_id = ${sold.intent}`,
  ]),
  fault('a draft whose opening was not told', ['invoice-finalized-events'], () => [
    sql`DELETE FROM event WHERE type = 'invoice.finalized'`,
    orphans,
  ]),
  fault(
    'an event in another account',
    ['delivery-missing', 'delivery-scope', 'event-delivery-status', 'invoice-events'],
    ({ sold, stranger }) => [
      sql`UPDATE event SET account_id = ${stranger.accountId} WHERE type = 'invoice.paid' AND object_id = ${sold.invoice}`,
    ],
  ),
  fault('an event under another day', ['event-day', 'event-delivery-status'], () => [
    sql`UPDATE delivery_attempt SET day = day + 1`,
    sql`UPDATE delivery SET day = day + 1`,
    sql`UPDATE event SET day = day + 1`,
  ]),
];

const deliveryFaults: readonly Fault[] = [
  fault('a delivery that is missing', ['delivery-missing', 'event-delivery-status'], () => [
    sql`DELETE FROM delivery WHERE event_id = (SELECT max(event_id) FROM delivery)`,
  ]),
  fault('a delivery to the endpoint of another account', ['delivery-missing', 'delivery-scope'], ({ stranger }) => [
    sql`UPDATE delivery SET endpoint_id = ${stranger.endpoint} WHERE event_id = (SELECT max(event_id) FROM delivery)`,
  ]),
  fault('a delivery that nobody asked for', ['delivery-unasked'], ({ endpoint }) => [
    sql`UPDATE webhook_endpoint SET event_types = array_remove(event_types, 'invoice.paid') WHERE id = ${endpoint}`,
  ]),
  fault('no fault: a filter that changed just now', [], ({ endpoint }) => [
    sql`UPDATE webhook_endpoint SET event_types = ARRAY['product.created'], subscribed_at = now() WHERE id = ${endpoint}`,
  ]),
  fault('an attempt that is counted and not on record', ['delivery-attempts', 'delivery-outcome'], () => [
    sql`DELETE FROM delivery_attempt WHERE status_code = 204`,
  ]),
  fault('a delivery by an answer that refused it', ['delivery-outcome'], () => [
    sql`UPDATE delivery_attempt SET status_code = 500 WHERE status_code = 204`,
  ]),
  fault('an event that is listed with another result', ['event-delivery-status'], () => [
    sql`UPDATE event_delivery_status SET status = 'failed' WHERE event_id = (SELECT max(event_id) FROM delivery)`,
  ]),
  fault('an event that is not listed', ['event-delivery-status'], () => [
    sql`DELETE FROM event_delivery_status WHERE event_id = (SELECT max(event_id) FROM delivery)`,
  ]),
  fault('a ladder that ended early', ['delivery-outcome'], () => [
    sql`UPDATE delivery SET status = 'failed', stage = 'done' WHERE stage = 'ladder'`,
  ]),
  fault('an endpoint that is disabled and was never switched off', ['endpoint-status'], ({ stranger }) => [
    sql`UPDATE webhook_endpoint SET status = 'disabled' WHERE id = ${stranger.endpoint}`,
  ]),
  fault('an endpoint that is unstable without failures', ['endpoint-health'], ({ stranger }) => [
    sql`UPDATE webhook_endpoint SET status = 'unstable' WHERE id = ${stranger.endpoint}`,
  ]),
  fault(
    'an endpoint that accepted nothing for 8 days and is not switched off',
    ['endpoint-health-undone'],
    ({ stranger }) => [
      sql`UPDATE webhook_endpoint SET consecutive_failures = 1, failing_since = extract(epoch FROM now()) - 691200 WHERE id = ${stranger.endpoint}`,
    ],
  ),
  fault('endpoints beyond the limit', ['endpoint-count'], ({ stranger }) => [
    sql`INSERT INTO webhook_endpoint (id, account_id, live_mode, created, url, event_types, status, secret)
      SELECT 'we_' || place, ${stranger.accountId}, false, 0, '', '{}', 'active', '' FROM generate_series(1, 5) AS place`,
  ]),
];

export const factFaults: readonly Fault[] = [...eventFaults, ...deliveryFaults];
