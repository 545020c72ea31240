// Made by `npm run sdk:generate` from the OpenAPI document. Do not edit.

/** What payment pages are written in. */
export type PageFont = 'sans' | 'serif' | 'rounded';

/** How late an invoice is. */
export type AgingBucket = 'to_come' | 'days_1_30' | 'days_31_60' | 'days_61_90' | 'days_over_90';

/** What a key may do: everything, or read. */
export type ApiKeyScope = 'full' | 'read';

/** How fresh the lists are that a key asks for. */
export type ApiKeyReads = 'latest' | 'eventual';

/** Whether a key is taken. */
export type ApiKeyStatus = 'valid' | 'expired' | 'revoked';

/** Hours that a rolled key stays valid beside the one in its place. */
export type RollHours = 0 | 1 | 24 | 168;

/** Who did it: an API key, a person of the account, an operator of the service, or the service by itself. */
export type AuditActorKind = 'api_key' | 'staff' | 'operator' | 'service';

/** Why an invoice was made. */
export type BillingReason =
  | 'manual'
  | 'checkout_session'
  | 'subscription_create'
  | 'subscription_cycle'
  | 'subscription_change'
  | 'subscription_end';

/** When a subscription ends, by name. */
export type CancelMoment = 'now' | 'period_end';

/** Why a subscription ended. */
export type CanceledReason = 'requested' | 'unpaid' | 'withdrawal' | 'trial_ended';

/** Why a buyer leaves. */
export type CancellationReason =
  | 'too_expensive'
  | 'missing_features'
  | 'switched_service'
  | 'unused'
  | 'customer_service'
  | 'low_quality'
  | 'too_complex'
  | 'other';

/** Brand of a card. */
export type CardBrand = 'visa' | 'mastercard' | 'amex' | 'elo' | 'hipercard';

/** What the issuer of the sandbox does with a stored card. */
export type CardScenario = 'renewed' | 'closed';

/** What a row of a report is of. */
export type ReportInterval = 'day' | 'month';

/** When a change holds from: `cycle` is a later one, by its number. */
export type ChangeMoment = 'now' | 'period_end' | 'cycle';

/** What a line is for. */
export type LineKind = 'one_time' | 'recurring' | 'setup' | 'proration' | 'penalty' | 'late_fine' | 'late_interest';

/** How a discount is measured. */
export type DiscountType = 'percentage' | 'fixed';

/** Where a credit comes from. */
export type CreditKind = 'proration' | 'granted' | 'unused';

/** What becomes of the rest of the period: `next_invoice`: the next bill charges what it comes to anew, and credits what was charged for it; `invoice_now`: an invoice of its own does, and the change holds once that is paid; `none`: no money moves before the next bill. */
export type ChangeProration = 'next_invoice' | 'invoice_now' | 'none';

/** When a change holds from, by name. */
export type ChangeTime = 'now' | 'period_end';

/** Charge by card. */
export type CheckoutByCard = {
  /** The buyer pays by card. */
  payment_method_type: 'card';
  /** 1 to 12, default 1, within what the price of the first item allows. */
  installments?: number;
  /** The card as it was typed; in place of `card_token`. */
  card?: CardInput;
  /** What the acquirer answered to the browser for the card: good once, for a minute. In place of `card`. Never stored. */
  card_token?: string;
  /** The holder of the card. */
  billing_details: BillingDetailsInput;
  /** What the buyer agreed to, `amount_remaining` and `amount_late`, integer cents: another amount is refused with 409 `PREVIEW_OUTDATED`. */
  expected_total?: number;
};

/** Whether a session is charged once or each cycle. */
export type CheckoutSessionMode = 'payment' | 'subscription';

/** Where a checkout session stands. */
export type CheckoutSessionStatus = 'open' | 'complete' | 'expired';

/** A discount by percentage or of a fixed amount. */
export type SessionDiscountInput = SessionPercentageDiscount | SessionFixedDiscount;

/** When late fees are asked for. */
export type LateCollect = 'next_invoice' | 'at_payment';

/** How the penalty of a minimum term is computed. */
export type PenaltyType = 'remaining_percentage' | 'declining_amount';

/** Time for which nothing is billed before the first cycle. */
export type TrialInput = {
  /** 1 to 730 days, counted from its begin. */
  days?: number;
  /** When it ends, at most 730 days after the subscription begins; in place of `days`. Unix time, seconds. */
  end?: number;
  /** Whether the trial begins with a card, which a checkout stores and does not charge; `true` by default. */
  requires_payment_method?: boolean;
  /** `invoice`, by default: the first invoice waits 7 days for its payment; `cancel`: the subscription ends; `pause`: it is paused until a checkout stores a card. */
  end_behavior?: TrialEndBehavior;
};

/** What comes after a trial for which no card is stored. */
export type TrialEndBehavior = 'invoice' | 'cancel' | 'pause';

/** What collection does with an invoice next. */
export type CollectionStep = 'charge' | 'debit' | 'mark_overdue' | 'remind' | 'suspend' | 'cancel';

/** Why a card was declined, the same for every acquirer. */
export type DeclineReason =
  | 'insufficient_funds'
  | 'expired_card'
  | 'invalid_card_data'
  | 'suspected_fraud'
  | 'issuer_declined'
  | 'processing_error';

/** How buyers may cancel by themselves. */
export type PortalCancel = 'period_end' | 'none';

/** A new coupon. */
export type CouponCreate = PercentageCouponCreate | FixedCouponCreate;

/** Whether a customer is a person or a company. */
export type CustomerDescription = 'individual' | 'business';

/** A column of an export of customers: a field of the API. */
export type CustomersExportColumn =
  | 'id'
  | 'created'
  | 'name'
  | 'identifier'
  | 'description'
  | 'email'
  | 'phone'
  | 'external_code'
  | 'address.zip_code'
  | 'address.street'
  | 'address.number'
  | 'address.complement'
  | 'address.district'
  | 'address.city'
  | 'address.state';

/** What the bank of the sandbox does with a debit. */
export type DebitScenario = 'paid' | 'insufficient' | 'limit' | 'account_closed' | 'expired';

/** Where the ladder of one event at one endpoint stands. */
export type LadderStatus = 'pending' | 'delivered' | 'failed';

/** Why an attempt to deliver was not accepted. */
export type DeliveryFailure =
  'dns' | 'connect_timeout' | 'tls' | 'timeout' | 'redirect_refused' | 'private_address' | 'http_status' | 'connection';

/** What became of an event at the endpoints that subscribe to it. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'not_sent';

/** A discount by percentage or of a fixed amount. */
export type DiscountInput = PercentageDiscountInput | FixedDiscountInput;

/** How a payment is made. */
export type PaymentMethodType = 'pix' | 'card' | 'pix_automatico';

/** What a dispute is at the bank. */
export type DisputeKind = 'med' | 'chargeback' | 'inquiry';

/** Why a bank took money back. */
export type DisputeReason = 'fraud' | 'operational_error' | 'automatic_debit' | 'returned_at_bank' | 'general';

/** Where a dispute stands. */
export type DisputeStatus = 'needs_response' | 'under_review' | 'won' | 'lost' | 'closed';

/** Where the disputed money is. */
export type DisputeFunds = 'none' | 'withdrawn' | 'reinstated';

/** What the bank of the sandbox does with a payment. */
export type DisputeScenario = 'fraud' | 'operational_error' | 'automatic_debit' | 'returned_at_bank' | 'reversed';

/** What happened. */
export type EventType =
  | 'customer.created'
  | 'customer.updated'
  | 'customer.anonymized'
  | 'product.created'
  | 'product.updated'
  | 'price.created'
  | 'price.updated'
  | 'coupon.created'
  | 'coupon.updated'
  | 'promotion_code.created'
  | 'promotion_code.updated'
  | 'invoice_item.created'
  | 'invoice_item.deleted'
  | 'discount.redeemed'
  | 'discount.released'
  | 'invoice.created'
  | 'invoice.updated'
  | 'invoice.finalized'
  | 'invoice.paid'
  | 'invoice.payment_failed'
  | 'invoice.overdue'
  | 'invoice.refunded'
  | 'invoice.voided'
  | 'invoice.marked_uncollectible'
  | 'payment_intent.created'
  | 'payment_intent.scheduled'
  | 'payment_intent.processing'
  | 'payment_intent.paid'
  | 'payment_intent.failed'
  | 'payment_intent.refunding'
  | 'payment_intent.refunded'
  | 'payment_intent.refund_failed'
  | 'payment_intent.discarded'
  | 'payment_method.attached'
  | 'payment_method.updated'
  | 'payment_method.detached'
  | 'mandate.created'
  | 'mandate.activated'
  | 'mandate.failed'
  | 'mandate.ended'
  | 'checkout_session.created'
  | 'checkout_session.customer_attached'
  | 'checkout_session.completed'
  | 'checkout_session.expired'
  | 'payment_link.created'
  | 'payment_link.updated'
  | 'subscription.created'
  | 'subscription.trial_started'
  | 'subscription.trial_will_end'
  | 'subscription.activated'
  | 'subscription.period_started'
  | 'subscription.updated'
  | 'subscription.change_scheduled'
  | 'subscription.changed'
  | 'subscription.change_lapsed'
  | 'subscription.overdue'
  | 'subscription.suspended'
  | 'subscription.reactivated'
  | 'subscription.paused'
  | 'subscription.resumed'
  | 'subscription.cancel_scheduled'
  | 'subscription.cancel_unscheduled'
  | 'subscription.canceled'
  | 'refund.created'
  | 'refund.updated'
  | 'dispute.created'
  | 'dispute.updated'
  | 'dispute.closed'
  | 'dispute.funds_withdrawn'
  | 'dispute.funds_reinstated'
  | 'account.updated'
  | 'export.completed';

/** What went wrong; an error of another version may have another code. */
export type ErrorCode =
  | 'MALFORMED_JSON'
  | 'PARAMETER_INVALID'
  | 'PARAMETER_MISSING'
  | 'PARAMETER_UNKNOWN'
  | 'CURSOR_INVALID'
  | 'API_KEY_MISSING'
  | 'API_KEY_INVALID'
  | 'API_KEY_EXPIRED'
  | 'SESSION_MISSING'
  | 'LOGIN_FAILED'
  | 'TOTP_REQUIRED'
  | 'CARD_DECLINED'
  | 'PERMISSION_DENIED'
  | 'ENVIRONMENT_MISMATCH'
  | 'FRESH_LOGIN_REQUIRED'
  | 'SETUP_LINK_INVALID'
  | 'RESOURCE_MISSING'
  | 'ROUTE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'PIX_PAYMENT_CONFIRMED'
  | 'PAYMENT_IN_PROGRESS'
  | 'EXTERNAL_CODE_TAKEN'
  | 'INVOICE_NOT_OPEN'
  | 'SESSION_NOT_OPEN'
  | 'CARD_ATTEMPTS_EXHAUSTED'
  | 'SUBSCRIPTION_NOT_PENDING'
  | 'INVALID_STATE'
  | 'REMAINING_CHANGED'
  | 'PREVIEW_OUTDATED'
  | 'CHANGE_PENDING'
  | 'INVOICE_UNPAID'
  | 'PAYMENT_METHOD_IN_USE'
  | 'MANDATE_EXISTS'
  | 'IDEMPOTENCY_KEY_IN_USE'
  | 'MODE_NOT_SERVED'
  | 'TOO_MANY_LINE_ITEMS'
  | 'DISCOUNT_EXCEEDS_SUBTOTAL'
  | 'COUPON_NOT_APPLICABLE'
  | 'COUPON_EXHAUSTED'
  | 'PROMOTION_CODE_INVALID'
  | 'INSTALLMENTS_NOT_ALLOWED'
  | 'INSTALLMENT_BELOW_MINIMUM'
  | 'CARD_EXPIRED'
  | 'CARD_BRAND_NOT_SUPPORTED'
  | 'CARD_NUMBER_REFUSED'
  | 'CARD_TOKEN_EXPIRED'
  | 'LATE_FEES_ABOVE_LIMIT'
  | 'PRICE_INACTIVE'
  | 'PRICE_TYPE_MISMATCH'
  | 'PAYMENT_METHOD_NEEDED'
  | 'MANDATE_INTERVAL_UNSUPPORTED'
  | 'MANDATE_UNSUPPORTED'
  | 'NOTHING_CHANGES'
  | 'INTERVALS_DIFFER'
  | 'REFUND_EXCEEDS_BALANCE'
  | 'REFUND_WINDOW_CLOSED'
  | 'REFUND_REFUSED'
  | 'RESEND_LIMIT_REACHED'
  | 'WEBHOOK_ENDPOINT_LIMIT'
  | 'WEBHOOK_URL_REFUSED'
  | 'LOGO_REFUSED'
  | 'EXPORT_TOO_LARGE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'RATE_LIMITED'
  | 'INTERNAL_ERROR'
  | 'ACQUIRER_UNAVAILABLE'
  | 'SERVICE_UNAVAILABLE'
  | 'ACQUIRER_TIMEOUT';

/** The family of an error. */
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'card_error'
  | 'permission_error'
  | 'conflict_error'
  | 'rate_limit_error'
  | 'api_error';

/** The resource, as its own retrieval answered at that instant. */
export type EventObject =
  | Customer
  | Product
  | Price
  | Coupon
  | PromotionCode
  | RedeemedDiscount
  | InvoiceItem
  | Invoice
  | PaymentIntent
  | Refund
  | Subscription
  | CheckoutSession
  | PaymentLink
  | Dispute
  | StoredPaymentMethod
  | Mandate
  | Account
  | Export;

/** Charged once, or again each period. */
export type PriceType = 'one_time' | 'recurring';

/** Unit of a recurrence. */
export type RecurrenceInterval = 'day' | 'week' | 'month';

/** Where a redemption stands: `reserved` until its purchase is paid (`redeemed`) or can no more be paid (`released`). */
export type RedemptionStatus = 'reserved' | 'redeemed' | 'released';

/** What an item is for, or where it comes from. */
export type InvoiceItemKind =
  'one_time' | 'setup' | 'proration' | 'penalty' | 'late_fine' | 'late_interest' | 'granted' | 'unused';

/** Where an item stands: `pending` until bills took all of it (`billed`), or until it was taken back (`deleted`). */
export type InvoiceItemStatus = 'pending' | 'billed' | 'deleted';

/** What an item does to a bill: a `charge` adds a line, a `credit` takes off what is left after the discounts. */
export type InvoiceItemType = 'charge' | 'credit';

/** How a checkout is paid. */
export type PaymentMethod = PaymentMethodByPix | PaymentMethodByCard;

/** Where an invoice stands. */
export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';

/** Where a charge stands. */
export type PaymentIntentStatus =
  'pending' | 'scheduled' | 'processing' | 'paid' | 'failed' | 'refunding' | 'refunded' | 'discarded';

/** Whether any part of a refund is on its way. */
export type RefundStatus = 'refunding' | 'refunded';

/** Why money is returned. */
export type RefundReason = 'requested_by_customer' | 'duplicate' | 'fraudulent' | 'product_not_delivered' | 'other';

/** Where one part of a refund stands. */
export type RefundPartStatus = 'refunding' | 'refunded' | 'failed';

/** Where a subscription stands. */
export type SubscriptionStatus = 'pending' | 'active' | 'inactive' | 'suspended' | 'paused' | 'scheduled' | 'trialing';

/** Where a change stands: `scheduled` until its period begins, `awaiting_payment` until its invoice is paid, `applied` once it holds, `lapsed` where its items were gone by then or its invoice was not paid in time, `canceled` where it was taken back or replaced. */
export type SubscriptionChangeStatus = 'scheduled' | 'awaiting_payment' | 'applied' | 'lapsed' | 'canceled';

/** What a mandate lets be debited. */
export type MandateAmountType = 'variable' | 'fixed';

/** Why a mandate failed or ended. */
export type MandateEndReason =
  | 'rejected'
  | 'expired'
  | 'cancelled_by_payer'
  | 'cancelled_by_payer_bank'
  | 'cancelled_by_merchant'
  | 'cancelled_by_bank'
  | 'subscription_ended'
  | 'replaced';

/** The unit of the period of a mandate. */
export type MandateInterval = 'week' | 'month';

/** How the buyer authorises a mandate. */
export type MandateJourney = 'first_payment' | 'mandate_only';

/** Where a mandate stands. */
export type MandateStatus = 'pending' | 'active' | 'failed' | 'ended';

/** Of which list an export is. */
export type ExportType = 'invoices' | 'payment_intents' | 'customers' | 'subscriptions' | 'refunds' | 'pix_receipts';

/** Where an export stands. */
export type ExportStatus = 'pending' | 'completed' | 'failed';

/** An event type, or all of a resource, or all. */
export type EventFilter =
  | 'customer.created'
  | 'customer.updated'
  | 'customer.anonymized'
  | 'product.created'
  | 'product.updated'
  | 'price.created'
  | 'price.updated'
  | 'coupon.created'
  | 'coupon.updated'
  | 'promotion_code.created'
  | 'promotion_code.updated'
  | 'invoice_item.created'
  | 'invoice_item.deleted'
  | 'discount.redeemed'
  | 'discount.released'
  | 'invoice.created'
  | 'invoice.updated'
  | 'invoice.finalized'
  | 'invoice.paid'
  | 'invoice.payment_failed'
  | 'invoice.overdue'
  | 'invoice.refunded'
  | 'invoice.voided'
  | 'invoice.marked_uncollectible'
  | 'payment_intent.created'
  | 'payment_intent.scheduled'
  | 'payment_intent.processing'
  | 'payment_intent.paid'
  | 'payment_intent.failed'
  | 'payment_intent.refunding'
  | 'payment_intent.refunded'
  | 'payment_intent.refund_failed'
  | 'payment_intent.discarded'
  | 'payment_method.attached'
  | 'payment_method.updated'
  | 'payment_method.detached'
  | 'mandate.created'
  | 'mandate.activated'
  | 'mandate.failed'
  | 'mandate.ended'
  | 'checkout_session.created'
  | 'checkout_session.customer_attached'
  | 'checkout_session.completed'
  | 'checkout_session.expired'
  | 'payment_link.created'
  | 'payment_link.updated'
  | 'subscription.created'
  | 'subscription.trial_started'
  | 'subscription.trial_will_end'
  | 'subscription.activated'
  | 'subscription.period_started'
  | 'subscription.updated'
  | 'subscription.change_scheduled'
  | 'subscription.changed'
  | 'subscription.change_lapsed'
  | 'subscription.overdue'
  | 'subscription.suspended'
  | 'subscription.reactivated'
  | 'subscription.paused'
  | 'subscription.resumed'
  | 'subscription.cancel_scheduled'
  | 'subscription.cancel_unscheduled'
  | 'subscription.canceled'
  | 'refund.created'
  | 'refund.updated'
  | 'dispute.created'
  | 'dispute.updated'
  | 'dispute.closed'
  | 'dispute.funds_withdrawn'
  | 'dispute.funds_reinstated'
  | 'account.updated'
  | 'export.completed'
  | '*'
  | 'customer.*'
  | 'product.*'
  | 'price.*'
  | 'coupon.*'
  | 'promotion_code.*'
  | 'invoice_item.*'
  | 'discount.*'
  | 'invoice.*'
  | 'payment_intent.*'
  | 'payment_method.*'
  | 'mandate.*'
  | 'checkout_session.*'
  | 'payment_link.*'
  | 'subscription.*'
  | 'refund.*'
  | 'dispute.*'
  | 'account.*'
  | 'export.*';

/** A new export. */
export type ExportCreate =
  InvoicesExport | PaymentIntentsExport | CustomersExport | SubscriptionsExport | RefundsExport | PixReceiptsExport;

