/** The introduction of the document, in Markdown. */
export const introduction = `Billing for Brazilian merchants: products and prices in reais, invoices charged by PIX or card, subscriptions with
their collection, hosted checkout sessions, refunds and disputes, events delivered to signed webhooks.

## Keys and modes

Every request carries an API key of the account: \`Authorization: ApiKey <API_KEY>\`. A key \`sk_sandbox_…\` sees the sandbox alone, a key
\`sk_live_…\` live data alone; every object says in \`live_mode\` which it belongs to. The sandbox has an acquirer of its own, test cards, and a
clock that you advance. A key has the scope \`write\` (everything) or \`read\`: an operation names the scope that it needs, and a key that may
only read is refused \`PERMISSION_DENIED\` by one that needs \`write\`. Keep keys on your server.

## Amounts, instants, texts

An amount is an integer of cents: R$ 99,90 is \`9990\`. An instant is Unix time in whole seconds. A text is trimmed and counted in code points.
Bodies are JSON in UTF-8, at most 256 KiB and 32 levels deep; a parameter that the operation does not know is refused.

## Errors

Every answer that is not 2xx has the body \`Error\`. Branch on \`error.code\`, never on \`error.message\`. Each operation lists the codes that it
can answer; \`doc_url\` leads to what a code means and whether the same request may be sent again. Quote \`Request-Id\` when you ask for help.

## Safe repeats

A POST or PATCH with an \`Idempotency-Key\` (1 to 255 characters of your choice) can be repeated for 72 hours: the repeat is answered as the
first request was, with \`Idempotent-Replayed: true\`, and nothing happens twice. After 504 \`ACQUIRER_TIMEOUT\` the outcome is unknown: repeat
under the same key, never under another.

## Lists

A list answers one page of \`limit\` objects (1 to 100, 20 by default), newest first. The next page is asked for with \`starting_after\`, the
id of the last object of this one; \`has_more\` says whether there is one.

## Limits

Requests are counted by key in windows of 60 seconds: 1,500 in the sandbox and 6,000 in live mode, unless an operation has a limit of its
own or the operator of the service set another. Counted answers carry \`RateLimit-Policy\` and \`RateLimit\`; beyond the limit the answer is 429 \`RATE_LIMITED\` with \`Retry-After\`.

## Versions

Version 1 changes only by adding: new operations, new optional parameters, new fields of answers, new words of the enumerations of answers,
new event types. Write clients that pass over what they do not know.
`;

interface Tag {
  /** The name that readers see. */
  readonly title: string;
  readonly description: string;
}

