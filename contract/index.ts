import { account } from './account.ts';
import { apiKeys } from './api-keys.ts';
import { auditLog } from './audit-log.ts';
import { prices, products } from './catalog.ts';
import { checkoutSessions } from './checkout-sessions.ts';
import { collectionOperations } from './collection.ts';
import { collectionSettings } from './collection-settings.ts';
import { coupons } from './coupons.ts';
import { customerExport } from './customer-export.ts';
import { customers } from './customers.ts';
import { disputes } from './disputes.ts';
import { eventFeed } from './event-feed.ts';
import { events } from './events.ts';
import { exports } from './exports.ts';
import { invoiceItems } from './invoice-items.ts';
import { invoices } from './invoices.ts';
import { mails } from './mails.ts';
import { mandates } from './mandates.ts';
import { paymentLinks } from './payment-links.ts';
import { paymentIntents } from './payments.ts';
import { pixReceipts } from './pix-receipts.ts';
import { promotionCodes } from './promotion-codes.ts';
import { refunds } from './refunds.ts';
import { reports } from './reports.ts';
import { c } from './router.ts';
import { testClock, testHelpers } from './sandbox.ts';
import { search } from './search.ts';
import { paymentMethods } from './stored-methods.ts';
import { subscriptionChanges } from './subscription-changes.ts';
import { subscriptions } from './subscriptions.ts';
import { summary } from './summary.ts';
import { webhookEndpoints } from './webhooks.ts';

/** The API: everything else is made from this. */
export const contract = c.router({
  account,
  customers: { ...customers, ...customerExport },
  products,
  prices,
  coupons,
  promotionCodes,
  invoiceItems,
  invoices,
  checkoutSessions,
  paymentLinks,
  paymentIntents,
  refunds,
  disputes,
  paymentMethods,
  mandates,
  subscriptions,
  subscriptionChanges,
  collection: collectionOperations,
  collectionSettings,
  events: { ...events, ...eventFeed },
  webhookEndpoints,
  summary,
  reports,
  pixReceipts,
  apiKeys,
  exports,
  auditLog,
  search,
  mails,
  testHelpers,
  testClock,
});
