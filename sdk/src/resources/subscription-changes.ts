import type { Answer } from '../answer.ts';
import type {
  ChangePreview,
  SubscriptionChange,
  SubscriptionChangeInput,
  SubscriptionChangePreviewInput,
} from '../generated/types.ts';
import type { RequestOptions, Transport, WriteOptions } from '../transport.ts';

/** Changes of what a subscription bills: its plan, its quantity, its items. */
export class SubscriptionChanges {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Changes a subscription at once, with the rest of its period charged and credited by the next bill or by an invoice of its own, or with
   * its next or a later cycle. By an invoice of its own it holds once that is paid: `status` says whether the stored card paid it. A
   * change of the interval now begins a new period, and is always so.
   * @throws {FaturaError} `RESOURCE_MISSING`, `NOTHING_CHANGES`, `INTERVALS_DIFFER`, `PRICE_INACTIVE`, `PRICE_TYPE_MISMATCH`,
   * `CHANGE_PENDING` while another waits for its payment, `PREVIEW_OUTDATED` where it comes to another total than `expected_total`, `INVOICE_UNPAID` where it would credit what was not paid,
   * `PIX_PAYMENT_CONFIRMED` and `PAYMENT_IN_PROGRESS` of a bill that was made ahead, `INVALID_STATE`.
   */
  create(id: string, change: SubscriptionChangeInput, options?: WriteOptions): Answer<SubscriptionChange> {
    return this.#transport.send('subscriptionChanges.create', { id, body: change }, options);
  }

  /**
   * What a change would come to now, and the next bill with it. Nothing is stored.
   * @throws {FaturaError} `RESOURCE_MISSING`, `NOTHING_CHANGES`, `INTERVALS_DIFFER`, `PRICE_INACTIVE`, `PRICE_TYPE_MISMATCH`,
   * `CHANGE_PENDING`, `INVOICE_UNPAID`, `INVALID_STATE`.
   */
  preview(id: string, change: SubscriptionChangePreviewInput, options?: RequestOptions): Answer<ChangePreview> {
    return this.#transport.send('subscriptionChanges.preview', { id, body: change }, options);
  }

  /**
   * Takes back a change that waits, for its payment or for its cycle.
   * @throws {FaturaError} `RESOURCE_MISSING`, `PIX_PAYMENT_CONFIRMED` and `PAYMENT_IN_PROGRESS` of its invoice or a bill that was made ahead,
   * `INVALID_STATE` once it holds.
   */
  cancel(id: string, changeId: string, options?: WriteOptions): Answer<SubscriptionChange> {
    return this.#transport.send('subscriptionChanges.cancel', { id, below: changeId }, options);
  }
}