/** A column of an export of invoices: a field of the API. */
export type InvoicesExportColumn =
  | 'id'
  | 'created'
  | 'status'
  | 'due_at'
  | 'status_transitions.paid_at'
  | 'customer'
  | 'customer_name'
  | 'customer_email'
  | 'description'
  | 'line_items'
  | 'total'
  | 'amount_paid'
  | 'amount_refunded'
  | 'amount_disputed'
  | 'amount_remaining'
  | 'external_code'
  | 'billing_reason'
  | 'subscription'
  | 'period_start'
  | 'period_end'
  | 'payment_intent'
  | 'status_transitions.finalized_at'
  | 'status_transitions.voided_at'
  | 'status_transitions.marked_uncollectible_at'
  | 'receipt_url'
  | 'discounts'
  | 'metadata';

/** A column of an export of payment_intents: a field of the API. */
export type PaymentIntentsExportColumn =
  | 'id'
  | 'created'
  | 'status'
  | 'amount'
  | 'amount_refunded'
  | 'amount_disputed'
  | 'payment_method_type'
  | 'installments'
  | 'decline_reason'
  | 'customer'
  | 'invoice'
  | 'subscription'
  | 'due_at'
  | 'status_transitions.paid_at'
  | 'status_transitions.processing_at'
  | 'status_transitions.failed_at'
  | 'status_transitions.refunding_at'
  | 'status_transitions.refunded_at'
  | 'status_transitions.discarded_at'
  | 'attempts'
  | 'max_attempts'
  | 'next_attempt';

/** A column of an export of subscriptions: a field of the API. */
export type SubscriptionsExportColumn =
  | 'id'
  | 'created'
  | 'status'
  | 'customer'
  | 'external_code'
  | 'item.price.nickname'
  | 'item.price.unit_amount'
  | 'item.quantity'
  | 'item.price.interval'
  | 'item.price.interval_count'
  | 'item.price.product'
  | 'item.price.id'
  | 'payment_method_type'
  | 'installments'
  | 'current_period_start'
  | 'current_period_end'
  | 'billing_cycle_anchor'
  | 'ended'
  | 'latest_invoice'
  | 'discounts';

/** A column of an export of refunds: a field of the API. */
export type RefundsExportColumn = 'id' | 'created' | 'amount' | 'status' | 'parts';

/** A column of an export of pix_receipts: a field of the API. */
export type PixReceiptsExportColumn =
  | 'paid_at'
  | 'id'
  | 'txid'
  | 'customer_name'
  | 'amount'
  | 'charged'
  | 'difference'
  | 'result'
  | 'amount_refunded'
  | 'amount_disputed'
  | 'invoice'
  | 'payment_intent'
  | 'customer';

/** How the buyer pays. */
export type InvoiceCheckout = CheckoutByPix | CheckoutByCard | CheckoutByMandate;

/** Why an e-mail was written. */
export type MailOccasion =
  | 'paid'
  | 'refunded'
  | 'subscription_begun'
  | 'trial_begun'
  | 'trial_ending'
  | 'plan_changed'
  | 'renewal_ahead'
  | 'suspended'
  | 'reactivated'
  | 'canceled'
  | 'reminder'
  | 'dispute_decided'
  | 'pix_returned'
  | 'declined'
  | 'sent'
  | 'debit_scheduled'
  | 'debit_failed'
  | 'mandate_ended'
  | 'endpoint_failing'
  | 'endpoint_disabled'
  | 'acquirer_certificate_ending'
  | 'account_changed'
  | 'confirmation'
  | 'portal_link';

/** What became of an e-mail. */
export type MailStatus = 'queued' | 'sent' | 'failed' | 'dropped' | 'kept' | 'held';

/** Who ends a mandate at the bank of the buyer. */
export type MandatePayer = 'payer' | 'payer_bank';

/** When a pause begins. */
export type PauseMoment = 'now' | 'period_end';

/** What the buyer of the sandbox does with a QR code. */
export type PixScenario = 'paid' | 'paid_twice' | 'paid_late' | 'confirmed_not_settled';

/** Whether the penalty of a minimum term is charged. */
export type PenaltyChoice = 'apply' | 'waive';

/** What a receipt was for. */
export type PixReceiptResult = 'settled' | 'surplus' | 'undecided';

/** What becomes of the rest of a paid period. */
export type UnusedPeriod = 'none' | 'credit' | 'refund';

/** A discount by percentage or of a fixed amount. */
export type SubscriptionDiscountInput = SubscriptionPercentageDiscount | SubscriptionFixedDiscount;

/** Whether the clock ticks or is moved. */
export type TestClockStatus = 'ready' | 'advancing';

/** Whether an endpoint receives events. */
export type WebhookEndpointStatus = 'active' | 'unstable' | 'disabled';

/** Whether a recovery still sends. */
export type WebhookRecoveryStatus = 'running' | 'done';

/** The merchant, as buyers of one mode see it on pages and in e-mails. */
export interface Account {
  /** Identifier of the account. */
  id: string;
  /** Always `account`. */
  object: 'account';
  /** Name, as buyers and their banks are told. */
  name: string;
  /** CNPJ or CPF without punctuation; null when not told. */
  tax_id: string | null;
  /** Where buyers write to; answers to e-mails go there. Null when not told. */
  support_email: string | null;
  /** Where buyers call, in E.164 form; null when not told. */
  support_phone: string | null;
  /** Color of buttons and links, `#rrggbb` in small letters; null: the color of the service. */
  color: string | null;
  /** Where the logo was fetched from when it was set; null when there is none. */
  logo_url: string | null;
  /** Color behind the name and the amount on payment pages, `#rrggbb` in small letters; null: none. */
  cover_color: string | null;
  /** How round the corners of payment pages are, in pixels; null: as the service has them. */
  corner_radius: number | null;
  /** What payment pages are written in; null: `sans`, as the device has it. */
  font: PageFont | null;
  /** The terms that whoever subscribes on a payment page agrees to; null when not told. */
  terms_url: string | null;
  /** What the merchant says of personal data, linked from payment pages; null when not told. */
  privacy_url: string | null;
  /** How buyers are written to. */
  mail_settings: MailSettings;
  /** When the account was created, in real time. Unix time, seconds. */
  created: number;
  /** Names the account and its mode to pages of yours, which ask with it where cards go. It opens nothing and is no secret. */
  publishable_key: string;
  /** true: what live buyers see; false: what the sandbox shows. */
  live_mode: boolean;
}

/** How buyers are written to. */
export interface MailSettings {
  /** Who e-mails to buyers come from; null: the service. */
  sender_name: string | null;
  /** Stands near the end of each; null: nothing does. */
  sentence: string | null;
  /** Whether the receipt goes with an e-mail that tells of a payment, as a PDF. */
  attach_receipt: boolean;
  /** What buyers are written to about. */
  occasions: MailOccasions;
}

/** What buyers are written to about. */
export interface MailOccasions {
  /** A payment, unless it begins or changes a subscription, which one e-mail tells with it. */
  paid: boolean;
  /** Money that went back, or that the bank refused to bring back. */
  refunded: boolean;
  /** A subscription that begins. */
  subscription_begun: boolean;
  /** A trial that begins. */
  trial_begun: boolean;
  /** A trial that ends within three days. */
  trial_ending: boolean;
  /** A change of what a subscription bills, and from when. */
  plan_changed: boolean;
  /** A renewal in seven days, of a year or longer or of another price than before. */
  renewal_ahead: boolean;
  /** A subscription that is suspended. */
  suspended: boolean;
  /** A suspended subscription that is active again. */
  reactivated: boolean;
  /** A subscription that ends, now or later. */
  canceled: boolean;
  /** An open bill, before and after it is due. */
  reminder: boolean;
  /** A dispute that is decided. */
  dispute_decided: boolean;
  /** A PIX that came late or twice, and went back. */
  pix_returned: boolean;
}

/** Changes of the account: an absent field keeps, null clears. */
export interface AccountUpdate {
  /** Name: 1 to 255 characters, none of them a control character. */
  name?: string;
  /** CNPJ or CPF, with or without punctuation; check digits must be right. */
  tax_id?: string | null;
  /** Where buyers write to: up to 254 characters. */
  support_email?: string | null;
  /** Phone in E.164 form. Without `+` or `00` it is a Brazilian number with its area code, and gets +55. */
  support_phone?: string | null;
  /** `#rrggbb`, on which white text has a contrast of at least 4.5 (WCAG 2). */
  color?: string | null;
  /** Where the logo is fetched from, at once and once: https in live mode, http or https in the sandbox, an address on the public internet, no redirect; a PNG, JPEG or WebP of at most 256 KiB and 2048 pixels a side. */
  logo_url?: string | null;
  /** Any `#rrggbb`: the text on it is black or white, whichever is read better. */
  cover_color?: string | null;
  /** How round the corners of payment pages are: 0 to 24 pixels. */
  corner_radius?: number | null;
  /** What payment pages are written in. All are faces that devices have, so a page loads none. */
  font?: PageFont | null;
  /** Where the terms stand that whoever subscribes on a payment page agrees to. */
  terms_url?: string | null;
  /** Where the merchant says what becomes of personal data. */
  privacy_url?: string | null;
  /** How buyers are written to: what is absent in it keeps. */
  mail_settings?: MailSettingsUpdate;
}

/** How buyers are written to: an absent field keeps, null clears. */
export interface MailSettingsUpdate {
  /** 1 to 60 characters, none of them a control character, `@`, `<`, `>` or `"`. */
  sender_name?: string | null;
  /** 1 to 300 characters, none of them a control character. */
  sentence?: string | null;
  /** Whether receipts are attached. */
  attach_receipt?: boolean;
  /** What buyers are written to about: an absent one keeps. */
  occasions?: MailOccasionsUpdate;
}

/** What buyers are written to about: an absent one keeps. */
export interface MailOccasionsUpdate {
  /** A payment, unless it begins or changes a subscription, which one e-mail tells with it. */
  paid?: boolean;
  /** Money that went back, or that the bank refused to bring back. */
  refunded?: boolean;
  /** A subscription that begins. */
  subscription_begun?: boolean;
  /** A trial that begins. */
  trial_begun?: boolean;
  /** A trial that ends within three days. */
  trial_ending?: boolean;
  /** A change of what a subscription bills, and from when. */
  plan_changed?: boolean;
  /** A renewal in seven days, of a year or longer or of another price than before. */
  renewal_ahead?: boolean;
  /** A subscription that is suspended. */
  suspended?: boolean;
  /** A suspended subscription that is active again. */
  reactivated?: boolean;
  /** A subscription that ends, now or later. */
  canceled?: boolean;
  /** An open bill, before and after it is due. */
  reminder?: boolean;
  /** A dispute that is decided. */
  dispute_decided?: boolean;
  /** A PIX that came late or twice, and went back. */
  pix_returned?: boolean;
}

/** A Brazilian postal address. */
export interface Address {
  /** Postal code (CEP): its 8 digits. */
  zip_code: string | null;
  /** Street. */
  street: string | null;
  /** Number. */
  number: string | null;
  /** District (bairro). */
  district: string | null;
  /** City. */
  city: string | null;
  /** State (UF). */
  state: string | null;
  /** Complement. */
  complement: string | null;
}

/** A Brazilian postal address; each field up to 255 characters. */
export interface AddressInput {
  /** Postal code (CEP): 8 digits, an optional hyphen among them. */
  zip_code?: string | null;
  /** Street. */
  street?: string | null;
  /** Number. */
  number?: string | null;
  /** District (bairro). */
  district?: string | null;
  /** City. */
  city?: string | null;
  /** State (UF): two upper-case letters. */
  state?: string | null;
  /** Complement. */
  complement?: string | null;
}

/** Open invoices by how late they are. */
export interface AgingReport {
  /** Always `aging_report`. */
  object: 'aging_report';
  /** Today: ages are counted up to it. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  date: string;
  /** Every age, from what is to come to the oldest. */
  rows: AgingRow[];
  /** All rows together. */
  totals: SummaryFigure;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
}

/** Open invoices of an age. */
export interface AgingRow {
  /** `to_come`: due today or later; `days_1_30`, `days_31_60`, `days_61_90`, `days_over_90`: so many days late. */
  age: AgingBucket;
  /** Still to be paid. Integer cents. */
  amount: number;
  /** How many invoices there are. */
  count: number;
}

/** A sum, and of how many it is. */
export interface SummaryFigure {
  /** Of all of them. Integer cents. */
  amount: number;
  /** How many there are. */
  count: number;
}

/** A key by which programs use the API. */
export interface ApiKey {
  /** Identifier of the key. */
  id: string;
  /** Always `api_key`. */
  object: 'api_key';
  /** What it is for. */
  name: string;
  /** `full`: it may do everything; `read`: it may only read. */
  scope: ApiKeyScope;
  /** Networks that it may be used from, as CIDRs; none: anywhere. */
  networks: string[];
  /** `latest`: its lists show what is there; `eventual`: they may be up to five seconds late. */
  reads: ApiKeyReads;
  /** Its last four characters. */
  hint: string;
  /** Whether it is taken; any other is answered 401 `API_KEY_EXPIRED`. */
  status: ApiKeyStatus;
  /** When it was made, in real time. Unix time, seconds. */
  created: number;
  /** When it was last used, to about a minute. Unix time, seconds; null until then. */
  last_used_at: number | null;
  /** When it ends, or ended. Unix time, seconds; null: it has no end. */
  expires_at: number | null;
  /** When it was revoked. Unix time, seconds; null until then. */
  revoked_at: number | null;
  /** The key that a roll put in its place; null when there is none. */
  replaced_by: string | null;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** The key itself, shown only in the answers of its creation and of the roll that made it. */
  key?: string;
}

/** A new key. */
export interface ApiKeyCreate {
  /** What it is for: 1 to 100 characters, none of them a control character. */
  name: string;
  /** `full`: it may do everything; `read`: it may only read. */
  scope: ApiKeyScope;
  /**
   * Networks of IPv4 and IPv6 that it may be used from, at most 50; none: anywhere.
   *
   * @maxItems 50
   *
   * Items: A network in CIDR form, or an address.
   */
  networks?: string[];
  /** `eventual`: its lists may be up to five seconds late, and are read where they keep nobody from selling. Absent: `latest`. */
  reads?: ApiKeyReads;
  /** When it ends, in real time: ahead, at most 10 years. Absent or null: it has no end. Unix time, seconds. */
  expires_at?: number | null;
}

/** One page of a list. */
export interface ApiKeyList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: ApiKey[];
}

/** For how long the former key stays valid. */
export interface ApiKeyRollBody {
  /** Hours that the former key stays valid; default 24. */
  hours?: RollHours;
}

/** Changes of a key: an absent field keeps. */
export interface ApiKeyUpdate {
  /** What it is for: 1 to 100 characters, none of them a control character. */
  name?: string;
  /**
   * Networks of IPv4 and IPv6 that it may be used from, at most 50; none: anywhere.
   *
   * @maxItems 50
   *
   * Items: A network in CIDR form, or an address.
   */
  networks?: string[];
}

/** Who did it. */
export interface AuditActor {
  /** What it is. */
  kind: AuditActorKind;
  /** Its id, such as that of a key; of an operator its name. */
  id: string;
  /** Its name when it did it; null when none was told. */
  name: string | null;
}

/** Who did what, and from where. Secrets are hidden, personal data masked. */
export interface AuditLogEntry {
  /** Identifier of the entry. */
  id: string;
  /** Always `audit_log_entry`. */
  object: 'audit_log_entry';
  /** When it was done, in real time. Unix time, seconds. */
  created: number;
  /** Who did it. */
  actor: AuditActor;
  /** What was done: the kind of object, and what became of it. */
  action: string;
  /** The object; null when it is none in particular. */
  object_id: string | null;
  /** What of the object was another before; null when there was nothing. */
  before: {
    [k: string]: unknown;
  } | null;
  /** The same afterwards; null when nothing is left, or nothing was changed. */
  after: {
    [k: string]: unknown;
  } | null;
  /** From where it was done. */
  from: AuditOrigin;
  /** The request by which it was done; null when none was. */
  request_id: string | null;
  /** true for live data, false for sandbox data; null for what is of both modes. */
  live_mode: boolean | null;
}

/** From where it was done. */
export interface AuditOrigin {
  /** The machine of an operator; null otherwise. */
  host: string | null;
  /** The IP address; null when none was told. */
  address: string | null;
}

/** One page of a list. */
export interface AuditLogList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: AuditLogEntry[];
}

/** Where the holder of the card is billed; it helps approval. */
export interface BillingAddressInput {
  /** Street: up to 200 characters. */
  street?: string | null;
  /** Number of the house: up to 20 characters. */
  number?: string | null;
  /** Complement: up to 100 characters. */
  complement?: string | null;
  /** Neighborhood: up to 100 characters. */
  neighborhood?: string | null;
  /** City: up to 100 characters. */
  city?: string | null;
  /** State (UF): two upper-case letters. */
  state?: string | null;
  /** CEP: 5 digits, an optional hyphen, 3 digits. */
  postal_code?: string | null;
}

/** The holder of the card. */
export interface BillingDetailsInput {
  /** Name as printed on the card: 3 to 100 characters. */
  name: string;
  /** CPF of the holder: exactly 11 digits. */
  document: string;
  /** Where the holder is billed. */
  address?: BillingAddressInput | null;
}

/** Why a subscription was cancelled, in the words of whoever asked. */
export interface Cancellation {
  /** Why the buyer leaves; null: nobody said. */
  reason: CancellationReason | null;
  /** What the buyer says of it; null: nothing. */
  comment: string | null;
}

/** What the issuer does with a stored card. */
export interface CardChangeBody {
  /** `renewed`: the card gets an expiry three years later, and is open; `closed`: its next charge is declined for good. */
  scenario: CardScenario;
}

/** The card to charge: Visa, Mastercard, American Express, Elo or Hipercard, and not expired. */
export interface CardInput {
  /** Number of the card: 13 to 19 characters, digits, spaces and hyphens. Never stored. */
  number: string;
  /** Month the card expires in: 1 to 12. */
  exp_month: number;
  /** Year the card expires in: 2024 to 2099. */
  exp_year: number;
  /** Security code: 3 digits, 4 for American Express. Never stored. */
  cvc: string;
}

/** What is kept of a card. */
export interface CardPaymentMethod {
  /** Brand of the card. */
  brand: CardBrand;
  /** Last four digits of the card. */
  last4: string;
}

export interface CardReplacement {
  /** Always `card`, for a PIX has nothing to store; required unless `payment_method_id` is sent. */
  payment_method_type?: 'card';
  /** The card as it was typed; in place of `card_token`. */
  card?: CardInput;
  /** What the acquirer answered to the browser for the card: good once, for a minute. In place of `card`. Never stored. */
  card_token?: string;
  /** The holder of the card; required unless `payment_method_id` is sent. */
  billing_details?: BillingDetailsInput;
  /** A stored card of the customer, in place of a new one; null: whichever is the customer's default from then on. */
  payment_method_id?: string | null;
}

/** Money by the instant that it came and went. */
export interface CashFlowReport {
  /** Always `cash_flow_report`. */
  object: 'cash_flow_report';
  /** The first day. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  from: string;
  /** The last day. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  until: string;
  /** What a row is of. */
  by: ReportInterval;
  /** Every day or month of the period, oldest first. */
  rows: CashFlowRow[];
  /** All rows together. */
  totals: CashFlowTotals;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
}

