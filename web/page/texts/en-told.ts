import type { told as pt } from './pt-told.ts';

const TRY_AGAIN = 'Wait a moment and try again.';
const TRY_OTHER = 'Try another card or pay by PIX.';
const NO_MORE_CARDS = 'Too many cards were declined; nothing was charged. Pay by PIX.';

const declines: typeof pt.declines = {
  insufficient_funds: {
    title: 'Your card has no limit left for this purchase',
    advice: 'Free some limit in the app of your bank, try another card, or pay by PIX.',
    short: 'had no limit left',
  },
  expired_card: {
    title: 'Your card has expired',
    advice: `Check the expiry date printed on the card. ${TRY_OTHER}`,
    short: 'has expired',
  },
  invalid_card_data: {
    title: 'The bank did not recognise the data of the card',
    advice: 'Check the number, the expiry date, the CVV and the CPF of the holder, and try again.',
    short: 'had its data refused by the bank',
  },
  suspected_fraud: {
    title: 'The bank blocked the purchase for your safety',
    advice:
      'Confirm the purchase in the app of your bank, if it asks, or call the number on the back of the card. You can also pay by PIX.',
    short: 'was blocked by the bank for safety',
  },
  issuer_declined: {
    title: 'The bank did not authorise the purchase',
    advice: `Ask the bank that issued the card for the reason. ${TRY_OTHER}`,
    short: 'was not authorised by the bank',
  },
  processing_error: {
    title: 'The card could not be processed',
    advice: `Nothing was charged. ${TRY_AGAIN} If it goes on, use another card or pay by PIX.`,
    short: 'could not be processed',
  },
};

const problems: typeof pt.problems = {
  PIX_PAYMENT_CONFIRMED: 'The bank has already confirmed the payment of this invoice. Do not pay again.',
  PAYMENT_IN_PROGRESS: `A payment of this invoice is under way. ${TRY_AGAIN}`,
  IDEMPOTENCY_KEY_IN_USE: `Your payment is being processed already. ${TRY_AGAIN}`,
  SESSION_NOT_OPEN: 'The time for this invoice is over; nothing was charged. Go back to the shop to buy again.',
  INVOICE_NOT_OPEN: 'This invoice takes no more payments.',
  PREVIEW_OUTDATED: 'The amount has changed, and nothing was charged. Check the new amount and try again.',
  CARD_ATTEMPTS_EXHAUSTED: NO_MORE_CARDS,
  INVALID_STATE: 'This invoice cannot be paid now. Please ask the shop.',
  ACQUIRER_UNAVAILABLE: `The bank could not be reached; nothing was charged. ${TRY_AGAIN}`,
  ACQUIRER_TIMEOUT: `The bank took too long to answer; nothing was charged. ${TRY_AGAIN}`,
  MODE_NOT_SERVED: 'This link does not open at this address. Ask whoever sent it for a new one.',
  SERVICE_UNAVAILABLE: `The service is not available; nothing was charged. ${TRY_AGAIN}`,
  REQUEST_TIMEOUT: `The data did not come in time; nothing was charged. ${TRY_AGAIN}`,
  RESOURCE_MISSING: 'This invoice does not exist any more.',
  RATE_LIMITED: 'Too many tries in a short time. Wait a minute and try again.',
  CROSS_SITE: 'The request did not come from this page. Open the address that you received again.',
  NETWORK: `There is no connection to the internet. ${TRY_AGAIN}`,
  PLAIN_HTTP:
    'This page was not opened by https, and without that a card cannot be sent; nothing was charged. Open the address by https or pay by PIX.',
  MANDATE_EXISTS: 'The Pix Automático of this subscription was asked for or authorised already. Open the page again.',
  MANDATE_INTERVAL_UNSUPPORTED: 'This charge cannot be debited by Pix Automático. Pay in another way.',
  MANDATE_UNSUPPORTED: 'This charge cannot be debited by Pix Automático. Pay in another way.',
  PROMOTION_CODE_INVALID: 'This code is not valid for this purchase.',
  PARAMETER_INVALID: 'Check the fields that are marked.',
  CARD_BRAND_NOT_SUPPORTED: 'This brand is not taken. We take Visa, Mastercard, American Express, Elo and Hipercard.',
  CARD_EXPIRED: 'This card has expired. Try another card or pay by PIX.',
  CARD_TOKEN_EXPIRED: 'Sending the card took too long; nothing was charged. Try again.',
  INSTALLMENTS_NOT_ALLOWED: 'This number of installments is not available. Choose another.',
  INSTALLMENT_BELOW_MINIMUM: 'Each installment must be of R$5.00 or more. Choose fewer.',
};

const standings: typeof pt.standings = {
  buyer: 'Open',
  payable: 'Open',
  scheduled: 'Debit scheduled',
  processing: 'Payment being processed',
  unknown: 'Payment without an answer of the bank',
  confirmed: 'Payment confirmed',
  paid: 'Paid',
  begun: 'Confirmed',
  void: 'Cancelled',
  expired: 'Closed',
  renewing: 'Active',
  card_needed: 'Waits for the card',
  billed: 'Open',
};

const closed: typeof pt.closed = {
  processing: {
    title: standings.processing,
    text: 'A payment of this invoice is under way. The result shows here as soon as the bank answers.',
  },
  scheduled: {
    title: standings.scheduled,
    text: 'Pix Automático debits this invoice from your account. Do not pay in another way: the result shows here.',
  },
  unknown: {
    title: 'We do not know the result yet',
    text:
      'The bank did not answer in time, and the card may or may not have been charged. Do not pay again: we are asking the ' +
      'bank, and the result shows here. You can close this page and come back later to the same address.',
  },
  confirmed: {
    title: standings.confirmed,
    text: 'The bank has confirmed the payment and has yet to settle it. Do not pay again.',
  },
  paid: { title: 'Payment received', text: 'The payment was received. Thank you!' },
  begun: { title: 'Subscription confirmed', text: 'Nothing was charged today.' },
  void: { title: 'Invoice cancelled', text: 'This invoice was cancelled and need not be paid.' },
  billed: { title: 'There is an open bill', text: 'To keep your subscription, pay the bill that is open.' },
  expired: {
    title: 'The time to pay is over',
    text: 'Nothing was charged. If you paid by PIX after that, the amount goes back to your account. To buy, go back to the shop.',
  },
};

export const told: typeof pt = {
  words: {
    invoice: { small: 'invoice', large: 'Invoice' },
    session: { small: 'purchase', large: 'Purchase' },
    subscription: { small: 'subscription', large: 'Subscription' },
  },
  ...{ declines, problems, standings, closed },
  noMoreCards: NO_MORE_CARDS,
  tooManyTries: 'Too many tries in a short time. Wait a minute or pay by PIX.',
  otherwise: 'Something went wrong on our side; nothing was charged. Try again later.',
  uncertain:
    'The answer to the payment did not come. If it was approved, this page shows so in a moment. ' +
    'If nothing changes, press pay again: with the same data the card is not charged twice.',
  titleOf: (status, merchant) => `${status}: invoice of ${merchant}`,
  late: 'Overdue',
  refused: 'Check your data',
};
