import type { ChangePreview, Subscription, SubscriptionChange, SubscriptionChangeInput } from '@fatura/sdk';
import { byCard } from '../../support/cards.ts';
import { newCustomer, newPrice } from '../../support/factories.ts';
import { payByPix } from '../../support/subscriptions.ts';
import { SubscriptionScene } from './subscription-scene.ts';

export const DAY = 86_400;
/** Noon of a day in São Paulo. */
export const noon = (date: string): number => Date.parse(`${date}T12:00:00-03:00`) / 1_000;

export interface Sold {
  readonly cents: number;
  readonly quantity?: number;
  readonly months?: number;
  readonly method?: 'card' | 'pix';
  readonly discounts?: readonly Pick<
    Subscription['discounts']['data'][number],
    'type' | 'percentage' | 'amount' | 'cycles'
  >[];
  /** How the card is paid with. */
  readonly paying?: Parameters<typeof byCard>;
}

/** A scene of sales whose subscriptions change. */
export class ChangeScene extends SubscriptionScene {
  newPriceOf(cents: number, months = 1) {
    const recurring = { interval: 'month', interval_count: months } as const;
    return newPrice(this.merchant, { type: 'recurring', recurring, unit_amount: cents });
  }

  /** An active one, paid for the first time at noon of a day, or now. */
  async activeSince(
    date: string | null,
    { cents, quantity = 1, months = 1, method = 'card', discounts = [], paying = [] }: Sold,
  ): Promise<Subscription> {
    // Each has its own dates, whatever the one before came to.
    if (date !== null) this.api.clock.advance(noon(date) - this.now());
    const price = await this.newPriceOf(cents, months);
    const { id: customer } = await newCustomer(this.merchant);
    const made = await this.subscriptions.create({
      customer_id: customer,
      price_id: price.id,
      quantity,
      discounts: discounts.map(({ type, percentage, amount, cycles }) =>
        type === 'percentage'
          ? { type, percentage: percentage ?? 0, ...(cycles !== null && { cycles }) }
          : { type, amount: amount ?? 0, ...(cycles !== null && { cycles }) },
      ),
    });
    if (method === 'card') await this.subscriptions.checkout(made.id, byCard(...paying));
    else await payByPix(this.merchant, made.latest_invoice ?? '');
    return this.subscriptions.retrieve(made.id);
  }

  change(id: string, input: SubscriptionChangeInput): Promise<SubscriptionChange> {
    return this.fatura.subscriptionChanges.create(id, input);
  }

  preview(id: string, input: Omit<SubscriptionChangeInput, 'expected_total'>): Promise<ChangePreview> {
    return this.fatura.subscriptionChanges.preview(id, input);
  }

  takeBack(id: string, change: string): Promise<SubscriptionChange> {
    return this.fatura.subscriptionChanges.cancel(id, change);
  }

  /** Lets time pass for a subscription until noon of a day. */
  passTo(id: string, date: string): Promise<string[]> {
    return this.pass(id, noon(date) - this.now());
  }

  async toPrice(
    { item }: Subscription,
    cents: number,
    months = 1,
  ): Promise<{ items: { item: string; price_id: string }[] }> {
    const price = await this.newPriceOf(cents, months);
    return { items: [{ item: item.id, price_id: price.id }] };
  }
}

/** When it was paid, when it changes; the worked examples of docs/product/subscriptions.md#changes. Cents. */
const half = { type: 'percentage', percentage: 50, amount: null, cycles: 3 } as const;
const twenty = { type: 'fixed', percentage: null, amount: 2_000, cycles: 3 } as const;
const tenth = { type: 'percentage', percentage: 10, amount: null, cycles: null } as const;
export const worked: {
  readonly name: string;
  readonly sold: Sold;
  readonly paid: string;
  readonly changed: string;
  readonly to: { readonly cents: number; readonly quantity?: number };
  readonly credit: number;
  readonly charge: number;
}[] = [
  {
    name: 'on 1 March of a month from 28 February',
    sold: { cents: 4_990 },
    paid: '2027-01-31',
    changed: '2027-03-01',
    to: { cents: 9_990 },
    credit: 4_829,
    charge: 9_668,
  },
  {
    name: 'three seats to five',
    sold: { cents: 2_990, quantity: 3 },
    paid: '2027-04-05',
    changed: '2027-04-20',
    to: { cents: 2_990, quantity: 5 },
    credit: 4_485,
    charge: 7_475,
  },
  {
    name: 'of a year',
    sold: { cents: 119_880, months: 12 },
    paid: '2027-03-15',
    changed: '2027-07-01',
    to: { cents: 239_880 },
    credit: 84_506,
    charge: 169_096,
  },
  {
    name: 'under half off, on the second bill',
    sold: { cents: 4_990, discounts: [half] },
    paid: '2027-04-10',
    changed: '2027-05-25',
    to: { cents: 9_990 },
    credit: 1_288,
    charge: 2_578,
  },
  {
    name: 'under two discounts',
    sold: { cents: 4_990, discounts: [twenty, tenth] },
    paid: '2027-04-10',
    changed: '2027-05-25',
    to: { cents: 9_990 },
    credit: 1_389,
    charge: 3_711,
  },
  {
    name: 'behind a discount, on the fourth bill',
    sold: { cents: 4_990, discounts: [half] },
    paid: '2027-02-10',
    changed: '2027-05-25',
    to: { cents: 9_990 },
    credit: 2_575,
    charge: 5_156,
  },
  {
    name: 'down',
    sold: { cents: 9_990 },
    paid: '2027-01-31',
    changed: '2027-02-10',
    to: { cents: 4_990 },
    credit: 6_422,
    charge: 3_208,
  },
  {
    name: 'on the first day',
    sold: { cents: 4_990 },
    paid: '2027-01-31',
    changed: '2027-01-31',
    to: { cents: 9_990 },
    credit: 4_990,
    charge: 9_990,
  },
];