/** The money of a day or a month. */
export interface CashFlowRow {
  /** The first day of the row. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  from: string;
  /** The last day of the row: the same where rows are days. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  until: string;
  /** What was paid, before anything is returned. */
  received: SummaryReceived;
  /** Parts of refunds that were completed. */
  refunded: SummaryFigure;
  /** What banks took back unasked. */
  disputed: SummaryFigure;
  /** What banks gave back of that. */
  reinstated: SummaryFigure;
  /** Paid once more than it was owed. Integer cents. */
  surplus_received: number;
  /** What went back of that by itself. Integer cents. */
  surplus_returned: number;
  /** What came in less what went out: below 0 where more went out. Integer cents. */
  net: number;
}

/** What was paid, before anything is returned. */
export interface SummaryReceived {
  /** Paid by PIX. Integer cents. */
  pix: number;
  /** Paid by card. Integer cents. */
  card: number;
  /** Both. Integer cents. */
  total: number;
  /** How many payments there are. */
  count: number;
}

/** All rows together. */
export interface CashFlowTotals {
  /** What was paid, before anything is returned. */
  received: SummaryReceived;
  /** Parts of refunds that were completed. */
  refunded: SummaryFigure;
  /** What banks took back unasked. */
  disputed: SummaryFigure;
  /** What banks gave back of that. */
  reinstated: SummaryFigure;
  /** Paid once more than it was owed. Integer cents. */
  surplus_received: number;
  /** What went back of that by itself. Integer cents. */
  surplus_returned: number;
  /** What came in less what went out: below 0 where more went out. Integer cents. */
  net: number;
}

/** A later cycle of a subscription. */
export interface ChangeCycle {
  /** Its number, the first being 1: none that has begun. */
  cycle: number;
}

/** What a change would come to. Nothing is stored. */
export interface ChangePreview {
  /** Always `change_preview`. */
  object: 'change_preview';
  /** What the rest of the period comes to under the new terms, less their discounts; 0 where no money moves. Integer cents. */
  charge: number;
  /** What was charged for the rest of the period; 0 where no money moves. Integer cents. */
  credit: number;
  /** Charge less credit; below 0 the buyer gets a credit. Integer cents. */
  total: number;
  /** What an invoice of the change alone would ask for at once. Integer cents. */
  due_now: number;
  /** When it would hold from. */
  effective: ChangeMoment;
  /** When it holds from. Unix time, seconds. */
  effective_at: number;
  /** The items as they would be. */
  items: ChangePreviewItems;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** What the next bill would be. */
  next_invoice: InvoicePreview;
  /** What it would charge, once it holds, as the penalty of a minimum term. Integer cents. */
  penalty: number;
  /** What would become of the rest of the period. */
  proration: ChangeProration;
  /** The subscription. */
  subscription: string;
}

/** The items as they would be. */
export interface ChangePreviewItems {
  /** Always `list`. */
  object: 'list';
  /** The items as they would be. */
  data: SubscriptionChangeItem[];
}

/** An item as it was before a change, or is after it. */
export interface SubscriptionChangeItem {
  /** Always `subscription_change_item`. */
  object: 'subscription_change_item';
  /** The item of the subscription; null of a new one that is still to come. */
  item: string | null;
  /** What it bills. */
  price: string;
  /** How many of it each cycle bills. */
  quantity: number;
}

/** An invoice as it would be made of what is known now. It is not stored. */
export interface InvoicePreview {
  /** Always `invoice_preview`. */
  object: 'invoice_preview';
  /** The subscription that will be billed; null while it is not created. */
  subscription: string | null;
  /** Who will pay; null where the customer would be created with the subscription. */
  customer: string | null;
  /** Always `brl`. */
  currency: 'brl';
  /** The number of the cycle that it will bill. */
  cycle: number;
  /** Start of the period that it will bill; the invoice is due then. Unix time, seconds. */
  period_start: number;
  /** End of the period that it will bill. Unix time, seconds. */
  period_end: number;
  /** What will be billed. */
  line_items: InvoicePreviewLineItems;
  /** Discounts that will still last, in the order applied. */
  discounts: InvoicePreviewDiscounts;
  /** Sum of the line items. Integer cents. */
  subtotal: number;
  /** Credits that will be used, oldest first. */
  credits: InvoicePreviewCredits;
  /** Sum of these credits. Integer cents. */
  credit_amount: number;
  /** What will be left of the credits that wait for a bill of the subscription. Integer cents. */
  credit_after: number;
  /** Line items less discounts and credits. Integer cents. */
  total: number;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
}

/** What will be billed. */
export interface InvoicePreviewLineItems {
  /** Always `list`. */
  object: 'list';
  /** What will be billed. */
  data: LineItem[];
}

/** One line of an invoice. */
export interface LineItem {
  /** Always `item`. */
  object: 'item';
  /** The price of this line. */
  price: string;
  /** Units bought. */
  quantity: number;
  /** Price of one unit. Integer cents. */
  unit_amount: number;
  /** Unit price times quantity. Integer cents. */
  amount: number;
  /** What was bought: the name of the product. */
  description: string;
  /** `one_time`: bought once; `recurring`: an item of a subscription for a period; `setup`: once, with the first bill; `proration`: a change within a period; `penalty`: an end before the minimum term; `late_fine`, `late_interest`: fine and interest of a bill that was paid late. */
  kind: LineKind;
  /** The item of the subscription that the line bills; null of none. */
  subscription_item: string | null;
  /** Start of the period that the line bills, null of none and until it begins. Unix time, seconds. */
  period_start: number | null;
  /** End of the period that the line bills, null of none and until it begins. Unix time, seconds. */
  period_end: number | null;
}

/** Discounts in the order applied. */
export interface InvoicePreviewDiscounts {
  /** Always `list`. */
  object: 'list';
  /** Discounts in the order applied. */
  data: Discount[];
}

/** A discount, applied in order on the running subtotal, rounded half up. */
export interface Discount {
  /** How the discount is measured. */
  type: DiscountType;
  /** Percent of the running subtotal; null when fixed. */
  percentage: number | null;
  /** Cents taken off; null when a percentage. */
  amount_cents: number | null;
  /** Billed invoices it lasts, for subscriptions; null: for ever. */
  cycles: number | null;
  /** What the buyer is told; null when nothing. */
  description: string | null;
  /** The redemption of a coupon that gives it; null when no coupon does. */
  redemption: string | null;
  /** The coupon that gives it; null when none does. */
  coupon: string | null;
  /** The promotion code that the coupon was redeemed by; null when by its id, or without a coupon. */
  promotion_code: string | null;
}

/** Credits that will be used, oldest first. */
export interface InvoicePreviewCredits {
  /** Always `list`. */
  object: 'list';
  /** Credits that will be used, oldest first. */
  data: InvoiceCredit[];
}

/** A credit that an invoice used, after its discounts. */
export interface InvoiceCredit {
  /** Always `invoice_credit`. */
  object: 'invoice_credit';
  /** What the bill used of it. Integer cents. */
  amount: number;
  /** What the buyer is told. */
  description: string;
  /** The credit, an invoice item; null of one that a change brings with its own invoice, or would bring by its preview. */
  invoice_item: string | null;
  /** `granted`: given by you; `proration`: a change within a paid period; `unused`: the rest of a paid period. */
  type: CreditKind;
}

/** What becomes of an item; items that are not named stay. */
export interface ChangedItemInput {
  /** An item of the subscription; absent: a new one. */
  item?: string;
  /** A recurring, active price: of a new item, or the new one of this. */
  price_id?: string;
  /** Units billed each cycle: 1 to 999. Of a new item by default 1, else as before. */
  quantity?: number;
  /** The item goes. */
  removed?: true;
}

/** Charge by PIX, and authorise what renews (Pix Automático). */
export interface CheckoutByMandate {
  /** The buyer pays by PIX, and with the same QR code authorises that renewals are debited. */
  payment_method_type: 'pix_automatico';
  /** 1 to 12; PIX is always paid in one. */
  installments?: number;
}

/** Charge by PIX. */
export interface CheckoutByPix {
  /** The buyer pays by PIX. */
  payment_method_type: 'pix';
  /** 1 to 12; PIX is always paid in one. */
  installments?: number;
}

/** A purchase that a buyer pays on the hosted page. */
export interface CheckoutSession {
  /** Identifier of the checkout session. */
  id: string;
  /** Always `checkout_session`. */
  object: 'checkout_session';
  /** Whether the page has a field for a promotion code. */
  allow_promotion_codes: boolean;
  /** What the buyer pays. Integer cents; null while no customer is known. */
  amount: number | null;
  /** When the session was created. Unix time, seconds. */
  created: number;
  /** Always `brl`. */
  currency: 'brl';
  /** Who pays; null until the buyer has filled in the page of a session that was created without a customer. */
  customer: string | null;
  /** Discounts in the order applied; absent when there are none. */
  discounts?: SessionDiscounts;
  /** Until when the session accepts payment: one hour from its creation. It does not change when the session is closed. Unix time, seconds. */
  expires_at: number;
  /** Your own code for this object; null when it has none. */
  external_code: string | null;
  /** What is charged; null while no customer is known, and where a card is stored and nothing charged yet. */
  invoice: string | null;
  /** What is bought, as it was sent; `amount` is what is charged for it. */
  line_items: SessionLineItems;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /**
   * Free objects, returned as stored: at most 20, together 8 KiB as JSON.
   *
   * @maxItems 20
   */
  metadata: {
    [k: string]: unknown;
  }[];
  /** `payment`: charged once; `subscription`: each cycle. */
  mode: CheckoutSessionMode;
  /** The newest charge of the invoice; null while none was generated. */
  payment_intent: string | null;
  /** The payment link that it was opened by; null of any other session. */
  payment_link: string | null;
  /** Where the buyer returns without paying; null where a link that opened it says none. */
  return_url: string | null;
  /** `open`: accepts payment; `complete`: paid, or its card is stored; `expired`: closed without payment, by its deadline or by you. */
  status: CheckoutSessionStatus;
  /** Only in mode `subscription`: what is paid for; null while no customer is known. */
  subscription?: string | null;
  /** Where the buyer goes after paying, with the id of the session in the place of `{CHECKOUT_SESSION_ID}`; null where a link that opened it says none. */
  success_url: string | null;
  /** The page to send the buyer to. Whoever has the link may pay. Null for a key that may only read. */
  url: string | null;
}

/** Discounts in the order applied. */
export interface SessionDiscounts {
  /** Always `list`. */
  object: 'list';
  /** Discounts in the order applied. */
  data: Discount[];
}

/** What is bought, as it was sent. */
export interface SessionLineItems {
  /** Always `list`. */
  object: 'list';
  /** What is bought, as it was sent. */
  data: SessionLineItem[];
}

/** One line of a checkout session, as it was sent. */
export interface SessionLineItem {
  /** Always `item`. */
  object: 'item';
  /** The price. */
  price: string;
  /** Units bought. */
  quantity: number;
}

/** A new checkout session. */
export interface CheckoutSessionCreate {
  /** Where the buyer goes after paying: https, in the sandbox http as well, up to 2,048 characters. `{CHECKOUT_SESSION_ID}` in it is filled in. Fulfil on `checkout_session.completed`, not on a visit of this page. */
  success_url: string;
  /** Where the buyer returns without paying: https, in the sandbox http as well, up to 2,048 characters. */
  return_url: string;
  /**
   * In mode `payment` 1 to 100 lines of one-time prices; in mode `subscription` 1 to 20 recurring prices of one recurrence, each once, and up to 10 one-time prices, which the first bill asks for.
   *
   * @minItems 1
   * @maxItems 200
   */
  line_items: LineItemInput[];
  /** `payment`: charged once; `subscription`: each cycle. */
  mode: CheckoutSessionMode;
  /** Your own code for this object, unique in the account and mode (1 to 255 characters). */
  external_code?: string | null;
  /** Who pays: an existing customer. */
  customer_id?: string;
  /** Who pays: a customer to create with the session. Without either, the buyer fills in the page. */
  customer?: CustomerCreate;
  /**
   * Free objects, returned as stored: at most 20, together 8 KiB as JSON.
   *
   * @maxItems 20
   */
  metadata?: {
    [k: string]: unknown;
  }[];
  /**
   * At most 10, applied in order on the running subtotal; `cycles` only in mode `subscription`.
   *
   * @maxItems 10
   */
  discounts?: SessionDiscountInput[];
  /** Only in mode `subscription`: a trial, a start to come, a minimum term. With one of the first two the page stores a card and charges nothing. */
  subscription?: SessionSubscriptionInput;
  /** A coupon to redeem; at most 9 discounts beside it, which come after it. */
  coupon_id?: string;
  /** The text of a promotion code to redeem, in any case; in the place of `coupon_id`. */
  promotion_code?: string;
  /** Whether the page has a field for a promotion code; default false. Absent with a coupon. */
  allow_promotion_codes?: boolean;
}

/** A price and how many of it. */
export interface LineItemInput {
  /** A one-time, active price. */
  price_id: string;
  /** Units bought: 1 to 999. */
  quantity: number;
}

/** A new customer. */
export interface CustomerCreate {
  /** Name: 1 to 250 characters. */
  name: string;
  /** CPF (11 digits) or CNPJ (14 characters, letters allowed), with or without punctuation; check digits must be right. */
  identifier: string;
  /** E-mail address: up to 254 characters. */
  email: string;
  /** Phone in E.164 form. Without `+` or `00` it is a Brazilian number with its area code, and gets +55. */
  phone?: string | null;
  /** Your own code for this object, unique in the account and mode (1 to 255 characters). */
  external_code?: string | null;
  /** Postal address. */
  address?: AddressInput | null;
}

/** Percent of the running subtotal, rounded half up. */
export interface SessionPercentageDiscount {
  /** Percent of the running subtotal. */
  type: 'percentage';
  /** Above 0 to 100, at most two decimals. */
  percentage: number;
  /** What the buyer is told: up to 1,000 characters. */
  description?: string | null;
  /** Bills it lasts, counted from the first: 1 to 9,999; absent: for ever. */
  cycles?: number | null;
}

/** Cents off the running subtotal. */
export interface SessionFixedDiscount {
  /** Cents off the running subtotal. */
  type: 'fixed';
  /** Cents taken off; not more than the subtotal. */
  amount_cents: number;
  /** What the buyer is told: up to 1,000 characters. */
  description?: string | null;
  /** Bills it lasts, counted from the first: 1 to 9,999; absent: for ever. */
  cycles?: number | null;
}

/** How the subscription that a checkout session sells begins, how long it lasts at least, how its bills are collected, and what late payment costs. */
export interface SessionSubscriptionInput {
  /** Days of its own; absent: the account's. */
  collection?: SubscriptionCollectionInput;
  /** What it costs to pay its bills late; absent: what the account asks at each bill. */
  late_fees?: LateFeesInput;
  /** How long it lasts at least, and what an earlier end costs. */
  minimum_term?: MinimumTermInput;
  /** When it begins, up to two years ahead: `scheduled` until then, and nothing is billed. Unix time, seconds. */
  start_date?: number;
  /** Nothing is billed for so long before the first cycle. */
  trial?: TrialInput;
}

/** Days of collection of its own: an absent field keeps, null is the account's. */
export interface SubscriptionCollectionInput {
  /** A bill is overdue. */
  overdue_days?: number | null;
  /** It suspends. */
  suspend_days?: number | null;
  /** It ends the subscription. */
  cancel_days?: number | null;
  /** Its card is charged again. */
  retry_days?: number[] | null;
  /** Its buyer is reminded. */
  reminder_days?: number[] | null;
}

/** What it costs to pay late. Both percentages 0: nothing. */
export interface LateFeesInput {
  /** Fine (multa) on the first day that costs something, in percent of the bill: 0 to 2, at most two decimals. */
  fine_percentage: number;
  /** Simple interest (juros de mora) in percent a month, a thirtieth of it a day: 0 to 1, at most two decimals. */
  interest_percentage: number;
  /** Days late that cost nothing: 0 to 30. Behind them both count from the due date. */
  grace_days: number;
  /** `next_invoice`: the next bill of the subscription that its buyer pays by hand asks for them; `at_payment`: they are paid with the late bill. */
  collect: LateCollect;
}

/** How long a subscription lasts at least, and what an earlier end costs. */
export interface MinimumTermInput {
  /** Cycles that it lasts from the first payment: 1 to 36. */
  cycles: number;
  /** `remaining_percentage`: percent of the cycles that have not begun; `declining_amount`: an amount that declines by the day to nothing. */
  penalty_type: PenaltyType;
  /** Of `remaining_percentage` a percentage of up to 100 with two decimals; of `declining_amount` integer cents. */
  penalty_value: number;
  /** Required as `true` with more than 30 percent: courts commonly lower such penalties. */
  acknowledged?: boolean;
}

/** One page of a list. */
export interface CheckoutSessionList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: CheckoutSession[];
}

/** An open invoice behind its due date, and what is done with it next. */
export interface CollectedInvoice {
  /** The invoice. */
  id: string;
  /** Always `collected_invoice`. */
  object: 'collected_invoice';
  /** Who pays. */
  customer: string;
  /** Name of the customer at creation. */
  customer_name: string;
  /** The subscription; null on a standalone invoice. */
  subscription: string | null;
  /** Still to pay. Integer cents. */
  amount_remaining: number;
  /** When it was due. Unix time, seconds. */
  due_at: number;
  /** Whole days since then. */
  days_late: number;
  /** Whether it suspended its subscription, which waits for its payment. */
  is_suspended: boolean;
  /** What is done next by itself: `charge` of a stored card; `debit`: the bank is asked about the debit by mandate, or for another day; `mark_overdue`: it is told overdue; `remind` by e-mail; `suspend` and `cancel` its subscription. Null: nothing, or a payment is on its way. */
  next_step: CollectionStep | null;
  /** When that is; null without a next step. Unix time, seconds. */
  next_step_at: number | null;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
}

/** One page of a list. */
export interface CollectedInvoiceList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: CollectedInvoice[];
}

/** Open invoices behind their due date, by how late they are. */
export interface Collection {
  /** Always `collection`. */
  object: 'collection';
  /** Of which instant it is. Unix time, seconds. */
  as_of: number;
  /** Days after the due date on which the card of a renewal is charged again. */
  charge_days: number[];
  /** The day on which an invoice is told overdue. */
  overdue_day: number;
  /** The day on which a renewal suspends its subscription. */
  suspend_day: number;
  /** The day on which a renewal ends its subscription. */
  cancel_day: number;
  /** In the order that an unpaid renewal comes through them. */
  stages: CollectionStage[];
  /** Renewals whose stored card was first declined within the last 90 days, by the reason of that decline, the most frequent one first. */
  recovery: CollectionRecovery[];
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
}

/** Unpaid invoices that are late by about as much. */
export interface CollectionStage {
  /** `day_` and the day on which it begins, or `suspended`. */
  id: string;
  /** Days after the due date on which it begins; null of `suspended`, where a subscription waits for the invoice. */
  from_day: number | null;
  /** The day on which the next one begins; null: none does. */
  until_day: number | null;
  /** How many invoices are there. */
  count: number;
  /** What is still to be paid of them. Integer cents. */
  amount: number;
}

/** Declined renewals of a reason, and how many were paid since. */
export interface CollectionRecovery {
  /** Why the stored card was declined first. */
  reason: DeclineReason;
  /** All invoices that were declined so, and what they asked. */
  declined: SummaryFigure;
  /** Those of them that were paid since, in whatever way. */
  recovered: SummaryFigure;
}

