import { buyer, card, code, everyTime, mandate, methodNames, period, several } from './en-forms.ts';
import { told } from './en-told.ts';
import type { Texts } from './pt.ts';

const summary: Texts['summary'] = {
  label: 'Summary of the invoice',
  items: (count) => (count === 1 ? '1 item' : `${count} items`),
  each: (amount) => `${amount} each`,
  more: (count) => `${count} more ${count === 1 ? 'item' : 'items'}`,
  subtotal: 'Subtotal',
  total: 'Total',
  discount: 'Discount',
  due: 'Due',
  next: 'Next charge',
  today: (now, later) => `${now} today; ${later} on `,
  renews: (every, amount) => `Renews ${everyTime(every)} for ${amount}.`,
  free: 'Cancel whenever you want.',
  sandbox: 'Test mode: nothing will be charged.',
  suspended: (card, reason) =>
    `Your subscription is suspended${card === null ? '' : `: the ${card} ${reason ?? 'was declined'}`}. Once you pay this bill, it works again.`,
};

const payment: Texts['payment'] = {
  label: 'Payment',
  choose: 'How do you want to pay?',
  byPix: 'Pay by PIX',
  byCard: 'Pay by card',
  hints: {
    pix_automatico: 'Pays now and authorises the coming charges',
    pix: 'Approved at once',
    card: 'Credit, at once',
  },
  upTo: (count) => `Up to ${count} × without interest`,
  secure: 'Secure payment',
  debit: 'Pix Automático debits this bill on ',
  debitRest: '. If you pay before, the debit is cancelled.',
  cardUnscripted: 'To pay by card, switch on JavaScript in the browser. PIX works without it.',
  none: (merchant) => `It is not possible to pay here yet. Ask ${merchant} for another way.`,
};

const renewal: Texts['renewal'] = {
  label: 'Payment method',
  choose: 'How do you want to pay the coming charges?',
  hints: {
    pix_automatico: 'Debited from your account',
    pix: 'The code comes by e-mail',
    card: 'Charged automatically',
  },
  byCard: 'by the card',
  ending: (last4) => `ending in ${last4}`,
  theCard: 'card',
  byPix: 'by PIX',
  byMandate: 'by Pix Automático',
  current: 'Current payment method: ',
  next: 'The next charge is on ',
  comesBack: (amount) => `Your subscription comes back with the card: ${amount} are charged today.`,
  kept: (way) => `Your card is stored already: ${way}. `,
  nothingToday: 'Nothing is charged today. On ',
  charged: (amount) => ` ${amount} are charged, unless you cancel before.`,
  isPix: 'Your subscription is paid by PIX already: the code of each charge comes by e-mail.',
  toPix: 'Pay by PIX from now on',
  turning: 'Turning to PIX …',
  toPixNote: 'The PIX code of each bill is on this page. The card is not charged any more.',
  ready: 'Done',
  changed: (way) => `From now on, your subscription is paid ${way}. Nothing was charged today.`,
  again: 'Change again',
  resumed: 'Your subscription is back: its first period began today, and the card is charged.',
  trialBegan: 'Your free trial has begun.',
  cardKept: 'The card is stored.',
  later: (day, amount) => `Nothing was charged today; on ${day} the card is charged ${amount}.`,
  unscripted: 'To give a card, switch on JavaScript in the browser.',
  pixUnscripted: ' PIX works without it.',
};

const consent: Texts['consent'] = {
  subscribe: (amount, every) => `Subscribe for ${amount}/${period(every)}`,
  now: (merchant, today, renews) =>
    `By subscribing, you authorise ${merchant} to charge ${today} today and ${renews}, until you cancel.`,
  trial: (merchant, first, renews) =>
    `By beginning the free trial, you authorise ${merchant} to charge ${first} and then ${renews}, until you cancel. Nothing is charged today.`,
  later: (merchant, first, renews) =>
    `By continuing, you authorise ${merchant} to charge ${first} and then ${renews}, until you cancel. Nothing is charged today.`,
  on: (amount, day) => `${amount} on ${day}`,
  renews: (amount, every) => `${amount} ${everyTime(every)}`,
  card: 'The card is kept for these charges.',
  ifByCard: 'If you pay by card, it is kept for these charges.',
  cancel:
    'To cancel, use the link in the e-mails of the charges or ask the shop; nothing more is charged from then on.',
  cancelTrial: (day) => `Not to be charged, cancel before ${day} by the link in the e-mails or by asking the shop.`,
  terms: 'Terms',
  privacy: 'Privacy',
};

const standing: Texts['standing'] = {
  amountPaid: 'Amount paid',
  paidAt: 'Paid on',
  paidBy: 'Paid by',
  refunded: 'Given back',
  cardOnce: 'Card, at once',
  cardTimes: (count) => `Card, in ${count} installments`,
  debitedOn: 'It will be debited on ',
  receipt: 'See the receipt',
  firstCharge: (amount) => `The first charge, of ${amount}, is on `,
  unlessCanceled: ', unless you cancel before.',
  back: 'Back to the shop',
  goingBack: (seconds) => `Going back to the shop in ${seconds} s`,
  bill: 'See the bill',
  refresh: 'Reload this page',
};

/** All that the page says, in English. */
export const en: Texts = {
  lang: 'en',
  ...told,
  ...{ buyer, card, code, everyTime, mandate, methodNames, period, several },
  ...{ summary, payment, renewal, consent, standing },
  promotionCode: {
    label: 'Promotion code',
    empty: 'Write the code.',
    apply: 'Apply',
    applying: 'Applying …',
  },
  deadline: 'Time to pay:',
  leave: 'Cancel and go back to the shop',
  questions: 'Questions? Ask the shop:',
  toPortal: 'Back to my subscriptions',
  at: (day, time) => `${day} at ${time}`,
  days: (count) => `${count} ${count === 1 ? 'day' : 'days'}`,
  hours: (count) => `${count} ${count === 1 ? 'hour' : 'hours'}`,
  and: ' and ',
};
