import { places } from '../../sealing/sealed-columns.ts';
import { openedRow, type SealedPart } from '../../sealing/sealed-rows.ts';
import type { SecretBox } from '../../sealing/secret-box.ts';
import { table } from '../../unit-of-work/table.ts';
import { DisputeSchema } from '../disputes/entity.ts';
import {
  ChargeAttemptSchema,
  PaymentIntentSchema,
  type PaymentMethod,
  PaymentMethodSchema,
  PixReceiptSchema,
  QrCodeSchema,
  RefundPartSchema,
} from '../entity.ts';

/** Rows of the money path. All but the payment methods are read and written behind the lock of their invoice alone. */
export const intents = table(PaymentIntentSchema, {
  // At most one unsettled intent of an invoice.
  updatesFirst: true,
  fixed: [
    'invoiceId',
    'customerId',
    'subscriptionId',
    'surplus',
    'amount',
    'paymentMethodType',
    'installments',
    'isScheduled',
    'mandateId',
  ],
});

export const qrCodes = table(QrCodeSchema, {
  noun: 'QR code',
  fixed: ['intentId', 'invoiceId', 'paymentMethodId', 'amount', 'expiresAt', 'dueOn'],
});

export const receipts = table(PixReceiptSchema, {
  noun: 'receipt',
  fixed: ['txid', 'invoiceId', 'amount', 'paidAt'],
});

export const refundParts = table(RefundPartSchema, {
  fixed: ['intentId', 'invoiceId', 'amount', 'reason'],
});

export const disputes = table(DisputeSchema, {
  fixed: ['intentId', 'invoiceId', 'customerId', 'amount', 'method', 'kind', 'reason', 'endToEndId', 'returnId'],
});

export const attempts = table(ChargeAttemptSchema, {
  noun: 'attempt',
  fixed: [
    'intentId',
    'invoiceId',
    'initiator',
    'paymentMethodId',
    'brand',
    'last4',
    'amount',
    'installments',
    'deadlineAt',
    'unknownAt',
  ],
});

/** The acquirer's token of a stored card is sealed (docs/design/keys.md#sealed-rows). */
const tokenPart: SealedPart<PaymentMethod> = {
  place: places.cardToken,
  column: 'sealedToken',
  of: ['token'],
  indexes: { tokenIndex: ({ token, ...of }) => (token ? tokenParts(of, token) : null) },
};

const tokenParts = (
  { accountId, liveMode }: Pick<PaymentMethod, 'accountId' | 'liveMode'>,
  token: string,
): readonly string[] => ['card token', accountId, liveMode ? 'live' : 'sandbox', token];

/** What finds the card of an account's mode by the acquirer's token. */
export const tokenIndexOf = (
  box: SecretBox,
  of: Pick<PaymentMethod, 'accountId' | 'liveMode'>,
  token: string,
): Buffer => box.fingerprint(tokenParts(of, token));

export const paymentMethods = table(PaymentMethodSchema, {
  fixed: ['customerId'],
  seals: tokenPart,
});

interface OpenedToken {
  /** Null: it was erased. */
  readonly token: string | null;
}

/** Columns of a stored card, `sealedToken` among them, with its token. */
export const openedToken = <Read extends { readonly id: string; readonly accountId: string }>(
  row: Read,
  box: SecretBox,
): Read & OpenedToken => openedRow<Read, OpenedToken>(tokenPart, row, box);
