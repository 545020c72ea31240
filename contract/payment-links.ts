import { z } from 'zod';
import { arrayOf } from './arrays.ts';
import { UNIT_AMOUNT_MAX } from './catalog.ts';
import { CheckoutSessionMode, SessionLineItem, webAddress } from './checkout-sessions.ts';
import { conditional, without } from './conditions.ts';
import { until } from './coupons.ts';
import {
  actingLink,
  currency,
  evenWhenInvalid,
  exampleId,
  externalCode,
  externalCodeFilter,
  externalCodeOrNull,
  field,
  innerList,
  listOf,
  liveMode,
  meta,
  NAME_MAX,
  objectName,
  pageQuery,
  pathId,
  queryFlag,
  timestamp,
  typeId,
} from './kernel.ts';
import { LINE_ITEMS_READ_MAX, LineItemInput } from './lines.ts';
import { metadata } from './metadata.ts';
import { PaymentLinkTerms, PaymentLinkTermsInput } from './payment-link-terms.ts';
import { c, listErrors, readErrors, routerOptions, writeErrors } from './router.ts';
import { text } from './texts.ts';

/** Most sales that a link can be limited to. */
const SALES_MAX = 1_000_000;

export const PaymentLink = z
  .object({
    id: typeId('plink', 'Identifier of the payment link.'),
    object: objectName('payment_link'),
    active: field(z.boolean(), 'Whether it is switched on.', true),
    allow_promotion_codes: field(z.boolean(), 'Whether its sessions take a promotion code on the page.', false),
    amount: field(
      z.int().nullable(),
      'What a buyer pays where the link sells an amount. Integer cents; null where it sells `line_items`.',
      null,
    ),
    created: timestamp('When the payment link was created.'),
    currency,
    description: field(
      z.string().nullable(),
      'What the amount is for, as buyers read it; null where the link sells `line_items`.',
      null,
    ),
    expires_at: field(
      z.int().nullable(),
      'From then on it sells nothing. Unix time, seconds; null: without an end.',
      null,
    ),
    external_code: externalCodeOrNull,
    line_items: field(
      innerList(SessionLineItem, { id: 'PaymentLinkItems', description: 'What each buyer buys.' }).nullable(),
      'What each buyer buys; null where the link sells an amount.',
      { object: 'list', data: [{ object: 'item', price: exampleId('price'), quantity: 1 }] },
    ),
    live_mode: liveMode,
    metadata,
    max_sales: field(z.int().nullable(), 'How often it sells in all; null: without a limit.', 50),
    mode: field(
      CheckoutSessionMode,
      '`subscription` where one of its prices recurs, else `payment`: the mode of the sessions that it opens.',
      'payment',
    ),
    reserved: field(
      z.int(),
      'Open checkout sessions of it: each holds one of the sales until it is paid or expires.',
      1,
    ),
    return_url: field(
      z.string().nullable(),
      'Where a buyer returns without paying; null: the page offers no way back.',
      null,
    ),
    sales: field(z.int(), 'How often it was paid.', 12),
    subscription_terms: field(
      PaymentLinkTerms.nullable(),
      'What was sent as `subscription`: how each subscription that it sells begins, and how long it lasts at least; null: with its first payment, and without a minimum term.',
      null,
    ),
    success_url: field(
      z.string().nullable(),
      'Where a buyer goes after paying; null: the page stays and shows the receipt.',
      null,
    ),
    url: actingLink(
      'The page to share. Each buyer who opens it gets a checkout session of their own.',
      `https://pay.example.com/link/${exampleId('plink')}/mBTkSLoiyx2rrB_rmlYT7d5Q1hQ8xxMqvUv8YhEAL1I`,
    ),
  })
  .meta({ id: 'PaymentLink', description: 'A page that sells the same to whoever opens it, again and again.' });

export type PaymentLink = z.output<typeof PaymentLink>;

const salesLimit = (more: string) =>
  field(
    z.int().min(1).max(SALES_MAX).nullable().optional(),
    `How often it sells in all: 1 to 1,000,000; null: without a limit.${more}`,
    50,
  );
const linkEnd = until('From then on it sells nothing; lies ahead. Null: without an end.');
const linkActive = field(z.boolean().optional(), 'Whether it is switched on; default true.', true);
const allowsCodes = field(
  z.boolean().optional(),
  'Whether its sessions have a field for a promotion code; default false.',
  true,
);
const successUrl = webAddress(
  'uri-template',
  'Where a buyer goes after paying: https, in the sandbox http as well, up to 2,048 characters. `{CHECKOUT_SESSION_ID}` in it is filled in. Null: the page stays and shows the receipt.',
  'https://loja.example.com/obrigado?session={CHECKOUT_SESSION_ID}',
)
  .nullable()
  .optional();
const returnUrl = webAddress(
  'uri',
  'Where a buyer returns without paying: https, in the sandbox http as well, up to 2,048 characters. Null: the page offers no way back.',
  'https://loja.example.com/carrinho',
)
  .nullable()
  .optional();

interface AskedLink {
  readonly line_items?: unknown;
  readonly amount?: unknown;
  readonly description?: unknown;
}

const beside = 'must be absent beside line_items: a link sells prices, or an amount';

