import type { Every } from '../page-data.ts';
import type * as pt from './pt-forms.ts';

const MONTHS_IN_YEAR = 12;

function partsOf({ interval, count }: Every): { one: string; count: number } {
  const isYears = interval === 'month' && count % MONTHS_IN_YEAR === 0;
  return isYears ? { one: 'year', count: count / MONTHS_IN_YEAR } : { one: interval, count };
}

/** `month`, `3 months` */
export const period: typeof pt.period = (every) => {
  const { one, count } = partsOf(every);
  return count === 1 ? one : `${count} ${one}s`;
};

export const several: typeof pt.several = ({ interval, count }) => `${count} ${interval}s`;

/** `every month`, `every 3 months` */
export const everyTime: typeof pt.everyTime = (every) => `every ${period(every)}`;

export const methodNames: typeof pt.methodNames = { pix_automatico: 'Pix Automático', pix: 'PIX', card: 'Card' };

export const code: typeof pt.code = {
  pix: {
    make: 'Make a PIX code',
    again: 'Make a new PIX code',
    note: 'The code is made at once and can be paid in the app of any bank in Brazil.',
    confirm: 'Check the recipient and the amount, and confirm.',
    waiting: 'Waiting for the payment. This page tells you when it comes.',
    simulate: 'Simulate the payment',
  },
  mandate: {
    make: 'Make a code of Pix Automático',
    again: 'Make a new code of Pix Automático',
    note: 'The code is made at once and can be authorised in the app of any bank in Brazil.',
    confirm: 'Check the recipient and what you authorise, and confirm.',
    waiting: 'Waiting for the authorisation. This page tells you when it comes.',
    simulate: 'Simulate the authorisation',
  },
  making: 'Making the code …',
  simulating: 'Simulating …',
  copy: 'Copy the PIX code',
  copied: 'Code copied',
  copiedAloud: 'PIX code copied. Paste it in the app of your bank.',
  copyPaste: 'PIX code to paste',
  show: 'Show the code',
  drawing: (amount) => (amount === null ? 'PIX QR code' : `PIX QR code of ${amount}`),
  recipient: 'Recipient',
  amount: 'Amount',
  steps: [
    'Copy the code, or scan the QR code with the camera in the app of your bank.',
    'In the app, choose PIX and paste the code.',
  ],
  until: 'This code can be paid until',
  left: 'Time left:',
  refresh: 'I have paid: reload this page',
  ended: 'The former code has ended. If you paid by it, do not pay again: before making another, we ask the bank.',
};

export const mandate: typeof pt.mandate = {
  now: (amount) => `With one code, you pay ${amount} now and authorise `,
  later: 'Nothing is charged today. With the code, you authorise ',
  rest: (every) =>
    ` to debit the coming charges from your account, every ${period(every)}, each of its own amount. You end that whenever you want, in the app of your bank or on the page of your subscription.`,
  end: 'End the authorisation',
  ending: 'Ending …',
  authorised: 'You authorised each charge to be debited from your account. Without that, its PIX code comes by e-mail.',
};

export const buyer: typeof pt.buyer = {
  title: 'Your data',
  name: 'Full name',
  cpf: 'CPF',
  cnpj: 'CNPJ',
  either: ' or CNPJ',
  hasCnpj: 'I have a CNPJ',
  hasCpf: 'I have a CPF',
  email: 'E-mail',
  phone: 'Mobile phone with area code',
  didYouMean: 'Did you mean',
  next: 'Continue to the payment',
  nextLater: 'Continue',
  confirm: 'Confirm the subscription',
  going: 'Continuing …',
  note: 'Your data go to the shop, which uses them for this purchase.',
  errors: {
    name: 'Write your full name.',
    nameAddress: 'Write the name alone, without the address of a site; leave a blank after a dot.',
    noIdentifier: 'Write your CPF or CNPJ.',
    identifier: 'Check the CPF or CNPJ.',
    email: 'Check the e-mail, like name@example.com.',
    phone: 'Write the mobile phone with its area code.',
    field: 'Check this field.',
  },
};

export const card: typeof pt.card = {
  number: 'Card number',
  name: 'Name printed on the card',
  expiry: 'Expiry date',
  expiryHint: 'MM/YY',
  cvc: 'CVV',
  cvcHint: '3 digits on the back',
  cvcHintAmex: '4 digits on the front',
  document: 'CPF of the card holder',
  ownDocument: (document) => `It is my CPF (${document})`,
  installments: 'Installments',
  once: (amount) => `At once: ${amount}`,
  times: (count, amount) => `${count} × ${amount} without interest`,
  odd: (amount) => ` (the first of ${amount})`,
  total: (amount) => `Total: ${amount}, without interest`,
  address: 'Billing address (optional)',
  addressHint: 'Helps the bank to approve the purchase.',
  parts: {
    postalCode: 'Postal code (CEP)',
    street: 'Street',
    streetNumber: 'Number',
    complement: 'Complement',
    neighborhood: 'Neighbourhood',
    city: 'City',
    state: 'State (UF)',
  },
  testCards: 'Test cards',
  pay: (amount) => `Pay ${amount}`,
  payTimes: (count, amount) => `Pay ${count} × ${amount}`,
  paying: 'Processing the payment …',
  save: 'Save this card',
  saving: 'Saving the card …',
  beginTrial: 'Begin the free trial',
  checking: 'Checking the card …',
  verified: 'The card is checked with the bank and nothing is charged now.',
  viaUs: 'The number and the security code go straight to the charge and are not kept.',
  direct:
    'The number and the security code go from your browser straight to whoever processes the card, not to the shop.',
  keeps:
    'By continuing, you allow this card to be kept for the coming charges of the subscription, until you change it or cancel.',
  toPix: 'Pay by PIX',
  errors: {
    noNumber: 'Write the card number.',
    number: 'Check the card number.',
    name: 'Write the name as it is printed on the card.',
    expiry: 'Write month and year.',
    cvc: (length) => `Write the ${length} digits of the CVV.`,
    noDocument: 'Write the CPF of the holder.',
    document: 'Check the CPF of the holder.',
    postalCode: 'The CEP has 8 digits.',
    state: 'Check the UF, like SP.',
    field: 'Check this field.',
  },
};
