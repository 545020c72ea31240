import type { Answer } from '../answer.ts';
import type { SubscriptionByCard, SubscriptionByPix } from '../forms.ts';
import type {
  CardReplacement,
  CheckoutByCard,
  CheckoutByPix,
  InvoiceCheckout,
  InvoicePreview,
  Subscription,
  SubscriptionCancel,
  SubscriptionCreate,
  SubscriptionListParams,
  SubscriptionPause,
  SubscriptionUpdate,
} from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** Bills a customer for recurring prices. Amounts are integer cents, instants Unix seconds. */
export class Subscriptions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a subscription of 1 to 20 recurring, active prices of one recurrence, `pending` with its first invoice open for
   * 7 days, and its customer with it where `customer` comes. One whose first invoice comes to 0 is `active` at once. With
   * `trial` or a `start_date` to come there is no invoice yet; with `default_payment_method` the first one is charged at once. `coupon_id` or `promotion_code` redeems a coupon.
   * @throws {FaturaError} `RESOURCE_MISSING`, `EXTERNAL_CODE_TAKEN`, `PRICE_INACTIVE`, `PRICE_TYPE_MISMATCH`,
   * `INTERVALS_DIFFER`, `DISCOUNT_EXCEEDS_SUBTOTAL`, `COUPON_NOT_APPLICABLE`, `COUPON_EXHAUSTED`, `PROMOTION_CODE_INVALID`,
   * `PAYMENT_METHOD_NEEDED` of a customer without a default card, `LATE_FEES_ABOVE_LIMIT`, `INVALID_STATE` for an anonymized
   * customer.
   */
  create(subscription: SubscriptionCreate, options?: WriteOptions): Answer<Subscription> {
    return this.#transport.send('subscriptions.create', { body: subscription }, options);
  }

  /**
   * What the creation would bill first, and when: amounts in integer cents, instants in Unix seconds. Nothing is created.
   * @throws {FaturaError} what the creation would: `RESOURCE_MISSING`, `EXTERNAL_CODE_TAKEN`, `PRICE_INACTIVE`,
   * `PRICE_TYPE_MISMATCH`, `INTERVALS_DIFFER`, `DISCOUNT_EXCEEDS_SUBTOTAL`, `COUPON_NOT_APPLICABLE`, `COUPON_EXHAUSTED`,
   * `PROMOTION_CODE_INVALID`, `PAYMENT_METHOD_NEEDED`, `LATE_FEES_ABOVE_LIMIT`, `INVALID_STATE` for an anonymized customer.
   */
  preview(subscription: SubscriptionCreate, options?: RequestOptions): Answer<InvoicePreview> {
    return this.#transport.send('subscriptions.preview', { body: subscription }, options);
  }

  /**
   * Reads one subscription.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  retrieve(id: string, options?: RequestOptions): Answer<Subscription> {
    return this.#transport.send('subscriptions.retrieve', { id }, options);
  }

  /**
   * Subscriptions, newest first, by customer, price, status, external code or instant of creation (Unix seconds).
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: SubscriptionListParams = {}, options?: RequestOptions): List<Subscription> {
    return new List(
      (cursor) => this.#transport.request('subscriptions.list', { query: { ...params, ...cursor } }, options),
      params,
    );
  }

  /**
   * Changes the external code and the end of a trial at once, and the quantity from the next bill; null clears the code.
   * @throws {FaturaError} `RESOURCE_MISSING`, `CHANGE_PENDING` of another quantity while a change waits for its payment,
   * `INVALID_STATE` when it has ended, or has no trial whose end could move,
   * `LATE_FEES_ABOVE_LIMIT`, `PARAMETER_INVALID` for an end in the past or more than 730 days after the trial began.
   */
  update(id: string, changes: SubscriptionUpdate, options?: WriteOptions): Answer<Subscription> {
    return this.#transport.send('subscriptions.update', { id, body: changes }, options);
  }

  /**
   * What the next invoice would be if nothing changed until then: amounts in integer cents, instants in Unix seconds.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` when it is not active, for it bills nothing by itself then.
   */
  upcomingInvoice(id: string, options?: RequestOptions): Answer<InvoicePreview> {
    return this.#transport.send('subscriptions.upcomingInvoice', { id }, options);
  }

  /**
   * Charges the open invoice of a pending or suspended subscription by PIX. The answer's `payment_method.pix` holds the QR
   * code; the subscription is active with the event `subscription.activated`.
   * @throws {FaturaError} `RESOURCE_MISSING`, `SUBSCRIPTION_NOT_PENDING`, `INVOICE_NOT_OPEN`, `SESSION_NOT_OPEN` when it is
   * of a session that is over, `PAYMENT_METHOD_NEEDED` of a trial, which wants a card, `PIX_PAYMENT_CONFIRMED`,
   * `PAYMENT_IN_PROGRESS`, `INVALID_STATE` while the test clock advances, `ACQUIRER_UNAVAILABLE` (nothing happened),
   * `ACQUIRER_TIMEOUT` (unknown: repeat with the error's `idempotencyKey`).
   */
  checkout(id: string, checkout: CheckoutByPix, options?: WriteOptions): Answer<SubscriptionByPix>;
  /**
   * Charges the open invoice of a pending or suspended subscription by card, and keeps the card for renewals. The answer
   * is the `active` subscription. Of a trial the card is stored and nothing is charged: the answer is `trialing`.
   * @throws {FaturaError} `CARD_DECLINED` with the error's `declineReason`, `CARD_EXPIRED`, `CARD_BRAND_NOT_SUPPORTED`,
   * `CARD_NUMBER_REFUSED` where `card_token` is wanted, `CARD_TOKEN_EXPIRED`,
   * by `pix_automatico` `MANDATE_EXISTS`, `MANDATE_INTERVAL_UNSUPPORTED`, `MANDATE_UNSUPPORTED`,
   * `CARD_ATTEMPTS_EXHAUSTED` after 10 declines, `INSTALLMENTS_NOT_ALLOWED`, `INSTALLMENT_BELOW_MINIMUM`,
   * `PREVIEW_OUTDATED` where it comes to another amount than `expected_total`,
   * `PARAMETER_INVALID` for a number that is no card's, and the codes of a checkout by PIX.
   */
  checkout(id: string, checkout: CheckoutByCard, options?: WriteOptions): Answer<SubscriptionByCard>;
  /** Charges the open invoice of a pending or suspended subscription, by PIX or card. */
  checkout(id: string, checkout: InvoiceCheckout, options?: WriteOptions): Answer<Subscription>;
  checkout(id: string, checkout: InvoiceCheckout, options?: WriteOptions): Answer<Subscription> {
    return this.#transport.send('subscriptions.checkout', { id, body: checkout }, options);
  }

  /**
   * Stores another card, verified and not charged, or takes a stored one by `payment_method_id`; renewals are charged to it at once. For an active or suspended
   * subscription, and one that was reactivated; the first payment is a `checkout`.
   * @throws {FaturaError} `CARD_DECLINED`, `CARD_ATTEMPTS_EXHAUSTED` after 10 declines within an hour, `CARD_EXPIRED`,
   * `CARD_BRAND_NOT_SUPPORTED`, `CARD_NUMBER_REFUSED` where `card_token` is wanted, `CARD_TOKEN_EXPIRED`,
   * `RESOURCE_MISSING`, `PAYMENT_METHOD_NEEDED` of a customer without a default card, `INVALID_STATE`, `PAYMENT_IN_PROGRESS` while a debit cannot be cancelled any more, and `ACQUIRER_UNAVAILABLE` when nobody could verify it: nothing happened, repeat later.
   */
  updatePaymentMethod(id: string, replacement: CardReplacement, options?: WriteOptions): Answer<Subscription> {
    return this.#transport.send('subscriptions.updatePaymentMethod', { id, body: replacement }, options);
  }

  /**
   * Ends a trial now: its card is charged for the first cycle, or without a card what `trial_end_behavior` says comes.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` when no trial is under way, `PAYMENT_METHOD_NEEDED` when the
   * card that it began with is gone.
   */
  endTrial(id: string, options?: WriteOptions): Answer<Subscription> {
    return this.#transport.send('subscriptions.endTrial', { id }, options);
  }

  /**
   * Cancels `now`, at the end of the period that is paid for (`period_end`), or at an instant (Unix seconds) within two years.
   * Until then the subscription stays active; a bill that was made ahead and is open is voided. An end before the minimum term
   * charges its penalty unless that is waived; `unused` says what becomes of the rest of a paid period.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` when it is not active and is not to end now, or when a withdrawal
   * comes later than 7 days after the first payment,
   * `PIX_PAYMENT_CONFIRMED` and `PAYMENT_IN_PROGRESS` while a payment of that bill is on its way: repeat shortly.
   */
  cancelAt(id: string, cancel: SubscriptionCancel, options?: WriteOptions): Answer<Subscription> {
    return this.#transport.send('subscriptions.cancelAt', { id, body: cancel }, options);
  }

  /**
   * Pauses `now`, by default, or once the period that is paid for is over (`period_end`): it neither serves nor bills until it is
   * resumed, at `resumes_at` by itself. The days left of the period are kept.
   * @throws {FaturaError} `RESOURCE_MISSING`, `CHANGE_PENDING` while a change waits for its payment, `INVALID_STATE` when it is not
   * active, has an overdue invoice or is to end,
   * `PIX_PAYMENT_CONFIRMED` and `PAYMENT_IN_PROGRESS` while a payment of a bill made ahead is on its way: repeat shortly.
   */
  pause(id: string, pause: SubscriptionPause = {}, options?: WriteOptions): Answer<Subscription> {
    return this.#transport.send('subscriptions.pause', { id, body: pause }, options);
  }

  /**
   * Ends a pause, or takes back one to come.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` when it is neither paused nor active.
   */
  resume(id: string, options?: WriteOptions): Answer<Subscription> {
    return this.#transport.send('subscriptions.resume', { id }, options);
  }

  /**
   * Takes back a cancellation to come: the subscription renews again.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` when it has ended.
   */
  uncancel(id: string, options?: WriteOptions): Answer<Subscription> {
    return this.#transport.send('subscriptions.uncancel', { id }, options);
  }

  /**
   * Cancels at once, voids the open invoices and charges the penalty of a minimum term; again on an inactive one it answers the same.
   * @throws {FaturaError} `RESOURCE_MISSING`, `PAYMENT_IN_PROGRESS` while a payment is on its way: repeat shortly,
   * `INVALID_STATE` while the test clock advances.
   */
  cancel(id: string, options?: RequestOptions): Answer<Subscription> {
    return this.#transport.send('subscriptions.cancel', { id }, options);
  }

  /**
   * Lets a suspended subscription wait 7 days for the payment of its open invoice.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` when it is not suspended.
   */
  reactivate(id: string, options?: WriteOptions): Answer<Subscription> {
    return this.#transport.send('subscriptions.reactivate', { id }, options);
  }
}