/** Prices, or an amount with what it is for. */
function checkSold({ line_items: items, amount, description }: AskedLink, context: z.core.$RefinementCtx): void {
  const refuse = (field: keyof AskedLink, message: string, missing = false) =>
    context.addIssue({ code: 'custom', path: [field], message, ...(missing && { params: { missing } }) });
  if (items !== undefined) {
    if (amount !== undefined) refuse('amount', beside);
    if (description !== undefined) refuse('description', beside);
    return;
  }
  if (amount === undefined) refuse('line_items', 'or amount is required', true);
  else if (description === undefined) refuse('description', 'is required with an amount', true);
}

export const PaymentLinkCreate = z
  .strictObject({
    line_items: field(
      arrayOf(LineItemInput, { min: 1, max: LINE_ITEMS_READ_MAX }).optional(),
      'What each buyer buys: 1 to 100 lines of one-time prices; or 1 to 20 recurring prices of one recurrence, each once, and up to 10 one-time prices, which the first bill asks for.',
      [{ price_id: exampleId('price'), quantity: 1 }],
    ),
    amount: field(
      z.int().min(1).max(UNIT_AMOUNT_MAX).optional(),
      'In the place of `line_items`: what each buyer pays. Integer cents, 1 to 999999.',
      9990,
    ),
    description: field(
      text({ max: NAME_MAX }).optional(),
      'What the amount is for, as buyers read it: 1 to 250 characters.',
      'Aula avulsa',
    ),
    subscription: field(
      PaymentLinkTermsInput.optional(),
      'Only where one of the prices recurs: a trial, a minimum term. With a trial the page stores a card and charges nothing.',
      { trial: { days: 14 } },
    ),
    max_sales: salesLimit(''),
    expires_at: linkEnd,
    active: linkActive,
    allow_promotion_codes: allowsCodes,
    metadata: metadata.optional(),
    success_url: successUrl,
    return_url: returnUrl,
    external_code: externalCode.nullable().optional(),
  })
  .superRefine(checkSold, evenWhenInvalid)
  .meta({
    id: 'PaymentLinkCreate',
    description: 'A new payment link: of prices, or of an amount.',
    examples: [
      { line_items: [{ price_id: exampleId('price'), quantity: 1 }], max_sales: 50 },
      { amount: 7_500, description: 'Aula avulsa' },
    ],
    ...conditional({
      when: without('line_items'),
      so: { required: ['amount', 'description'] },
      otherwise: { properties: { amount: false, description: false } },
    }),
  });

export type PaymentLinkCreate = z.output<typeof PaymentLinkCreate>;

export const PaymentLinkUpdate = z
  .strictObject({
    max_sales: salesLimit(' Not below what is sold and reserved.'),
    expires_at: linkEnd,
    active: linkActive,
    allow_promotion_codes: allowsCodes,
    metadata: metadata.optional(),
    success_url: successUrl,
    return_url: returnUrl,
    external_code: externalCode.nullable().optional(),
  })
  .meta({
    id: 'PaymentLinkUpdate',
    description:
      'Changes of a payment link: an absent field keeps, null clears. What it sells never changes; sessions that are open go on.',
  });

export type PaymentLinkUpdate = z.output<typeof PaymentLinkUpdate>;

const CreateBody = z
  .strictObject({ payment_link: PaymentLinkCreate })
  .meta({ id: 'PaymentLinkCreateBody', description: 'A new payment link.' });
const UpdateBody = z
  .strictObject({ payment_link: PaymentLinkUpdate })
  .meta({ id: 'PaymentLinkUpdateBody', description: 'Changes of a payment link.' });

export const PaymentLinkListQuery = z.strictObject({
  ...pageQuery('plink'),
  active: queryFlag('Only links that are switched on, or only those that are off.'),
  external_code: externalCodeFilter('Only the payment link with this external_code.', 'feira-2026'),
});

const linkPath = pathId('payment_link', 'plink');

export const paymentLinks = c.router(
  {
    create: {
      method: 'POST',
      path: '/payment_links',
      summary: 'Create a payment link',
      description:
        'Answers the page to share. Whoever opens it gets a checkout session of their own, which holds one of the sales for an hour.',
      body: CreateBody,
      responses: { 201: PaymentLink, ...writeErrors },
      metadata: meta({ scope: 'write' }),
    },
    retrieve: {
      method: 'GET',
      path: '/payment_links/:payment_link_id',
      pathParams: linkPath,
      summary: 'Retrieve a payment link',
      responses: { 200: PaymentLink, ...readErrors },
      metadata: meta({ scope: 'read', idPrefix: 'plink' }),
    },
    list: {
      method: 'GET',
      path: '/payment_links',
      summary: 'List payment links',
      query: PaymentLinkListQuery,
      responses: { 200: listOf(PaymentLink, { id: 'PaymentLinkList', url: '/api/v1/payment_links' }), ...listErrors },
      metadata: meta({ scope: 'read' }),
    },
    update: {
      method: 'PATCH',
      path: '/payment_links/:payment_link_id',
      pathParams: linkPath,
      summary: 'Update a payment link',
      body: UpdateBody,
      responses: { 200: PaymentLink, ...writeErrors },
      metadata: meta({ scope: 'write', idPrefix: 'plink' }),
    },
  },
  routerOptions,
);
