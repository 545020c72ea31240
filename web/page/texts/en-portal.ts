import { everyTime } from './en-forms.ts';
import type { PortalWords } from './pt-portal.ts';

const statuses: PortalWords['statuses'] = {
  scheduled: 'Not begun yet',
  pending: 'Waits for the payment',
  trialing: 'Free trial',
  active: 'Active',
  paused: 'Paused',
  suspended: 'Suspended',
  inactive: 'Ended',
};

const notices: PortalWords['notices'] = {
  cancel: 'Cancelled. Your subscription lasts until the end of the period and does not renew.',
  uncancel: 'Done: your subscription goes on.',
  pause: 'Your subscription is paused.',
  resume: 'Done: your subscription is back.',
  change: 'Change confirmed.',
  card_preferred: 'Done: this is your main card now.',
  card_removed: 'The card was removed.',
  mandate_ended: 'Pix Automático has ended. The next bills come with a PIX code.',
};

const problems: PortalWords['problems'] = {
  PAYMENT_METHOD_IN_USE: 'This card pays for a subscription. Give that another card before you remove this one.',
  PREVIEW_OUTDATED: 'The amount has changed since the page was opened. Look at it again before you confirm.',
  CHANGE_PENDING: 'There is a change already that waits for its payment.',
  INVOICE_UNPAID: 'Pay the open bill first.',
  NOTHING_CHANGES: 'Your subscription is like this already.',
  PRICE_INACTIVE: 'This plan is not sold any more.',
  PAYMENT_IN_PROGRESS: 'A payment is under way. Wait a moment and try again.',
  PIX_PAYMENT_CONFIRMED: 'The bank has just confirmed a payment. Look at the page and try again.',
  INVALID_STATE: 'This cannot be done now. See how it stands and, if you need to, ask the shop.',
  RESOURCE_MISSING: 'This does not exist any more. See how it stands.',
  RATE_LIMITED: 'Too many tries in a short time. Wait a minute and try again.',
  PARAMETER_INVALID: 'The request did not come whole. Try again.',
  SERVICE_UNAVAILABLE: 'The service is not available. Wait a moment and try again.',
  ACQUIRER_UNAVAILABLE: 'The bank could not be reached; nothing has changed. Wait a moment and try again.',
};

const titles: PortalWords['titles'] = {
  overview: 'Your subscriptions and bills',
  paid: 'Paid bills',
  change: 'Change the plan',
};

const bills: PortalWords['bills'] = {
  title: (count) => (count === 1 ? 'Open bill' : 'Open bills'),
  one: 'Bill',
  late: 'Overdue',
  open: 'Open',
  wasDue: 'Was due on ',
  isDue: 'Due on ',
  pay: (amount) => `Pay ${amount}`,
  paidOn: 'Paid on ',
  returned: (amount) => `; ${amount} returned`,
  receipt: 'See the receipt',
  file: 'Download PDF',
  all: 'See all paid bills',
  before: 'See those before',
};

const subscription: PortalWords['subscription'] = {
  title: 'Subscriptions',
  one: 'Subscription',
  some: 'a subscription',
  changesOn: (day) => `Changes its plan on ${day}.`,
  billed: 'There is an open bill at the top of this page.',
  ended: (day) => `Ended on ${day}.`,
  canceled: (day) => `Cancelled: it lasts until ${day} and does not renew.`,
  pausesOn: (day) => `Will be paused on ${day}.`,
  nothing: 'no charge',
  first: (amount, day) => `First charge: ${amount} on ${day}.`,
  next: (amount, day) => `Next charge: ${amount} on ${day}.`,
  goOn: 'Keep the subscription',
  resume: 'Resume',
  update: 'Change how it is paid',
  change: 'Change the plan',
  pause: 'Pause',
  pauseText: 'The subscription stops today and nothing is charged meanwhile. The days that are paid are kept for you.',
  pauseSure: 'Yes, pause',
  cancel: 'Cancel the subscription',
  cancelSure: 'Yes, cancel',
  until: (isTrial, day) => `Your ${isTrial ? 'trial' : 'subscription'} lasts until ${day} and does not renew then.`,
  penalty: (amount) => ` Because of the minimum term an end on that day costs ${amount}, which come with a last bill.`,
  free: ' Nothing is charged for that.',
  takeBack: ' You can take it back until then.',
};

const change: PortalWords['change'] = {
  label: 'Confirm the change',
  now: 'It holds from now on.',
  from: (day) => `It holds from ${day} on.`,
  dueNow: (amount) => `You pay ${amount} now.`,
  onNext: (amount) => `The difference for this period, ${amount}, comes with the next charge.`,
  credit: (amount) => `The difference for this period, ${amount}, is a credit on the next charge.`,
  penalty: (amount) => `Because of the minimum term the change costs ${amount}, which come with the next charge.`,
  sure: 'Confirm the change',
};

const methods: PortalWords['methods'] = {
  card: 'Card',
  byPix: 'PIX: the code comes by e-mail',
  ending: (last4) => `ending in ${last4}`,
  cards: 'Stored cards',
  isDefault: 'Main card',
  isClosed: 'Closed by the bank',
  expires: (month) => `Expires ${month}`,
  pays: (names) => `Used for ${names}.`,
  prefer: 'Make it the main card',
  remove: 'Remove',
  removeText: 'The card is stored no more.',
  removeSure: 'Yes, remove',
  authorised: 'Authorised',
  awaited: 'Waits for you to authorise it',
  debited: (every) => `Debited ${everyTime(every)}`,
  end: 'End the authorisation',
  endText: 'Nothing is debited from your account any more. The next bills come by e-mail, with a PIX code.',
  endSure: 'Yes, end it',
};

const ask: PortalWords['ask'] = {
  title: 'My subscriptions and bills',
  text: 'Give your e-mail. Each shop that bills by Fatura and knows it sends a link to your subscriptions, bills and receipts.',
  asked: 'Look at your e-mail',
  askedText:
    'If there are purchases with this address, the link of each shop comes within minutes and is good for an hour. Look into the spam folder, too.',
  noAddress: 'Give an e-mail like maria@example.com.',
  tooOften: 'Too many requests in a short time. Try again later.',
  ended: 'This link is not good any more',
  endedText:
    'For your safety the link is good for a short time. Ask for another by your e-mail here, or open it again from the shop.',
  email: 'Your e-mail',
  send: 'Send the link',
};

/** The same in English. */
export const enPortal: PortalWords = {
  ...{ statuses, notices, problems, titles, bills, subscription, change, methods, ask },
  empty: 'There is nothing here yet: no subscription and no bill.',
  home: 'Back to the beginning',
  back: 'Back to the shop',
  price: (amount, every) => `${amount} ${everyTime(every)}`,
};