/** How unpaid invoices of one mode are collected. */
export interface CollectionSettings {
  /** Always `collection_settings`. */
  object: 'collection_settings';
  /** Days after its due date at which an invoice is overdue. */
  overdue_days: number;
  /** Days after its due date at which a renewal suspends its subscription. */
  suspend_days: number;
  /** Days after its due date at which a renewal ends its subscription. */
  cancel_days: number;
  /** Days after its first charge at which the card of a renewal is charged again. */
  retry_days: number[];
  /** Days from its due date at which the buyer of an invoice that no card is charged for is written to; before it they are negative. */
  reminder_days: number[];
  /** Whether a subscription that ends unpaid before its minimum term is charged the penalty. */
  penalty_on_unpaid: boolean;
  /** What it costs to pay an invoice late, where its subscription says nothing else; null: nothing. */
  late_fees: LateFees | null;
  /** What buyers may do by themselves with their subscriptions. */
  portal: PortalSettings;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
}

/** What it costs to pay late. */
export interface LateFees {
  /** Fine (multa) on the first day that costs something, in percent of the bill: 0 to 2, at most two decimals. */
  fine_percentage: number;
  /** Simple interest (juros de mora) in percent a month, a thirtieth of it a day: 0 to 1, at most two decimals. */
  interest_percentage: number;
  /** Days late that cost nothing: 0 to 30. Behind them both count from the due date. */
  grace_days: number;
  /** `next_invoice`: the next bill of the subscription that its buyer pays by hand asks for them; `at_payment`: they are paid with the late bill. */
  collect: LateCollect;
}

/** What buyers may do by themselves with their subscriptions. */
export interface PortalSettings {
  /** `period_end`: a buyer may cancel at the end of a period, and take that back until then; `none`: only the merchant cancels. */
  cancel: PortalCancel;
  /** Whether a buyer may pause a subscription. */
  pause: boolean;
  /**
   * The recurring prices that a buyer may change a subscription to; empty: to none.
   *
   * Items: A recurring price.
   */
  change_prices: string[];
}

/** Changes of how invoices are collected: an absent field keeps. */
export interface CollectionSettingsUpdate {
  /** 1 to 365, at most `suspend_days`. */
  overdue_days?: number;
  /** 1 to 365, less than `cancel_days`. */
  suspend_days?: number;
  /** 1 to 365. */
  cancel_days?: number;
  /**
   * Rising days, at most 10, none after `suspend_days`; empty: a declined card is not charged again.
   *
   * @maxItems 10
   */
  retry_days?: number[];
  /**
   * Rising days from the due date, -7 to 30, at most 8; empty: nobody is reminded.
   *
   * @maxItems 8
   */
  reminder_days?: number[];
  /** Whether a subscription that ends unpaid before its minimum term is charged the penalty. */
  penalty_on_unpaid?: boolean;
  /** What it costs to pay an invoice late that is opened from now on; null: nothing. */
  late_fees?: LateFeesInput | null;
  /** What buyers may do by themselves: an absent field keeps. */
  portal?: PortalSettingsUpdate;
}

/** What buyers may do by themselves: an absent field keeps. */
export interface PortalSettingsUpdate {
  /** `period_end`: a buyer may cancel at the end of a period, and take that back until then; `none`: only the merchant cancels. */
  cancel?: PortalCancel;
  /** Whether a buyer may pause a subscription. */
  pause?: boolean;
  /**
   * The recurring prices that a buyer may change a subscription to: up to 20.
   *
   * @maxItems 20
   *
   * Items: A recurring price.
   */
  change_prices?: string[];
}

/** The terms of a discount that is redeemed by its id, or by its promotion codes. */
export interface Coupon {
  /** Identifier of the coupon. */
  id: string;
  /** Always `coupon`. */
  object: 'coupon';
  /** Whether it can be redeemed. */
  active: boolean;
  /** Cents taken off; null when a percentage. */
  amount_cents: number | null;
  /** The lines it takes something off; null: all of them. */
  applies_to: CouponAppliesTo | null;
  /** When the coupon was created. Unix time, seconds. */
  created: number;
  /** Bills of a subscription it lasts; null: for ever. */
  cycles: number | null;
  /** Your own code for this object; null when it has none. */
  external_code: string | null;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** How often it can be redeemed in all; null: without a limit. */
  max_redemptions: number | null;
  /** Least that the lines it applies to come to, before discounts. Integer cents; null: anything. */
  minimum_amount: number | null;
  /** Name of the coupon, as buyers read it. */
  name: string;
  /** Percent taken off; null when fixed. */
  percentage: number | null;
  /** The last instant it can be redeemed at. Unix time, seconds; null: without an end. */
  redeem_by: number | null;
  /** How often it is redeemed, what is reserved for an open purchase included. */
  times_redeemed: number;
  /** How the discount is measured. */
  type: DiscountType;
}

/** The lines that a coupon takes something off: of any of these. */
export interface CouponAppliesTo {
  /**
   * Lines of these products.
   *
   * Items: A product.
   */
  products: string[];
  /**
   * Lines of these prices.
   *
   * Items: A price.
   */
  prices: string[];
}

/** The lines that a coupon takes something off: of any of these products or prices. */
export interface CouponAppliesToInput {
  /**
   * Lines of these products: 1 to 100.
   *
   * @minItems 1
   * @maxItems 100
   *
   * Items: A product.
   */
  product_ids?: string[];
  /**
   * Lines of these prices: 1 to 100.
   *
   * @minItems 1
   * @maxItems 100
   *
   * Items: A price.
   */
  price_ids?: string[];
}

/** A new coupon of a percentage, rounded half up. */
export interface PercentageCouponCreate {
  /** Percent of the lines it applies to. */
  type: 'percentage';
  /** Above 0 to 100, at most two decimals. */
  percentage: number;
  /** Name, as buyers read it: 1 to 250 characters. */
  name: string;
  /** Bills it lasts, counted from the first: 1 to 9,999; absent: for ever. */
  cycles?: number | null;
  /** The lines it takes something off; absent: all of them. */
  applies_to?: CouponAppliesToInput | null;
  /** How often it can be redeemed in all: 1 to 1,000,000; absent: without a limit. */
  max_redemptions?: number | null;
  /** The last instant it can be redeemed at, which lies ahead; absent: without an end. Unix time, seconds. */
  redeem_by?: number | null;
  /** Least that the lines it applies to come to, before discounts. Integer cents, from 1. */
  minimum_amount?: number | null;
  /** Whether it can be redeemed; default true. */
  active?: boolean;
  /** Your own code for this object, unique in the account and mode (1 to 255 characters). */
  external_code?: string | null;
}

/** A new coupon of a fixed amount. */
export interface FixedCouponCreate {
  /** Cents off the lines it applies to. */
  type: 'fixed';
  /** Cents taken off, as far as there is something left to pay. */
  amount_cents: number;
  /** Name, as buyers read it: 1 to 250 characters. */
  name: string;
  /** Bills it lasts, counted from the first: 1 to 9,999; absent: for ever. */
  cycles?: number | null;
  /** The lines it takes something off; absent: all of them. */
  applies_to?: CouponAppliesToInput | null;
  /** How often it can be redeemed in all: 1 to 1,000,000; absent: without a limit. */
  max_redemptions?: number | null;
  /** The last instant it can be redeemed at, which lies ahead; absent: without an end. Unix time, seconds. */
  redeem_by?: number | null;
  /** Least that the lines it applies to come to, before discounts. Integer cents, from 1. */
  minimum_amount?: number | null;
  /** Whether it can be redeemed; default true. */
  active?: boolean;
  /** Your own code for this object, unique in the account and mode (1 to 255 characters). */
  external_code?: string | null;
}

/** One page of a list. */
export interface CouponList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: Coupon[];
}

/** Changes of a coupon: an absent field keeps, null clears. What it takes off never changes; what was redeemed keeps its terms. */
export interface CouponUpdate {
  /** Name, as buyers read it: 1 to 250 characters. */
  name?: string;
  /** Whether it can be redeemed; default true. */
  active?: boolean;
  /** The last instant it can be redeemed at, which lies ahead; absent: without an end. Unix time, seconds. */
  redeem_by?: number | null;
  /** Your own code for this object, unique in the account and mode (1 to 255 characters). */
  external_code?: string | null;
}

/** A checkout session that was just created. */
export interface CreatedCheckoutSession {
  /** Identifier of the checkout session. */
  id: string;
  /** Always `checkout_session`. */
  object: 'checkout_session';
  /** Whether the page has a field for a promotion code. */
  allow_promotion_codes: boolean;
  /** What the buyer pays. Integer cents; null while no customer is known. */
  amount: number | null;
  /** When the session was created. Unix time, seconds. */
  created: number;
  /** Always `brl`. */
  currency: 'brl';
  /** Who pays; null until the buyer has filled in the page of a session that was created without a customer. */
  customer: string | null;
  /** Discounts in the order applied; absent when there are none. */
  discounts?: SessionDiscounts;
  /** Until when the session accepts payment: one hour from its creation. It does not change when the session is closed. Unix time, seconds. */
  expires_at: number;
  /** Your own code for this object; null when it has none. */
  external_code: string | null;
  /** What is charged; null while no customer is known, and where a card is stored and nothing charged yet. */
  invoice: string | null;
  /** What is bought, as it was sent; `amount` is what is charged for it. */
  line_items: SessionLineItems;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /**
   * Free objects, returned as stored: at most 20, together 8 KiB as JSON.
   *
   * @maxItems 20
   */
  metadata: {
    [k: string]: unknown;
  }[];
  /** `payment`: charged once; `subscription`: each cycle. */
  mode: CheckoutSessionMode;
  /** The newest charge of the invoice; null while none was generated. */
  payment_intent: string | null;
  /** The payment link that it was opened by; null of any other session. */
  payment_link: string | null;
  /** Where the buyer returns without paying; null where a link that opened it says none. */
  return_url: string | null;
  /** `open`: accepts payment; `complete`: paid, or its card is stored; `expired`: closed without payment, by its deadline or by you. */
  status: CheckoutSessionStatus;
  /** Only in mode `subscription`: what is paid for; null while no customer is known. */
  subscription?: string | null;
  /** Where the buyer goes after paying, with the id of the session in the place of `{CHECKOUT_SESSION_ID}`; null where a link that opened it says none. */
  success_url: string | null;
  /** The page to send the buyer to. Whoever has the link may pay. */
  url: string;
}

/** Who is charged. */
export interface Customer {
  /** Identifier of the customer. */
  id: string;
  /** Always `customer`. */
  object: 'customer';
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** When the customer was created. Unix time, seconds. */
  created: number;
  /** Name; `Anonimizado` once anonymized. */
  name: string;
  /** Your own code for this object; null when it has none. */
  external_code: string | null;
  /** CPF or CNPJ without punctuation; null once anonymized. */
  identifier: string | null;
  /** E-mail address; null once anonymized. */
  email: string | null;
  /** Phone in E.164 form; null when unknown. */
  phone: string | null;
  /** `individual` with a CPF, `business` with a CNPJ; null once anonymized. */
  description: CustomerDescription | null;
  /** Postal address; null when unknown. */
  address: Address | null;
  /** Since when the buyer wants no e-mail that is not about money owed or moved. Unix time, seconds; null when they do. */
  unsubscribed_at: number | null;
  /** Only in the answer of its retrieval: what is left of the credits that whichever of its subscriptions is billed next uses. Integer cents. */
  credit_balance?: number;
  /**
   * Only in the answer of its retrieval: the products that it had on trial, also where the trial is over.
   *
   * Items: A product.
   */
  trials?: string[];
}

/** All that is stored of a customer (LGPD, art. 18). */
export interface CustomerExport {
  /** Always `customer_export`. */
  object: 'customer_export';
  /** Of the form of the document. */
  version: number;
  /** When it was made, in real time (ISO 8601). */
  exported_at: string;
  /** The account. */
  account: string;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** What each part means. */
  about: {
    [k: string]: string;
  };
  /** The customer, with its personal data. */
  customer: {
    [k: string]: unknown;
  };
  /** Rows as they are stored; `about` says of what. */
  subscriptions: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  payment_methods: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  mandates: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  checkout_sessions: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  invoices: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  invoice_items: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  payments: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  card_charges: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  debit_tries: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  pix_codes: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  pix_receipts: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  refunds: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  disputes: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  promotion_codes: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  redemptions: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  notes: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  typed_email: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  emails: {
    [k: string]: unknown;
  }[];
  /** Rows as they are stored; `about` says of what. */
  events: {
    [k: string]: unknown;
  }[];
}

/** One page of a list. */
export interface CustomerList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: Customer[];
}

/** Changes of a customer: an absent field keeps, null clears. An address is replaced whole. */
export interface CustomerUpdate {
  /** Name: 1 to 250 characters. */
  name?: string;
  /** CPF (11 digits) or CNPJ (14 characters, letters allowed), with or without punctuation; check digits must be right. */
  identifier?: string;
  /** E-mail address: up to 254 characters. */
  email?: string;
  /** Phone in E.164 form. Without `+` or `00` it is a Brazilian number with its area code, and gets +55. */
  phone?: string | null;
  /** Your own code for this object, unique in the account and mode (1 to 255 characters). */
  external_code?: string | null;
  /** Postal address. */
  address?: AddressInput | null;
}

/** An export of customers. */
export interface CustomersExport {
  /** Always `customers`. */
  type: 'customers';
  /** The filters of `GET /api/v1/customers`; default none. */
  filters?: CustomersExportFilters;
  /**
   * Which columns the file has, in this order; default all.
   *
   * @minItems 1
   * @maxItems 15
   */
  columns?: CustomersExportColumn[];
}

/** The filters of `GET /api/v1/customers`, all of which hold. */
export interface CustomersExportFilters {
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /**
   * Only these customers, up to 100; repeat the parameter for several.
   *
   * Items: Identifier of an object.
   */
  ids?: string[];
  /** Only customers with all these words in name and e-mail, or whose CPF, CNPJ or phone begins so: 3 to 200 characters. Case and accents do not count; of a word its first 3 letters are enough, of a number 6 digits. */
  query?: string;
  /** Only customers with this e-mail address. */
  email?: string;
  /** Only customers with this CPF or CNPJ, punctuation ignored. */
  identifier?: string;
  /** Only the customer with this external_code. */
  external_code?: string;
}

/** What becomes of a debit. */
export interface DebitBody {
  /** Of its next try: `paid`, which is the default; `insufficient`: too little money, another day may follow; `limit`, `account_closed`: refused for good; `expired`: nobody debits, and it lapses. */
  outcome: DebitScenario;
}

/** An endpoint that is no more. */
export interface DeletedWebhookEndpoint {
  /** Identifier of the endpoint. */
  id: string;
  /** Always `webhook_endpoint`. */
  object: 'webhook_endpoint';
  /** Always true. */
  deleted: true;
}

/** The ladder of one event at one endpoint. */
export interface Delivery {
  /** Always `delivery`. */
  object: 'delivery';
  /** The endpoint. */
  webhook_endpoint: string;
  /** Number of the ladder: 1 for the first, one more for each resend. */
  ladder: number;
  /** Where the ladder stands. */
  status: LadderStatus;
  /** When the next attempt is due. Unix time, seconds; null until then. */
  next_attempt: number | null;
  /** Attempts made, oldest first. */
  attempts: DeliveryAttempt[];
}

/** One attempt to deliver. */
export interface DeliveryAttempt {
  /** Number of the attempt in its ladder: 1 to 10. */
  attempt: number;
  /** When the attempt was sent. Unix time, seconds. */
  at: number;
  /** HTTP status of the answer; null when none came. */
  status_code: number | null;
  /** Why it was not accepted; null when it was. */
  failure: DeliveryFailure | null;
  /** What the failure was, in words; null when there was none. */
  detail: string | null;
  /** Beginning of the body of the answer, in one line: up to 1,024 characters; null when it had none. */
  answer: string | null;
  /** How long the attempt took. Milliseconds. */
  duration_ms: number;
}

/** Percent of the running subtotal, rounded half up. */
export interface PercentageDiscountInput {
  /** Percent of the running subtotal. */
  type: 'percentage';
  /** Above 0 to 100, at most two decimals. */
  percentage: number;
  /** What the buyer is told: up to 1,000 characters. */
  description?: string | null;
}

/** Cents off the running subtotal. */
export interface FixedDiscountInput {
  /** Cents off the running subtotal. */
  type: 'fixed';
  /** Cents taken off; not more than the subtotal. */
  amount_cents: number;
  /** What the buyer is told: up to 1,000 characters. */
  description?: string | null;
}

/** Money of a payment that the bank took back, or may take back, unasked. */
export interface Dispute {
  /** Identifier of the dispute. */
  id: string;
  /** Always `dispute`. */
  object: 'dispute';
  /** The payment that is disputed. */
  payment_intent: string;
  /** The invoice that the payment was made for; its status stays. */
  invoice: string;
  /** Who paid. */
  customer: string;
  /** Disputed: what the bank took back, or may take back. Integer cents. */
  amount: number;
  /** Always `brl`. */
  currency: 'brl';
  /** How the payment was made. */
  method: PaymentMethodType;
  /** `med`: money of a PIX went back at the bank by itself, mostly by the rules of the central bank (MED); `chargeback`: the issuer of a card took the money for its holder; `inquiry`: the issuer asks and takes nothing, which no acquirer tells today. */
  kind: DisputeKind;
  /** `fraud`: the payer was deceived or robbed; `operational_error`: a bank paid by mistake; `automatic_debit`: a debit that the payer had not agreed to; `returned_at_bank`: the money was returned at the bank itself, not by a refund of this API; `general`: no reason was told. */
  reason: DisputeReason;
  /** `needs_response`: waits for your evidence; `under_review`: the bank decides; `won`: the money is yours; `lost`: it is not; `closed`: ended without money. A `med` and a `chargeback` are `lost` from their beginning, and `won` if the bank takes its return back. */
  status: DisputeStatus;
  /** `none`: no money moved; `withdrawn`: the bank took it, and it counts in `amount_disputed`; `reinstated`: the bank gave it back. */
  funds: DisputeFunds;
  /** Until when evidence is taken. Unix time, seconds; null where none is, as for a `med`. */
  evidence_due_by: number | null;
  /** When the dispute became known. Unix time, seconds. */
  created: number;
  /** When it was decided. Unix time, seconds; null until then. */
  closed_at: number | null;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
}

/** What the bank does with a payment. */
export interface DisputeBody {
  /** The bank takes money back for this reason; `reversed`: it gives back what it took last. */
  scenario: DisputeScenario;
  /** Cents that the bank takes: at most what is left of the payment, which is the default. Not with `reversed`. */
  amount?: number;
}

/** One page of a list. */
export interface DisputeList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: Dispute[];
}

/** What became of one event at one endpoint. */
export interface EndpointDelivery {
  /** The event that was sent, or is to be. */
  id: string;
  /** Always `endpoint_delivery`. */
  object: 'endpoint_delivery';
  /** The endpoint. */
  webhook_endpoint: string;
  /** What happened. */
  type: EventType;
  /** When it happened. Unix time, seconds. */
  created: number;
  /** Where its newest ladder at this endpoint stands. */
  status: LadderStatus;
  /** Its ladders at this endpoint, newest first, with every attempt. */
  ladders: EndpointDeliveryLadders;
}

/** Ladders, newest first. */
export interface EndpointDeliveryLadders {
  /** Always `list`. */
  object: 'list';
  /** Ladders, newest first. */
  data: Delivery[];
}

/** One page of a list. */
export interface EndpointDeliveryList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: EndpointDelivery[];
}

