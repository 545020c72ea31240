// Checked by tsc alone: what a value tells of itself is known of it afterwards, and what the API refuses does not compile.

import {
  type CheckoutSession,
  type ClientErrorCode,
  type DeclineReason,
  type Delivery,
  type Dispute,
  type ErrorCodeOf,
  type Event,
  type EventType,
  Fatura,
  type FaturaErrorCode,
  type GeneralErrorCode,
  type Invoice,
  isFaturaError,
  type PaymentIntent,
  type PaymentMethod,
  type Price,
  type Refund,
  type RouteId,
  type Subscription,
  type TestClock,
  type WebhookEndpoint,
  type WebhookRecovery,
} from '@fatura/sdk';
import { EventInbox, MemoryInboxStore } from '@fatura/sdk/inbox';
import type { WebhookEvent } from '@fatura/sdk/webhooks';
import type { Tracer } from '@opentelemetry/api';

declare const fatura: Fatura;
declare const tracer: Tracer;
declare function never(value: never): never;
declare function take<T>(value: T): T;

type Is<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
const is = <T extends true>(_: T): void => {};

export function ofAnyCode(error: unknown): unknown {
  if (!isFaturaError(error)) return error;
  is<Is<typeof error.code, FaturaErrorCode>>(true);
  switch (error.code) {
    case 'CARD_DECLINED':
      return take<DeclineReason>(error.declineReason);
    case 'ACQUIRER_TIMEOUT':
      return take<[string, string]>([error.paymentIntent, error.idempotencyKey]);
    case 'CONNECTION_FAILED':
    case 'TIMEOUT':
    case 'ABORTED':
    case 'RESPONSE_INVALID':
      return take<'client_error'>(error.type);
    default:
      return take<[number, string, string]>([error.status, error.requestId, error.docUrl]);
  }
}

export function ofSomeCodes(error: unknown): string {
  if (!isFaturaError(error, 'CARD_DECLINED', 'CARD_EXPIRED')) return '';
  is<Is<typeof error.code, 'CARD_DECLINED' | 'CARD_EXPIRED'>>(true);
  // @ts-expect-error an expired card was not declined
  take<DeclineReason>(error.declineReason);
  // @ts-expect-error neither is a code of a reading
  if (error.code === 'CURSOR_INVALID') return '';
  return error.code === 'CARD_DECLINED' ? error.declineReason : '';
}

// @ts-expect-error no such code
export const ofNoCode = (error: unknown) => isFaturaError(error, 'CARD_LOST');

type Particular<R extends RouteId> = Exclude<ErrorCodeOf<R>, GeneralErrorCode | ClientErrorCode>;

export function ofACheckout(code: Particular<'invoices.checkout'>): string {
  switch (code) {
    case 'CARD_DECLINED':
    case 'CARD_EXPIRED':
    case 'CARD_BRAND_NOT_SUPPORTED':
      return 'another card';
    case 'CARD_NUMBER_REFUSED':
    case 'CARD_TOKEN_EXPIRED':
      return 'a token';
    case 'INSTALLMENTS_NOT_ALLOWED':
    case 'INSTALLMENT_BELOW_MINIMUM':
      return 'fewer installments';
    case 'CARD_ATTEMPTS_EXHAUSTED':
      return 'PIX';
    case 'RESOURCE_MISSING':
    case 'INVOICE_NOT_OPEN':
    case 'SESSION_NOT_OPEN':
    case 'INVALID_STATE':
    case 'MANDATE_EXISTS':
    case 'MANDATE_INTERVAL_UNSUPPORTED':
    case 'MANDATE_UNSUPPORTED':
      return 'another invoice';
    case 'PREVIEW_OUTDATED':
      return 'the amount of now';
    case 'PIX_PAYMENT_CONFIRMED':
      return 'paid';
    case 'PAYMENT_IN_PROGRESS':
    case 'ACQUIRER_UNAVAILABLE':
    case 'ACQUIRER_TIMEOUT':
      return 'later';
    default:
      return never(code);
  }
}

