// Made by `npm run sdk:generate` from the OpenAPI document. Do not edit.

/** Codes that any call may answer: of its key, its pace, its form and its Idempotency-Key, and faults of the service. */
export type GeneralErrorCode =
  | 'MALFORMED_JSON'
  | 'PARAMETER_INVALID'
  | 'PARAMETER_MISSING'
  | 'PARAMETER_UNKNOWN'
  | 'API_KEY_MISSING'
  | 'API_KEY_INVALID'
  | 'API_KEY_EXPIRED'
  | 'MODE_NOT_SERVED'
  | 'PERMISSION_DENIED'
  | 'REQUEST_TIMEOUT'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'IDEMPOTENCY_KEY_IN_USE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'RATE_LIMITED'
  | 'INTERNAL_ERROR'
  | 'SERVICE_UNAVAILABLE';

/** Codes that each route may answer beside those. */
export interface RouteErrorCodes {
  'account.retrieve': never;
  'account.update':
    | 'INVALID_STATE'
    | 'LOGO_REFUSED';
  'customers.create':
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE';
  'customers.list':
    | 'CURSOR_INVALID';
  'customers.retrieve':
    | 'RESOURCE_MISSING';
  'customers.update':
    | 'RESOURCE_MISSING'
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE';
  'customers.anonymize':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'customers.createNote':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'customers.listNotes':
    | 'CURSOR_INVALID'
    | 'RESOURCE_MISSING';
  'customers.createPortalLink':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'customers.export':
    | 'RESOURCE_MISSING'
    | 'EXPORT_TOO_LARGE';
  'products.create':
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE';
  'products.list':
    | 'CURSOR_INVALID';
  'products.retrieve':
    | 'RESOURCE_MISSING';
  'products.update':
    | 'RESOURCE_MISSING'
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE';
  'prices.create':
    | 'RESOURCE_MISSING'
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE';
  'prices.list':
    | 'CURSOR_INVALID';
  'prices.retrieve':
    | 'RESOURCE_MISSING';
  'prices.update':
    | 'RESOURCE_MISSING'
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE';
  'coupons.create':
    | 'RESOURCE_MISSING'
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE';
  'coupons.list':
    | 'CURSOR_INVALID';
  'coupons.retrieve':
    | 'RESOURCE_MISSING';
  'coupons.update':
    | 'RESOURCE_MISSING'
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE';
  'promotionCodes.create':
    | 'RESOURCE_MISSING'
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE';
  'promotionCodes.list':
    | 'CURSOR_INVALID';
  'promotionCodes.retrieve':
    | 'RESOURCE_MISSING';
  'promotionCodes.update':
    | 'RESOURCE_MISSING'
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE';
  'invoiceItems.create':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE'
    | 'PRICE_INACTIVE'
    | 'PRICE_TYPE_MISMATCH';
  'invoiceItems.list':
    | 'CURSOR_INVALID';
  'invoiceItems.retrieve':
    | 'RESOURCE_MISSING';
  'invoiceItems.delete':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'invoices.create':
    | 'RESOURCE_MISSING'
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE'
    | 'DISCOUNT_EXCEEDS_SUBTOTAL'
    | 'COUPON_NOT_APPLICABLE'
    | 'COUPON_EXHAUSTED'
    | 'PROMOTION_CODE_INVALID'
    | 'PRICE_INACTIVE'
    | 'PRICE_TYPE_MISMATCH';
  'invoices.list':
    | 'CURSOR_INVALID';
  'invoices.retrieve':
    | 'RESOURCE_MISSING';
  'invoices.update':
    | 'RESOURCE_MISSING'
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE'
    | 'DISCOUNT_EXCEEDS_SUBTOTAL'
    | 'COUPON_NOT_APPLICABLE'
    | 'COUPON_EXHAUSTED'
    | 'PROMOTION_CODE_INVALID'
    | 'PRICE_INACTIVE'
    | 'PRICE_TYPE_MISMATCH';
  'invoices.finalize':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'invoices.extend':
    | 'RESOURCE_MISSING'
    | 'INVOICE_NOT_OPEN'
    | 'INVALID_STATE';
  'invoices.send':
    | 'RESOURCE_MISSING'
    | 'INVOICE_NOT_OPEN'
    | 'INVALID_STATE';
  'invoices.void':
    | 'RESOURCE_MISSING'
    | 'PAYMENT_IN_PROGRESS'
    | 'INVALID_STATE';
  'invoices.markUncollectible':
    | 'RESOURCE_MISSING'
    | 'PAYMENT_IN_PROGRESS'
    | 'INVALID_STATE';
  'invoices.checkout':
    | 'CARD_DECLINED'
    | 'RESOURCE_MISSING'
    | 'PIX_PAYMENT_CONFIRMED'
    | 'PAYMENT_IN_PROGRESS'
    | 'INVOICE_NOT_OPEN'
    | 'SESSION_NOT_OPEN'
    | 'CARD_ATTEMPTS_EXHAUSTED'
    | 'INVALID_STATE'
    | 'PREVIEW_OUTDATED'
    | 'MANDATE_EXISTS'
    | 'INSTALLMENTS_NOT_ALLOWED'
    | 'INSTALLMENT_BELOW_MINIMUM'
    | 'CARD_EXPIRED'
    | 'CARD_BRAND_NOT_SUPPORTED'
    | 'CARD_NUMBER_REFUSED'
    | 'CARD_TOKEN_EXPIRED'
    | 'MANDATE_INTERVAL_UNSUPPORTED'
    | 'MANDATE_UNSUPPORTED'
    | 'ACQUIRER_UNAVAILABLE'
    | 'ACQUIRER_TIMEOUT';
  'checkoutSessions.create':
    | 'RESOURCE_MISSING'
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE'
    | 'TOO_MANY_LINE_ITEMS'
    | 'DISCOUNT_EXCEEDS_SUBTOTAL'
    | 'COUPON_NOT_APPLICABLE'
    | 'COUPON_EXHAUSTED'
    | 'PROMOTION_CODE_INVALID'
    | 'LATE_FEES_ABOVE_LIMIT'
    | 'PRICE_INACTIVE'
    | 'PRICE_TYPE_MISMATCH'
    | 'INTERVALS_DIFFER';
  'checkoutSessions.list':
    | 'CURSOR_INVALID';
  'checkoutSessions.retrieve':
    | 'RESOURCE_MISSING';
  'checkoutSessions.expire':
    | 'RESOURCE_MISSING'
    | 'PAYMENT_IN_PROGRESS'
    | 'SESSION_NOT_OPEN'
    | 'INVALID_STATE';
  'paymentLinks.create':
    | 'RESOURCE_MISSING'
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE'
    | 'TOO_MANY_LINE_ITEMS'
    | 'LATE_FEES_ABOVE_LIMIT'
    | 'PRICE_INACTIVE'
    | 'PRICE_TYPE_MISMATCH'
    | 'INTERVALS_DIFFER';
  'paymentLinks.list':
    | 'CURSOR_INVALID';
  'paymentLinks.retrieve':
    | 'RESOURCE_MISSING';
  'paymentLinks.update':
    | 'RESOURCE_MISSING'
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE';
  'paymentIntents.retrieve':
    | 'RESOURCE_MISSING';
  'paymentIntents.list':
    | 'CURSOR_INVALID';
  'refunds.create':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE'
    | 'REMAINING_CHANGED'
    | 'REFUND_EXCEEDS_BALANCE'
    | 'REFUND_WINDOW_CLOSED'
    | 'REFUND_REFUSED'
    | 'ACQUIRER_UNAVAILABLE'
    | 'ACQUIRER_TIMEOUT';
  'refunds.list':
    | 'CURSOR_INVALID';
  'refunds.retrieve':
    | 'RESOURCE_MISSING';
  'disputes.retrieve':
    | 'RESOURCE_MISSING';
  'disputes.list':
    | 'CURSOR_INVALID';
  'paymentMethods.list':
    | 'CURSOR_INVALID'
    | 'RESOURCE_MISSING';
  'paymentMethods.retrieve':
    | 'RESOURCE_MISSING';
  'paymentMethods.delete':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE'
    | 'PAYMENT_METHOD_IN_USE';
  'paymentMethods.setDefault':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'mandates.create':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE'
    | 'MANDATE_EXISTS'
    | 'MANDATE_INTERVAL_UNSUPPORTED'
    | 'MANDATE_UNSUPPORTED'
    | 'ACQUIRER_UNAVAILABLE'
    | 'ACQUIRER_TIMEOUT';
  'mandates.retrieve':
    | 'RESOURCE_MISSING';
  'mandates.list':
    | 'CURSOR_INVALID';
  'mandates.cancel':
    | 'RESOURCE_MISSING'
    | 'PAYMENT_IN_PROGRESS'
    | 'INVALID_STATE';
  'subscriptions.create':
    | 'RESOURCE_MISSING'
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE'
    | 'DISCOUNT_EXCEEDS_SUBTOTAL'
    | 'COUPON_NOT_APPLICABLE'
    | 'COUPON_EXHAUSTED'
    | 'PROMOTION_CODE_INVALID'
    | 'LATE_FEES_ABOVE_LIMIT'
    | 'PRICE_INACTIVE'
    | 'PRICE_TYPE_MISMATCH'
    | 'PAYMENT_METHOD_NEEDED'
    | 'INTERVALS_DIFFER';
  'subscriptions.list':
    | 'CURSOR_INVALID';
  'subscriptions.preview':
    | 'RESOURCE_MISSING'
    | 'EXTERNAL_CODE_TAKEN'
    | 'INVALID_STATE'
    | 'DISCOUNT_EXCEEDS_SUBTOTAL'
    | 'COUPON_NOT_APPLICABLE'
    | 'COUPON_EXHAUSTED'
    | 'PROMOTION_CODE_INVALID'
    | 'LATE_FEES_ABOVE_LIMIT'
    | 'PRICE_INACTIVE'
    | 'PRICE_TYPE_MISMATCH'
    | 'PAYMENT_METHOD_NEEDED'
    | 'INTERVALS_DIFFER';
  'subscriptions.retrieve':
    | 'RESOURCE_MISSING';
  'subscriptions.update':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE'
    | 'CHANGE_PENDING'
    | 'LATE_FEES_ABOVE_LIMIT';
  'subscriptions.cancel':
    | 'RESOURCE_MISSING'
    | 'PAYMENT_IN_PROGRESS'
    | 'INVALID_STATE';
  'subscriptions.upcomingInvoice':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'subscriptions.checkout':
    | 'CARD_DECLINED'
    | 'RESOURCE_MISSING'
    | 'PIX_PAYMENT_CONFIRMED'
    | 'PAYMENT_IN_PROGRESS'
    | 'INVOICE_NOT_OPEN'
    | 'SESSION_NOT_OPEN'
    | 'CARD_ATTEMPTS_EXHAUSTED'
    | 'SUBSCRIPTION_NOT_PENDING'
    | 'INVALID_STATE'
    | 'PREVIEW_OUTDATED'
    | 'MANDATE_EXISTS'
    | 'INSTALLMENTS_NOT_ALLOWED'
    | 'INSTALLMENT_BELOW_MINIMUM'
    | 'CARD_EXPIRED'
    | 'CARD_BRAND_NOT_SUPPORTED'
    | 'CARD_NUMBER_REFUSED'
    | 'CARD_TOKEN_EXPIRED'
    | 'PAYMENT_METHOD_NEEDED'
    | 'MANDATE_INTERVAL_UNSUPPORTED'
    | 'MANDATE_UNSUPPORTED'
    | 'ACQUIRER_UNAVAILABLE'
    | 'ACQUIRER_TIMEOUT';
  'subscriptions.updatePaymentMethod':
    | 'CARD_DECLINED'
    | 'RESOURCE_MISSING'
    | 'PAYMENT_IN_PROGRESS'
    | 'CARD_ATTEMPTS_EXHAUSTED'
    | 'INVALID_STATE'
    | 'CARD_EXPIRED'
    | 'CARD_BRAND_NOT_SUPPORTED'
    | 'CARD_NUMBER_REFUSED'
    | 'CARD_TOKEN_EXPIRED'
    | 'PAYMENT_METHOD_NEEDED'
    | 'ACQUIRER_UNAVAILABLE';
  'subscriptions.endTrial':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE'
    | 'PAYMENT_METHOD_NEEDED';
  'subscriptions.cancelAt':
    | 'RESOURCE_MISSING'
    | 'PIX_PAYMENT_CONFIRMED'
    | 'PAYMENT_IN_PROGRESS'
    | 'INVALID_STATE';
  'subscriptions.uncancel':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'subscriptions.pause':
    | 'RESOURCE_MISSING'
    | 'PIX_PAYMENT_CONFIRMED'
    | 'PAYMENT_IN_PROGRESS'
    | 'INVALID_STATE'
    | 'CHANGE_PENDING';
  'subscriptions.resume':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'subscriptions.reactivate':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'subscriptionChanges.create':
    | 'RESOURCE_MISSING'
    | 'PIX_PAYMENT_CONFIRMED'
    | 'PAYMENT_IN_PROGRESS'
    | 'INVALID_STATE'
    | 'PREVIEW_OUTDATED'
    | 'CHANGE_PENDING'
    | 'INVOICE_UNPAID'
    | 'PRICE_INACTIVE'
    | 'PRICE_TYPE_MISMATCH'
    | 'NOTHING_CHANGES'
    | 'INTERVALS_DIFFER';
  'subscriptionChanges.preview':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE'
    | 'CHANGE_PENDING'
    | 'INVOICE_UNPAID'
    | 'PRICE_INACTIVE'
    | 'PRICE_TYPE_MISMATCH'
    | 'NOTHING_CHANGES'
    | 'INTERVALS_DIFFER';
  'subscriptionChanges.cancel':
    | 'RESOURCE_MISSING'
    | 'PIX_PAYMENT_CONFIRMED'
    | 'PAYMENT_IN_PROGRESS'
    | 'INVALID_STATE';
  'collection.retrieve': never;
  'collection.listInvoices':
    | 'CURSOR_INVALID';
  'collectionSettings.retrieve': never;
  'collectionSettings.update':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE'
    | 'LATE_FEES_ABOVE_LIMIT'
    | 'PRICE_TYPE_MISMATCH';
  'events.retrieve':
    | 'RESOURCE_MISSING';
  'events.list':
    | 'CURSOR_INVALID';
  'events.deliveries':
    | 'RESOURCE_MISSING';
  'events.resend':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE'
    | 'RESEND_LIMIT_REACHED';
  'events.feed':
    | 'CURSOR_INVALID';
  'webhookEndpoints.create':
    | 'INVALID_STATE'
    | 'WEBHOOK_ENDPOINT_LIMIT'
    | 'WEBHOOK_URL_REFUSED';
  'webhookEndpoints.list':
    | 'CURSOR_INVALID';
  'webhookEndpoints.retrieve':
    | 'RESOURCE_MISSING';
  'webhookEndpoints.update':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE'
    | 'WEBHOOK_URL_REFUSED';
  'webhookEndpoints.delete':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'webhookEndpoints.rotateSecret':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'webhookEndpoints.test':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'webhookEndpoints.enable':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'webhookEndpoints.recover':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'webhookEndpoints.retrieveRecovery':
    | 'RESOURCE_MISSING';
  'webhookEndpoints.deliveries':
    | 'CURSOR_INVALID'
    | 'RESOURCE_MISSING';
  'summary.retrieve': never;
  'reports.cashFlow': never;
  'reports.aging': never;
  'reports.subscriptions': never;
  'pixReceipts.list':
    | 'CURSOR_INVALID';
  'apiKeys.create':
    | 'INVALID_STATE';
  'apiKeys.list':
    | 'CURSOR_INVALID';
  'apiKeys.retrieve':
    | 'RESOURCE_MISSING';
  'apiKeys.update':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'apiKeys.revoke':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'apiKeys.roll':
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'exports.create':
    | 'INVALID_STATE';
  'exports.list':
    | 'CURSOR_INVALID';
  'exports.retrieve':
    | 'RESOURCE_MISSING';
  'auditLog.list':
    | 'CURSOR_INVALID';
  'search.retrieve': never;
  'mails.list':
    | 'CURSOR_INVALID';
  'testHelpers.paymentIntents.payPix':
    | 'ENVIRONMENT_MISMATCH'
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE'
    | 'ACQUIRER_TIMEOUT';
  'testHelpers.paymentIntents.debit':
    | 'ENVIRONMENT_MISMATCH'
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'testHelpers.paymentIntents.dispute':
    | 'ENVIRONMENT_MISMATCH'
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE'
    | 'ACQUIRER_TIMEOUT';
  'testHelpers.mandates.approve':
    | 'ENVIRONMENT_MISMATCH'
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'testHelpers.mandates.reject':
    | 'ENVIRONMENT_MISMATCH'
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'testHelpers.mandates.cancel':
    | 'ENVIRONMENT_MISMATCH'
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'testHelpers.paymentMethods.change':
    | 'ENVIRONMENT_MISMATCH'
    | 'RESOURCE_MISSING'
    | 'INVALID_STATE';
  'testClock.retrieve':
    | 'ENVIRONMENT_MISMATCH';
  'testClock.advance':
    | 'ENVIRONMENT_MISMATCH'
    | 'INVALID_STATE';
  'testClock.reset':
    | 'ENVIRONMENT_MISMATCH'
    | 'INVALID_STATE';
}