/** What went wrong. */
export interface ErrorDetail {
  /** The family of the error. */
  type: ErrorType;
  /** What went wrong; branch on this. */
  code: ErrorCode;
  /** What went wrong, in English: the field, the limit and what came. */
  message: string;
  /** Dotted path of the parameter at fault, or null. */
  param: string | null;
  /** Why the card was declined; null otherwise. */
  decline_reason: DeclineReason | null;
  /** With `ACQUIRER_TIMEOUT` the payment intent to read, whose outcome is not known; null otherwise. */
  payment_intent: string | null;
  /** Id of the request, also in the Request-Id header. */
  request_id: string;
  /** Where the code is explained. */
  doc_url: string;
  /** The violations of the request, at most the first 20; the message says how many there are beyond that. */
  errors?: ErrorViolation[];
}

/** One violation of a rule. */
export interface ErrorViolation {
  /** Dotted path of the parameter at fault, or null. */
  param: string | null;
  /** What went wrong; branch on this. */
  code: ErrorCode;
  /** What went wrong, in English: the field, the limit and what came. */
  message: string;
}

/** A fact, frozen at its instant. */
export interface Event {
  /** Identifier of the event; equals the webhook-id header. Deduplicate on it. Events of one object sort by it as they happened. */
  id: string;
  /** Always `event`. */
  object: 'event';
  /** What happened. */
  type: EventType;
  /** When it happened. `created`, then `id` as text, orders all events of one object as they happened. Unix time, seconds. */
  created: number;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** The resource concerned, frozen at the instant of the fact. */
  data: EventData;
}

/** The resource concerned, frozen at the instant of the fact. */
export interface EventData {
  /** The resource, as its own retrieval answered at that instant. */
  object: EventObject;
}

/** What a merchant sells. */
export interface Product {
  /** Identifier of the product. */
  id: string;
  /** Always `product`. */
  object: 'product';
  /** Whether the product can be bought. */
  active: boolean;
  /** When the product was created. Unix time, seconds. */
  created: number;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** Name of the product. */
  name: string;
  /** Description; null when it has none. */
  description: string | null;
  /** Your own code for this object; null when it has none. */
  external_code: string | null;
}

/** What a product costs: once, or each period. */
export interface Price {
  /** Identifier of the price. */
  id: string;
  /** Always `price`. */
  object: 'price';
  /** Whether the price can be used for new purchases. */
  active: boolean;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** When the price was created. Unix time, seconds. */
  created: number;
  /** Always `brl`. */
  currency: 'brl';
  /** The product sold at this price. */
  product: string;
  /** Charged once, or again each period. */
  type: PriceType;
  /** Price of one unit, 0 to 999999. Integer cents. */
  unit_amount: number;
  /** The amount in cents as a string. */
  unit_amount_decimal: string;
  /** The recurrence; only on recurring prices. */
  recurring?: PriceRecurring;
  /** Friendly name; null when it has none. */
  description: string | null;
  /** Your own code for this object; null when it has none. */
  external_code: string | null;
  /** Whether card installments are allowed, as set. */
  card_installments_enabled: boolean;
  /** Most card installments, as set: 1 to 12. */
  max_card_installments: number;
  /** Most installments after all rules: enabled, recurrence, R$ 5,00 each, at most 12. */
  effective_max_card_installments: number;
  /** Whether a buyer can choose more than one installment. */
  installment_selection_available: boolean;
  /** A page of its own that sells one of it to whoever opens it, as long as the price and its product are active. Null for a key that may only read. */
  payment_url: string | null;
}

/** How often a recurring price is charged. */
export interface PriceRecurring {
  /** Unit of the recurrence. */
  interval: RecurrenceInterval;
  /** Units between two charges. */
  interval_count: number;
}

/** What buyers type to redeem a coupon. */
export interface PromotionCode {
  /** Identifier of the promotion code. */
  id: string;
  /** Always `promotion_code`. */
  object: 'promotion_code';
  /** Whether it can be redeemed, as long as its coupon can. */
  active: boolean;
  /** What buyers type: in capitals, whatever case it is typed in. */
  code: string;
  /** The coupon that the code redeems. */
  coupon: string;
  /** When the code was created. Unix time, seconds. */
  created: number;
  /** Who alone may redeem it; null: anybody. */
  customer: string | null;
  /** The last instant it can be redeemed at. Unix time, seconds; null: without an end. */
  expires_at: number | null;
  /** Whether only customers who have paid nothing yet may redeem it. */
  first_time_only: boolean;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** How often it can be redeemed in all; null: without a limit. */
  max_redemptions: number | null;
  /** How often it is redeemed, what is reserved for an open purchase included. */
  times_redeemed: number;
}

/** A coupon that was redeemed for a purchase, with a copy of its terms. */
export interface RedeemedDiscount {
  /** Identifier of the redemption. */
  id: string;
  /** Always `discount`. */
  object: 'discount';
  /** Cents taken off; null when a percentage. */
  amount_cents: number | null;
  /** The coupon. */
  coupon: string;
  /** When the coupon was redeemed: reserved, at first. Unix time, seconds. */
  created: number;
  /** Who redeemed it; null while no buyer is known. */
  customer: string | null;
  /** Bills of a subscription it lasts; null: for ever. */
  cycles: number | null;
  /** What the buyer is told: the name of the coupon. */
  description: string;
  /** The invoice whose payment redeems it, of a subscription its first; null while there is none. */
  invoice: string | null;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** Percent taken off; null when fixed. */
  percentage: number | null;
  /** The promotion code that it was redeemed by; null when by its id. */
  promotion_code: string | null;
  /** Where the redemption stands. */
  status: RedemptionStatus;
  /** The subscription that it was redeemed for; null where for none. */
  subscription: string | null;
  /** How the discount is measured. */
  type: DiscountType;
}

/** A charge or a credit that waits for a bill of a subscription. */
export interface InvoiceItem {
  /** Identifier of the item. */
  id: string;
  /** Always `invoice_item`. */
  object: 'invoice_item';
  /** What it comes to: unit price times quantity. Integer cents. */
  amount: number;
  /** What no bill took yet. Integer cents. */
  amount_remaining: number;
  /** When the item was created. Unix time, seconds. */
  created: number;
  /** Always `brl`. */
  currency: 'brl';
  /** Whose bills it waits for. */
  customer: string;
  /** What the buyer is told. */
  description: string;
  /** The invoice that bills a charge; null while it is pending, and of a credit: invoices list the credits that they used. */
  invoice: string | null;
  /** Of a charge: `one_time`, `setup` (once, with the first bill), `proration` (a change within a period), `penalty` (an end before the minimum term), `late_fine` and `late_interest` (a bill that was paid late; they wait for one that the buyer pays by hand). Of a credit: `granted` (given by you), `proration`, `unused` (the rest of a paid period). */
  kind: InvoiceItemKind;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** Start of what it is for; null where that is no period. Unix time, seconds. */
  period_start: number | null;
  /** End of what it is for. Unix time, seconds. */
  period_end: number | null;
  /** The price that it derives from; null of a credit of an amount. */
  price: string | null;
  /** Units. */
  quantity: number;
  /** Where the item stands. */
  status: InvoiceItemStatus;
  /** The subscription whose bills it waits for; null: whichever of the customer is billed next. */
  subscription: string | null;
  /** The item of the subscription that it is about; null of none. */
  subscription_item: string | null;
  /** What it does to a bill. */
  type: InvoiceItemType;
  /** Price of one unit. Integer cents. */
  unit_amount: number;
}

/** What a customer owes or paid. */
export interface Invoice {
  /** Identifier of the invoice. */
  id: string;
  /** Always `invoice`. */
  object: 'invoice';
  /** What the invoice asks: equals `total`. Integer cents. */
  amount_due: number;
  /** Already paid. Integer cents. */
  amount_paid: number;
  /** Returned; the invoice stays paid. Integer cents. */
  amount_refunded: number;
  /** Taken back by the bank unasked, and not given back; the invoice stays paid. Integer cents. */
  amount_disputed: number;
  /** Fine and interest that payment today would cost, beside `total`; 0 where it is not late, and where it takes no payment. Integer cents. */
  amount_late: number;
  /** Still to pay. Integer cents. */
  amount_remaining: number;
  /** Sum of the line items. Integer cents. */
  subtotal: number;
  /** Line items less discounts and credits. Integer cents. */
  total: number;
  /** Why the invoice was made. */
  billing_reason: BillingReason;
  /** When the invoice was created. Unix time, seconds. */
  created: number;
  /** Always `brl`. */
  currency: 'brl';
  /** Sum of the credits. Integer cents. */
  credit_amount: number;
  /** Credits that were used, oldest first: taken off what the discounts left. */
  credits: InvoiceCredits;
  /** Who pays. */
  customer: string;
  /** The number of the cycle of the subscription that it bills, the first being 1; null on a standalone invoice. */
  cycle: number | null;
  /** E-mail of the customer at creation; null once anonymized. */
  customer_email: string | null;
  /** Name of the customer at creation. */
  customer_name: string;
  /** Description; null when it has none. */
  description: string | null;
  /** Discounts in the order applied. */
  discounts: InvoiceDiscounts;
  /** When the invoice is due. Unix time, seconds. */
  due_at: number;
  /** Your own code for this object; null when it has none. */
  external_code: string | null;
  /** What it costs to pay late, frozen as the invoice was opened; null: nothing. */
  late_fees: LateFees | null;
  /** What was bought. */
  line_items: InvoiceLineItems;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /**
   * Free objects, returned as stored: at most 20, together 8 KiB as JSON.
   *
   * @maxItems 20
   */
  metadata: {
    [k: string]: unknown;
  }[];
  /** Whether the status is `paid`. */
  paid: boolean;
  /** The newest charge of the invoice; null while none was generated. */
  payment_intent: string | null;
  /** Only in the answer of a checkout: how to pay. */
  payment_method?: PaymentMethod;
  /** The page on which the buyer sees and pays the invoice, by PIX or card, for you to share; null until it is open. From 30 days after the invoice was paid, voided or given up the page answers 410. Null for a key that may only read. */
  payment_url: string | null;
  /** End of the period billed, on subscription invoices. Unix time, seconds; null until then. */
  period_end: number | null;
  /** Start of the period billed, on subscription invoices. Unix time, seconds; null until then. */
  period_start: number | null;
  /** The receipt for the buyer, with `.pdf` behind it as a file; null while the invoice is not paid. */
  receipt_url: string | null;
  /** Where the invoice stands. */
  status: InvoiceStatus;
  /** When the invoice reached each status. */
  status_transitions: InvoiceStatusTransitions;
  /** The subscription billed; null on a standalone invoice. */
  subscription: string | null;
}

/** Credits that were used, oldest first. */
export interface InvoiceCredits {
  /** Always `list`. */
  object: 'list';
  /** Credits that were used, oldest first. */
  data: InvoiceCredit[];
}

/** Discounts in the order applied. */
export interface InvoiceDiscounts {
  /** Always `list`. */
  object: 'list';
  /** Discounts in the order applied. */
  data: Discount[];
}

/** What was bought. */
export interface InvoiceLineItems {
  /** Always `list`. */
  object: 'list';
  /** What was bought. */
  data: LineItem[];
}

/** A checkout by PIX: the QR code to pay. */
export interface PaymentMethodByPix {
  /** Identifier of the payment method record. */
  id: string;
  /** Always `payment_method`. */
  object: 'payment_method';
  /** When the payment method was created. Unix time, seconds. */
  created: number;
  /** The buyer pays by PIX. */
  type: 'pix';
  /** The QR code to pay. */
  pix: PixPaymentMethod;
  /** Null: not a card. */
  card: null;
}

/** A PIX QR code. */
export interface PixPaymentMethod {
  /** Image of the QR code: a `data:image/png;base64,` URL. */
  qr_code: string;
  /** The BR Code to copy and paste into a banking app. */
  pix_copy_paste: string;
  /** When the QR code stops being payable. Unix time, seconds. */
  expires: number;
}

/** A checkout by card: what is kept of it. */
export interface PaymentMethodByCard {
  /** Identifier of the payment method record. */
  id: string;
  /** Always `payment_method`. */
  object: 'payment_method';
  /** When the payment method was created. Unix time, seconds. */
  created: number;
  /** The buyer paid by card. */
  type: 'card';
  /** Null: not a PIX. */
  pix: null;
  /** What is kept of the card. */
  card: CardPaymentMethod;
}

/** When the invoice reached each status. */
export interface InvoiceStatusTransitions {
  /** When the invoice became open. Unix time, seconds; null until then. */
  finalized_at: number | null;
  /** When the invoice was paid. Unix time, seconds; null until then. */
  paid_at: number | null;
  /** When the invoice was marked uncollectible. Unix time, seconds; null until then. */
  marked_uncollectible_at: number | null;
  /** When the invoice was voided. Unix time, seconds; null until then. */
  voided_at: number | null;
}

/** The charge record of an invoice. */
export interface PaymentIntent {
  /** Identifier of the payment intent. */
  id: string;
  /** Always `payment_intent`. */
  object: 'payment_intent';
  /** To charge. Integer cents. */
  amount: number;
  /** Returned so far. Integer cents. */
  amount_refunded: number;
  /** Taken back by the bank unasked, and not given back. With `amount_refunded` at most `amount`. Integer cents. */
  amount_disputed: number;
  /** Attempts made so far. */
  attempts: number;
  /** Attempts before the charge stops being reprocessed. */
  max_attempts: number;
  /** When the next automatic attempt is due. Unix time, seconds; null until then. */
  next_attempt: number | null;
  /** When the charge was generated. Unix time, seconds. */
  created: number;
  /** Always `brl`. */
  currency: 'brl';
  /** Who pays. */
  customer: string;
  /** Why the last attempt was declined; null otherwise. */
  decline_reason: DeclineReason | null;
  /** When the invoice is due. Unix time, seconds. */
  due_at: number;
  /** Installments; 1 for a single payment. */
  installments: number;
  /** The invoice that the charge settles. */
  invoice: string;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** The mandate that it is debited by; null: by none. */
  mandate: string | null;
  /** How it is paid; null while no checkout chose a method. */
  payment_method_type: PaymentMethodType | null;
  /** The day on which it is debited next, or was last; null: it is no debit. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  scheduled_for: string | null;
  /** Where the charge stands. */
  status: PaymentIntentStatus;
  /** When the charge reached each status. */
  status_transitions: PaymentIntentStatusTransitions;
  /** The subscription charged; null for a standalone invoice. */
  subscription: string | null;
}

/** When the charge reached each status. */
export interface PaymentIntentStatusTransitions {
  /** When a debit by mandate was last scheduled. Unix time, seconds; null until then. */
  scheduled_at: number | null;
  /** When the charge was last sent to the acquirer. Unix time, seconds; null until then. */
  processing_at: number | null;
  /** When the charge was paid. Unix time, seconds; null until then. */
  paid_at: number | null;
  /** When the charge was last declined. Unix time, seconds; null until then. */
  failed_at: number | null;
  /** When a PIX payment last began to be returned. Unix time, seconds; null until then. */
  refunding_at: number | null;
  /** When all was refunded. Unix time, seconds; null until then. */
  refunded_at: number | null;
  /** When the charge was given up: another took over, or the invoice ended. Unix time, seconds; null until then. */
  discarded_at: number | null;
}

/** What was returned of a payment. */
export interface Refund {
  /** Identifier: that of the payment intent refunded. */
  id: string;
  /** Always `refund`. */
  object: 'refund';
  /** Returned or on its way; in the answer to a creation, of the part just made. Integer cents. */
  amount: number;
  /** Always `brl`. */
  currency: 'brl';
  /** The payment intent refunded. */
  payment_intent: string;
  /** `refunding` while any part is on its way, else `refunded`. */
  status: RefundStatus;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** When the first standing part was asked for; in the answer to a creation, the part just made. Unix time, seconds. */
  created: number;
  /** Every part ever asked for, oldest first, failed ones included. */
  parts: RefundPart[];
}

/** One request to return money of a payment. */
export interface RefundPart {
  /** Of this part. Integer cents. */
  amount: number;
  /** Why the money is returned. */
  reason: RefundReason;
  /** `refunding`: on its way; `refunded`: completed; `failed`: the acquirer refused it. */
  status: RefundPartStatus;
  /** When the part was asked for. Unix time, seconds. */
  created: number;
}

/** Bills a customer for prices, cycle by cycle. */
export interface Subscription {
  /** Identifier of the subscription. */
  id: string;
  /** Always `subscription`. */
  object: 'subscription';
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** Your own code for this object; null when it has none. */
  external_code: string | null;
  /** `scheduled`: begins later; `pending`: awaits its first payment, or the card of its trial; `trialing`; `active`; `paused`: it neither serves nor bills; `suspended` for lack of payment; `inactive`: cancelled. */
  status: SubscriptionStatus;
  /** When the subscription began, or begins. Unix time, seconds. */
  start_date: number;
  /** When its trial began. Unix time, seconds; null until then. */
  trial_start: number | null;
  /** When its trial ends, or ended; null until a trial that is counted in days begins. Unix time, seconds; null until then. */
  trial_end: number | null;
  /** What comes where no card is stored when the trial ends; null: there is no trial. */
  trial_end_behavior: TrialEndBehavior | null;
  /** When it ends by wish; null: nobody asked for that. Unix time, seconds. */
  cancel_at: number | null;
  /** Whether `cancel_at` is the end of the period that is paid for, or of the trial, and follows it. */
  cancel_at_period_end: boolean;
  /** When the subscription ended. Unix time, seconds; null until then. */
  ended: number | null;
  /** Why it ended: `requested` by you or the buyer, `unpaid`, `trial_ended` without a card, or `withdrawal` of the buyer; null until then. */
  canceled_reason: CanceledReason | null;
  /** The pause under way, or the one that was asked for the end of a period; null without one. */
  pause: SubscriptionPauseView | null;
  /** What was said of its end when that was asked for; null: nothing. */
  cancellation: Cancellation | null;
  /** The days of its own by which its bills are collected. */
  collection: SubscriptionCollection;
  /** What it costs to pay its bills late; null: what the account asks as a bill is opened. */
  late_fees: LateFees | null;
  /** The minimum term that it is in; null without one, and once that is over. */
  minimum_term: MinimumTerm | null;
  /** The change that waits for its payment, or for its cycle; null without one. */
  pending_change: SubscriptionChange | null;
  /** What the cycles are computed from: `created` until the first payment, then its instant, the end of the trial or the start that a stored card is charged at, the payment that ended a suspension, the end of the period that a pause interrupted, or the instant at which another interval began. Unix time, seconds. */
  billing_cycle_anchor: number;
  /** When the cycle under way began. Unix time, seconds; null until then. */
  current_period_start: number | null;
  /** When the cycle under way ends. Unix time, seconds; null until then. */
  current_period_end: number | null;
  /** When the subscription was created. Unix time, seconds. */
  created: number;
  /** What the buyer agreed to on the page of a checkout session; null: it was sold otherwise, is not agreed to yet, or its customer was anonymized. */
  consent: SubscriptionConsent | null;
  /** Credits that wait for bills of this subscription alone. Integer cents. */
  credit_balance: number;
  /** Who pays. */
  customer: string;
  /** The mandate of Pix Automático that its buyer is asked for, or authorised; null: there is none. */
  mandate: string | null;
  /** How renewals are paid; null until the first payment is confirmed. */
  payment_method_type: PaymentMethodType | null;
  /** The stored card that its bills are charged to; null: none, or with `payment_method_type` `card` whichever is the customer's default. */
  default_payment_method: string | null;
  /** Installments of each charge: 1 to 12. */
  installments: number;
  /** The newest invoice. */
  latest_invoice: string | null;
  /** The page on which the buyer gives another card or turns to PIX, for you to share; null once inactive. Null for a key that may only read. */
  update_payment_url: string | null;
  /** Discounts in the order applied. */
  discounts: SubscriptionDiscounts;
  /** The first of `items`. */
  item: SubscriptionItem;
  /** What is billed each cycle, 1 to 20 items. */
  items: SubscriptionItems;
  /** Only in the answer of a checkout: how to pay. */
  payment_method?: PaymentMethod;
}

