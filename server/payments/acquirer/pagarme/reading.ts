import { z } from 'zod';
import { clip } from '../../../kernel/text.ts';
import { SECOND_MS, type Timestamp } from '../../../kernel/time.ts';
import type { CardToken } from '../port.ts';

/** Reads what Pagar.me answers, loosely: nulls, words that are new, fields that nobody asked for. */

const optional = <T extends z.ZodType>(of: T) => of.nullish().catch(null);
const list = <T extends z.ZodType>(of: T) =>
  z
    .array(of)
    .nullish()
    .transform((value) => value ?? []);
const id = z.string().regex(/^[\w-]{1,100}$/);
const amount = z.int().min(0);
const instant = z.string().transform((text, context): Timestamp => {
  // Without an offset it is meant in UTC.
  const atMs = Date.parse(/(z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`);
  if (!Number.isNaN(atMs)) return Math.floor(atMs / SECOND_MS);
  context.addIssue({ code: 'custom', message: 'a date and time' });
  return z.NEVER;
});

const brands: Readonly<Record<string, CardToken['brand']>> = {
  visa: 'visa',
  mastercard: 'mastercard',
  amex: 'amex',
  'american express': 'amex',
  elo: 'elo',
  hipercard: 'hipercard',
};

const brand = z.string().transform((text) => brands[text.toLowerCase()] ?? null);

const Card = z.object({
  id,
  last_four_digits: z.string().regex(/^\d{4}$/),
  brand: optional(brand),
  exp_month: z.int().min(1).max(12),
  exp_year: z.int(),
  status: optional(z.string()),
});

const Transaction = z.object({
  id: optional(id),
  status: optional(z.string()),
  amount: optional(amount),
  created_at: optional(instant),
  operation_reference: optional(z.string()),
  acquirer_return_code: optional(z.string()),
  card: optional(z.object({ brand: optional(brand) })),
  gateway_response: optional(
    z.object({ code: optional(z.string()), errors: list(z.object({ message: optional(z.string()) })).catch([]) }),
  ),
  antifraud_response: optional(z.object({ status: optional(z.string()) })),
});

const Charge = z.object({
  id,
  code: optional(z.string()),
  order: optional(z.object({ code: optional(z.string()) })),
  status: z.string(),
  amount,
  created_at: optional(instant),
  paid_at: optional(instant),
  paid_amount: optional(amount),
  canceled_amount: optional(amount),
  last_transaction: optional(Transaction),
});

const Order = z.object({
  id,
  code: optional(z.string()),
  status: optional(z.string()),
  created_at: optional(instant),
  charges: list(Charge),
});

const Customer = z.object({ id });

const Page = <T extends z.ZodType>(of: T) => z.object({ data: list(of) });

export type ReadCard = z.output<typeof Card>;
export type ReadTransaction = z.output<typeof Transaction>;
export type ReadCharge = z.output<typeof Charge>;
export type ReadOrder = z.output<typeof Order>;

const reader =
  <T extends z.ZodType>(form: T) =>
  (answer: unknown): z.output<T> | null =>
    form.safeParse(answer).data ?? null;

/** Null: the answer makes none. */
export const readStoredCard = reader(Card);
export const readCharge = reader(Charge);
export const readChargePage = reader(Page(Charge));
export const readCustomer = reader(Customer);
export const readCustomerPage = reader(Page(Customer));
export const readOrder = reader(Order);
export const readOrders = reader(Page(Order));
export const readTransactions = reader(Page(Transaction));

const Hook = z.object({
  type: z.string(),
  data: z.object({
    id,
    code: optional(z.string()),
    order: optional(z.object({ code: optional(z.string()) })),
    customer: optional(z.object({ id })),
  }),
});

/** What a webhook is about. */
export type ReadHook =
  | { readonly about: 'charge'; readonly reference: string }
  | { readonly about: 'card'; readonly token: string }
  | { readonly about: 'other' };

/** Null: it is no webhook of Pagar.me. */
export function readHook(notice: unknown): ReadHook | null {
  const { data: hook } = Hook.safeParse(notice);
  if (hook === undefined) return null;
  const { type, data } = hook;
  const reference = data.order?.code ?? data.code;
  if (type.startsWith('charge.') && reference != null) return { about: 'charge', reference };
  if (type.startsWith('card.') && data.customer != null)
    return { about: 'card', token: tokenOfParts({ customer: data.customer.id, card: data.id }) };
  return { about: 'other' };
}

/** A stored card is known with its customer: our token is both. */
export const tokenOfParts = ({ customer, card }: { customer: string; card: string }): string => `${customer}/${card}`;

export function partsOf(token: string): { readonly customer: string; readonly card: string } {
  const [customer, card] = token.split('/');
  if (customer === undefined || card === undefined) throw new Error('the token is none of Pagar.me');
  return { customer, card };
}

const Key = z.object({ kid: z.string(), kty: z.literal('RSA'), n: z.string(), e: z.string() });

export type ReadKey = z.output<typeof Key>;

/** The keys that webhooks are signed with; those of another kind are left out. */
export const readWebhookKeys = (answer: unknown): ReadKey[] | null =>
  z
    .object({ keys: z.array(z.unknown()) })
    .safeParse(answer)
    .data?.keys.flatMap((key) => Key.safeParse(key).data ?? []) ?? null;

const Problem = z.object({
  message: optional(z.string()),
  errors: z
    .record(z.string(), z.union([z.array(z.string()), z.string()]))
    .nullish()
    .catch(null),
});

const PROBLEM_MAX = 300;

/** The fields that were refused, by name; none: the answer names none. */
export const refusedFields = (answer: unknown): string[] => Object.keys(Problem.safeParse(answer).data?.errors ?? {});

/** Why a call was refused, in Pagar.me's words, for an operator: the names of fields, and never what stood in them. */
export function readRefusal(answer: unknown): string | null {
  const { data } = Problem.safeParse(answer);
  if (data === undefined) return null;
  const said = [data.message, ...refusedFields(answer)].filter(Boolean).join('; ');
  return clip(said, PROBLEM_MAX) || null;
}
