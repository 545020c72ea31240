import type { Messages } from './pt-messages.ts';

const messages: Messages['messages'] = {
  not_found: {
    title: 'Invoice not found',
    text: 'Check that the address is complete, exactly as in the e-mail that you received, or ask the shop.',
  },
  gone: {
    title: 'This page is not available any more',
    text: 'The time to see it is over. If you need help, ask the shop.',
  },
  no_receipt: {
    title: 'This invoice has no receipt',
    text: 'No payment of this invoice was confirmed. The receipt shows at this address as soon as one is.',
  },
  export_gone: {
    title: 'This file is not available any more',
    text: 'An exported file is available for 24 hours. To download it, export again.',
  },
};

const said: Messages['offer']['said'] = {
  selling: { title: 'Buy', text: null },
  on_hold: {
    title: 'Sold out for now',
    text: 'The last pieces are reserved by others. If somebody gives up, the sale opens again: try in a few minutes.',
  },
  held: {
    title: 'Too many open purchases',
    text: 'There are many open purchases from your connection already. Finish one of them or try again in an hour.',
  },
  over: { title: 'No longer sold', text: 'This link does not sell any more. If you have questions, ask the shop.' },
};

const free = (days: number): string => (days === 1 ? 'The first day is free.' : `The first ${days} days are free.`);

const offer: Messages['offer'] = { buy: 'Buy', again: 'Try again', free, said };

const questions: Messages['questions'] = {
  confirmable: {
    title: 'Confirm your e-mail',
    text: (shop) =>
      `Your address was given in a purchase at ${shop}. Confirm that it is yours to be written to about what is to be paid.`,
    button: 'Confirm e-mail',
  },
  confirmed: {
    title: 'E-mail confirmed',
    text: (shop) => `Done: from now on ${shop} writes to you about what is to be paid.`,
    button: 'See the bill',
  },
  subscribed: {
    title: 'E-mail notices',
    text: (shop) =>
      `You may end the notices of ${shop} that are not about money, such as the beginning or a change of a subscription. What is about bills, payments and refunds still comes.`,
    button: 'End the notices',
  },
  unsubscribed: {
    title: 'Done: you get these notices no more',
    text: (shop) => `${shop} writes to you about bills, payments and refunds alone.`,
    button: 'Get them again',
  },
};

/** The same in English. */
export const enMessages: Messages = { messages, offer, questions, notOpened: 'The invoice could not be opened' };
