// Made by `npm run sdk:generate` from the OpenAPI document. Do not edit.

import type * as types from './types.ts';

/** Method and path of each route; `envelope` is the key its body is wrapped in. */
export const routes = {
  'account.retrieve': { method: 'GET', path: '/api/v1/account' },
  'account.update': { method: 'PATCH', path: '/api/v1/account', envelope: 'account' },
  'customers.create': { method: 'POST', path: '/api/v1/customers', envelope: 'customer' },
  'customers.list': { method: 'GET', path: '/api/v1/customers' },
  'customers.retrieve': { method: 'GET', path: '/api/v1/customers/{customer_id}' },
  'customers.update': { method: 'PATCH', path: '/api/v1/customers/{customer_id}', envelope: 'customer' },
  'customers.anonymize': { method: 'POST', path: '/api/v1/customers/{customer_id}/anonymize' },
  'customers.createNote': { method: 'POST', path: '/api/v1/customers/{customer_id}/notes', envelope: 'note' },
  'customers.listNotes': { method: 'GET', path: '/api/v1/customers/{customer_id}/notes' },
  'customers.createPortalLink': { method: 'POST', path: '/api/v1/customers/{customer_id}/portal_links' },
  'customers.export': { method: 'GET', path: '/api/v1/customers/{customer_id}/export' },
  'products.create': { method: 'POST', path: '/api/v1/products', envelope: 'product' },
  'products.list': { method: 'GET', path: '/api/v1/products' },
  'products.retrieve': { method: 'GET', path: '/api/v1/products/{product_id}' },
  'products.update': { method: 'PATCH', path: '/api/v1/products/{product_id}', envelope: 'product' },
  'prices.create': { method: 'POST', path: '/api/v1/prices', envelope: 'price' },
  'prices.list': { method: 'GET', path: '/api/v1/prices' },
  'prices.retrieve': { method: 'GET', path: '/api/v1/prices/{price_id}' },
  'prices.update': { method: 'PATCH', path: '/api/v1/prices/{price_id}', envelope: 'price' },
  'coupons.create': { method: 'POST', path: '/api/v1/coupons', envelope: 'coupon' },
  'coupons.list': { method: 'GET', path: '/api/v1/coupons' },
  'coupons.retrieve': { method: 'GET', path: '/api/v1/coupons/{coupon_id}' },
  'coupons.update': { method: 'PATCH', path: '/api/v1/coupons/{coupon_id}', envelope: 'coupon' },
  'promotionCodes.create': { method: 'POST', path: '/api/v1/promotion_codes', envelope: 'promotion_code' },
  'promotionCodes.list': { method: 'GET', path: '/api/v1/promotion_codes' },
  'promotionCodes.retrieve': { method: 'GET', path: '/api/v1/promotion_codes/{promotion_code_id}' },
  'promotionCodes.update': { method: 'PATCH', path: '/api/v1/promotion_codes/{promotion_code_id}', envelope: 'promotion_code' },
  'invoiceItems.create': { method: 'POST', path: '/api/v1/invoice_items', envelope: 'invoice_item' },
  'invoiceItems.list': { method: 'GET', path: '/api/v1/invoice_items' },
  'invoiceItems.retrieve': { method: 'GET', path: '/api/v1/invoice_items/{invoice_item_id}' },
  'invoiceItems.delete': { method: 'DELETE', path: '/api/v1/invoice_items/{invoice_item_id}' },
  'invoices.create': { method: 'POST', path: '/api/v1/invoices', envelope: 'invoice' },
  'invoices.list': { method: 'GET', path: '/api/v1/invoices' },
  'invoices.retrieve': { method: 'GET', path: '/api/v1/invoices/{invoice_id}' },
  'invoices.update': { method: 'PATCH', path: '/api/v1/invoices/{invoice_id}', envelope: 'invoice' },
  'invoices.finalize': { method: 'POST', path: '/api/v1/invoices/{invoice_id}/finalize' },
  'invoices.extend': { method: 'POST', path: '/api/v1/invoices/{invoice_id}/extend', envelope: 'invoice' },
  'invoices.send': { method: 'POST', path: '/api/v1/invoices/{invoice_id}/send' },
  'invoices.void': { method: 'POST', path: '/api/v1/invoices/{invoice_id}/void' },
  'invoices.markUncollectible': { method: 'POST', path: '/api/v1/invoices/{invoice_id}/mark_uncollectible' },
  'invoices.checkout': { method: 'POST', path: '/api/v1/invoices/{invoice_id}/checkout' },
  'checkoutSessions.create': { method: 'POST', path: '/api/v1/checkout/sessions', envelope: 'session' },
  'checkoutSessions.list': { method: 'GET', path: '/api/v1/checkout/sessions' },
  'checkoutSessions.retrieve': { method: 'GET', path: '/api/v1/checkout/sessions/{checkout_session_id}' },
  'checkoutSessions.expire': { method: 'POST', path: '/api/v1/checkout/sessions/{checkout_session_id}/expire' },
  'paymentLinks.create': { method: 'POST', path: '/api/v1/payment_links', envelope: 'payment_link' },
  'paymentLinks.list': { method: 'GET', path: '/api/v1/payment_links' },
  'paymentLinks.retrieve': { method: 'GET', path: '/api/v1/payment_links/{payment_link_id}' },
  'paymentLinks.update': { method: 'PATCH', path: '/api/v1/payment_links/{payment_link_id}', envelope: 'payment_link' },
  'paymentIntents.retrieve': { method: 'GET', path: '/api/v1/payment_intents/{payment_intent_id}' },
  'paymentIntents.list': { method: 'GET', path: '/api/v1/payment_intents' },
  'refunds.create': { method: 'POST', path: '/api/v1/refunds', envelope: 'refund' },
  'refunds.list': { method: 'GET', path: '/api/v1/refunds' },
  'refunds.retrieve': { method: 'GET', path: '/api/v1/refunds/{refund_id}' },
  'disputes.retrieve': { method: 'GET', path: '/api/v1/disputes/{dispute_id}' },
  'disputes.list': { method: 'GET', path: '/api/v1/disputes' },
  'paymentMethods.list': { method: 'GET', path: '/api/v1/customers/{customer_id}/payment_methods' },
  'paymentMethods.retrieve': { method: 'GET', path: '/api/v1/payment_methods/{payment_method_id}' },
  'paymentMethods.delete': { method: 'DELETE', path: '/api/v1/payment_methods/{payment_method_id}' },
  'paymentMethods.setDefault': { method: 'POST', path: '/api/v1/payment_methods/{payment_method_id}/default' },
  'mandates.create': { method: 'POST', path: '/api/v1/subscriptions/{subscription_id}/mandates' },
  'mandates.retrieve': { method: 'GET', path: '/api/v1/mandates/{mandate_id}' },
  'mandates.list': { method: 'GET', path: '/api/v1/mandates' },
  'mandates.cancel': { method: 'POST', path: '/api/v1/mandates/{mandate_id}/cancel' },
  'subscriptions.create': { method: 'POST', path: '/api/v1/subscriptions', envelope: 'subscription' },
  'subscriptions.list': { method: 'GET', path: '/api/v1/subscriptions' },
  'subscriptions.preview': { method: 'POST', path: '/api/v1/subscriptions/preview', envelope: 'subscription' },
  'subscriptions.retrieve': { method: 'GET', path: '/api/v1/subscriptions/{subscription_id}' },
  'subscriptions.update': { method: 'PATCH', path: '/api/v1/subscriptions/{subscription_id}', envelope: 'subscription' },
  'subscriptions.cancel': { method: 'DELETE', path: '/api/v1/subscriptions/{subscription_id}' },
  'subscriptions.upcomingInvoice': { method: 'GET', path: '/api/v1/subscriptions/{subscription_id}/upcoming_invoice' },
  'subscriptions.checkout': { method: 'POST', path: '/api/v1/subscriptions/{subscription_id}/checkout' },
  'subscriptions.updatePaymentMethod': { method: 'POST', path: '/api/v1/subscriptions/{subscription_id}/payment_method' },
  'subscriptions.endTrial': { method: 'POST', path: '/api/v1/subscriptions/{subscription_id}/end_trial' },
  'subscriptions.cancelAt': { method: 'POST', path: '/api/v1/subscriptions/{subscription_id}/cancel' },
  'subscriptions.uncancel': { method: 'POST', path: '/api/v1/subscriptions/{subscription_id}/uncancel' },
  'subscriptions.pause': { method: 'POST', path: '/api/v1/subscriptions/{subscription_id}/pause' },
  'subscriptions.resume': { method: 'POST', path: '/api/v1/subscriptions/{subscription_id}/resume' },
  'subscriptions.reactivate': { method: 'POST', path: '/api/v1/subscriptions/{subscription_id}/reactivate' },
  'subscriptionChanges.create': { method: 'POST', path: '/api/v1/subscriptions/{subscription_id}/changes' },
  'subscriptionChanges.preview': { method: 'POST', path: '/api/v1/subscriptions/{subscription_id}/changes/preview' },
  'subscriptionChanges.cancel': { method: 'DELETE', path: '/api/v1/subscriptions/{subscription_id}/changes/{change_id}' },
  'collection.retrieve': { method: 'GET', path: '/api/v1/collection' },
  'collection.listInvoices': { method: 'GET', path: '/api/v1/collection/invoices' },
  'collectionSettings.retrieve': { method: 'GET', path: '/api/v1/collection_settings' },
  'collectionSettings.update': { method: 'PATCH', path: '/api/v1/collection_settings', envelope: 'collection_settings' },
  'events.retrieve': { method: 'GET', path: '/api/v1/events/{event_id}' },
  'events.list': { method: 'GET', path: '/api/v1/events' },
  'events.deliveries': { method: 'GET', path: '/api/v1/events/{event_id}/deliveries' },
  'events.resend': { method: 'POST', path: '/api/v1/events/{event_id}/resend' },
  'events.feed': { method: 'GET', path: '/api/v1/event_feed' },
  'webhookEndpoints.create': { method: 'POST', path: '/api/v1/webhook_endpoints', envelope: 'webhook_endpoint' },
  'webhookEndpoints.list': { method: 'GET', path: '/api/v1/webhook_endpoints' },
  'webhookEndpoints.retrieve': { method: 'GET', path: '/api/v1/webhook_endpoints/{webhook_endpoint_id}' },
  'webhookEndpoints.update': { method: 'PATCH', path: '/api/v1/webhook_endpoints/{webhook_endpoint_id}', envelope: 'webhook_endpoint' },
  'webhookEndpoints.delete': { method: 'DELETE', path: '/api/v1/webhook_endpoints/{webhook_endpoint_id}' },
  'webhookEndpoints.rotateSecret': { method: 'POST', path: '/api/v1/webhook_endpoints/{webhook_endpoint_id}/rotate_secret' },
  'webhookEndpoints.test': { method: 'POST', path: '/api/v1/webhook_endpoints/{webhook_endpoint_id}/test' },
  'webhookEndpoints.enable': { method: 'POST', path: '/api/v1/webhook_endpoints/{webhook_endpoint_id}/enable' },
  'webhookEndpoints.recover': { method: 'POST', path: '/api/v1/webhook_endpoints/{webhook_endpoint_id}/recover' },
  'webhookEndpoints.retrieveRecovery': { method: 'GET', path: '/api/v1/webhook_endpoints/{webhook_endpoint_id}/recover' },
  'webhookEndpoints.deliveries': { method: 'GET', path: '/api/v1/webhook_endpoints/{webhook_endpoint_id}/deliveries' },
  'summary.retrieve': { method: 'GET', path: '/api/v1/summary' },
  'reports.cashFlow': { method: 'GET', path: '/api/v1/reports/cash_flow' },
  'reports.aging': { method: 'GET', path: '/api/v1/reports/aging' },
  'reports.subscriptions': { method: 'GET', path: '/api/v1/reports/subscriptions' },
  'pixReceipts.list': { method: 'GET', path: '/api/v1/pix_receipts' },
  'apiKeys.create': { method: 'POST', path: '/api/v1/api_keys', envelope: 'api_key' },
  'apiKeys.list': { method: 'GET', path: '/api/v1/api_keys' },
  'apiKeys.retrieve': { method: 'GET', path: '/api/v1/api_keys/{api_key_id}' },
  'apiKeys.update': { method: 'PATCH', path: '/api/v1/api_keys/{api_key_id}', envelope: 'api_key' },
  'apiKeys.revoke': { method: 'DELETE', path: '/api/v1/api_keys/{api_key_id}' },
  'apiKeys.roll': { method: 'POST', path: '/api/v1/api_keys/{api_key_id}/roll' },
  'exports.create': { method: 'POST', path: '/api/v1/exports', envelope: 'export' },
  'exports.list': { method: 'GET', path: '/api/v1/exports' },
  'exports.retrieve': { method: 'GET', path: '/api/v1/exports/{export_id}' },
  'auditLog.list': { method: 'GET', path: '/api/v1/audit_log' },
  'search.retrieve': { method: 'GET', path: '/api/v1/search' },
  'mails.list': { method: 'GET', path: '/api/v1/mails' },
  'testHelpers.paymentIntents.payPix': { method: 'POST', path: '/api/v1/test_helpers/payment_intents/{payment_intent_id}/pay_pix' },
  'testHelpers.paymentIntents.debit': { method: 'POST', path: '/api/v1/test_helpers/payment_intents/{payment_intent_id}/debit' },
  'testHelpers.paymentIntents.dispute': { method: 'POST', path: '/api/v1/test_helpers/payment_intents/{payment_intent_id}/dispute' },
  'testHelpers.mandates.approve': { method: 'POST', path: '/api/v1/test_helpers/mandates/{mandate_id}/approve' },
  'testHelpers.mandates.reject': { method: 'POST', path: '/api/v1/test_helpers/mandates/{mandate_id}/reject' },
  'testHelpers.mandates.cancel': { method: 'POST', path: '/api/v1/test_helpers/mandates/{mandate_id}/cancel' },
  'testHelpers.paymentMethods.change': { method: 'POST', path: '/api/v1/test_helpers/payment_methods/{payment_method_id}/change' },
  'testClock.retrieve': { method: 'GET', path: '/api/v1/test_clock' },
  'testClock.advance': { method: 'POST', path: '/api/v1/test_clock/advance', envelope: 'test_clock' },
  'testClock.reset': { method: 'POST', path: '/api/v1/test_clock/reset' },
} as const;

