import { z } from 'zod';
import { arrayOf } from './arrays.ts';
import { newBuyer, refuseTwoBuyers } from './buyer.ts';
import { checkCoupon, couponId, promotionCode } from './invoice-inputs.ts';
import {
  actingLink,
  currency,
  EXTERNAL_CODE_MAX,
  evenWhenInvalid,
  exampleId,
  externalCode,
  externalCodeOrNull,
  field,
  innerList,
  listOf,
  liveMode,
  meta,
  named,
  objectName,
  pageQuery,
  pathId,
  timestamp,
  typeId,
} from './kernel.ts';
import { DISCOUNTS_MAX, Discount, LINE_ITEMS_READ_MAX, LineItemInput, SessionDiscountInput } from './lines.ts';
import { metadata } from './metadata.ts';
import { c, emptyBody, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';
import { SessionSubscriptionInput } from './subscription-inputs.ts';
import { text, webUrl } from './texts.ts';

export const sessionModes = ['payment', 'subscription'] as const;
export type SessionMode = (typeof sessionModes)[number];
export const CheckoutSessionMode = named(
  'CheckoutSessionMode',
  sessionModes,
  'Whether a session is charged once or each cycle.',
);

export const sessionStatuses = ['open', 'complete', 'expired'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];
const CheckoutSessionStatus = named('CheckoutSessionStatus', sessionStatuses, 'Where a checkout session stands.');

/** What a session's `success_url` may hold in the place of the session's id. */
export const SESSION_ID_PLACEHOLDER = '{CHECKOUT_SESSION_ID}';

export const SessionLineItem = z
  .object({
    object: objectName('item'),
    price: typeId('price', 'The price.'),
    quantity: field(z.int(), 'Units bought.', 1),
  })
  .meta({ id: 'SessionLineItem', description: 'One line of a checkout session, as it was sent.' });

const exampleUrl = `https://pay.example.com/checkout/${exampleId('cs')}/mBTkSLoiyx2rrB_rmlYT7d5Q1hQ8xxMqvUv8YhEAL1I`;

export const CheckoutSession = z
  .object({
    id: typeId('cs', 'Identifier of the checkout session.'),
    object: objectName('checkout_session'),
    allow_promotion_codes: field(z.boolean(), 'Whether the page has a field for a promotion code.', false),
    amount: field(
      z.int().min(0).nullable(),
      'What the buyer pays. Integer cents; null while no customer is known.',
      9990,
    ),
    created: timestamp('When the session was created.'),
    currency,
    customer: field(
      typeId('cus', 'Who pays.').nullable(),
      'Who pays; null until the buyer has filled in the page of a session that was created without a customer.',
      exampleId('cus'),
    ),
    discounts: field(
      innerList(Discount, { id: 'SessionDiscounts', description: 'Discounts in the order applied.' }).optional(),
      'Discounts in the order applied; absent when there are none.',
    ),
    expires_at: timestamp(
      'Until when the session accepts payment: one hour from its creation. It does not change when the session is closed.',
    ),
    external_code: externalCodeOrNull,
    invoice: field(
      typeId('in', 'The invoice.').nullable(),
      'What is charged; null while no customer is known, and where a card is stored and nothing charged yet.',
      exampleId('in'),
    ),
    line_items: field(
      innerList(SessionLineItem, { id: 'SessionLineItems', description: 'What is bought, as it was sent.' }),
      'What is bought, as it was sent; `amount` is what is charged for it.',
      { object: 'list', data: [{ object: 'item', price: exampleId('price'), quantity: 1 }] },
    ),
    live_mode: liveMode,
    metadata,
    mode: field(CheckoutSessionMode, '`payment`: charged once; `subscription`: each cycle.', 'payment'),
    payment_intent: field(
      typeId('pi', 'The charge.').nullable(),
      'The newest charge of the invoice; null while none was generated.',
      null,
    ),
    payment_link: field(
      typeId('plink', 'The payment link.').nullable(),
      'The payment link that it was opened by; null of any other session.',
      null,
    ),
    return_url: field(
      z.string().nullable(),
      'Where the buyer returns without paying; null where a link that opened it says none.',
      'https://loja.example.com/carrinho',
    ),
    status: field(
      CheckoutSessionStatus,
      '`open`: accepts payment; `complete`: paid, or its card is stored; `expired`: closed without payment, by its deadline or by you.',
      'open',
    ),
    subscription: field(
      typeId('sub', 'The subscription.').nullable().optional(),
      'Only in mode `subscription`: what is paid for; null while no customer is known.',
    ),
    success_url: field(
      z.string().nullable(),
      'Where the buyer goes after paying, with the id of the session in the place of `{CHECKOUT_SESSION_ID}`; null where a link that opened it says none.',
      `https://loja.example.com/obrigado?session=${exampleId('cs')}`,
    ),
    url: actingLink('The page to send the buyer to. Whoever has the link may pay.', exampleUrl),
  })
  .meta({ id: 'CheckoutSession', description: 'A purchase that a buyer pays on the hosted page.' });

export type CheckoutSession = z.output<typeof CheckoutSession>;

/** What a key that may write is answered, so that nobody looks twice before a redirect. */
export const CreatedCheckoutSession = CheckoutSession.extend({
  url: field(z.string(), 'The page to send the buyer to. Whoever has the link may pay.', exampleUrl),
}).meta({ id: 'CreatedCheckoutSession', description: 'A checkout session that was just created.' });

export type CreatedCheckoutSession = z.output<typeof CreatedCheckoutSession>;

export const webAddress = (format: 'uri' | 'uri-template', description: string, example: string) =>
  field(webUrl.meta({ format }), description, example);

export const CheckoutSessionCreate = z
  .strictObject({
    success_url: webAddress(
      'uri-template',
      'Where the buyer goes after paying: https, in the sandbox http as well, up to 2,048 characters. `{CHECKOUT_SESSION_ID}` in it is filled in. Fulfil on `checkout_session.completed`, not on a visit of this page.',
      'https://loja.example.com/obrigado?session={CHECKOUT_SESSION_ID}',
    ),
    return_url: webAddress(
      'uri',
      'Where the buyer returns without paying: https, in the sandbox http as well, up to 2,048 characters.',
      'https://loja.example.com/carrinho',
    ),
    line_items: field(
      arrayOf(LineItemInput, { min: 1, max: LINE_ITEMS_READ_MAX }),
      'In mode `payment` 1 to 100 lines of one-time prices; in mode `subscription` 1 to 20 recurring prices of one recurrence, each once, and up to 10 one-time prices, which the first bill asks for.',
      [{ price_id: exampleId('price'), quantity: 1 }],
    ),
    mode: field(CheckoutSessionMode, '`payment`: charged once; `subscription`: each cycle.', 'payment'),
    external_code: externalCode.nullable().optional(),
    customer_id: typeId('cus', 'Who pays: an existing customer.').optional(),
    customer: newBuyer('Who pays: a customer to create with the session. Without either, the buyer fills in the page.'),
    metadata: metadata.optional(),
    discounts: field(
      arrayOf(SessionDiscountInput, { max: DISCOUNTS_MAX }).optional(),
      'At most 10, applied in order on the running subtotal; `cycles` only in mode `subscription`.',
      [{ type: 'percentage', percentage: 10, description: 'Boas-vindas' }],
    ),
    subscription: field(
      SessionSubscriptionInput.optional(),
      'Only in mode `subscription`: a trial, a start to come, a minimum term. With one of the first two the page stores a card and charges nothing.',
      { trial: { days: 14 } },
    ),
    coupon_id: couponId.optional(),
    promotion_code: promotionCode.optional(),
    allow_promotion_codes: field(
      z.boolean().optional(),
      'Whether the page has a field for a promotion code; default false. Absent with a coupon.',
      true,
    ),
  })
  .superRefine((session, context) => {
    const refuse = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    refuseTwoBuyers(session, context);
    checkCoupon(session, context);
    if (session.allow_promotion_codes === true && (session.coupon_id ?? session.promotion_code) !== undefined)
      refuse(['allow_promotion_codes'], 'must be absent with a coupon: a session has one');
    if (session.allow_promotion_codes === true && session.discounts?.length === DISCOUNTS_MAX)
      refuse(['discounts'], `must have at most ${DISCOUNTS_MAX - 1} where a code is allowed, has ${DISCOUNTS_MAX}`);
    if (session.mode === 'payment' && session.subscription !== undefined)
      refuse(['subscription'], 'must be absent in mode payment');
    if (session.mode !== 'payment' || !Array.isArray(session.discounts)) return;
    for (const [index, discount] of session.discounts.entries())
      if (discount?.cycles != null) refuse(['discounts', index, 'cycles'], 'must be absent in mode payment');
  }, evenWhenInvalid)
  .meta({
    id: 'CheckoutSessionCreate',
    description: 'A new checkout session.',
    not: { required: ['customer_id', 'customer'] },
  });

export type CheckoutSessionCreate = z.output<typeof CheckoutSessionCreate>;

const CreateBody = z
  .strictObject({ session: CheckoutSessionCreate })
  .meta({ id: 'CheckoutSessionCreateBody', description: 'A new checkout session.' });

export const CheckoutSessionListQuery = z.strictObject({
  ...pageQuery('cs'),
  customer_id: typeId('cus', 'Only sessions of this customer.').optional(),
  mode: field(CheckoutSessionMode.optional(), 'Only sessions of this mode.', 'payment'),
  status: field(CheckoutSessionStatus.optional(), 'Only sessions in this status.', 'open'),
  payment_link_id: typeId('plink', 'Only sessions that were opened by this payment link.').optional(),
  external_code: field(
    text({ max: EXTERNAL_CODE_MAX }).optional(),
    'Only the session with this external_code.',
    'order-1042',
  ),
});

const sessionPath = pathId('checkout_session', 'cs');

export const checkoutSessions = c.router(
  {
    create: {
      method: 'POST',
      path: '/checkout/sessions',
      summary: 'Create a checkout session',
      description:
        'Answers the page to send the buyer to. With a customer, its invoice (and subscription) exists at once; without, the buyer fills in name, CPF or CNPJ, e-mail and phone on the page first. Limited to 5 a minute and key.',
      body: CreateBody,
      responses: { 201: CreatedCheckoutSession, ...writeErrors },
      metadata: meta({ scope: 'write', limit: 'checkout_sessions.create' }),
    },
    retrieve: {
      method: 'GET',
      path: '/checkout/sessions/:checkout_session_id',
      pathParams: sessionPath,
      summary: 'Retrieve a checkout session',
      responses: { 200: CheckoutSession, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'cs', limit: 'checkout_sessions.get' }),
    },
    list: {
      method: 'GET',
      path: '/checkout/sessions',
      summary: 'List checkout sessions',
      query: CheckoutSessionListQuery,
      responses: {
        200: listOf(CheckoutSession, { id: 'CheckoutSessionList', url: '/api/v1/checkout/sessions' }),
        ...listErrors,
      },
      metadata: meta({ scope: 'read', limit: 'checkout_sessions.list' }),
    },
    expire: {
      method: 'POST',
      path: '/checkout/sessions/:checkout_session_id/expire',
      pathParams: sessionPath,
      summary: 'Close a checkout session before its deadline',
      description:
        'Its invoice is voided and its pending subscription ends. An expired session is answered as it is. Refused while a payment is on its way; repeat shortly.',
      body: emptyBody,
      responses: { 200: CheckoutSession, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'cs' }),
    },
  },
  routerOptions,
);
