const seen = new Set<string>();

/** Tells that something was met: a model that never meets it proves nothing of it. */
export function witness(what: string): void {
  seen.add(what);
}

const answers: Readonly<Record<string, readonly string[]>> = {
  card: [
    'OK',
    'CARD_DECLINED issuer_declined',
    'CARD_DECLINED insufficient_funds',
    'CARD_DECLINED expired_card',
    'CARD_DECLINED invalid_card_data',
    'CARD_DECLINED suspected_fraud',
    'CARD_DECLINED processing_error',
    'ACQUIRER_TIMEOUT',
    'ACQUIRER_UNAVAILABLE',
    'PAYMENT_IN_PROGRESS',
    'PIX_PAYMENT_CONFIRMED',
    'INVOICE_NOT_OPEN',
    'CRASHED',
  ],
  pix: [
    'OK',
    'ACQUIRER_TIMEOUT',
    'ACQUIRER_UNAVAILABLE',
    'PAYMENT_IN_PROGRESS',
    'PIX_PAYMENT_CONFIRMED',
    'INVOICE_NOT_OPEN',
    'CRASHED',
  ],
  close: ['OK', 'PAYMENT_IN_PROGRESS', 'INVALID_STATE', 'CRASHED'],
  refund: [
    'OK',
    'ACQUIRER_TIMEOUT',
    'REFUND_REFUSED',
    'REFUND_EXCEEDS_BALANCE',
    'REFUND_WINDOW_CLOSED',
    'INVALID_STATE',
    'CRASHED',
  ],
  pay_pix: ['OK', 'ACQUIRER_TIMEOUT', 'INVALID_STATE', 'CRASHED'],
  step: ['OK', 'CRASHED'],
  repeat: ['OK', 'CARD_DECLINED insufficient_funds', 'ACQUIRER_TIMEOUT', 'IDEMPOTENCY_KEY_IN_USE'],
  twice: ['OK', 'ACQUIRER_TIMEOUT', 'IDEMPOTENCY_KEY_IN_USE'],
};

const steps = [
  'card.after-tokenize',
  'ending.after-retiring',
  'ending.after-acquirer',
  'card.after-attempt',
  'card.after-charge',
  'card.after-outcome',
  'reconciliation.after-asking',
  'refund.after-asking',
  'refund.after-acquirer',
  'refund.after-booking',
  'return.after-asking',
  'return.after-booking',
  'pix.after-intent',
  'pix.after-acquirer',
  'settlement.after-booking',
  'settlement.before-settle',
  'settlement.between-payments',
  'settlement.after-settle',
  'ending.after-retiring',
  'ending.after-acquirer',
];

const expected = [
  ...Object.entries(answers).flatMap(([kind, codes]) => codes.map((code) => `${kind} ${code}`)),
  ...steps.flatMap((step) => [`crash at ${step}`, `meanwhile at ${step}`]),
];

/** What the runs of this process never met. */
export const unmet = (): string[] => expected.filter((what) => !seen.has(what));
