import type { SubscriptionWords } from '../../server/mail/fact-words.ts';
import { wordsOfPayment, wordsOfRenewal, wordsOfSubscription } from '../../server/mail/fact-words.ts';
import { type Frame, type Letter, layOutToBuyer, type Words } from '../../server/mail/letter.ts';
import { portalName } from '../../server/mail/queue.ts';
import { wordsOfDispute, wordsOfRefund, wordsOfRefusedRefund, wordsOfSurplus } from '../../server/mail/return-words.ts';
import { type LetterFacts, wordsOfBill, wordsOfConfirmation } from '../../server/mail/wording.ts';

const DAY = 86_400;
const NOW = Date.UTC(2031, 0, 20, 15) / 1_000;
const merchant = 'Academia Boa Forma';
const purpose = 'Plano Ouro, 2 × Aula avulsa';
const link = `https://pay.boaforma.example/subscription/sub_01kaj4w2n8e9r7t5v3x1z0q6d4/${'Q2u5oY7rJ0m1vF8sE3tZ6xW9bN4dK2hG'}`;

const bill: LetterFacts = {
  occasion: { kind: 'sent' },
  ...{ liveMode: true, merchant, purpose, link },
  amount: 9_990,
  dueAt: NOW,
  code: {
    copyPaste:
      '00020101021226830014br.gov.bcb.pix2561pix.example/v2/cobv/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Boa Forma6009SAO PAULO62070503***63046D3C',
    expiresAt: NOW + DAY,
  },
  suspends: true,
};

const subscription: SubscriptionWords['subscription'] = {
  trial_end: NOW + 3 * DAY,
  trial_end_behavior: 'invoice',
  payment_method_type: 'card',
  pending_change: null,
  current_period_end: NOW + 30 * DAY,
  cancel_at: null,
  ended: null,
  canceled_reason: null,
  cancel_at_period_end: true,
  discounts: {
    object: 'list',
    data: [
      {
        ...{ type: 'percentage', percentage: 50, amount: null, cycles: 3, description: null },
        ...{ coupon: null, promotion_code: null, redemption: null, applies_to: null },
      },
    ],
  },
  minimum_term: {
    ends_at: NOW + 90 * DAY,
    penalty_type: 'remaining_percentage',
    penalty_value: 20,
    penalty_now: 1_000,
  },
};

const payment = {
  ...{ amount: 9_990, purpose, paidAt: NOW, nextCharge: NOW + 30 * DAY, isAttached: true },
  method: 'Mastercard final 4444 em 3x',
  receipt: `${link}/receipt`,
};

const told = (more: Partial<SubscriptionWords> = {}): SubscriptionWords => ({
  ...{ merchant, subscription, payment: null, link },
  plan: { name: 'Plano Ouro', price: 'R$ 99,90 por mês' },
  isByBuyer: true,
  lastBill: null,
  ...more,
});

const returned = { merchant, amount: 1_000, purpose, method: 'Visa final 4242', isPix: false };
const dispute = { amount: 9_990, status: 'lost' } as const;

/** What a letter of each kind to a buyer says. */
export const everyWords: Readonly<Record<string, Words>> = {
  bill: wordsOfBill(bill),
  declined: wordsOfBill({
    ...bill,
    code: null,
    occasion: { kind: 'declined', last4: '0341', reason: 'insufficient_funds', againAt: NOW + DAY },
  }),
  confirmation: wordsOfConfirmation({ merchant, purpose, amount: 9_990, link, until: NOW + 7 * DAY }),
  paid: wordsOfPayment({ merchant, payment }),
  begun: wordsOfSubscription.subscription_begun(told({ payment })),
  trial_begun: wordsOfSubscription.trial_begun(told()),
  trial_ending: wordsOfSubscription.trial_ending(told()),
  plan_changed: wordsOfSubscription.plan_changed(told()),
  renewal_ahead: wordsOfRenewal({ ...told(), amount: 9_990, on: NOW + 7 * DAY, firstReminder: -3 }),
  suspended: wordsOfSubscription.suspended(told()),
  reactivated: wordsOfSubscription.reactivated(told({ payment })),
  cancel_scheduled: wordsOfSubscription.canceled(told({ subscription: { ...subscription, cancel_at: NOW + DAY } })),
  canceled: wordsOfSubscription.canceled(told({ subscription: { ...subscription, ended: NOW } })),
  canceled_with_bill: wordsOfSubscription.canceled(
    told({ subscription: { ...subscription, ended: NOW }, lastBill: { amount: 14_384, link } }),
  ),
  refunded: wordsOfRefund(returned),
  refund_refused: wordsOfRefusedRefund(returned),
  pix_returned: wordsOfSurplus({ ...returned, isPix: true }),
  dispute: wordsOfDispute({ merchant, purpose, dispute }),
};

const frame: Frame = {
  look: {
    name: merchant,
    taxId: '12345678000195',
    supportEmail: 'ajuda@boaforma.example',
    supportPhone: '+551140028922',
    color: '#6b21a8',
    logoDigest: null,
    logoSize: null,
  },
  logo: null,
  sentence: 'Obrigado por treinar com a gente!',
  inBrowser: `https://pay.boaforma.example/mail/mail_01kaj4w2n8e9r7t5v3x1z0q6d4/${'Q2u5oY7rJ0m1vF8sE3tZ6xW9bN4dK2hG'}`,
  portal: { name: portalName({ mayCancel: true }), link: 'https://pay.boaforma.example/portal' },
  unsubscribe: null,
  liveMode: true,
  buyer: 'Maria da Silva',
};

/** A letter of each kind, as a buyer gets it. */
export const everyLetter: readonly (readonly [kind: string, letter: Letter])[] = Object.entries(everyWords).map(
  ([kind, words]) => [kind, layOutToBuyer(frame, words)],
);