/** What each group of operations is about, by its name in the contract. */
export const tags = {
  account: { title: 'Account', description: 'The merchant, as buyers see it on pages, receipts and in e-mails.' },
  collectionSettings: {
    title: 'Collection settings',
    description:
      'How unpaid invoices are collected, by days after they are due, and what buyers may do with their subscriptions by themselves.',
  },
  customers: {
    title: 'Customers',
    description:
      'Who is charged: a person with a CPF or a company with a CNPJ. A customer is never deleted, since invoices stand on it; its personal data can be erased.',
  },
  products: { title: 'Products', description: 'What you sell. A product has any number of prices.' },
  prices: {
    title: 'Prices',
    description:
      'What a product costs: once, or each day, week or month. Amount and recurrence of a price never change; another amount is another price.',
  },
  coupons: {
    title: 'Coupons',
    description:
      'The terms of a discount, for invoices and checkout sessions to redeem: how much, off what, how often and until when. What was redeemed keeps its terms.',
  },
  promotionCodes: {
    title: 'Promotion codes',
    description: 'What buyers type to redeem a coupon. A code may have limits of its own, or be one customer’s alone.',
  },
  invoiceItems: {
    title: 'Invoice items',
    description:
      'Charges and credits that wait for the next bill of a subscription, such as a visit or a day without service. What a bill cannot use of a credit waits for the one after.',
  },
  invoices: {
    title: 'Invoices',
    description:
      'What a customer owes. A `draft` can be changed; once `open` it is charged by PIX or card until it is `paid`, `void` or `uncollectible`. Its `payment_url` is a page on which the buyer pays by itself.',
  },
  checkoutSessions: {
    title: 'Checkout sessions',
    description:
      'A purchase on a page of the service: send the buyer to `url`, and it comes back to `success_url` when it has paid. Card numbers never pass your server.',
  },
  paymentLinks: {
    title: 'Payment links',
    description:
      'One address that sells the same to whoever opens it: prices, once or by subscription, or an amount. Each buyer gets a checkout session of their own; `max_sales` limits how many are sold.',
  },
  paymentIntents: {
    title: 'Payment intents',
    description:
      'One charge of an invoice, with all its attempts. A checkout makes it; at most one of an invoice is unsettled at a time.',
  },
  refunds: {
    title: 'Refunds',
    description:
      'What you return of a payment, in one part or several. A refund has the id of the payment intent that it returns.',
  },
  paymentMethods: {
    title: 'Payment methods',
    description: 'Cards that customers left for what renews: listed, made the default, deleted.',
  },
  mandates: {
    title: 'Mandates',
    description:
      'What buyers authorised to be debited each period: Pix Automático. Renewals are debited on their day, and what cannot be debited is paid by QR code.',
  },
  disputes: {
    title: 'Disputes',
    description: 'Money of a payment that the bank took back without your asking (MED), and what became of it.',
  },
  subscriptions: {
    title: 'Subscriptions',
    description:
      'Bill a customer for a recurring price. The first payment begins the first cycle; renewals are charged by themselves, and what is not paid is collected step by step.',
  },
  subscriptionChanges: {
    title: 'Subscription changes',
    description:
      'Changes of the plan, the quantity or the items of a subscription: at once, with the rest of its period charged and credited to the day, or with its next cycle. A preview is decided as the change itself.',
  },
  events: {
    title: 'Events',
    description:
      'What happened, frozen as it was. The same text is delivered to your webhook endpoints; events can be read for 30 days.',
  },
  collection: {
    title: 'Collection',
    description: 'Open invoices behind their due date: how late they are, what they come to and what is done next.',
  },
  summary: { title: 'Summary', description: 'What was received, falls due, was returned and was declined on a day.' },
  reports: {
    title: 'Reports',
    description:
      'Money by the day that it came and went, open invoices by age, and subscriptions that began and ended.',
  },
  pixReceipts: {
    title: 'PIX receipts',
    description:
      'What banks received for your QR codes, with txid and end-to-end id: for whoever reconciles the account.',
  },
  exports: {
    title: 'Exports',
    description: 'A filtered list as a file for Excel, made in the background and kept for 24 hours.',
  },
  search: {
    title: 'Search',
    description:
      'One box for names, e-mails, numbers, amounts, cards, codes and ids, over customers and what they buy.',
  },
  webhookEndpoints: {
    title: 'Webhook endpoints',
    description:
      'Where events are delivered. A delivery is signed as Standard Webhooks says and tried up to ten times within four days; any 2xx answer accepts it.',
  },
  apiKeys: {
    title: 'API keys',
    description:
      'The keys of the account in the mode of the key that asks, which must be a full one. A key is shown once; it is rolled and revoked by its id.',
  },
  auditLog: {
    title: 'Audit log',
    description: 'Who changed settings of the account, or was shown its data, when and from where.',
  },
  mails: { title: 'E-mails', description: 'What was written to buyers and to you, and what became of it.' },
  testHelpers: {
    title: 'Test helpers',
    description: 'What buyers and banks do in the sandbox. A live key is refused `ENVIRONMENT_MISMATCH`.',
  },
  testClock: {
    title: 'Test clock',
    description:
      'The clock of your sandbox. Advanced, it brings what falls due on the way, each thing at its own instant. A live key is refused `ENVIRONMENT_MISMATCH`.',
  },
} as const satisfies Record<string, Tag>;

export type TagName = keyof typeof tags;

/** What a receiver of webhooks is told of their delivery, in Markdown. */
export const webhookDescription = `Sent by POST to each endpoint that subscribes to the type. Verify \`webhook-signature\` over the body as it came, refuse a
\`webhook-timestamp\` more than 5 minutes away, and deduplicate on \`webhook-id\`: deliveries may repeat and overtake each other. Answer 2xx within
15 seconds; after anything else the delivery is tried again, ten times in all.`;