/** A pause of a subscription. */
export interface SubscriptionPauseView {
  /** When it began, or begins. Unix time, seconds. */
  since: number;
  /** When it ends by itself; null: when it is resumed. Unix time, seconds. */
  resumes_at: number | null;
  /** Days of the period under way that are kept for afterwards. */
  days_left: number;
}

/** The days by which the bills of one subscription are collected. */
export interface SubscriptionCollection {
  /** Days after its due date at which a bill is overdue; null: the account's. */
  overdue_days: number | null;
  /** Days after its due date at which a bill suspends the subscription; null: the account's. */
  suspend_days: number | null;
  /** Days after its due date at which a bill ends the subscription; null: the account's. */
  cancel_days: number | null;
  /** Days after its first charge at which the card is charged again for a bill; null: the account's. */
  retry_days: number[] | null;
  /** Days from its due date at which the buyer is reminded of a bill that no card is charged for; null: the account's. */
  reminder_days: number[] | null;
}

/** The minimum term that a subscription is in. */
export interface MinimumTerm {
  /** When it ends; null before the first payment. Unix time, seconds. */
  ends_at: number | null;
  /** How the penalty is computed. */
  penalty_type: PenaltyType;
  /** A percentage, or integer cents. */
  penalty_value: number;
  /** What a cancellation at this instant would charge. Integer cents. */
  penalty_now: number;
}

/** A change of what a subscription bills. */
export interface SubscriptionChange {
  /** Identifier of the change. */
  id: string;
  /** Always `subscription_change`. */
  object: 'subscription_change';
  /** What the rest of the period comes to under the new terms, less their discounts; 0 where no money moves. Integer cents. */
  charge: number;
  /** What was charged for the rest of the period; 0 where no money moves. Integer cents. */
  credit: number;
  /** Charge less credit; below 0 the buyer gets a credit. Integer cents. */
  total: number;
  /** When it was asked for. Unix time, seconds. */
  created: number;
  /** The number of the cycle with which it begins to hold; null where it holds at once. */
  cycle: number | null;
  /** When it was to hold from. */
  effective: ChangeMoment;
  /** When it holds from. Unix time, seconds. */
  effective_at: number;
  /** The invoice of the change alone (`invoice_now`); null without one. */
  invoice: string | null;
  /** The items as they are after it. */
  items_after: SubscriptionChangeItemsAfter;
  /** The items as they were before it. */
  items_before: SubscriptionChangeItemsBefore;
  /** Until when its invoice is to be paid, else it lapses; null without one. Unix time, seconds. */
  lapses_at: number | null;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** What became of the rest of the period. */
  proration: ChangeProration;
  /** Where it stands. */
  status: SubscriptionChangeStatus;
  /** The subscription. */
  subscription: string;
}

/** The items as they are after it. */
export interface SubscriptionChangeItemsAfter {
  /** Always `list`. */
  object: 'list';
  /** The items as they are after it. */
  data: SubscriptionChangeItem[];
}

/** The items as they were before it. */
export interface SubscriptionChangeItemsBefore {
  /** Always `list`. */
  object: 'list';
  /** The items as they were before it. */
  data: SubscriptionChangeItem[];
}

/** What the buyer of a subscription agreed to on the page that sold it. */
export interface SubscriptionConsent {
  /** When the buyer agreed, by paying or by giving the first card. Unix time, seconds. */
  at: number;
  /** The address that the buyer came from. */
  ip: string;
  /** What the page said beside the button, in the language of the buyer, with the addresses of your terms and privacy policy at that moment. */
  text: string;
}

/** Discounts in the order applied. */
export interface SubscriptionDiscounts {
  /** Always `list`. */
  object: 'list';
  /** Discounts in the order applied. */
  data: SubscriptionDiscount[];
}

/** A discount of the bills of a subscription. */
export interface SubscriptionDiscount {
  /** How the discount is measured. */
  type: DiscountType;
  /** Cents taken off each bill; null when a percentage. */
  amount: number | null;
  /** Percent of the running subtotal; null when fixed. */
  percentage: number | null;
  /** Bills it lasts, counted from the first; null: for ever. */
  cycles: number | null;
  /** What the buyer is told: the name of the coupon; null without one. */
  description: string | null;
  /** The redemption of a coupon that gives it; null when no coupon does. */
  redemption: string | null;
  /** The coupon that gives it; null when none does. */
  coupon: string | null;
  /** The promotion code that the coupon was redeemed by; null when by its id, or without a coupon. */
  promotion_code: string | null;
  /** The items it takes something off, by their products or prices; null: all of them. */
  applies_to: CouponAppliesTo | null;
}

/** What a subscription bills each cycle. */
export interface SubscriptionItem {
  /** Identifier of the item. */
  id: string;
  /** Always `subscription_item`. */
  object: 'subscription_item';
  /** When the item was created. Unix time, seconds. */
  created: number;
  /** When the cycle under way began. Unix time, seconds; null until then. */
  current_period_start: number | null;
  /** When the cycle under way ends. Unix time, seconds; null until then. */
  current_period_end: number | null;
  /** Units billed each cycle. */
  quantity: number;
  /** The subscription. */
  subscription: string;
  /** What is billed. */
  price: SubscriptionPrice;
}

/** Summary of the price that a subscription bills. */
export interface SubscriptionPrice {
  /** The price. */
  id: string;
  /** Always `price`. */
  object: 'price';
  /** Whether the price can be bought anew; renewals go on without. */
  active: boolean;
  /** When the price was created. Unix time, seconds. */
  created: number;
  /** Always `brl`. */
  currency: 'brl';
  /** What is sold. */
  product: string;
  /** Always `recurring`. */
  type: 'recurring';
  /** Unit of the recurrence. */
  interval: RecurrenceInterval;
  /** Units between two charges. */
  interval_count: number;
  /** Of one unit in one cycle. Integer cents. */
  unit_amount: number;
  /** The amount in cents as a string. */
  unit_amount_decimal: string;
  /** The price's description; null when it has none. */
  nickname: string | null;
}

/** What is billed each cycle. */
export interface SubscriptionItems {
  /** Always `list`. */
  object: 'list';
  /** What is billed each cycle. */
  data: SubscriptionItem[];
}

/** A page that sells the same to whoever opens it, again and again. */
export interface PaymentLink {
  /** Identifier of the payment link. */
  id: string;
  /** Always `payment_link`. */
  object: 'payment_link';
  /** Whether it is switched on. */
  active: boolean;
  /** Whether its sessions take a promotion code on the page. */
  allow_promotion_codes: boolean;
  /** What a buyer pays where the link sells an amount. Integer cents; null where it sells `line_items`. */
  amount: number | null;
  /** When the payment link was created. Unix time, seconds. */
  created: number;
  /** Always `brl`. */
  currency: 'brl';
  /** What the amount is for, as buyers read it; null where the link sells `line_items`. */
  description: string | null;
  /** From then on it sells nothing. Unix time, seconds; null: without an end. */
  expires_at: number | null;
  /** Your own code for this object; null when it has none. */
  external_code: string | null;
  /** What each buyer buys; null where the link sells an amount. */
  line_items: PaymentLinkItems | null;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /**
   * Free objects, returned as stored: at most 20, together 8 KiB as JSON.
   *
   * @maxItems 20
   */
  metadata: {
    [k: string]: unknown;
  }[];
  /** How often it sells in all; null: without a limit. */
  max_sales: number | null;
  /** `subscription` where one of its prices recurs, else `payment`: the mode of the sessions that it opens. */
  mode: CheckoutSessionMode;
  /** Open checkout sessions of it: each holds one of the sales until it is paid or expires. */
  reserved: number;
  /** Where a buyer returns without paying; null: the page offers no way back. */
  return_url: string | null;
  /** How often it was paid. */
  sales: number;
  /** What was sent as `subscription`: how each subscription that it sells begins, and how long it lasts at least; null: with its first payment, and without a minimum term. */
  subscription_terms: PaymentLinkTerms | null;
  /** Where a buyer goes after paying; null: the page stays and shows the receipt. */
  success_url: string | null;
  /** The page to share. Each buyer who opens it gets a checkout session of their own. Null for a key that may only read. */
  url: string | null;
}

/** What each buyer buys. */
export interface PaymentLinkItems {
  /** Always `list`. */
  object: 'list';
  /** What each buyer buys. */
  data: SessionLineItem[];
}

/** How each subscription of a payment link begins, how long it lasts at least, and what late payment costs. */
export interface PaymentLinkTerms {
  /** Null: there is none. */
  trial: PaymentLinkTrial | null;
  /** Null: there is none. */
  minimum_term: PaymentLinkMinimumTerm | null;
  /** What late payment costs; null: what the account asks at each bill. */
  late_fees: LateFees | null;
}

/** Time for which nothing is billed before the first cycle. */
export interface PaymentLinkTrial {
  /** Days from the beginning of each subscription. */
  days: number;
  /** Whether the trial begins with a card, which is not charged. */
  requires_payment_method: boolean;
  /** What comes after it where no card is stored. */
  end_behavior: TrialEndBehavior;
}

/** How long a subscription lasts at least. */
export interface PaymentLinkMinimumTerm {
  /** Cycles that it lasts from the first payment. */
  cycles: number;
  /** How the penalty is computed. */
  penalty_type: PenaltyType;
  /** A percentage, or integer cents. */
  penalty_value: number;
}

/** A card that a customer left for what renews. */
export interface StoredPaymentMethod {
  /** Identifier of the payment method. */
  id: string;
  /** Always `payment_method`. */
  object: 'payment_method';
  /** A card: a PIX has nothing to store. */
  type: 'card';
  /** What is kept of the card. */
  card: StoredCard;
  /** When the acquirer told that the card was closed; its next charge is declined for good. Unix time, seconds; null until then. */
  closed_at: number | null;
  /** From which address the buyer agreed to the storing, on a page of Fatura; null: you asked the buyer. */
  consent_ip: string | null;
  /** When the card was taken in. Unix time, seconds. */
  created: number;
  /** Whose card it is. */
  customer: string;
  /** Whether subscriptions that name no card of their own are charged to it; at most one of a customer is. */
  is_default: boolean;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** When it was stored: its first charge was approved, or it was verified. Unix time, seconds. */
  stored_at: number;
  /**
   * Not in events: the subscriptions that are charged to it, the oldest 100.
   *
   * Items: A subscription.
   */
  subscriptions?: string[];
}

/** What is kept of a stored card. */
export interface StoredCard {
  /** Brand of the card. */
  brand: CardBrand;
  /** Last four digits of the card. */
  last4: string;
  /** Month the card expires in: 1 to 12. */
  exp_month: number;
  /** Year the card expires in. */
  exp_year: number;
}

/** What a buyer authorised to be debited each period: Pix Automático. */
export interface Mandate {
  /** Identifier of the mandate. */
  id: string;
  /** Always `mandate`. */
  object: 'mandate';
  /** Whether a debit that failed is tried again within seven days. */
  accepts_retries: boolean;
  /** When the buyer authorised. Unix time, seconds; null until then. */
  activated_at: number | null;
  /** The amount of each debit; null: each has its own. Integer cents. */
  amount: number | null;
  /** `variable`: each debit has its own amount; `fixed`: all have `amount`. */
  amount_type: MandateAmountType;
  /** The bank of the buyer. */
  bank: MandateBank;
  /** When the mandate was created. Unix time, seconds. */
  created: number;
  /** Who authorises. */
  customer: string;
  /** Why it failed or ended; null until then. */
  end_reason: MandateEndReason | null;
  /** When it failed or ended. Unix time, seconds; null until then. */
  ended_at: number | null;
  /** Always null: a mandate has no last day. */
  ends_on: null;
  /** The unit of its period. */
  interval: MandateInterval;
  /** How many of them its period has. */
  interval_count: number;
  /** `first_payment`: the QR code pays the first bill and authorises; `mandate_only`: it authorises alone. */
  journey: MandateJourney;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** No limit that the buyer sets lies below it; null: there is none. Integer cents. */
  minimum_amount: number | null;
  /** Of a pending one: the QR code to authorise by; null until the acquirer has made it, in lists and in events. */
  qr: MandateQr | null;
  /** The first day on which may be debited. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  starts_on: string;
  /** `pending`: the buyer has not authorised yet; `active`: renewals are debited; `failed`: it was never authorised; `ended`: nothing is debited any more. */
  status: MandateStatus;
  /** The subscription whose bills are debited. */
  subscription: string;
}

/** The bank of the buyer. */
export interface MandateBank {
  /** Name of the bank; null: it is not told. */
  name: string | null;
  /** Number of the bank (ISPB); null: it is not told. */
  ispb: string | null;
}

/** The QR code by which a buyer authorises. */
export interface MandateQr {
  /** The BR Code to copy and paste into a banking app. */
  copy_paste: string;
  /** Image of the QR code: a `data:image/png;base64,` URL. */
  image_url: string;
  /** Until when it may be authorised. Unix time, seconds. */
  expires_at: number;
}

/** A filtered list as a file. */
export interface Export {
  /** Identifier of the export. */
  id: string;
  /** Always `export`. */
  object: 'export';
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** When the export was asked for. Unix time, seconds. */
  created: number;
  /** Of which list it is. */
  type: ExportType;
  /** The filters, as they were sent. */
  filters: {
    [k: string]: string | number | boolean;
  };
  /** The columns of the file, in their order. */
  columns: string[];
  /** `pending`: the file is being written; `completed`: it can be fetched; `failed`: the list has more than 1,000,000 rows, or the file was not written within 24 hours. */
  status: ExportStatus;
  /** Rows written so far, without the header. */
  rows: number;
  /** Where the file is fetched, without a key; null unless the export is completed and has not expired. Null for a key that may only read. */
  url: string | null;
  /** Until when the file can be fetched: 24 hours from its completion. Unix time, seconds; null until then. */
  expires_at: number | null;
  /** When the file was written. Unix time, seconds; null until then. */
  completed_at: number | null;
}

/** What became of an event at the endpoints that subscribe to it. */
export interface EventDeliveries {
  /** Always `event_deliveries`. */
  object: 'event_deliveries';
  /** The event. */
  event: string;
  /** `pending`: something is still scheduled; `delivered`: all accepted; `failed`: a ladder ended; `not_sent`: nobody subscribed. */
  delivery_status: DeliveryStatus;
  /** Its newest 20 ladders: the newest of each endpoint first, then the ones before those. */
  deliveries: EventDeliveryLadders;
}

/** Ladders, newest first. */
export interface EventDeliveryLadders {
  /** Always `list`. */
  object: 'list';
  /** Ladders, newest first. */
  data: Delivery[];
}

/** What happened on the account behind a cursor. */
export interface EventFeed {
  /** Always `event_feed`. */
  object: 'event_feed';
  /** At most 100 events and about 1 MiB, in the order they happened; one that was committed later than younger ones comes when it is. */
  data: Event[];
  /** Where the feed goes on: give it with the next request. */
  cursor: string;
  /** false: more is there already, ask again at once. */
  caught_up: boolean;
}

/** One page of a list. */
export interface EventList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: Event[];
}

/** An export of invoices. */
export interface InvoicesExport {
  /** Always `invoices`. */
  type: 'invoices';
  /** The filters of `GET /api/v1/invoices`; default none. */
  filters?: InvoicesExportFilters;
  /**
   * Which columns the file has, in this order; default all.
   *
   * @minItems 1
   * @maxItems 27
   */
  columns?: InvoicesExportColumn[];
}

/** The filters of `GET /api/v1/invoices`, all of which hold. */
export interface InvoicesExportFilters {
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /**
   * Only these invoices, up to 100; repeat the parameter for several.
   *
   * Items: Identifier of an object.
   */
  ids?: string[];
  /** Only invoices of this customer. */
  customer_id?: string;
  /** Only invoices of this subscription. */
  subscription_id?: string;
  /** Only invoices in this status. */
  status?: InvoiceStatus;
  /** Only the invoice with this external_code. */
  external_code?: string;
  /** Only invoices whose newest charge is by this method; a returned surplus payment is none. */
  payment_method_type?: PaymentMethodType;
  /** Only of at least so many cents. */
  amount_gte?: number;
  /** Only of at most so many cents. */
  amount_lte?: number;
  /** Only what was paid at or after this instant. Unix time, seconds. */
  paid_at_gte?: number;
  /** Only what was paid at or before this instant. Unix time, seconds. */
  paid_at_lte?: number;
}

/** An export of payment_intents. */
export interface PaymentIntentsExport {
  /** Always `payment_intents`. */
  type: 'payment_intents';
  /** The filters of `GET /api/v1/payment_intents`; default none. */
  filters?: PaymentIntentsExportFilters;
  /**
   * Which columns the file has, in this order; default all.
   *
   * @minItems 1
   * @maxItems 22
   */
  columns?: PaymentIntentsExportColumn[];
}

/** The filters of `GET /api/v1/payment_intents`, all of which hold. */
export interface PaymentIntentsExportFilters {
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only charges of this customer. */
  customer_id?: string;
  /** Only charges of this invoice, returned surplus payments among them. */
  invoice_id?: string;
  /** Only charges in this status. */
  status?: PaymentIntentStatus;
  /** Only charges by this method. */
  payment_method_type?: PaymentMethodType;
  /** Only of at least so many cents. */
  amount_gte?: number;
  /** Only of at most so many cents. */
  amount_lte?: number;
  /** Only what was paid at or after this instant. Unix time, seconds. */
  paid_at_gte?: number;
  /** Only what was paid at or before this instant. Unix time, seconds. */
  paid_at_lte?: number;
}

/** An export of subscriptions. */
export interface SubscriptionsExport {
  /** Always `subscriptions`. */
  type: 'subscriptions';
  /** The filters of `GET /api/v1/subscriptions`; default none. */
  filters?: SubscriptionsExportFilters;
  /**
   * Which columns the file has, in this order; default all.
   *
   * @minItems 1
   * @maxItems 20
   */
  columns?: SubscriptionsExportColumn[];
}

/** The filters of `GET /api/v1/subscriptions`, all of which hold. */
export interface SubscriptionsExportFilters {
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only subscriptions of this customer. */
  customer_id?: string;
  /** Only subscriptions of this price. */
  price_id?: string;
  /** Only subscriptions in this status. */
  status?: SubscriptionStatus;
  /** Only subscriptions with this external_code. */
  external_code?: string;
}

/** An export of refunds. */
export interface RefundsExport {
  /** Always `refunds`. */
  type: 'refunds';
  /** The filters of `GET /api/v1/refunds`; default none. */
  filters?: RefundsExportFilters;
  /**
   * Which columns the file has, in this order; default all.
   *
   * @minItems 1
   * @maxItems 5
   */
  columns?: RefundsExportColumn[];
}

/** The filters of `GET /api/v1/refunds`, all of which hold. */
export interface RefundsExportFilters {
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
}

/** An export of pix_receipts. */
export interface PixReceiptsExport {
  /** Always `pix_receipts`. */
  type: 'pix_receipts';
  /** The filters of `GET /api/v1/pix_receipts`; default none. */
  filters?: PixReceiptsExportFilters;
  /**
   * Which columns the file has, in this order; default all.
   *
   * @minItems 1
   * @maxItems 13
   */
  columns?: PixReceiptsExportColumn[];
}

