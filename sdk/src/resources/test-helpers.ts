import type { Answer } from '../answer.ts';
import type {
  CardChangeBody,
  DebitBody,
  DisputeBody,
  Mandate,
  MandateCancelBody,
  PaymentIntent,
  PayPixBody,
  StoredPaymentMethod,
} from '../generated/types.ts';
import type { Transport, WriteOptions } from '../transport.ts';

/** What a buyer and a bank do, in the sandbox. A live key is refused with `ENVIRONMENT_MISMATCH`. */
export class TestHelpers {
  readonly paymentIntents: PaymentIntentHelpers;
  readonly mandates: MandateHelpers;
  readonly paymentMethods: PaymentMethodHelpers;

  constructor(transport: Transport) {
    this.paymentIntents = new PaymentIntentHelpers(transport);
    this.mandates = new MandateHelpers(transport);
    this.paymentMethods = new PaymentMethodHelpers(transport);
  }
}

class PaymentIntentHelpers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Pays the QR code of a payment intent, and answers once the bank's notice was handled.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` without a QR code, `ENVIRONMENT_MISMATCH` with a live
   * key, `ACQUIRER_TIMEOUT`.
   */
  payPix(id: string, { scenario }: PayPixBody, options?: WriteOptions): Answer<PaymentIntent> {
    return this.#transport.send('testHelpers.paymentIntents.payPix', { id, body: { scenario } }, options);
  }

  /**
   * Has the bank take back what is left of a paid PIX, or `amount` cents of it, for a reason of its own; `reversed`:
   * it gives back what it took last. Answers once the bank's notice was handled: the disputes are found by the
   * intent.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` without a paid PIX or with nothing left of it,
   * `ENVIRONMENT_MISMATCH` with a live key, `ACQUIRER_TIMEOUT`.
   */
  dispute(id: string, dispute: DisputeBody, options?: WriteOptions): Answer<PaymentIntent> {
    return this.#transport.send('testHelpers.paymentIntents.dispute', { id, body: dispute }, options);
  }

  /**
   * Says what becomes of the next try of a debit by mandate: paid at 06:00 of its day, a refusal known at 21:00.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE` where none is to be tried, `ENVIRONMENT_MISMATCH` with a live
   * key.
   */
  debit(id: string, debit: DebitBody, options?: WriteOptions): Answer<PaymentIntent> {
    return this.#transport.send('testHelpers.paymentIntents.debit', { id, body: debit }, options);
  }
}

class MandateHelpers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Has the buyer authorise a pending mandate; with the QR code of a first payment they pay it too.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE`, `ENVIRONMENT_MISMATCH` with a live key.
   */
  approve(id: string, options?: WriteOptions): Answer<Mandate> {
    return this.#transport.send('testHelpers.mandates.approve', { id }, options);
  }

  /**
   * Has the buyer reject a pending mandate.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE`, `ENVIRONMENT_MISMATCH` with a live key.
   */
  reject(id: string, options?: WriteOptions): Answer<Mandate> {
    return this.#transport.send('testHelpers.mandates.reject', { id }, options);
  }

  /**
   * Has the buyer, or their bank, end a mandate.
   * @throws {FaturaError} `RESOURCE_MISSING`, `INVALID_STATE`, `ENVIRONMENT_MISMATCH` with a live key.
   */
  cancel(id: string, cancel: MandateCancelBody, options?: WriteOptions): Answer<Mandate> {
    return this.#transport.send('testHelpers.mandates.cancel', { id, body: cancel }, options);
  }
}

class PaymentMethodHelpers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Has the issuer of a stored card give it another expiry, or close it.
   * @throws {FaturaError} `RESOURCE_MISSING`, `ENVIRONMENT_MISMATCH` with a live key, `INVALID_STATE` while the test clock
   * advances.
   */
  change(id: string, change: CardChangeBody, options?: WriteOptions): Answer<StoredPaymentMethod> {
    return this.#transport.send('testHelpers.paymentMethods.change', { id, body: change }, options);
  }
}
