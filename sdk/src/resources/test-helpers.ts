import type { Answer } from '../answer.ts';
import type {
  CardChangeBody,
  DisputeBody,
  PaymentIntent,
  PayPixBody,
  StoredPaymentMethod,
} from '../generated/types.ts';
import type { Transport, WriteOptions } from '../transport.ts';

/** What a buyer and a bank do, in the sandbox. A live key is refused with `ENVIRONMENT_MISMATCH`. */
export class TestHelpers {
  readonly paymentIntents: PaymentIntentHelpers;
  readonly paymentMethods: PaymentMethodHelpers;

  constructor(transport: Transport) {
    this.paymentIntents = new PaymentIntentHelpers(transport);
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