/** The filters of `GET /api/v1/pix_receipts`, all of which hold. */
export interface PixReceiptsExportFilters {
  /** Only what was paid at or after this instant. Unix time, seconds. */
  paid_at_gte?: number;
  /** Only what was paid at or before this instant. Unix time, seconds. */
  paid_at_lte?: number;
}

/** One page of a list. */
export interface ExportList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: Export[];
}

/** A new standalone invoice. */
export interface InvoiceCreate {
  /** Who pays: an existing customer. */
  customer_id?: string;
  /** Who pays: a customer to create with the invoice. */
  customer?: CustomerCreate;
  /**
   * 1 to 100 lines of one-time prices.
   *
   * @minItems 1
   * @maxItems 100
   */
  line_items: LineItemInput[];
  /** Your own code for this object, unique in the account and mode (1 to 255 characters). */
  external_code?: string | null;
  /** Description: up to 1,000 characters. */
  description?: string | null;
  /**
   * At most 10, applied in order.
   *
   * @maxItems 10
   */
  discounts?: DiscountInput[];
  /** A coupon to redeem; at most 9 discounts beside it, which come after it. */
  coupon_id?: string;
  /** The text of a promotion code to redeem, in any case; in the place of `coupon_id`. */
  promotion_code?: string;
  /** When the invoice is due: from now to 365 days on; default 3 days. Unix time, seconds. */
  due_at?: number;
  /** Whether to keep the invoice a draft; default false: it is open at once. */
  draft?: boolean;
  /**
   * Free objects, returned as stored: at most 20, together 8 KiB as JSON.
   *
   * @maxItems 20
   */
  metadata?: {
    [k: string]: unknown;
  }[];
}

/** A later due date. */
export interface InvoiceExtend {
  /** When the invoice is due from now on: later than it is, at most 365 days from now. Unix time, seconds. */
  due_at: number;
}

/** A new charge or credit. */
export interface InvoiceItemCreate {
  /** Whose next bill it waits for, of whichever subscription. */
  customer_id?: string;
  /** The subscription whose next bill it waits for. */
  subscription_id?: string;
  /** What it does to that bill. */
  type: InvoiceItemType;
  /** A one-time, active price of what it is for. */
  price_id?: string;
  /** Units of the price: 1 to 999; default 1. */
  quantity?: number;
  /** In the place of `price_id`: integer cents, 1 to 999,999. */
  amount?: number;
  /** What the buyer is told: up to 1,000 characters. Required with an amount; with a price by default the name of its product. */
  description?: string;
}

/** One page of a list. */
export interface InvoiceItemList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: InvoiceItem[];
}

/** One page of a list. */
export interface InvoiceList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: Invoice[];
}

/** Changes of a draft: an absent field keeps, null clears: no discounts, no coupon, no metadata, due 3 days from now. */
export interface InvoiceUpdate {
  /**
   * 1 to 100 lines of one-time prices.
   *
   * @minItems 1
   * @maxItems 100
   */
  line_items?: LineItemInput[];
  /** Your own code for this object, unique in the account and mode (1 to 255 characters). */
  external_code?: string | null;
  /** Description: up to 1,000 characters. */
  description?: string | null;
  /** At most 10, applied in order. */
  discounts?: DiscountInput[] | null;
  /** A coupon to redeem; at most 9 discounts beside it, which come after it. */
  coupon_id?: string | null;
  /** The text of a promotion code to redeem, in any case; in the place of `coupon_id`. */
  promotion_code?: string | null;
  /** When the invoice is due: from now to 365 days on; default 3 days. Unix time, seconds. */
  due_at?: number | null;
  /** Free objects, returned as stored: at most 20, together 8 KiB as JSON. */
  metadata?:
    | {
        [k: string]: unknown;
      }[]
    | null;
}

/** An e-mail that was written for the account, to a buyer or to you. */
export interface Mail {
  /** Identifier of the e-mail. */
  id: string;
  /** Always `mail`. */
  object: 'mail';
  /** Why it was written: to you about a webhook endpoint (`endpoint_failing`, `endpoint_disabled`), your acquirer (`acquirer_certificate_ending`) or your account (`account_changed`), or to a buyer. */
  occasion: MailOccasion;
  /** Of a reminder, days from the due date, -7 to 30: one of `reminder_days`. Null for any other e-mail. */
  day: number | null;
  /** The e-mail address; null once it was erased, 30 days after it was written or with the data of the customer. */
  recipient: string | null;
  /** The subject; null once it was erased. */
  subject: string | null;
  /** The text as it is sent; null once it was erased. A link by which its reader acts ends in `***` for a key that may only read, and one that confirms the address for every key. */
  text: string | null;
  /** `queued`: it waits; `sent`: the mail server took it; `failed`: it was refused; `dropped`: nobody wants it any more; `held`: a limit of the day was used up; `kept`: one of the sandbox to another address than your own, which is never sent. */
  status: MailStatus;
  /** Why it was not sent; null when it was, waits, or none was told. */
  reason: string | null;
  /** When it was written. Unix time, seconds. */
  created: number;
  /** When it was sent, in real time. Unix time, seconds; null until then. */
  sent_at: number | null;
  /** The customer that it is written to. Null when it is about none. */
  customer: string | null;
  /** The invoice that it is about. Null when it is about none. */
  invoice: string | null;
  /** The subscription that it is about, or of whose invoice it is. Null when it is about none. */
  subscription: string | null;
  /** The webhook endpoint that it is about. Null when it is about none. */
  webhook_endpoint: string | null;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
}

/** One page of a list. */
export interface MailList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: Mail[];
}

/** Who ends the mandate. */
export interface MandateCancelBody {
  /** `payer`: the buyer; `payer_bank`: their bank by itself. */
  by: MandatePayer;
}

/** What a buyer is asked to authorise. */
export interface MandateInput {
  /** The buyer authorises alone; to pay and authorise at once, check out by `pix_automatico`. */
  journey: 'mandate_only';
  /** `variable`, the default, or `fixed`: each debit has the amount of the present renewal, and another price needs another mandate. */
  amount_type?: MandateAmountType;
  /** No limit that the buyer sets lies below it. Not with `fixed`. Integer cents. */
  minimum_amount?: number;
}

/** One page of a list. */
export interface MandateList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: Mandate[];
}

/** What somebody of the merchant wrote down of a customer. Buyers never see it. */
export interface Note {
  /** Identifier of the note. */
  id: string;
  /** Always `note`. */
  object: 'note';
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** When the note was written. Unix time, seconds. */
  created: number;
  /** The customer that the note is about. */
  customer: string;
  /** What it says; null once the customer is anonymized. */
  text: string | null;
  /** Who wrote it, as the audit log names it. */
  author: AuditActor;
}

/** A new note. */
export interface NoteCreate {
  /** What it says: 1 to 5,000 characters. */
  text: string;
}

/** One page of a list. */
export interface NoteList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: Note[];
}

/** What the buyer does. */
export interface PayPixBody {
  /** `paid`: the buyer pays; `paid_twice`: pays the QR code again; `paid_late`: pays after its end, whatever the state; `confirmed_not_settled`: paid now, settled 60 s later. */
  scenario: PixScenario;
}

/** One page of a list. */
export interface PaymentIntentList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: PaymentIntent[];
}

/** A new payment link: of prices, or of an amount. */
export interface PaymentLinkCreate {
  /**
   * What each buyer buys: 1 to 100 lines of one-time prices; or 1 to 20 recurring prices of one recurrence, each once, and up to 10 one-time prices, which the first bill asks for.
   *
   * @minItems 1
   * @maxItems 200
   */
  line_items?: LineItemInput[];
  /** In the place of `line_items`: what each buyer pays. Integer cents, 1 to 999999. */
  amount?: number;
  /** What the amount is for, as buyers read it: 1 to 250 characters. */
  description?: string;
  /** Only where one of the prices recurs: a trial, a minimum term. With a trial the page stores a card and charges nothing. */
  subscription?: PaymentLinkTermsInput;
  /** How often it sells in all: 1 to 1,000,000; null: without a limit. */
  max_sales?: number | null;
  /** From then on it sells nothing; lies ahead. Null: without an end. Unix time, seconds. */
  expires_at?: number | null;
  /** Whether it is switched on; default true. */
  active?: boolean;
  /** Whether its sessions have a field for a promotion code; default false. */
  allow_promotion_codes?: boolean;
  /**
   * Free objects, returned as stored: at most 20, together 8 KiB as JSON.
   *
   * @maxItems 20
   */
  metadata?: {
    [k: string]: unknown;
  }[];
  /** Where a buyer goes after paying: https, in the sandbox http as well, up to 2,048 characters. `{CHECKOUT_SESSION_ID}` in it is filled in. Null: the page stays and shows the receipt. */
  success_url?: string | null;
  /** Where a buyer returns without paying: https, in the sandbox http as well, up to 2,048 characters. Null: the page offers no way back. */
  return_url?: string | null;
  /** Your own code for this object, unique in the account and mode (1 to 255 characters). */
  external_code?: string | null;
}

/** How each subscription that a payment link sells begins, how long it lasts at least, and what late payment costs. */
export interface PaymentLinkTermsInput {
  /** Nothing is billed for so long before the first cycle. */
  trial?: PaymentLinkTrialInput;
  /** How long it lasts at least, and what an earlier end costs. */
  minimum_term?: MinimumTermInput;
  /** What it costs to pay its bills late; absent: what the account asks at each bill. */
  late_fees?: LateFeesInput;
}

/** Time for which nothing is billed before the first cycle. */
export interface PaymentLinkTrialInput {
  /** 1 to 730 days, counted for each buyer from the beginning of their subscription. */
  days: number;
  /** Whether the trial begins with a card, which a checkout stores and does not charge; `true` by default. */
  requires_payment_method?: boolean;
  /** `invoice`, by default: the first invoice waits 7 days for its payment; `cancel`: the subscription ends; `pause`: it is paused until a checkout stores a card. */
  end_behavior?: TrialEndBehavior;
}

/** One page of a list. */
export interface PaymentLinkList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: PaymentLink[];
}

/** Changes of a payment link: an absent field keeps, null clears. What it sells never changes; sessions that are open go on. */
export interface PaymentLinkUpdate {
  /** How often it sells in all: 1 to 1,000,000; null: without a limit. Not below what is sold and reserved. */
  max_sales?: number | null;
  /** From then on it sells nothing; lies ahead. Null: without an end. Unix time, seconds. */
  expires_at?: number | null;
  /** Whether it is switched on; default true. */
  active?: boolean;
  /** Whether its sessions have a field for a promotion code; default false. */
  allow_promotion_codes?: boolean;
  /**
   * Free objects, returned as stored: at most 20, together 8 KiB as JSON.
   *
   * @maxItems 20
   */
  metadata?: {
    [k: string]: unknown;
  }[];
  /** Where a buyer goes after paying: https, in the sandbox http as well, up to 2,048 characters. `{CHECKOUT_SESSION_ID}` in it is filled in. Null: the page stays and shows the receipt. */
  success_url?: string | null;
  /** Where a buyer returns without paying: https, in the sandbox http as well, up to 2,048 characters. Null: the page offers no way back. */
  return_url?: string | null;
  /** Your own code for this object, unique in the account and mode (1 to 255 characters). */
  external_code?: string | null;
}

/** Money of one PIX, as the bank received it. */
export interface PixReceipt {
  /** The end-to-end id, by which banks know the payment. */
  id: string;
  /** Always `pix_receipt`. */
  object: 'pix_receipt';
  /** The txid of the QR code that was paid. */
  txid: string;
  /** When the bank received it. Unix time, seconds. */
  paid_at: number;
  /** Received. Integer cents. */
  amount: number;
  /** What the QR code asked for. Integer cents. */
  charged: number;
  /** Received less charged. Integer cents. */
  difference: number;
  /** `settled`: it paid its invoice; `surplus`: it was not needed and goes back by itself; `undecided`: it waits for a charge by card. */
  result: PixReceiptResult;
  /** What went back of it so far. Integer cents. */
  amount_refunded: number;
  /** What the bank took back of it unasked, and did not give back. Integer cents. */
  amount_disputed: number;
  /** Its payment intent; null while it is undecided. */
  payment_intent: string | null;
  /** The invoice whose QR code was paid. */
  invoice: string;
  /** Whose invoice it is. */
  customer: string;
  /** The name of the customer, as the invoice has it. */
  customer_name: string;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
}

/** One page of a list. */
export interface PixReceiptList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: PixReceipt[];
}

/** A link by which a customer sees and changes what the account has of them. */
export interface PortalLink {
  /** Always `portal_link`. */
  object: 'portal_link';
  /** The customer who acts there. */
  customer: string;
  /** The page. Whoever has the link acts for the customer, so it is shown in this answer alone. */
  url: string;
  /** When the link ends, in real time. Unix time, seconds. */
  expires_at: number;
}

/** A link to what an account has of a customer. */
export interface PortalLinkInput {
  /** Where the page leads back to, at the shop. */
  return_url?: string;
  /** For how long the link opens the page: 300 to 86,400 seconds of real time; 3,600 without it. */
  expires_in?: number;
}

/** A new price. */
export interface PriceCreate {
  /** The product sold at this price. */
  product_id: string;
  /** Price of one unit. Integer cents, 0 to 999999. */
  unit_amount: number;
  /** Charged once, or again each period. */
  type: PriceType;
  /** The recurrence: required for `recurring`, refused for `one_time`. */
  recurring?: PriceRecurringCreate;
  /** Friendly name of the price: up to 1,000 characters. */
  description?: string | null;
  /** Your own code for this object, unique in the account and mode (1 to 255 characters). */
  external_code?: string | null;
  /** Whether the price can be used for new purchases; default true. */
  active?: boolean;
  /** Whether card installments are allowed; default false. */
  card_installments_enabled?: boolean;
  /** Most card installments: 1 to 12, default 12. */
  max_card_installments?: number;
}

/** How often the price is charged. */
export interface PriceRecurringCreate {
  /** Unit of the recurrence. */
  interval: RecurrenceInterval;
  /** Units between two charges: at least 1, at most 36 months in all; default 1. */
  interval_count?: number;
}

/** One page of a list. */
export interface PriceList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: Price[];
}

/** Changes of a price: an absent field keeps, null clears. Amount, type and recurrence never change. */
export interface PriceUpdate {
  /** Whether the price can be used for new purchases; default true. */
  active?: boolean;
  /** Friendly name of the price: up to 1,000 characters. */
  description?: string | null;
  /** Your own code for this object, unique in the account and mode (1 to 255 characters). */
  external_code?: string | null;
  /** Whether card installments are allowed; default false. */
  card_installments_enabled?: boolean;
  /** Most card installments: 1 to 12, default 12. */
  max_card_installments?: number;
}

/** A new product. */
export interface ProductCreate {
  /** Name of the product: 1 to 250 characters. */
  name: string;
  /** Description of the product: up to 1,000 characters. */
  description?: string | null;
  /** Whether the product can be bought; default true. */
  active?: boolean;
  /** Your own code for this object, unique in the account and mode (1 to 255 characters). */
  external_code?: string | null;
}

/** One page of a list. */
export interface ProductList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: Product[];
}

/** Changes of a product: an absent field keeps, null clears. */
export interface ProductUpdate {
  /** Name of the product: 1 to 250 characters. */
  name?: string;
  /** Description of the product: up to 1,000 characters. */
  description?: string | null;
  /** Whether the product can be bought; default true. */
  active?: boolean;
  /** Your own code for this object, unique in the account and mode (1 to 255 characters). */
  external_code?: string | null;
}

/** A new promotion code. */
export interface PromotionCodeCreate {
  /** The coupon that the code redeems. */
  coupon_id: string;
  /** What buyers type: 3 to 40 of A-Z, 0-9 and -. Compared in capitals, unique among the active codes. */
  code: string;
  /** Who alone may redeem it. */
  customer_id?: string | null;
  /** Whether only customers who have paid nothing yet may redeem it; default false. */
  first_time_only?: boolean;
  /** How often it can be redeemed in all: 1 to 1,000,000; absent: without a limit. */
  max_redemptions?: number | null;
  /** The last instant it can be redeemed at, which lies ahead; absent: without an end. Unix time, seconds. */
  expires_at?: number | null;
  /** Whether it can be redeemed; default true. */
  active?: boolean;
}

/** One page of a list. */
export interface PromotionCodeList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: PromotionCode[];
}

/** Changes of a promotion code: an absent field keeps, null clears. */
export interface PromotionCodeUpdate {
  /** Whether it can be redeemed; default true. */
  active?: boolean;
  /** The last instant it can be redeemed at, which lies ahead; absent: without an end. Unix time, seconds. */
  expires_at?: number | null;
}

/** A refund, whole or in part. */
export interface RefundCreate {
  /** The payment intent to refund. */
  payment_intent: string;
  /** Cents to return: at least 1, at most what is left; default all that is left. */
  amount?: number;
  /** Cents that are left to return, as you saw them before: what was paid, less what is returned, on its way or disputed. Where as much is not left any more, nothing is returned; so two people who refund at once do not do it twice. */
  expected_remaining?: number;
  /** Why the money is returned; default `requested_by_customer`. */
  reason?: RefundReason;
}

/** One page of a list. */
export interface RefundList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: Refund[];
}

/** Where an event is sent again: absent, to every endpoint that subscribes now. */
export interface ResendBody {
  /** Only to this endpoint. */
  webhook_endpoint_id?: string;
}

/** What a query names, each group newest first. */
export interface Search {
  /** Always `search`. */
  object: 'search';
  /** What was looked for. */
  query: string;
  /** Customers that the query names. */
  customers: Customer[];
  /** Invoices that it names, then the newest of those customers. */
  invoices: Invoice[];
  /** Charges that it names, then the newest of those customers. */
  payment_intents: PaymentIntent[];
  /** Subscriptions that it names, then the newest of those customers. */
  subscriptions: Subscription[];
  /** Checkout sessions that it names, then the newest of those customers. */
  checkout_sessions: CheckoutSession[];
}

/** One page of a list. */
export interface StoredPaymentMethodList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: StoredPaymentMethod[];
}

/** When a subscription ends, and what becomes of what was paid. */
export interface SubscriptionCancel {
  /** `now`, by default; `period_end`: the end of the last period that is paid for; or an instant within two years. Unix time, seconds. */
  at?: CancelMoment | number;
  /** What becomes of the rest of a paid period: `none`, by default; `credit`: later bills of the customer use it; `refund`: it is returned from the last payments. */
  unused?: UnusedPeriod;
  /** `apply`, by default: an end before the minimum term charges its penalty; `waive`. */
  penalty?: PenaltyChoice;
  /** `true`: the buyer withdraws within 7 days of the first payment. What was paid is refunded whole, and there is no penalty. */
  withdrawal?: boolean;
  /** Why the buyer leaves, for your reports. */
  reason?: CancellationReason;
  /** What the buyer says of it: up to 1,000 characters. */
  comment?: string;
}

/** A change of what a subscription bills. */
export interface SubscriptionChangeInput {
  /**
   * 1 to 20 items: changed, new or removed. What is not named stays.
   *
   * @minItems 1
   * @maxItems 20
   */
  items: ChangedItemInput[];
  /** `now`, by default where the new terms come to no less for the period than the old ones; `period_end`, by default where they come to less, and of another interval: with the next cycle; or a later cycle, by its number, up to 10 of them. */
  effective?: ChangeTime | ChangeCycle;
  /** Of a change now; default `next_invoice`. `invoice_now` is as that where nothing is left to pay. A change of the interval now is always by `invoice_now`, and begins a new first period. */
  proration?: ChangeProration;
  /** Of a change for less within a minimum term, which is refused without it: `apply`: once it holds, the next bill charges the percent of the penalty of what the cycles left bring less; `waive`. */
  penalty?: PenaltyChoice;
  /** The `total` that a preview said: where it comes to another by now, nothing is done (409 `PREVIEW_OUTDATED`). */
  expected_total?: number;
}

