import { z } from 'zod';
import { INSTALLMENTS_MAX } from './catalog.ts';
import { conditional, without } from './conditions.ts';
import { evenWhenInvalid, exampleId, field, named, objectName, timestamp, typeId } from './kernel.ts';
import { ofForm, postalCode, state, text } from './texts.ts';

export const PixPaymentMethod = z
  .object({
    qr_code: field(
      z.string(),
      'Image of the QR code: a `data:image/png;base64,` URL.',
      'data:image/png;base64,iVBORw0KGgo=',
    ),
    pix_copy_paste: field(
      z.string(),
      'The BR Code to copy and paste into a banking app.',
      '00020101021226370014br.gov.bcb.pix2515pix.example/abc5204000053039865802BR5904LOJA6009SAO PAULO62070503***6304ABCD',
    ),
    expires: timestamp('When the QR code stops being payable.'),
  })
  .meta({ id: 'PixPaymentMethod', description: 'A PIX QR code.' });

/** Brands that are charged (docs/product/cards.md#what-is-checked). */
export const cardBrands = ['visa', 'mastercard', 'amex', 'elo', 'hipercard'] as const;
export type CardBrand = (typeof cardBrands)[number];
const CardBrand = named('CardBrand', cardBrands, 'Brand of a card.');

export const CardPaymentMethod = z
  .object({
    brand: field(CardBrand, 'Brand of the card.', 'visa'),
    last4: field(z.string(), 'Last four digits of the card.', '4242'),
  })
  .meta({ id: 'CardPaymentMethod', description: 'What is kept of a card.' });

const common = {
  id: typeId('txn', 'Identifier of the payment method record.'),
  object: objectName('payment_method'),
  created: timestamp('When the payment method was created.'),
};

const ByPix = z
  .object({
    ...common,
    type: field(z.literal('pix'), 'The buyer pays by PIX.', 'pix'),
    pix: field(PixPaymentMethod, 'The QR code to pay.', {
      qr_code: 'data:image/png;base64,iVBORw0KGgo=',
      pix_copy_paste: '00020101…6304ABCD',
      expires: 1_795_257_600,
    }),
    card: field(z.null(), 'Null: not a card.', null),
  })
  .meta({ id: 'PaymentMethodByPix', description: 'A checkout by PIX: the QR code to pay.' });

const ByCard = z
  .object({
    ...common,
    type: field(z.literal('card'), 'The buyer paid by card.', 'card'),
    pix: field(z.null(), 'Null: not a PIX.', null),
    card: field(CardPaymentMethod, 'What is kept of the card.', { brand: 'visa', last4: '4242' }),
  })
  .meta({ id: 'PaymentMethodByCard', description: 'A checkout by card: what is kept of it.' });

export const PaymentMethod = z
  .discriminatedUnion('type', [ByPix, ByCard])
  .meta({ id: 'PaymentMethod', description: 'How a checkout is paid.' });

export type PaymentMethod = z.output<typeof PaymentMethod>;

/** Characters of a card number as it is sent, spaces and hyphens included (docs/product/cards.md#what-is-checked). */
const CARD_NUMBER_FORM = /^[0-9 -]{13,19}$/;
const CVC_FORM = /^[0-9]{3,4}$/;
const YEAR_MIN = 2024;
const YEAR_MAX = 2099;

export const CardInput = z
  .strictObject({
    number: field(
      ofForm(
        z.string().trim().regex(CARD_NUMBER_FORM, 'must have 13 to 19 characters: digits, spaces and hyphens'),
        'card_number',
      ),
      'Number of the card: 13 to 19 characters, digits, spaces and hyphens. Never stored.',
      '4242 4242 4242 4242',
    ),
    exp_month: field(z.int().min(1).max(12), 'Month the card expires in: 1 to 12.', 12),
    exp_year: field(z.int().min(YEAR_MIN).max(YEAR_MAX), 'Year the card expires in: 2024 to 2099.', 2030),
    cvc: field(
      ofForm(z.string().trim().regex(CVC_FORM, 'must have 3 or 4 digits'), 'card_cvc'),
      'Security code: 3 digits, 4 for American Express. Never stored.',
      '123',
    ),
  })
  .meta({
    id: 'CardInput',
    description: 'The card to charge: Visa, Mastercard, American Express, Elo or Hipercard, and not expired.',
  });

