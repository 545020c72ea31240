import type { Answer } from './answer.ts';
import type { RouteId, RouteTypes } from './generated/routes.ts';
import type { List } from './pages.ts';
import { Account } from './resources/account.ts';
import { ApiKeys } from './resources/api-keys.ts';
import { AuditLog } from './resources/audit-log.ts';
import { CheckoutSessions } from './resources/checkout-sessions.ts';
import { Collection } from './resources/collection.ts';
import { CollectionSettings } from './resources/collection-settings.ts';
import { Coupons } from './resources/coupons.ts';
import { Customers } from './resources/customers.ts';
import { Disputes } from './resources/disputes.ts';
import { Events } from './resources/events.ts';
import { Exports } from './resources/exports.ts';
import { InvoiceItems } from './resources/invoice-items.ts';
import { Invoices } from './resources/invoices.ts';
import { Mails } from './resources/mails.ts';
import { Mandates } from './resources/mandates.ts';
import { PaymentIntents } from './resources/payment-intents.ts';
import { PaymentLinks } from './resources/payment-links.ts';
import { PaymentMethods } from './resources/payment-methods.ts';
import { PixReceipts } from './resources/pix-receipts.ts';
import { Prices } from './resources/prices.ts';
import { Products } from './resources/products.ts';
import { PromotionCodes } from './resources/promotion-codes.ts';
import { Refunds } from './resources/refunds.ts';
import { Reports } from './resources/reports.ts';
import { Search } from './resources/search.ts';
import { SubscriptionChanges } from './resources/subscription-changes.ts';
import { Subscriptions } from './resources/subscriptions.ts';
import { Summary } from './resources/summary.ts';
import { TestClock } from './resources/test-clock.ts';
import { TestHelpers } from './resources/test-helpers.ts';
import { WebhookEndpoints } from './resources/webhook-endpoints.ts';
import { type FaturaOptions, Transport } from './transport.ts';
import { sign, unwrap } from './webhooks.ts';

/**
 * The client of the Fatura API.
 *
 * Amounts are integer cents, instants Unix seconds. Every failed call rejects with a `FaturaError`.
 * A call is tried again (twice by default) when no answer came, and on 408, 429, 5xx and `IDEMPOTENCY_KEY_IN_USE`.
 *
 * A method names the codes that are particular to it. Beside those any call may reject with one that speaks of the request
 * itself (`GeneralErrorCode`): of its key, `API_KEY_MISSING`, `API_KEY_INVALID`, `API_KEY_EXPIRED`, `MODE_NOT_SERVED`,
 * `PERMISSION_DENIED`;
 * of its pace, `RATE_LIMITED`; of its form, `PARAMETER_INVALID`, `PARAMETER_MISSING`, `PARAMETER_UNKNOWN`,
 * `MALFORMED_JSON`, `REQUEST_TIMEOUT`, `PAYLOAD_TOO_LARGE`, `UNSUPPORTED_MEDIA_TYPE`; of its idempotency key,
 * `IDEMPOTENCY_KEY_IN_USE`, `IDEMPOTENCY_KEY_REUSED`; of the service, `INTERNAL_ERROR`, `SERVICE_UNAVAILABLE`; or with one of this client:
 * `CONNECTION_FAILED`, `TIMEOUT`, `ABORTED`, `RESPONSE_INVALID`. `ErrorCodeOf<'invoices.checkout'>` is all of a method.
 */
export class Fatura {
  readonly account: Account;
  readonly customers: Customers;
  readonly products: Products;
  readonly prices: Prices;
  readonly coupons: Coupons;
  readonly promotionCodes: PromotionCodes;
  readonly invoiceItems: InvoiceItems;
  readonly invoices: Invoices;
  readonly checkoutSessions: CheckoutSessions;
  readonly paymentLinks: PaymentLinks;
  readonly paymentIntents: PaymentIntents;
  readonly refunds: Refunds;
  readonly disputes: Disputes;
  readonly paymentMethods: PaymentMethods;
  readonly mandates: Mandates;
  readonly collection: Collection;
  readonly collectionSettings: CollectionSettings;
  readonly summary: Summary;
  readonly reports: Reports;
  readonly pixReceipts: PixReceipts;
  readonly exports: Exports;
  readonly search: Search;
  readonly subscriptions: Subscriptions;
  readonly subscriptionChanges: SubscriptionChanges;
  readonly events: Events;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly apiKeys: ApiKeys;
  readonly auditLog: AuditLog;
  readonly mails: Mails;
  readonly testHelpers: TestHelpers;
  readonly testClock: TestClock;
  /** The functions of `@fatura/sdk/webhooks`; those need no API key. */
  readonly webhooks = { unwrap, sign };

  constructor(options: FaturaOptions) {
    const transport = new Transport(options);
    this.account = new Account(transport);
    this.customers = new Customers(transport);
    this.products = new Products(transport);
    this.prices = new Prices(transport);
    this.coupons = new Coupons(transport);
    this.promotionCodes = new PromotionCodes(transport);
    this.invoiceItems = new InvoiceItems(transport);
    this.invoices = new Invoices(transport);
    this.checkoutSessions = new CheckoutSessions(transport);
    this.paymentLinks = new PaymentLinks(transport);
    this.paymentIntents = new PaymentIntents(transport);
    this.refunds = new Refunds(transport);
    this.disputes = new Disputes(transport);
    this.paymentMethods = new PaymentMethods(transport);
    this.mandates = new Mandates(transport);
    this.collection = new Collection(transport);
    this.collectionSettings = new CollectionSettings(transport);
    this.summary = new Summary(transport);
    this.reports = new Reports(transport);
    this.pixReceipts = new PixReceipts(transport);
    this.exports = new Exports(transport);
    this.search = new Search(transport);
    this.subscriptions = new Subscriptions(transport);
    this.subscriptionChanges = new SubscriptionChanges(transport);
    this.events = new Events(transport);
    this.webhookEndpoints = new WebhookEndpoints(transport);
    this.apiKeys = new ApiKeys(transport);
    this.auditLog = new AuditLog(transport);
    this.mails = new Mails(transport);
    this.testHelpers = new TestHelpers(transport);
    this.testClock = new TestClock(transport);
  }
}

type At<T, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? At<Head extends keyof T ? T[Head] : undefined, Rest>
  : Path extends keyof T
    ? T[Path]
    : undefined;

type AnswerOf<R extends RouteId> = RouteTypes[R]['answer'];
type MethodOf<R extends RouteId> = (
  ...args: never[]
) => AnswerOf<R> extends { has_more: boolean; data: (infer T extends { id: string })[] }
  ? List<T>
  : Answer<AnswerOf<R>>;

type Complete<T extends { [R in RouteId]: MethodOf<R> }> = T;

/** The method of each route. A route without one, or one that answers another type, does not compile here. */
export type RouteMethods = Complete<{ [R in RouteId]: At<Fatura, R> }>;
