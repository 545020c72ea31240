import type { RouteId } from '../../generated/routes.ts';

/** Routes that a person confirms: they move money, reach a buyer, cannot be undone, or say where events go. */
export const confirmedRoutes = [
  'account.update',
  'collectionSettings.update',
  'customers.update',
  'customers.anonymize',
  'invoices.create',
  'invoices.finalize',
  'invoices.extend',
  'invoices.send',
  'invoices.void',
  'invoices.markUncollectible',
  'invoices.checkout',
  'checkoutSessions.expire',
  'refunds.create',
  'paymentMethods.setDefault',
  'paymentMethods.delete',
  'mandates.cancel',
  'subscriptions.create',
  'subscriptions.update',
  'subscriptions.endTrial',
  'subscriptions.cancelAt',
  'subscriptions.uncancel',
  'subscriptions.pause',
  'subscriptionChanges.create',
  'subscriptions.resume',
  'subscriptions.cancel',
  'subscriptions.checkout',
  'subscriptions.updatePaymentMethod',
  'subscriptions.reactivate',
  'events.resend',
  'webhookEndpoints.update',
  'webhookEndpoints.delete',
  'webhookEndpoints.recover',
] as const satisfies readonly RouteId[];

export type ConfirmedRoute = (typeof confirmedRoutes)[number];

/** `reads`: always offered; `adds`, `changes`: with --allow-writes; `confirmed`: these too, after a person's yes. */
export type Policy = 'reads' | 'adds' | 'changes' | 'confirmed' | { readonly withheld: string };

type Others = Exclude<RouteId, ConfirmedRoute>;

const SECRET = 'Its answer holds a signing secret, which a model must not read: use the API, or another client of it.';

const KEYS = 'The keys of an account are a matter of its people: use the API, or another client of it.';

/** What an agent may do by each route. A new route does not compile without its row. */
const others: Readonly<Record<Others, Exclude<Policy, 'confirmed'>>> = {
  'account.retrieve': 'reads',
  'collectionSettings.retrieve': 'reads',
  'customers.create': 'adds',
  'customers.export': { withheld: 'It copies all that is stored of a person: a person asks for that, by the API.' },
  'customers.list': 'reads',
  'customers.retrieve': 'reads',
  'customers.createNote': 'adds',
  'customers.listNotes': 'reads',
  'customers.createPortalLink': {
    withheld: 'Whoever has the link acts for the buyer: a person asks for it, by the API or the dashboard.',
  },
  'products.create': 'adds',
  'products.list': 'reads',
  'products.retrieve': 'reads',
  'products.update': 'changes',
  'prices.create': 'adds',
  'prices.list': 'reads',
  'prices.retrieve': 'reads',
  'prices.update': 'changes',
  'coupons.create': 'adds',
  'coupons.list': 'reads',
  'coupons.retrieve': 'reads',
  'coupons.update': 'changes',
  'promotionCodes.create': 'adds',
  'promotionCodes.list': 'reads',
  'promotionCodes.retrieve': 'reads',
  'promotionCodes.update': 'changes',
  'invoiceItems.create': 'adds',
  'invoiceItems.list': 'reads',
  'invoiceItems.retrieve': 'reads',
  'invoiceItems.delete': 'changes',
  'invoices.list': 'reads',
  'invoices.retrieve': 'reads',
  'invoices.update': 'changes',
  'paymentLinks.create': 'adds',
  'paymentLinks.list': 'reads',
  'paymentLinks.retrieve': 'reads',
  'paymentLinks.update': 'changes',
  'checkoutSessions.create': 'adds',
  'checkoutSessions.list': 'reads',
  'checkoutSessions.retrieve': 'reads',
  'paymentIntents.retrieve': 'reads',
  'paymentIntents.list': 'reads',
  'refunds.list': 'reads',
  'refunds.retrieve': 'reads',
  'mandates.create': 'adds',
  'mandates.retrieve': 'reads',
  'mandates.list': 'reads',
  'paymentMethods.list': 'reads',
  'paymentMethods.retrieve': 'reads',
  'disputes.retrieve': 'reads',
  'disputes.list': 'reads',
  'collection.retrieve': 'reads',
  'collection.listInvoices': 'reads',
  'summary.retrieve': 'reads',
  'pixReceipts.list': 'reads',
  'reports.cashFlow': 'reads',
  'reports.aging': 'reads',
  'reports.subscriptions': 'reads',
  'exports.create': { withheld: 'It writes a file for people; the lists answer the same.' },
  'exports.list': 'reads',
  'exports.retrieve': 'reads',
  'search.retrieve': 'reads',
  'subscriptions.list': 'reads',
  'subscriptions.retrieve': 'reads',
  'subscriptions.upcomingInvoice': 'reads',
  'subscriptions.preview': 'changes',
  'subscriptionChanges.preview': 'changes',
  'subscriptionChanges.cancel': 'changes',
  'events.retrieve': 'reads',
  'events.list': 'reads',
  'events.deliveries': 'reads',
  'events.feed': { withheld: 'It waits for what happens; ask events_list.' },
  'webhookEndpoints.create': { withheld: SECRET },
  'webhookEndpoints.list': 'reads',
  'webhookEndpoints.retrieve': 'reads',
  'webhookEndpoints.rotateSecret': { withheld: SECRET },
  'webhookEndpoints.test': 'adds',
  'webhookEndpoints.enable': 'changes',
  'webhookEndpoints.retrieveRecovery': 'reads',
  'webhookEndpoints.deliveries': 'reads',
  'apiKeys.create': { withheld: KEYS },
  'apiKeys.retrieve': { withheld: KEYS },
  'apiKeys.list': { withheld: KEYS },
  'apiKeys.update': { withheld: KEYS },
  'apiKeys.roll': { withheld: KEYS },
  'apiKeys.revoke': { withheld: KEYS },
  'auditLog.list': 'reads',
  'mails.list': {
    withheld: 'Letters name buyers in texts that nobody can mask: use the API, or another client of it.',
  },
  'testHelpers.paymentIntents.payPix': 'adds',
  'testHelpers.paymentIntents.dispute': 'adds',
  'testHelpers.paymentIntents.debit': 'changes',
  'testHelpers.mandates.approve': 'changes',
  'testHelpers.mandates.reject': 'changes',
  'testHelpers.mandates.cancel': 'changes',
  'testHelpers.paymentMethods.change': 'changes',
  'testClock.retrieve': 'reads',
  'testClock.advance': 'changes',
  'testClock.reset': { withheld: 'It deletes all of the sandbox: a person does that, by the API.' },
};

export const isConfirmed = (route: RouteId): route is ConfirmedRoute =>
  (confirmedRoutes as readonly RouteId[]).includes(route);

export const policyOf = (route: RouteId): Policy => (isConfirmed(route) ? 'confirmed' : others[route]);

/** Routes that a live key is refused at. */
export const isSandboxOnly = (route: RouteId): boolean => /^test(?:Helpers|Clock)\./.test(route);

/** Whether each call of a route makes one thing more, so that the same call again is rather a mistake. */
export const isCreation = (route: RouteId): boolean => route.endsWith('.create');
