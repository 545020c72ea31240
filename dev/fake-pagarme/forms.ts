import { z } from 'zod';

/** What Pagar.me takes, as its SDK and its pages have it (SOURCES.md); a field that neither names is refused. */

const text = (max: number) => z.string().min(1).max(max);
const digits = (min: number, max: number) => z.string().regex(new RegExp(`^\\d{${min},${max}}$`));
const metadata = z.record(z.string(), z.string()).optional();

const old = z.string().max(256).optional();

const Address = z.strictObject({
  line_1: text(256),
  line_2: z.string().max(128).optional(),
  // The SDK sends them still; the two lines say it all.
  street: old,
  number: old,
  neighborhood: old,
  complement: old,
  zip_code: digits(8, 8),
  city: text(64),
  state: z.string().regex(/^[A-Z]{2}$/),
  country: z.string().regex(/^[A-Z]{2}$/),
  metadata,
});

const Phone = z.strictObject({ country_code: digits(1, 3), area_code: digits(2, 2), number: digits(8, 9) });

export const CustomerForm = z.strictObject({
  name: text(64),
  email: z.email().max(64),
  code: text(52).optional(),
  document: z.string().regex(/^(?:\d{11}|[0-9A-Z]{12}\d{2})$/),
  document_type: z.enum(['CPF', 'CNPJ', 'PASSPORT']).optional(),
  type: z.enum(['individual', 'company']).optional(),
  gender: z.enum(['male', 'female']).optional(),
  address: Address.optional(),
  phones: z.strictObject({ home_phone: Phone.optional(), mobile_phone: Phone.optional() }).optional(),
  metadata,
});

const opened = {
  number: digits(13, 19),
  holder_name: z.string().regex(/^[^\d]{1,64}$/),
  exp_month: z.int().min(1).max(12),
  exp_year: z.int().min(0).max(2099),
  cvv: digits(3, 4),
};

export const TokenForm = z.strictObject({
  type: z.literal('card'),
  card: z.strictObject({
    ...opened,
    cvv: opened.cvv.optional(),
    brand: z.string().optional(),
    label: z.string().optional(),
  }),
});

const stored = {
  holder_document: z.string().optional(),
  billing_address: Address.optional(),
  billing_address_id: z.string().optional(),
  options: z.strictObject({ verify_card: z.boolean() }).optional(),
  label: text(64).optional(),
  metadata,
};

export const CardForm = z.union([
  z.strictObject({ ...stored, token: text(64) }),
  z.strictObject({ ...stored, ...opened, cvv: opened.cvv.optional(), brand: z.string().optional() }),
]);

const DESCRIPTOR_MAX = 13;

export const OrderForm = z.strictObject({
  code: text(52),
  /** One of the two; the id counts. */
  customer_id: text(64).optional(),
  customer: CustomerForm.optional(),
  items: z
    .array(
      z.strictObject({
        code: text(52).optional(),
        amount: z.int().min(1),
        description: text(256),
        quantity: z.int().min(1),
        category: text(256).optional(),
      }),
    )
    .min(1),
  payments: z
    .array(
      z.strictObject({
        payment_method: z.literal('credit_card'),
        amount: z.int().min(1).optional(),
        metadata,
        credit_card: z.strictObject({
          card_id: text(64),
          installments: z.int().min(1).max(24).optional(),
          statement_descriptor: text(DESCRIPTOR_MAX).optional(),
          operation_type: z.enum(['auth_and_capture', 'auth_only', 'pre_auth']).optional(),
          recurrence_cycle: z.enum(['first', 'subsequent']).optional(),
          recurrence_model: z.enum(['standing_order', 'instalment', 'subscription']).optional(),
          payment_origin: z.strictObject({ charge_id: text(64).optional(), brand_id: text(64).optional() }).optional(),
          initiated_type: z.enum(['partial_shipment', 'related_or_delayed_charge', 'no_show', 'retry']).optional(),
          metadata,
        }),
      }),
    )
    .length(1),
  closed: z.boolean().optional(),
  currency: z.literal('BRL').optional(),
  ip: text(64).optional(),
  session_id: text(128).optional(),
  antifraud_enabled: z.boolean().optional(),
  metadata,
});

export const CancelForm = z.strictObject({
  amount: z.int().min(1).optional(),
  operation_reference: text(64).optional(),
});

export type CustomerBody = z.output<typeof CustomerForm>;
export type CardBody = z.output<typeof CardForm>;
export type OrderBody = z.output<typeof OrderForm>;
export type CancelBody = z.output<typeof CancelForm>;
export type TokenBody = z.output<typeof TokenForm>;
