import type { contract } from '../../contract/index.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/endpoints.ts';
import { accountRoutes } from './account.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { auditLogRoutes } from './audit-log.ts';
import { checkoutSessionRoutes } from './checkout-sessions.ts';
import { collectionRoutes } from './collection.ts';
import { collectionSettingsRoutes } from './collection-settings.ts';
import { couponRoutes, promotionCodeRoutes } from './coupons.ts';
import { customerRoutes } from './customers.ts';
import { disputeRoutes } from './disputes.ts';
import { eventRoutes } from './events.ts';
import { exportRoutes } from './exports.ts';
import { invoiceItemRoutes } from './invoice-items.ts';
import { invoiceRoutes } from './invoices.ts';
import { mailRoutes } from './mails.ts';
import { mandateRoutes } from './mandates.ts';
import { paymentIntentRoutes } from './payment-intents.ts';
import { paymentLinkRoutes } from './payment-links.ts';
import { paymentMethodRoutes } from './payment-methods.ts';
import { pixReceiptRoutes } from './pix-receipts.ts';
import { priceRoutes } from './prices.ts';
import { productRoutes } from './products.ts';
import { refundRoutes } from './refunds.ts';
import { reportRoutes } from './reports.ts';
import { searchRoutes } from './search.ts';
import { subscriptionChangeRoutes } from './subscription-changes.ts';
import { subscriptionRoutes } from './subscriptions.ts';
import { summaryRoutes } from './summary.ts';
import { testClockRoutes } from './test-clock.ts';
import { testHelperRoutes } from './test-helpers.ts';
import { webhookEndpointRoutes } from './webhook-endpoints.ts';

/** The handlers of every route of the contract: one file a resource. What waits answers once `draining` is aborted. */
export const handlers = (deps: Deps, draining: AbortSignal): Handlers<typeof contract> => ({
  account: accountRoutes(deps),
  customers: customerRoutes(deps),
  products: productRoutes(deps),
  prices: priceRoutes(deps),
  coupons: couponRoutes(deps),
  paymentLinks: paymentLinkRoutes(deps),
  promotionCodes: promotionCodeRoutes(deps),
  invoiceItems: invoiceItemRoutes(deps),
  invoices: invoiceRoutes(deps),
  checkoutSessions: checkoutSessionRoutes(deps),
  paymentIntents: paymentIntentRoutes(deps),
  refunds: refundRoutes(deps),
  disputes: disputeRoutes(deps),
  paymentMethods: paymentMethodRoutes(deps),
  mandates: mandateRoutes(deps),
  subscriptions: subscriptionRoutes(deps),
  subscriptionChanges: subscriptionChangeRoutes(deps),
  events: eventRoutes(deps, draining),
  webhookEndpoints: webhookEndpointRoutes(deps),
  collection: collectionRoutes(deps),
  collectionSettings: collectionSettingsRoutes(deps),
  summary: summaryRoutes(deps),
  reports: reportRoutes(deps),
  pixReceipts: pixReceiptRoutes(deps),
  apiKeys: apiKeyRoutes(deps),
  exports: exportRoutes(deps),
  auditLog: auditLogRoutes(deps),
  search: searchRoutes(deps),
  mails: mailRoutes(deps),
  testHelpers: testHelperRoutes(deps),
  testClock: testClockRoutes(deps),
});