is<Is<Particular<'account.retrieve'>, never>>(true);
is<Is<Particular<'invoices.retrieve'>, 'RESOURCE_MISSING'>>(true);
is<Is<Extract<ErrorCodeOf<'invoices.list'>, 'CARD_DECLINED'>, never>>(true);
is<Is<Extract<ErrorCodeOf<'invoices.list'>, 'TIMEOUT' | 'RATE_LIMITED'>, 'TIMEOUT' | 'RATE_LIMITED'>>(true);
type OfTheDashboard =
  | 'SESSION_MISSING'
  | 'LOGIN_FAILED'
  | 'TOTP_REQUIRED'
  | 'FRESH_LOGIN_REQUIRED'
  | 'SETUP_LINK_INVALID';
// Each code of the API is answered by a route, but for those of no route.
is<Is<Exclude<FaturaErrorCode, ErrorCodeOf<RouteId>>, 'ROUTE_NOT_FOUND' | 'METHOD_NOT_ALLOWED' | OfTheDashboard>>(true);

export function ofAnEvent(event: Event): string {
  switch (event.type) {
    case 'invoice.paid':
    case 'invoice.overdue':
      return event.data.object.customer_name;
    case 'price.created':
      return event.data.object.type === 'recurring' ? event.data.object.recurring.interval : 'once';
    case 'dispute.created':
      return event.data.object.reason;
    default:
      return event.data.object.id;
  }
}

export function ofADelivery(event: WebhookEvent): string {
  if (!event.known) {
    // @ts-expect-error nothing is known of it
    return event.data.object.id;
  }
  if (event.type === 'webhook.test') return String(take<null>(event.data.object));
  is<Is<typeof event.type, EventType>>(true);
  return event.data.object.id;
}

export async function read(): Promise<string[]> {
  const listed = await fatura.events.list({ type: ['invoice.paid'] }).all({ max: 10 });
  const { data: fed } = await fatura.events.feed();
  return [await fatura.events.retrieve('evt_1'), ...listed, ...fed].map(ofAnEvent);
}

/** Each kind of object with every status that it can have. */
export const statuses = {
  invoice: { draft: '', open: '', paid: '', uncollectible: '', void: '' } satisfies Every<Invoice>,
  paymentIntent: {
    pending: '',
    scheduled: '',
    processing: '',
    paid: '',
    failed: '',
    refunding: '',
    refunded: '',
    discarded: '',
  } satisfies Every<PaymentIntent>,
  refund: { refunding: '', refunded: '' } satisfies Every<Refund>,
  refundPart: { refunding: '', refunded: '', failed: '' } satisfies Every<Refund['parts'][number]>,
  subscription: {
    ...{ pending: '', active: '', inactive: '', suspended: '', paused: '', scheduled: '', trialing: '' },
  } satisfies Every<Subscription>,
  checkoutSession: { open: '', complete: '', expired: '' } satisfies Every<CheckoutSession>,
  dispute: { needs_response: '', under_review: '', won: '', lost: '', closed: '' } satisfies Every<Dispute>,
  webhookEndpoint: { active: '', unstable: '', disabled: '' } satisfies Every<WebhookEndpoint>,
  delivery: { pending: '', delivered: '', failed: '' } satisfies Every<Delivery>,
  recovery: { running: '', done: '' } satisfies Every<WebhookRecovery>,
  testClock: { ready: '', advancing: '' } satisfies Every<TestClock>,
};
type Every<T extends { status: string }> = Record<T['status'], string>;

export function shown(method: PaymentMethod): string {
  switch (method.type) {
    case 'pix':
      return method.pix.pix_copy_paste;
    case 'card':
      return method.card.last4;
    default:
      return never(method);
  }
}

export async function charged(price: Price): Promise<string[]> {
  const period = price.type === 'recurring' ? price.recurring.interval : 'once';
  const { interval } = (await fatura.prices.list({ type: 'recurring' }).all({ max: 1 }))[0]?.recurring ?? {};
  const byPix = await fatura.invoices.checkout('in_1', { payment_method_type: 'pix' });
  const subscription = await fatura.subscriptions.checkout('sub_1', { payment_method_type: 'pix' });
  return [
    period,
    interval ?? '',
    byPix.payment_intent,
    byPix.payment_method.pix.qr_code,
    subscription.payment_method.pix.qr_code,
  ];
}

