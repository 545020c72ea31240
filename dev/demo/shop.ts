import { type CardReplacement, type Fatura, FaturaError, type FaturaErrorCode } from '@fatura/sdk';
import type { Catalogue } from './catalogue.ts';
import { drawCpf, drawCustomer } from './people.ts';
import type { Random } from './random.ts';

/** A sale that was paid. */
export interface Paid {
  readonly intent: string;
  readonly amount: number;
  readonly method: 'pix' | 'card';
}

/** An invoice whose buyer was shown its QR code and has not paid. */
export interface Debt {
  readonly invoice: string;
  /** Null: its buyer never pays. */
  readonly paidOn: number | null;
  readonly givenUpOn: number;
}

/** How somebody pays a subscription. */
export type Habit = 'card' | 'retried' | 'unfunded' | 'refused' | 'punctual' | 'late' | 'forgetful' | 'undecided';

export interface Subscriber {
  readonly id: string;
  readonly habit: Habit;
}

/** The shop as the demonstration remembers it, beside what the service knows of it; days are counted from its first one. */
export interface Shop {
  readonly fatura: Fatura;
  readonly random: Random;
  readonly catalogue: Catalogue;
  readonly customers: string[];
  readonly subscribers: Subscriber[];
  readonly paid: Paid[];
  readonly debts: Debt[];
  /** Intents of which the bank took money that it gives back on a day. */
  readonly contested: { readonly intent: string; readonly returnedOn: number }[];
  orders: number;
}

export const newShop = (of: Pick<Shop, 'fatura' | 'random' | 'catalogue'>): Shop => ({
  ...of,
  customers: [],
  subscribers: [],
  paid: [],
  debts: [],
  contested: [],
  orders: 0,
});

export const DAY = 86_400;
export const HOUR = 3_600;

/** Cards of the sandbox by what comes of them (docs/product/sandbox.md#test-cards). */
export const CARDS = {
  visa: '4242424242424242',
  mastercard: '5555555555554444',
  elo: '5067766783888311',
  withoutFunds: '4000000000009995',
  notAuthorized: '4000000000000002',
  suspected: '4000000000009979',
  renewalsRetried: '4000000000007775',
  renewalsUnfunded: '4000000000000341',
  renewalsRefused: '4000000000000226',
} as const;

const EXPIRES_IN = 2_040;

export const byCard = ({ random }: Shop, number: string, installments = 1) =>
  ({
    payment_method_type: 'card',
    installments,
    card: { number, exp_month: random.between(1, 12), exp_year: EXPIRES_IN, cvc: '123' },
    billing_details: { name: 'TITULAR DO CARTAO', document: drawCpf(random) },
  }) as const;

/** The same as another card of a subscription. */
export function anotherCard(shop: Shop, number: string): CardReplacement {
  const { installments: _, ...card } = byCard(shop, number);
  return card;
}

/** What was answered; null where it was refused with one of these codes, as happens to any shop. */
export async function unlessRefused<T>(work: PromiseLike<T>, ...codes: FaturaErrorCode[]): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof FaturaError && codes.includes(error.code as FaturaErrorCode)) return null;
    throw error;
  }
}

export async function newCustomer({ fatura, random, customers }: Shop): Promise<string> {
  const { id } = await fatura.customers.create(drawCustomer(random, customers.length + 1));
  customers.push(id);
  return id;
}

/** Draws by shares of a hundred. */
export function drawByShare<T extends { readonly share: number }>(random: Random, of: readonly T[]): T {
  let left = random.between(1, 100);
  for (const one of of) {
    left -= one.share;
    if (left <= 0) return one;
  }
  throw new Error('the shares do not come to a hundred');
}

/** The buyer asks for a QR code, the one that stands or another, and pays it. */
export async function payByPix({ fatura, paid, random }: Shop, invoice: string): Promise<void> {
  const charged = await unlessRefused(
    fatura.invoices.checkout(invoice, { payment_method_type: 'pix' }),
    'INVOICE_NOT_OPEN',
    'PAYMENT_IN_PROGRESS',
  );
  const intent = charged?.payment_intent ?? null;
  if (charged === null || intent === null) return;
  const scenario = random.chance(0.015) ? 'paid_twice' : 'paid';
  await fatura.testHelpers.paymentIntents.payPix(intent, { scenario });
  paid.push({ intent, amount: charged.total, method: 'pix' });
}