export type CardInput = z.output<typeof CardInput>;

const ADDRESS_NUMBER_MAX = 20;
const ADDRESS_STREET_MAX = 200;
const ADDRESS_PART_MAX = 100;

const addressPart = (max: number, description: string, example: string) =>
  field(text({ min: 0, max }), `${description}: up to ${max} characters.`, example)
    .nullable()
    .optional();

export const BillingAddressInput = z
  .strictObject({
    street: addressPart(ADDRESS_STREET_MAX, 'Street', 'Rua Augusta'),
    number: addressPart(ADDRESS_NUMBER_MAX, 'Number of the house', '1500'),
    complement: addressPart(ADDRESS_PART_MAX, 'Complement', 'Apto 12'),
    neighborhood: addressPart(ADDRESS_PART_MAX, 'Neighborhood', 'Consolação'),
    city: addressPart(ADDRESS_PART_MAX, 'City', 'São Paulo'),
    state: field(state, 'State (UF): two upper-case letters.', 'SP').nullable().optional(),
    postal_code: field(postalCode, 'CEP: 5 digits, an optional hyphen, 3 digits.', '01304-001').nullable().optional(),
  })
  .meta({ id: 'BillingAddressInput', description: 'Where the holder of the card is billed; it helps approval.' });

const HOLDER_NAME_MIN = 3;
const HOLDER_NAME_MAX = 100;

export const BillingDetailsInput = z
  .strictObject({
    name: field(
      text({ min: HOLDER_NAME_MIN, max: HOLDER_NAME_MAX }),
      'Name as printed on the card: 3 to 100 characters.',
      'MARIA DA SILVA',
    ),
    document: field(
      ofForm(
        z
          .string()
          .trim()
          .regex(/^[0-9]{11}$/, 'must be a CPF of exactly 11 digits, without punctuation'),
        'tax_id',
      ),
      'CPF of the holder: exactly 11 digits.',
      '52998224725',
    ),
    address: field(BillingAddressInput.nullable().optional(), 'Where the holder is billed.', { city: 'São Paulo' }),
  })
  .meta({ id: 'BillingDetailsInput', description: 'The holder of the card.' });

export type BillingDetailsInput = z.output<typeof BillingDetailsInput>;

const cardExample = { number: '4242 4242 4242 4242', exp_month: 12, exp_year: 2030, cvc: '123' };
const holderExample = { name: 'MARIA DA SILVA', document: '52998224725' };

const TOKEN_FORM = /^[A-Za-z0-9_-]{8,128}$/;

/** A card by one of two: as it was typed, or as the acquirer's token of it. */
export const cardOrToken = {
  card: field(CardInput.optional(), 'The card as it was typed; in place of `card_token`.', cardExample),
  card_token: field(
    z.string().trim().regex(TOKEN_FORM, 'must have 8 to 128 letters, digits, hyphens and underscores').optional(),
    'What the acquirer answered to the browser for the card: good once, for a minute. In place of `card`. Never stored.',
    'token_5sLZxvAhEtQ3q7Pw',
  ),
};

export function checkCardOrToken(
  { card, card_token: token }: { card?: unknown; card_token?: unknown },
  context: z.RefinementCtx,
): void {
  if (card === undefined && token === undefined)
    context.addIssue({
      code: 'custom',
      path: ['card'],
      message: 'or card_token is required',
      params: { missing: true },
    });
  if (card !== undefined && token !== undefined)
    context.addIssue({ code: 'custom', path: ['card_token'], message: 'must be absent when card is sent' });
}

const REPLACING = ['card', 'card_token', 'billing_details'] as const;

function checkReplacement(
  replacement: { [Name in (typeof REPLACING)[number] | 'payment_method_type' | 'payment_method_id']?: unknown },
  context: z.RefinementCtx,
): void {
  if (replacement.payment_method_id !== undefined) {
    for (const name of REPLACING)
      if (replacement[name] !== undefined)
        context.addIssue({
          code: 'custom',
          path: [name],
          message: 'must be absent when payment_method_id is sent',
        });
    return;
  }
  for (const name of ['payment_method_type', 'billing_details'] as const)
    if (replacement[name] === undefined)
      context.addIssue({ code: 'custom', path: [name], message: 'is required', params: { missing: true } });
  checkCardOrToken(replacement, context);
}

