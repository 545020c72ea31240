import type { AppRoute } from '@ts-rest/core';
import type { contract } from './index.ts';

/** What a person may be in an account (docs/product/dashboard.md#roles). */
export const roleNames = ['owner', 'finance', 'support', 'developer', 'viewer'] as const;

export type Role = (typeof roleNames)[number];

type NamesIn<Routes> = {
  [Name in keyof Routes & string]: Routes[Name] extends AppRoute ? Name : `${Name}.${NamesIn<Routes[Name]>}`;
}[keyof Routes & string];

/** An operation of the contract by its name: `customers.create`. */
export type OperationName = NamesIn<typeof contract>;

const everybody: readonly Role[] = roleNames;
/** Who sells and helps buyers. */
const sales: readonly Role[] = ['owner', 'finance', 'support'];
/** Who decides of money without a limit. */
const money: readonly Role[] = ['owner', 'finance'];
/** Who connects other programs. */
const developers: readonly Role[] = ['owner', 'developer'];
const owner: readonly Role[] = ['owner'];
/** What only a sandbox has: who sells tries it as well as who programs. */
const sandbox: readonly Role[] = ['owner', 'finance', 'support', 'developer'];

/** Who may do what in the dashboard: each operation of the contract, and the roles that have it. */
export const roles = {
  'account.retrieve': everybody,
  'account.update': owner,
  'collectionSettings.retrieve': everybody,
  'collectionSettings.update': owner,
  'customers.create': sales,
  'customers.retrieve': everybody,
  'customers.list': everybody,
  'customers.update': sales,
  'customers.anonymize': owner,
  'customers.export': owner,
  'customers.createNote': sales,
  'customers.listNotes': everybody,
  'customers.createPortalLink': sales,
  'products.create': money,
  'products.retrieve': everybody,
  'products.list': everybody,
  'products.update': money,
  'prices.create': money,
  'prices.retrieve': everybody,
  'prices.list': everybody,
  'prices.update': money,
  'coupons.create': money,
  'coupons.retrieve': everybody,
  'coupons.list': everybody,
  'coupons.update': money,
  'promotionCodes.create': money,
  'promotionCodes.retrieve': everybody,
  'promotionCodes.list': everybody,
  'promotionCodes.update': money,
  'invoiceItems.create': money,
  'invoiceItems.retrieve': everybody,
  'invoiceItems.list': everybody,
  'invoiceItems.delete': money,
  'invoices.create': sales,
  'invoices.retrieve': everybody,
  'invoices.list': everybody,
  'invoices.update': sales,
  'invoices.finalize': sales,
  'invoices.send': sales,
  'invoices.extend': sales,
  'invoices.void': sales,
  'invoices.markUncollectible': money,
  'invoices.checkout': sales,
  'checkoutSessions.create': sales,
  'checkoutSessions.retrieve': everybody,
  'checkoutSessions.list': everybody,
  'checkoutSessions.expire': sales,
  'paymentLinks.create': sales,
  'paymentLinks.retrieve': everybody,
  'paymentLinks.list': everybody,
  'paymentLinks.update': sales,
  'paymentIntents.retrieve': everybody,
  'paymentIntents.list': everybody,
  'refunds.create': sales,
  'refunds.retrieve': everybody,
  'refunds.list': everybody,
  'disputes.retrieve': everybody,
  'disputes.list': everybody,
  'paymentMethods.list': everybody,
  'paymentMethods.retrieve': everybody,
  'paymentMethods.setDefault': sales,
  'paymentMethods.delete': sales,
  'mandates.create': sales,
  'mandates.retrieve': everybody,
  'mandates.list': everybody,
  'mandates.cancel': sales,
  'subscriptions.create': sales,
  'subscriptions.preview': sales,
  'subscriptions.retrieve': everybody,
  'subscriptions.list': everybody,
  'subscriptions.upcomingInvoice': everybody,
  'subscriptionChanges.create': sales,
  'subscriptionChanges.preview': sales,
  'subscriptionChanges.cancel': sales,
  'subscriptions.update': sales,
  'subscriptions.checkout': sales,
  'subscriptions.updatePaymentMethod': sales,
  'subscriptions.endTrial': sales,
  'subscriptions.cancelAt': sales,
  'subscriptions.uncancel': sales,
  'subscriptions.pause': sales,
  'subscriptions.resume': sales,
  'subscriptions.cancel': sales,
  'subscriptions.reactivate': sales,
  'events.retrieve': everybody,
  'events.list': everybody,
  'events.deliveries': everybody,
  'events.resend': developers,
  'events.feed': everybody,
  'webhookEndpoints.create': developers,
  'webhookEndpoints.retrieve': everybody,
  'webhookEndpoints.list': everybody,
  'webhookEndpoints.update': developers,
  'webhookEndpoints.rotateSecret': developers,
  'webhookEndpoints.test': developers,
  'webhookEndpoints.enable': developers,
  'webhookEndpoints.recover': developers,
  'webhookEndpoints.retrieveRecovery': everybody,
  'webhookEndpoints.deliveries': everybody,
  'webhookEndpoints.delete': developers,
  'exports.create': money,
  'exports.retrieve': money,
  'exports.list': money,
  'apiKeys.create': developers,
  'apiKeys.list': developers,
  'apiKeys.retrieve': developers,
  'apiKeys.update': developers,
  'apiKeys.roll': developers,
  'apiKeys.revoke': developers,
  'auditLog.list': everybody,
  'mails.list': everybody,
  'collection.retrieve': everybody,
  'collection.listInvoices': everybody,
  'summary.retrieve': everybody,
  'pixReceipts.list': everybody,
  'reports.cashFlow': everybody,
  'reports.aging': everybody,
  'reports.subscriptions': everybody,
  'search.retrieve': everybody,
  'testHelpers.paymentIntents.payPix': sandbox,
  'testHelpers.paymentIntents.debit': sandbox,
  'testHelpers.mandates.approve': sandbox,
  'testHelpers.mandates.reject': sandbox,
  'testHelpers.mandates.cancel': sandbox,
  'testHelpers.paymentMethods.change': sandbox,
  'testHelpers.paymentIntents.dispute': sandbox,
  'testClock.retrieve': everybody,
  'testClock.advance': sandbox,
  'testClock.reset': developers,
} as const satisfies Record<OperationName, readonly Role[]>;

/** Operations that ask for a login of the last ten minutes: what they answer or end opens or closes a door. */
export const freshOperations: readonly OperationName[] = [
  'customers.anonymize',
  'apiKeys.create',
  'apiKeys.update',
  'apiKeys.roll',
  'apiKeys.revoke',
  'webhookEndpoints.create',
  'webhookEndpoints.rotateSecret',
];

/** Whether a role has an operation. */
export const may = (role: Role, operation: OperationName): boolean =>
  (roles[operation] as readonly Role[]).includes(role);

/** Roles whose refunds of one payment end at the account's `refund_limit`; others log in anew above it. */
export const limitedRefunds: readonly Role[] = ['support'];