export const observed = new Fatura({
  apiKey: 'sk_sandbox_1',
  tracer,
  onRequest: ({ route, attempt }) => (attempt > 0 ? { 'x-try': `${route} ${attempt}` } : undefined),
  onResponse: ({ route, error }) => {
    is<Is<typeof route, RouteId>>(true);
    if (error) take<FaturaErrorCode>(error.code);
  },
});
export const inbox = new EventInbox({ store: new MemoryInboxStore(), onEvent: (event) => void ofADelivery(event) });

const price = { product_id: 'prod_1', unit_amount: 1 };
const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' };
const billing_details = { name: 'MARIA DA SILVA', document: '52998224725' };
const customer = { name: 'Maria', identifier: '52998224725', email: 'maria@example.com' };
const line_items = [{ price_id: 'price_1', quantity: 1 }];
const pages = { success_url: 'https://loja.example', return_url: 'https://loja.example' };

/** What the API would refuse. */
export const refused = [
  // @ts-expect-error a recurring price without its recurrence
  () => fatura.prices.create({ ...price, type: 'recurring' }),
  // @ts-expect-error a one-time price with one
  () => fatura.prices.create({ ...price, type: 'one_time', recurring: { interval: 'day' } }),
  // @ts-expect-error an interval that there is not
  () => fatura.prices.create({ ...price, type: 'recurring', recurring: { interval: 'hour' } }),
  // @ts-expect-error an invoice that nobody pays
  () => fatura.invoices.create({ line_items }),
  // @ts-expect-error an invoice that two pay
  () => fatura.invoices.create({ line_items, customer_id: 'cus_1', customer }),
  // @ts-expect-error an invoice of nothing
  () => fatura.invoices.create({ customer_id: 'cus_1' }),
  // @ts-expect-error a card without its holder
  () => fatura.invoices.checkout('in_1', { payment_method_type: 'card', card }),
  // @ts-expect-error a PIX with a card
  () => fatura.invoices.checkout('in_1', { payment_method_type: 'pix', card, billing_details }),
  // @ts-expect-error no way to pay
  () => fatura.invoices.checkout('in_1', { payment_method_type: 'boleto' }),
  // @ts-expect-error a PIX has nothing to store
  () => fatura.subscriptions.updatePaymentMethod('sub_1', { payment_method_type: 'pix' }),
  // @ts-expect-error a subscription of a list of prices
  () => fatura.subscriptions.create({ customer_id: 'cus_1', line_items }),
  // @ts-expect-error a session of two buyers
  () => fatura.checkoutSessions.create({ mode: 'payment', line_items, ...pages, customer_id: 'cus_1', customer }),
  // @ts-expect-error a session without a way back
  () => fatura.checkoutSessions.create({ mode: 'payment', line_items }),
  // @ts-expect-error a refund of nothing
  () => fatura.refunds.create({ amount: 1 }),
  // @ts-expect-error a reason that there is not
  () => fatura.refunds.create({ payment_intent: 'pi_1', reason: 'regret' }),
  // @ts-expect-error an event that there is not
  () => fatura.webhookEndpoints.create({ url: 'https://loja.example', event_types: ['invoice.lost'] }),
  // @ts-expect-error a status that there is not
  () => fatura.invoices.list({ status: 'overdue' }),
  // @ts-expect-error the clock goes to an instant
  () => fatura.testClock.advance({ by: 86_400 }),
  // @ts-expect-error what the buyer does is named
  () => fatura.testHelpers.paymentIntents.payPix('pi_1', {}),
  // @ts-expect-error a reading has no key
  () => fatura.invoices.retrieve('in_1', { idempotencyKey: 'order-1042' }),
  // @ts-expect-error the whole of a list is bounded
  () => fatura.invoices.list().all(),
  // @ts-expect-error the API's name of a header is not an option
  () => new Fatura({ apiKey: 'sk_sandbox_1', headers: {} }),
];