/** A change to preview. */
export interface SubscriptionChangePreviewInput {
  /**
   * 1 to 20 items: changed, new or removed. What is not named stays.
   *
   * @minItems 1
   * @maxItems 20
   */
  items: ChangedItemInput[];
  /** `now`, by default where the new terms come to no less for the period than the old ones; `period_end`, by default where they come to less, and of another interval: with the next cycle; or a later cycle, by its number, up to 10 of them. */
  effective?: ChangeTime | ChangeCycle;
  /** Of a change now; default `next_invoice`. `invoice_now` is as that where nothing is left to pay. A change of the interval now is always by `invoice_now`, and begins a new first period. */
  proration?: ChangeProration;
  /** Of a change for less within a minimum term, which is refused without it: `apply`: once it holds, the next bill charges the percent of the penalty of what the cycles left bring less; `waive`. */
  penalty?: PenaltyChoice;
}

export interface SubscriptionCreate {
  /** Who pays: an existing customer. */
  customer_id?: string;
  /** Who pays: a customer to create with the subscription. */
  customer?: CustomerCreate;
  /** A recurring, active price: short for `items` of one. */
  price_id?: string;
  /** Your own code: 1 to 255 characters. */
  external_code?: string | null;
  /** Units billed each cycle: 1 to 999. */
  quantity?: number;
  /**
   * 1 to 20 prices of one recurrence, each once; in place of `price_id`.
   *
   * @minItems 1
   * @maxItems 20
   */
  items?: SubscriptionItemInput[];
  /**
   * At most 10, applied in order.
   *
   * @maxItems 10
   */
  discounts?: SubscriptionDiscountInput[];
  /** A coupon to redeem; at most 9 discounts beside it, which come after it. */
  coupon_id?: string;
  /** The text of a promotion code to redeem, in any case; in the place of `coupon_id`. */
  promotion_code?: string;
  /** Days of its own; absent: the account's. */
  collection?: SubscriptionCollectionInput;
  /** What it costs to pay its bills late; absent: what the account asks at each bill. */
  late_fees?: LateFeesInput;
  /** How long it lasts at least, and what an earlier end costs. */
  minimum_term?: MinimumTermInput;
  /**
   * At most 10 one-time prices that the first bill asks for beside the items.
   *
   * @maxItems 10
   */
  setup?: SubscriptionSetupInput[];
  /** When it begins, up to two years ahead: `scheduled` until then, and nothing is billed. Unix time, seconds. */
  start_date?: number;
  /** Nothing is billed for so long before the first cycle. */
  trial?: TrialInput;
  /** A stored card of the customer: the first bill, too, is charged to it at once; null: whichever is the customer's default at each charge. */
  default_payment_method?: string | null;
}

/** A price and how many of it each cycle bills. */
export interface SubscriptionItemInput {
  /** A recurring, active price. */
  price_id: string;
  /** Units billed each cycle: 1 to 999. */
  quantity?: number;
}

/** Percent of each bill, rounded half up. */
export interface SubscriptionPercentageDiscount {
  /** Percent of the running subtotal. */
  type: 'percentage';
  /** Above 0 to 100, at most two decimals. */
  percentage: number;
  /** Bills it lasts, counted from the first: 1 to 9,999; absent: for ever. */
  cycles?: number | null;
}

/** Cents off each bill. */
export interface SubscriptionFixedDiscount {
  /** Cents off the running subtotal. */
  type: 'fixed';
  /** Cents taken off each bill; not more than the first one. */
  amount: number;
  /** Bills it lasts, counted from the first: 1 to 9,999; absent: for ever. */
  cycles?: number | null;
}

/** A price and how many of it the first bill asks for. */
export interface SubscriptionSetupInput {
  /** A one-time, active price. */
  price_id: string;
  /** Units: 1 to 999; default 1. */
  quantity?: number;
}

/** One page of a list. */
export interface SubscriptionList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: Subscription[];
}

/** When a pause begins and ends. */
export interface SubscriptionPause {
  /** `now`, by default: the days left of the period are kept; `period_end`: the end of the last period that is paid for. */
  at?: PauseMoment;
  /** When it ends by itself, within 365 days of its beginning; without it, it lasts until it is resumed. Unix time, seconds. */
  resumes_at?: number;
}

/** Changes: an absent field keeps, null clears; a quantity holds from the next bill. */
export interface SubscriptionUpdate {
  /** Your own code: 1 to 255 characters. */
  external_code?: string | null;
  /** Days of its own by which the bills are collected that are to come; what is open keeps its days. */
  collection?: SubscriptionCollectionInput;
  /** What it costs to pay the bills late that are to come; null: what the account asks. */
  late_fees?: LateFeesInput | null;
  /** Units billed each cycle: 1 to 999. */
  quantity?: number;
  /** When its trial ends, which is under way: at most 730 days after it began. Unix time, seconds. */
  trial_end?: number;
}

/** Subscriptions that began and ended. */
export interface SubscriptionsReport {
  /** Always `subscriptions_report`. */
  object: 'subscriptions_report';
  /** The first day. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  from: string;
  /** The last day. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  until: string;
  /** What a row is of. */
  by: ReportInterval;
  /** How subscriptions stand at this moment. */
  now: SubscriptionsReportNow;
  /** Every day or month of the period, oldest first. */
  rows: SubscriptionsReportRow[];
  /** All rows together; churn is canceled of subscribers_before. */
  totals: SubscriptionsReportTotals;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
}

/** How subscriptions stand at this moment. */
export interface SubscriptionsReportNow {
  /** Subscriptions that are active. */
  active: number;
  /** Paused: they neither serve nor bill. */
  paused: number;
  /** Suspended for lack of payment. */
  suspended: number;
  /** Waiting for their first payment. */
  pending: number;
  /** What active ones bill a month, less the discounts that last for ever: of a weekly price 52/12 times its amount, of a daily one 365/12 times. Integer cents. */
  mrr: number;
}

/** The subscriptions of a day or a month. */
export interface SubscriptionsReportRow {
  /** The first day of the row. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  from: string;
  /** The last day of the row: the same where rows are days. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  until: string;
  /** Created then, and paid for at least once. */
  started: number;
  /** Ended then, of those that were paid for at least once. */
  canceled: number;
  /** Started and not ended by the end, suspended ones among them. */
  subscribers: number;
}

/** All rows together; churn is canceled of subscribers_before. */
export interface SubscriptionsReportTotals {
  /** Started and not ended before the first day. */
  subscribers_before: number;
  /** Created then, and paid for at least once. */
  started: number;
  /** Ended then, of those that were paid for at least once. */
  canceled: number;
  /** Started and not ended by the end, suspended ones among them. */
  subscribers: number;
}

/** The figures of a day. */
export interface Summary {
  /** Always `summary`. */
  object: 'summary';
  /** The day. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  date: string;
  /** What was paid, before anything is returned. */
  received: SummaryReceived;
  /** Open invoices that are due on the day. */
  due_today: SummaryFigure;
  /** Parts of refunds that were completed on the day. */
  refunded: SummaryFigure;
  /** Charges whose last decline was on the day. */
  failed: SummaryFigure;
  /** The same day of the week before. */
  compared: SummaryCompared;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
}

/** The same day of the week before. */
export interface SummaryCompared {
  /** The same day of the week before. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  date: string;
  /** What was paid, before anything is returned. */
  received: SummaryReceived;
}

/** The clock of an account's sandbox. */
export interface TestClock {
  /** Always `test_clock`. */
  object: 'test_clock';
  /** The instant of the sandbox: every `created`, due date and expiry of it is on this clock. Unix time, seconds. */
  now: number;
  /** `ready`: ticks with real time; `advancing`: what falls due up to `target` is being done, each thing at its own instant. */
  status: TestClockStatus;
  /** While it is advancing, the instant it is advanced to. Unix time, seconds; null until then. */
  target: number | null;
}

/** Where the clock is advanced to. */
export interface TestClockAdvance {
  /** The instant to advance to: after `now`, at most 2 calendar years ahead of it (in America/Sao_Paulo). Unix time, seconds. */
  to: number;
}

/** Where events are delivered. */
export interface WebhookEndpoint {
  /** Identifier of the endpoint. */
  id: string;
  /** Always `webhook_endpoint`. */
  object: 'webhook_endpoint';
  /** Where deliveries are sent. */
  url: string;
  /** Types it receives, wildcards expanded. */
  event_types: EventType[];
  /** Description; null when it has none. */
  description: string | null;
  /** `unstable` after 5 failures in a row; `disabled` receives nothing. */
  status: WebhookEndpointStatus;
  /** When the endpoint was registered. Unix time, seconds. */
  created: number;
  /** true for live data, false for sandbox data. */
  live_mode: boolean;
  /** Signing secret, shown only in the answers of the creation and of a rotation. */
  secret?: string;
}

/** A new endpoint. */
export interface WebhookEndpointCreate {
  /** Where deliveries are sent: https in live mode, http or https in the sandbox, an address on the public internet. */
  url: string;
  /**
   * Types to receive; `*` and `customer.*` stand for all of them. With none the endpoint receives nothing.
   *
   * @maxItems 100
   */
  event_types: EventFilter[];
  /** Description: up to 1,000 characters. */
  description?: string | null;
}

/** One page of a list. */
export interface WebhookEndpointList {
  /** Always `list`. */
  object: 'list';
  /** Path of the list. */
  url: string;
  /** Whether more objects follow in the direction asked. */
  has_more: boolean;
  /** The objects of this page, newest first. */
  data: WebhookEndpoint[];
}

/** Changes of an endpoint: an absent field keeps, null clears. */
export interface WebhookEndpointUpdate {
  /** Where deliveries are sent: https in live mode, http or https in the sandbox, an address on the public internet. */
  url?: string;
  /**
   * Types to receive; `*` and `customer.*` stand for all of them. With none the endpoint receives nothing.
   *
   * @maxItems 100
   */
  event_types?: EventFilter[];
  /** Description: up to 1,000 characters. */
  description?: string | null;
  /** `disabled` switches the endpoint off and ends what is under way to it; `enable` switches it on again. */
  status?: 'disabled';
}

/** What to send again. */
export interface WebhookRecoverBody {
  /** From when on: in the past, at most 30 days back. Unix time, seconds. */
  since: number;
}

/** The newest recovery of what an endpoint did not accept. */
export interface WebhookRecovery {
  /** Always `webhook_recovery`. */
  object: 'webhook_recovery';
  /** The endpoint. */
  webhook_endpoint: string;
  /** From when on. Unix time, seconds. */
  since: number;
  /** Events that were sent again so far. */
  events: number;
  /** `done` once everything until the call is sent, or when the endpoint was disabled or deleted meanwhile. */
  status: WebhookRecoveryStatus;
}

/** What became of a test delivery. */
export interface WebhookTest {
  /** Always `webhook_test`. */
  object: 'webhook_test';
  /** The endpoint. */
  webhook_endpoint: string;
  /** The `webhook-id` that was sent; it is not stored. */
  event: string;
  /** Whether the receiver accepted it by a 2xx answer. */
  delivered: boolean;
  /** HTTP status of the answer; null when none came. */
  status_code: number | null;
  /** Why it was not accepted; null when it was. */
  failure: DeliveryFailure | null;
  /** What the failure was, in words; null when there was none. */
  detail: string | null;
  /** Beginning of the body of the answer, in one line: up to 1,024 characters; null when it had none. */
  answer: string | null;
  /** How long the attempt took. Milliseconds. */
  duration_ms: number;
}

export interface CustomerListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /**
   * Only these customers, up to 100; repeat the parameter for several.
   *
   * Items: Identifier of an object.
   */
  ids?: string[];
  /** Only customers with all these words in name and e-mail, or whose CPF, CNPJ or phone begins so: 3 to 200 characters. Case and accents do not count; of a word its first 3 letters are enough, of a number 6 digits. */
  query?: string;
  /** Only customers with this e-mail address. */
  email?: string;
  /** Only customers with this CPF or CNPJ, punctuation ignored. */
  identifier?: string;
  /** Only the customer with this external_code. */
  external_code?: string;
}

export interface NoteListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
}

export interface ProductListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only active, or only inactive products. */
  active?: boolean;
  /** Only the object with this external_code. */
  external_code?: string;
}

export interface PriceListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only active, or only inactive prices. */
  active?: boolean;
  /** Only prices of this product. */
  product_id?: string;
  /** Only prices of this type. */
  type?: PriceType;
  /** Only the object with this external_code. */
  external_code?: string;
}

export interface CouponListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only active, or only inactive coupons. */
  active?: boolean;
  /** Only the coupon with this external_code. */
  external_code?: string;
}

export interface PromotionCodeListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only active, or only inactive codes. */
  active?: boolean;
  /** Only codes of this text, in any case. */
  code?: string;
  /** Only codes of this coupon. */
  coupon_id?: string;
  /** Only codes of this customer alone. */
  customer_id?: string;
}

export interface InvoiceItemListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only items of this customer. */
  customer_id?: string;
  /** Only items of this subscription. */
  subscription_id?: string;
  /** Only charges, or only credits. */
  type?: InvoiceItemType;
  /** Only items of this status. */
  status?: InvoiceItemStatus;
}

export interface InvoiceListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /**
   * Only these invoices, up to 100; repeat the parameter for several.
   *
   * Items: Identifier of an object.
   */
  ids?: string[];
  /** Only invoices of this customer. */
  customer_id?: string;
  /** Only invoices of this subscription. */
  subscription_id?: string;
  /** Only invoices in this status. */
  status?: InvoiceStatus;
  /** Only the invoice with this external_code. */
  external_code?: string;
  /** Only invoices whose newest charge is by this method; a returned surplus payment is none. */
  payment_method_type?: PaymentMethodType;
  /** Only of at least so many cents. */
  amount_gte?: number;
  /** Only of at most so many cents. */
  amount_lte?: number;
  /** Only what was paid at or after this instant. Unix time, seconds. */
  paid_at_gte?: number;
  /** Only what was paid at or before this instant. Unix time, seconds. */
  paid_at_lte?: number;
}

export interface CheckoutSessionListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only sessions of this customer. */
  customer_id?: string;
  /** Only sessions of this mode. */
  mode?: CheckoutSessionMode;
  /** Only sessions in this status. */
  status?: CheckoutSessionStatus;
  /** Only sessions that were opened by this payment link. */
  payment_link_id?: string;
  /** Only the session with this external_code. */
  external_code?: string;
}

export interface PaymentLinkListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only links that are switched on, or only those that are off. */
  active?: boolean;
  /** Only the payment link with this external_code. */
  external_code?: string;
}

export interface PaymentIntentListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only charges of this customer. */
  customer_id?: string;
  /** Only charges of this invoice, returned surplus payments among them. */
  invoice_id?: string;
  /** Only charges in this status. */
  status?: PaymentIntentStatus;
  /** Only charges by this method. */
  payment_method_type?: PaymentMethodType;
  /** Only of at least so many cents. */
  amount_gte?: number;
  /** Only of at most so many cents. */
  amount_lte?: number;
  /** Only what was paid at or after this instant. Unix time, seconds. */
  paid_at_gte?: number;
  /** Only what was paid at or before this instant. Unix time, seconds. */
  paid_at_lte?: number;
}

export interface RefundListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
}

export interface DisputeListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only disputes of this payment. */
  payment_intent_id?: string;
  /** Only disputes of payments of this invoice, surplus ones among them. */
  invoice_id?: string;
  /** Only disputes of payments of this customer. */
  customer_id?: string;
  /** Only disputes in this status. */
  status?: DisputeStatus;
}

export interface StoredPaymentMethodListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
}

export interface MandateListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only mandates of this subscription. */
  subscription_id?: string;
  /** Only mandates of this customer. */
  customer_id?: string;
  /** Only mandates in this status. */
  status?: MandateStatus;
}

export interface SubscriptionListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only subscriptions of this customer. */
  customer_id?: string;
  /** Only subscriptions of this price. */
  price_id?: string;
  /** Only subscriptions in this status. */
  status?: SubscriptionStatus;
  /** Only subscriptions with this external_code. */
  external_code?: string;
}

export interface CollectedInvoiceListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only invoices of this stage: an `id` of `GET /collection`. */
  stage?: string;
}

export interface EventListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only events of these types; repeat the parameter for several. */
  type?: EventType[];
  /** Only events with this delivery result. */
  delivery_status?: DeliveryStatus;
  /** Only events of this object: the id of `data.object`, or of its invoice, subscription, customer or payment intent. */
  related_object?: string;
}

export interface EventFeedParams {
  /** `cursor` of the last answer, or the id of an event: the feed goes on behind it. Without it, and without `since`, it begins now. */
  cursor?: string;
  /** Without a cursor: begins with what was recorded from this instant on, in real time. Unix time, seconds. */
  since?: number;
  /** Only events of these types; repeat the parameter for several. */
  type?: EventType[];
  /** For how long to wait for an event where there is none. Seconds, 0 to 20, default 0. */
  wait?: number;
}

export interface WebhookEndpointListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
}

export interface EndpointDeliveryListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only events whose newest ladder stands so. */
  status?: LadderStatus;
  /** Only events of these types; repeat the parameter for several. */
  type?: EventType[];
  /** Only this event. */
  event?: string;
}

export interface SummaryParams {
  /** The day; default today. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  date?: string;
}

export interface CashFlowReportParams {
  /** The first day. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  from: string;
  /** The last day: at most 366 days with the first. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  until: string;
  /** What a row is of: a day, or a month of the calendar; default `day`. */
  by?: ReportInterval;
}

export interface SubscriptionsReportParams {
  /** The first day. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  from: string;
  /** The last day: at most 366 days with the first. As `yyyy-mm-dd`, in America/Sao_Paulo. */
  until: string;
  /** What a row is of: a day, or a month of the calendar; default `day`. */
  by?: ReportInterval;
}

export interface PixReceiptListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Only what was paid at or after this instant. Unix time, seconds. */
  paid_at_gte?: number;
  /** Only what was paid at or before this instant. Unix time, seconds. */
  paid_at_lte?: number;
}

export interface ApiKeyListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only keys in this status. */
  status?: ApiKeyStatus;
}

export interface ExportListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
}

export interface AuditLogListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only entries of this action. */
  action?: string;
  /** Only entries of this object. */
  object_id?: string;
  /** Only entries of the actor with this id. */
  actor?: string;
}

export interface SearchParams {
  /** Parts of a name or an e-mail address, a CPF, CNPJ or phone number or its first 6 digits, an amount, the last 4 digits of a card, an external_code, a txid, an end-to-end id, or any id: 3 to 200 characters. */
  query: string;
  /** Objects a group: 1 to 10, default 5. */
  limit?: number;
}

export interface MailListParams {
  /** Objects a page: 1 to 100, default 20. A page of large objects ends at 1 MiB, with `has_more`. */
  limit?: number;
  /** Id of the last object of the page before; the page starts after it. */
  starting_after?: string;
  /** Id of the first object of the page after; the page ends before it. */
  ending_before?: string;
  /** Only objects created at or after this instant. Unix time, seconds. */
  created_gte?: number;
  /** Only objects created at or before this instant. Unix time, seconds. */
  created_lte?: number;
  /** Only e-mails to this customer. */
  customer_id?: string;
  /** Only e-mails about this invoice. */
  invoice_id?: string;
  /** Only e-mails in this status. */
  status?: MailStatus;
}