const eitherCard = conditional({
  when: { required: ['card'] },
  so: without('card_token'),
  otherwise: { required: ['card_token'] },
});

const CheckoutByPix = z
  .strictObject({
    payment_method_type: field(z.literal('pix'), 'The buyer pays by PIX.', 'pix'),
    installments: field(z.int().min(1).max(INSTALLMENTS_MAX).optional(), '1 to 12; PIX is always paid in one.', 1),
  })
  .meta({ id: 'CheckoutByPix', description: 'Charge by PIX.' });

const CheckoutByCard = z
  .strictObject({
    payment_method_type: field(z.literal('card'), 'The buyer pays by card.', 'card'),
    installments: field(
      z.int().min(1).max(INSTALLMENTS_MAX).optional(),
      '1 to 12, default 1, within what the price of the first item allows.',
      1,
    ),
    ...cardOrToken,
    billing_details: field(BillingDetailsInput, 'The holder of the card.', holderExample),
    expected_total: field(
      z.int().min(0).optional(),
      'What the buyer agreed to, `amount_remaining` and `amount_late`, integer cents: another amount is refused with 409 `PREVIEW_OUTDATED`.',
      9990,
    ),
  })
  .superRefine(checkCardOrToken, evenWhenInvalid)
  .meta({
    id: 'CheckoutByCard',
    description: 'Charge by card.',
    examples: [{ payment_method_type: 'card', card: cardExample, billing_details: holderExample }],
    allOf: [eitherCard],
  });

export type CheckoutByCard = z.output<typeof CheckoutByCard>;

/**
 * The card that renewals are charged to from now on: one to keep, verified and not charged now, or one that is stored
 * (docs/product/subscriptions.md#another-card).
 */
export const CardReplacement = z
  .strictObject({
    payment_method_type: field(
      z.literal('card').optional(),
      'Always `card`, for a PIX has nothing to store; required unless `payment_method_id` is sent.',
      'card',
    ),
    ...cardOrToken,
    billing_details: field(
      BillingDetailsInput.optional(),
      'The holder of the card; required unless `payment_method_id` is sent.',
      holderExample,
    ),
    payment_method_id: field(
      typeId('txn', 'A stored card.').nullable().optional(),
      "A stored card of the customer, in place of a new one; null: whichever is the customer's default from then on.",
      exampleId('txn'),
    ),
  })
  .superRefine(checkReplacement, evenWhenInvalid)
  .meta({
    id: 'CardReplacement',
    description: 'Another card for renewals; nothing is charged now.',
    examples: [{ payment_method_type: 'card', card: cardExample, billing_details: holderExample }],
    allOf: [
      conditional({
        when: { required: ['payment_method_id'] },
        so: { allOf: [without('card'), without('card_token'), without('billing_details')] },
        otherwise: { required: ['payment_method_type', 'billing_details'], ...eitherCard },
      }),
    ],
  });

/** What a request sends of a replacement, which `checkReplacement` holds to one of the two forms. */
export type CardReplacement = z.output<typeof CardReplacement>;

/** A card with its holder, whatever is to be done with it. */
export type CardHolding = Pick<CheckoutByCard, 'card' | 'card_token' | 'billing_details'>;

const CheckoutByMandate = z
  .strictObject({
    payment_method_type: field(
      z.literal('pix_automatico'),
      'The buyer pays by PIX, and with the same QR code authorises that renewals are debited.',
      'pix_automatico',
    ),
    installments: field(z.int().min(1).max(INSTALLMENTS_MAX).optional(), '1 to 12; PIX is always paid in one.', 1),
  })
  .meta({ id: 'CheckoutByMandate', description: 'Charge by PIX, and authorise what renews (Pix Automático).' });

/** How a buyer pays (docs/product/payments.md#checkout). */
export const CheckoutInput = z
  .discriminatedUnion('payment_method_type', [CheckoutByPix, CheckoutByCard, CheckoutByMandate])
  .meta({ id: 'InvoiceCheckout', description: 'How the buyer pays.' });

export type CheckoutInput = z.output<typeof CheckoutInput>;
