import type { Fatura, PaymentLink, Price, RequestOptions } from '@fatura/sdk';

/** What a price sells, by the name of its product. */
export interface SoldPrice {
  readonly id: string;
  readonly name: string;
  readonly cents: number;
  readonly recurring: Price['recurring'];
}

const PRICES_MAX = 100;

/** What can be sold by a link, newest first, and what links sell already. */
export async function readSoldPrices(fatura: Fatura, options: RequestOptions): Promise<SoldPrice[]> {
  const [prices, products] = await Promise.all([
    fatura.prices.list({ active: true, limit: PRICES_MAX }, options).page(),
    fatura.products.list({ active: true, limit: PRICES_MAX }, options).page(),
  ]);
  return prices.data.flatMap(({ id, product, description, unit_amount: cents, recurring }) => {
    const found = products.data.find((one) => one.id === product);
    if (found === undefined) return [];
    return [{ id, cents, recurring, name: description === null ? found.name : `${found.name} · ${description}` }];
  });
}

/** What a link sells, as far as its prices are known. */
export interface SoldByLink {
  /** The first of what it sells; null: its price is not known here. */
  readonly first: string | null;
  readonly count: number;
  /** Null: a price of it is not known here. */
  readonly cents: number | null;
  readonly recurring: Price['recurring'];
}

export function soldByLink(
  { amount, description, line_items: items }: PaymentLink,
  prices: readonly SoldPrice[],
): SoldByLink {
  if (items === null) return { first: description, count: 1, cents: amount, recurring: undefined };
  const lines = items.data.map(({ price, quantity }) => ({ quantity, price: prices.find(({ id }) => id === price) }));
  const sums = lines.map(({ price, quantity }) => (price === undefined ? null : price.cents * quantity));
  return {
    first: lines[0]?.price?.name ?? null,
    count: lines.length,
    cents: sums.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0),
    recurring: lines.find(({ price }) => price?.recurring !== undefined)?.price?.recurring,
  };
}

export type LinkState = 'selling' | 'held' | 'soldOut' | 'ended' | 'off';

/** Whether a link sells, and why not. */
export function linkState(link: PaymentLink, now: number | undefined): LinkState {
  const { active, expires_at: endsAt, max_sales: most, sales, reserved } = link;
  if (!active) return 'off';
  if (endsAt !== null && now !== undefined && endsAt <= now) return 'ended';
  if (most === null || sales + reserved < most) return 'selling';
  return sales < most ? 'held' : 'soldOut';
}

interface Message {
  readonly merchant: string;
  readonly what: string;
  /** `R$ 99,90 por mês`; null: it is not known here. */
  readonly amount: string | null;
  readonly isSubscription: boolean;
  readonly url: string;
}

/** The text for a buyer, whatever language the dashboard is read in. */
export const linkMessage = ({ merchant, what, amount, isSubscription, url }: Message): string =>
  `Olá! Aqui é ${merchant}. ${isSubscription ? 'Assine' : 'Compre'} ${what}${amount === null ? '' : ` por ${amount}`}, por PIX ou cartão, neste link: ${url}`;
