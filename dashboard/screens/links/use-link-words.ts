import type { PaymentLink } from '@fatura/sdk';
import { useRead } from '../../api/queries.ts';
import { formatIn, useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { subscriptionTexts } from '../../texts/subscriptions.ts';
import { paymentLinkTexts } from './link-texts.ts';
import { linkMessage, readSoldPrices, type SoldPrice, soldByLink } from './sold.ts';

/** What can be sold, and the names of what links sell. */
export const useSoldPrices = () => useRead(['links', 'prices'], readSoldPrices);

/** A price as it is chosen: `Plano Ouro – R$ 99,90 por mês`. */
export function usePriceName(): (price: SoldPrice) => string {
  const { every } = useTexts(subscriptionTexts);
  const { money } = useFormat();
  return ({ name, cents, recurring }) =>
    `${name} – ${money(cents)}${recurring === undefined ? '' : ` ${every(recurring.interval, recurring.interval_count)}`}`;
}

/** The text for whoever is to buy, in Portuguese; null until it is known who sells. */
export function useLinkMessage(link: PaymentLink, url: string): string | null {
  const { data: prices } = useSoldPrices();
  const { data: account } = useRead(['account'], (fatura, options) => fatura.account.retrieve(options));
  if (prices === undefined || account === undefined) return null;
  const { first, count, cents, recurring } = soldByLink(link, prices);
  const { several, more } = paymentLinkTexts.pt;
  const { money } = formatIn('pt');
  const every =
    recurring === undefined ? '' : ` ${subscriptionTexts.pt.every(recurring.interval, recurring.interval_count)}`;
  return linkMessage({
    merchant: account.name,
    what: first === null ? several(count) : count === 1 ? first : more(first, count - 1),
    amount: cents === null ? null : `${money(cents)}${every}`,
    isSubscription: link.mode === 'subscription',
    url,
  });
}

/** What a link sells, for how much and how often it did, in words. */
export function useLinkWords(prices: readonly SoldPrice[]) {
  const texts = useTexts(paymentLinkTexts);
  const { every } = useTexts(subscriptionTexts);
  const { money, number } = useFormat();
  return {
    what(link: PaymentLink): string {
      const { first, count } = soldByLink(link, prices);
      if (first === null) return texts.several(count);
      return count === 1 ? first : texts.more(first, count - 1);
    },
    amount(link: PaymentLink): string {
      const { cents, recurring } = soldByLink(link, prices);
      if (cents === null) return '—';
      const once = money(cents);
      return recurring === undefined ? once : `${once} ${every(recurring.interval, recurring.interval_count)}`;
    },
    sales: ({ sales, max_sales: most }: PaymentLink): string =>
      texts.sold(number(sales), most === null ? null : number(most)),
  };
}
