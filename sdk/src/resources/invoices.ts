import type { Answer } from '../answer.ts';
import type { InvoiceByCard, InvoiceByPix, InvoiceCreate } from '../forms.ts';
import type {
  CheckoutByCard,
  CheckoutByPix,
  Invoice,
  InvoiceCheckout,
  InvoiceExtend,
  InvoiceListParams,
  InvoiceUpdate,
} from '../generated/types.ts';
import { List } from '../pages.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** What a customer owes or paid. All amounts are integer cents. */
export class Invoices {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates an invoice of one-time prices for an existing customer (`customer_id`) or a new one (`customer`). It is
   * open for payment at once unless `draft` is true; `due_at` is in Unix seconds, by default 3 days from now.
   * @throws {FaturaError} `RESOURCE_MISSING`, `EXTERNAL_CODE_TAKEN`, `PRICE_INACTIVE`, `PRICE_TYPE_MISMATCH`,
   * `DISCOUNT_EXCEEDS_SUBTOTAL`, `COUPON_NOT_APPLICABLE`, `COUPON_EXHAUSTED`, `PROMOTION_CODE_INVALID`,
   * `INVALID_STATE` for an anonymized customer.
   */
  create(invoice: InvoiceCreate, options?: WriteOptions): Answer<Invoice> {
    return this.#transport.send('invoices.create', { body: invoice }, options);
  }

  /**
   * Reads one invoice.
   * @throws {FaturaError} `RESOURCE_MISSING`.
   */
  retrieve(id: string, options?: RequestOptions): Answer<Invoice> {
    return this.#transport.send('invoices.retrieve', { id }, options);
  }

  /**
   * Changes the fields sent of a draft; null clears an optional one.
   * @throws {FaturaError} `INVALID_STATE` when it is no draft any more, `RESOURCE_MISSING`, `EXTERNAL_CODE_TAKEN`,
   * `PRICE_INACTIVE`, `PRICE_TYPE_MISMATCH`, `DISCOUNT_EXCEEDS_SUBTOTAL`, `COUPON_NOT_APPLICABLE`, `COUPON_EXHAUSTED`,
   * `PROMOTION_CODE_INVALID`.
   */
  update(id: string, changes: InvoiceUpdate, options?: WriteOptions): Answer<Invoice> {
    return this.#transport.send('invoices.update', { id, body: changes }, options);
  }

  /**
   * Invoices, newest first, by customer, subscription, status, external code, method, total (cents), or instant of creation
   * or payment (Unix seconds).
   * @throws {FaturaError} `CURSOR_INVALID`.
   */
  list(params: InvoiceListParams = {}, options?: RequestOptions): List<Invoice> {
    return new List(
      (cursor) => this.#transport.request('invoices.list', { query: { ...params, ...cursor } }, options),
      params,
    );
  }

  /**
   * Opens a draft for payment. Its items no longer change.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE`.
   */
  finalize(id: string, options?: WriteOptions): Answer<Invoice> {
    return this.#transport.send('invoices.finalize', { id }, options);
  }

  /**
   * Gives an open invoice a later due date, in Unix seconds: later than it is, at most 365 days from now. Reminders,
   * scheduled charges of a card, overdue, suspension and end follow that; its QR code stays.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVOICE_NOT_OPEN`, `INVALID_STATE` when a pending subscription or a checkout
   * session waits for it.
   */
  extend(id: string, invoice: InvoiceExtend, options?: WriteOptions): Answer<Invoice> {
    return this.#transport.send('invoices.extend', { id, body: invoice }, options);
  }

  /**
   * Mails an open invoice to the e-mail of its customer, with its `payment_url` and the PIX code that stands. A mail
   * of the sandbox goes only to the e-mail of your own account.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVOICE_NOT_OPEN`, `RATE_LIMITED` after 3 times within a day,
   * `INVALID_STATE` while the test clock advances.
   */
  send(id: string, options?: WriteOptions): Answer<Invoice> {
    return this.#transport.send('invoices.send', { id }, options);
  }

  /**
   * Cancels an invoice that is not paid, and its QR code.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE`, `PAYMENT_IN_PROGRESS` while a payment is on its way.
   */
  void(id: string, options?: WriteOptions): Answer<Invoice> {
    return this.#transport.send('invoices.void', { id }, options);
  }

  /**
   * Gives up an open invoice. It can still be paid by a new checkout.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE`, `PAYMENT_IN_PROGRESS` while a payment is on its way.
   */
  markUncollectible(id: string, options?: WriteOptions): Answer<Invoice> {
    return this.#transport.send('invoices.markUncollectible', { id }, options);
  }

  /**
   * Charges an open invoice by PIX. The answer's `payment_method.pix` holds the QR code and its end in Unix seconds; the
   * invoice stays open until the event `invoice.paid`. While the QR code is valid a repeat answers the same one.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVOICE_NOT_OPEN`, `SESSION_NOT_OPEN` when it is of a session that is over,
   * `PIX_PAYMENT_CONFIRMED`, `PAYMENT_IN_PROGRESS`, `INVALID_STATE` while the test clock advances, `ACQUIRER_UNAVAILABLE`
   * (nothing happened), `ACQUIRER_TIMEOUT` (unknown: repeat with the error's `idempotencyKey`).
   */
  checkout(id: string, checkout: CheckoutByPix, options?: WriteOptions): Answer<InvoiceByPix>;
  /**
   * Charges an open invoice by card: at once, in `installments` if the price of the first item allows. The answer is the
   * paid invoice, with the card's brand and last four digits. Otherwise the invoice stays open.
   * @throws {FaturaError} `CARD_DECLINED` with the error's `declineReason`, `CARD_EXPIRED`, `CARD_BRAND_NOT_SUPPORTED`,
   * `CARD_NUMBER_REFUSED` where `card_token` is wanted, `CARD_TOKEN_EXPIRED`,
   * by `pix_automatico` `MANDATE_EXISTS`, `MANDATE_INTERVAL_UNSUPPORTED`, `MANDATE_UNSUPPORTED`,
   * `CARD_ATTEMPTS_EXHAUSTED` after 10 declines, `INSTALLMENTS_NOT_ALLOWED`, `INSTALLMENT_BELOW_MINIMUM`,
   * `PREVIEW_OUTDATED` where it comes to another amount than `expected_total`,
   * `PARAMETER_INVALID` for a number that is no card's, and the codes of a checkout by PIX.
   */
  checkout(id: string, checkout: CheckoutByCard, options?: WriteOptions): Answer<InvoiceByCard>;
  /** Charges an open invoice, by PIX or card. */
  checkout(id: string, checkout: InvoiceCheckout, options?: WriteOptions): Answer<Invoice>;
  checkout(id: string, checkout: InvoiceCheckout, options?: WriteOptions): Answer<Invoice> {
    return this.#transport.send('invoices.checkout', { id, body: checkout }, options);
  }
}