export type RouteId = keyof typeof routes;

/** What each route takes and answers. */
export interface RouteTypes {
  'account.retrieve': { call: Record<never, never>; answer: types.Account };
  'account.update': { call: { body: types.AccountUpdate }; answer: types.Account };
  'customers.create': { call: { body: types.CustomerCreate }; answer: types.Customer };
  'customers.list': { call: { query: types.CustomerListParams }; answer: types.CustomerList };
  'customers.retrieve': { call: { id: string }; answer: types.Customer };
  'customers.update': { call: { id: string; body: types.CustomerUpdate }; answer: types.Customer };
  'customers.anonymize': { call: { id: string }; answer: types.Customer };
  'customers.createNote': { call: { id: string; body: types.NoteCreate }; answer: types.Note };
  'customers.listNotes': { call: { id: string; query: types.NoteListParams }; answer: types.NoteList };
  'customers.createPortalLink': { call: { id: string; body: types.PortalLinkInput }; answer: types.PortalLink };
  'customers.export': { call: { id: string }; answer: types.CustomerExport };
  'products.create': { call: { body: types.ProductCreate }; answer: types.Product };
  'products.list': { call: { query: types.ProductListParams }; answer: types.ProductList };
  'products.retrieve': { call: { id: string }; answer: types.Product };
  'products.update': { call: { id: string; body: types.ProductUpdate }; answer: types.Product };
  'prices.create': { call: { body: types.PriceCreate }; answer: types.Price };
  'prices.list': { call: { query: types.PriceListParams }; answer: types.PriceList };
  'prices.retrieve': { call: { id: string }; answer: types.Price };
  'prices.update': { call: { id: string; body: types.PriceUpdate }; answer: types.Price };
  'coupons.create': { call: { body: types.CouponCreate }; answer: types.Coupon };
  'coupons.list': { call: { query: types.CouponListParams }; answer: types.CouponList };
  'coupons.retrieve': { call: { id: string }; answer: types.Coupon };
  'coupons.update': { call: { id: string; body: types.CouponUpdate }; answer: types.Coupon };
  'promotionCodes.create': { call: { body: types.PromotionCodeCreate }; answer: types.PromotionCode };
  'promotionCodes.list': { call: { query: types.PromotionCodeListParams }; answer: types.PromotionCodeList };
  'promotionCodes.retrieve': { call: { id: string }; answer: types.PromotionCode };
  'promotionCodes.update': { call: { id: string; body: types.PromotionCodeUpdate }; answer: types.PromotionCode };
  'invoiceItems.create': { call: { body: types.InvoiceItemCreate }; answer: types.InvoiceItem };
  'invoiceItems.list': { call: { query: types.InvoiceItemListParams }; answer: types.InvoiceItemList };
  'invoiceItems.retrieve': { call: { id: string }; answer: types.InvoiceItem };
  'invoiceItems.delete': { call: { id: string }; answer: types.InvoiceItem };
  'invoices.create': { call: { body: types.InvoiceCreate }; answer: types.Invoice };
  'invoices.list': { call: { query: types.InvoiceListParams }; answer: types.InvoiceList };
  'invoices.retrieve': { call: { id: string }; answer: types.Invoice };
  'invoices.update': { call: { id: string; body: types.InvoiceUpdate }; answer: types.Invoice };
  'invoices.finalize': { call: { id: string }; answer: types.Invoice };
  'invoices.extend': { call: { id: string; body: types.InvoiceExtend }; answer: types.Invoice };
  'invoices.send': { call: { id: string }; answer: types.Invoice };
  'invoices.void': { call: { id: string }; answer: types.Invoice };
  'invoices.markUncollectible': { call: { id: string }; answer: types.Invoice };
  'invoices.checkout': { call: { id: string; body: types.InvoiceCheckout }; answer: types.Invoice };
  'checkoutSessions.create': { call: { body: types.CheckoutSessionCreate }; answer: types.CreatedCheckoutSession };
  'checkoutSessions.list': { call: { query: types.CheckoutSessionListParams }; answer: types.CheckoutSessionList };
  'checkoutSessions.retrieve': { call: { id: string }; answer: types.CheckoutSession };
  'checkoutSessions.expire': { call: { id: string }; answer: types.CheckoutSession };
  'paymentLinks.create': { call: { body: types.PaymentLinkCreate }; answer: types.PaymentLink };
  'paymentLinks.list': { call: { query: types.PaymentLinkListParams }; answer: types.PaymentLinkList };
  'paymentLinks.retrieve': { call: { id: string }; answer: types.PaymentLink };
  'paymentLinks.update': { call: { id: string; body: types.PaymentLinkUpdate }; answer: types.PaymentLink };
  'paymentIntents.retrieve': { call: { id: string }; answer: types.PaymentIntent };
  'paymentIntents.list': { call: { query: types.PaymentIntentListParams }; answer: types.PaymentIntentList };
  'refunds.create': { call: { body: types.RefundCreate }; answer: types.Refund };
  'refunds.list': { call: { query: types.RefundListParams }; answer: types.RefundList };
  'refunds.retrieve': { call: { id: string }; answer: types.Refund };
  'disputes.retrieve': { call: { id: string }; answer: types.Dispute };
  'disputes.list': { call: { query: types.DisputeListParams }; answer: types.DisputeList };
  'paymentMethods.list': { call: { id: string; query: types.StoredPaymentMethodListParams }; answer: types.StoredPaymentMethodList };
  'paymentMethods.retrieve': { call: { id: string }; answer: types.StoredPaymentMethod };
  'paymentMethods.delete': { call: { id: string }; answer: types.StoredPaymentMethod };
  'paymentMethods.setDefault': { call: { id: string }; answer: types.StoredPaymentMethod };
  'mandates.create': { call: { id: string; body: types.MandateInput }; answer: types.Mandate };
  'mandates.retrieve': { call: { id: string }; answer: types.Mandate };
  'mandates.list': { call: { query: types.MandateListParams }; answer: types.MandateList };
  'mandates.cancel': { call: { id: string }; answer: types.Mandate };
  'subscriptions.create': { call: { body: types.SubscriptionCreate }; answer: types.Subscription };
  'subscriptions.list': { call: { query: types.SubscriptionListParams }; answer: types.SubscriptionList };
  'subscriptions.preview': { call: { body: types.SubscriptionCreate }; answer: types.InvoicePreview };
  'subscriptions.retrieve': { call: { id: string }; answer: types.Subscription };
  'subscriptions.update': { call: { id: string; body: types.SubscriptionUpdate }; answer: types.Subscription };
  'subscriptions.cancel': { call: { id: string }; answer: types.Subscription };
  'subscriptions.upcomingInvoice': { call: { id: string }; answer: types.InvoicePreview };
  'subscriptions.checkout': { call: { id: string; body: types.InvoiceCheckout }; answer: types.Subscription };
  'subscriptions.updatePaymentMethod': { call: { id: string; body: types.CardReplacement }; answer: types.Subscription };
  'subscriptions.endTrial': { call: { id: string }; answer: types.Subscription };
  'subscriptions.cancelAt': { call: { id: string; body: types.SubscriptionCancel }; answer: types.Subscription };
  'subscriptions.uncancel': { call: { id: string }; answer: types.Subscription };
  'subscriptions.pause': { call: { id: string; body: types.SubscriptionPause }; answer: types.Subscription };
  'subscriptions.resume': { call: { id: string }; answer: types.Subscription };
  'subscriptions.reactivate': { call: { id: string }; answer: types.Subscription };
  'subscriptionChanges.create': { call: { id: string; body: types.SubscriptionChangeInput }; answer: types.SubscriptionChange };
  'subscriptionChanges.preview': { call: { id: string; body: types.SubscriptionChangePreviewInput }; answer: types.ChangePreview };
  'subscriptionChanges.cancel': { call: { id: string; below: string }; answer: types.SubscriptionChange };
  'collection.retrieve': { call: Record<never, never>; answer: types.Collection };
  'collection.listInvoices': { call: { query: types.CollectedInvoiceListParams }; answer: types.CollectedInvoiceList };
  'collectionSettings.retrieve': { call: Record<never, never>; answer: types.CollectionSettings };
  'collectionSettings.update': { call: { body: types.CollectionSettingsUpdate }; answer: types.CollectionSettings };
  'events.retrieve': { call: { id: string }; answer: types.Event };
  'events.list': { call: { query: types.EventListParams }; answer: types.EventList };
  'events.deliveries': { call: { id: string }; answer: types.EventDeliveries };
  'events.resend': { call: { id: string; body: types.ResendBody }; answer: types.Event };
  'events.feed': { call: { query: types.EventFeedParams }; answer: types.EventFeed };
  'webhookEndpoints.create': { call: { body: types.WebhookEndpointCreate }; answer: types.WebhookEndpoint };
  'webhookEndpoints.list': { call: { query: types.WebhookEndpointListParams }; answer: types.WebhookEndpointList };
  'webhookEndpoints.retrieve': { call: { id: string }; answer: types.WebhookEndpoint };
  'webhookEndpoints.update': { call: { id: string; body: types.WebhookEndpointUpdate }; answer: types.WebhookEndpoint };
  'webhookEndpoints.delete': { call: { id: string }; answer: types.DeletedWebhookEndpoint };
  'webhookEndpoints.rotateSecret': { call: { id: string }; answer: types.WebhookEndpoint };
  'webhookEndpoints.test': { call: { id: string }; answer: types.WebhookTest };
  'webhookEndpoints.enable': { call: { id: string }; answer: types.WebhookEndpoint };
  'webhookEndpoints.recover': { call: { id: string; body: types.WebhookRecoverBody }; answer: types.WebhookRecovery };
  'webhookEndpoints.retrieveRecovery': { call: { id: string }; answer: types.WebhookRecovery };
  'webhookEndpoints.deliveries': { call: { id: string; query: types.EndpointDeliveryListParams }; answer: types.EndpointDeliveryList };
  'summary.retrieve': { call: { query: types.SummaryParams }; answer: types.Summary };
  'reports.cashFlow': { call: { query: types.CashFlowReportParams }; answer: types.CashFlowReport };
  'reports.aging': { call: Record<never, never>; answer: types.AgingReport };
  'reports.subscriptions': { call: { query: types.SubscriptionsReportParams }; answer: types.SubscriptionsReport };
  'pixReceipts.list': { call: { query: types.PixReceiptListParams }; answer: types.PixReceiptList };
  'apiKeys.create': { call: { body: types.ApiKeyCreate }; answer: types.ApiKey };
  'apiKeys.list': { call: { query: types.ApiKeyListParams }; answer: types.ApiKeyList };
  'apiKeys.retrieve': { call: { id: string }; answer: types.ApiKey };
  'apiKeys.update': { call: { id: string; body: types.ApiKeyUpdate }; answer: types.ApiKey };
  'apiKeys.revoke': { call: { id: string }; answer: types.ApiKey };
  'apiKeys.roll': { call: { id: string; body: types.ApiKeyRollBody }; answer: types.ApiKey };
  'exports.create': { call: { body: types.ExportCreate }; answer: types.Export };
  'exports.list': { call: { query: types.ExportListParams }; answer: types.ExportList };
  'exports.retrieve': { call: { id: string }; answer: types.Export };
  'auditLog.list': { call: { query: types.AuditLogListParams }; answer: types.AuditLogList };
  'search.retrieve': { call: { query: types.SearchParams }; answer: types.Search };
  'mails.list': { call: { query: types.MailListParams }; answer: types.MailList };
  'testHelpers.paymentIntents.payPix': { call: { id: string; body: types.PayPixBody }; answer: types.PaymentIntent };
  'testHelpers.paymentIntents.debit': { call: { id: string; body: types.DebitBody }; answer: types.PaymentIntent };
  'testHelpers.paymentIntents.dispute': { call: { id: string; body: types.DisputeBody }; answer: types.PaymentIntent };
  'testHelpers.mandates.approve': { call: { id: string }; answer: types.Mandate };
  'testHelpers.mandates.reject': { call: { id: string }; answer: types.Mandate };
  'testHelpers.mandates.cancel': { call: { id: string; body: types.MandateCancelBody }; answer: types.Mandate };
  'testHelpers.paymentMethods.change': { call: { id: string; body: types.CardChangeBody }; answer: types.StoredPaymentMethod };
  'testClock.retrieve': { call: Record<never, never>; answer: types.TestClock };
  'testClock.advance': { call: { body: types.TestClockAdvance }; answer: types.TestClock };
  'testClock.reset': { call: Record<never, never>; answer: types.TestClock };
}
