import type { Invoice as InvoiceView } from '../../../contract/invoices.ts';
import type { StoredPaymentMethod } from '../../../contract/stored-methods.ts';
import type {
  PortalBillView,
  PortalCardView,
  PortalChangeView,
  PortalMethod,
  PortalOverviewView,
  PortalPaidView,
  PortalPrice,
  PortalSubscriptionView,
} from '../../../web/page/portal-data.ts';
import type { BilledPrice } from '../../catalog/rules.ts';
import { perRecurrence, recurrenceName } from '../../catalog/rules.ts';
import { isDayOver } from '../../kernel/brazil.ts';
import { oneLine } from '../../kernel/text.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { previewByBuyer } from '../../portal/acts.ts';
import type { PortalOverview } from '../../portal/overview.ts';
import type { PortalSubscription } from '../../portal/subscriptions.ts';
import type { Items } from '../../subscriptions/decide.ts';

import { noticeOf } from '../subscription-notice.ts';

/** Items that are named; of more it is told how many. */
const NAMED_MAX = 3;

function namesOf(all: readonly { readonly quantity: number; readonly description: string }[]): string {
  const named = all
    .slice(0, NAMED_MAX)
    .map(({ quantity, description }) => oneLine(quantity === 1 ? description : `${quantity} × ${description}`));
  const more = all.length - named.length;
  return more === 0 ? named.join(', ') : `${named.join(', ')} e mais ${more}`;
}

/** `Plano Ouro (Mensal)` */
const priceName = ({ productName, description }: BilledPrice): string =>
  oneLine(description === null ? productName : `${productName} (${description})`);

const itemNames = (items: Items): string =>
  namesOf(items.map(({ quantity, price }) => ({ quantity, description: price.productName })));

export const viewPortalPrice = (price: BilledPrice): PortalPrice => ({
  id: price.id,
  name: priceName(price),
  amount: price.unitAmount,
  per: perRecurrence(price),
});

/** The links of a purchase from the page that `home` is told of: relative, so that they hold behind a proxy with a path of its own. */
const beside = (home: string, link: string): string => {
  const path = new URL(link).pathname.split('/');
  // `home` leads to /portal/{secret}.
  const up = `${'../'.repeat(home.split('/').length - 1)}../`;
  return up + path.slice(-PARTS[path.at(-1) === 'receipt' ? 'receipt' : 'page']).join('/');
};
/** A page, the id and the signature; and what is below it. */
const PARTS = { page: 3, receipt: 4 } as const;

const nameOfBill = ({ line_items: { data }, description }: InvoiceView): string =>
  data.length === 0 ? oneLine(description ?? 'Cobrança') : namesOf(data);

const viewBill =
  ({ home, now }: Place) =>
  (invoice: InvoiceView): PortalBillView[] =>
    invoice.payment_url === null
      ? []
      : [
          {
            id: invoice.id,
            name: nameOfBill(invoice),
            amount: invoice.amount_remaining,
            dueAt: invoice.due_at,
            isLate: isDayOver(invoice.due_at, now),
            pay: beside(home, invoice.payment_url),
          },
        ];

export const viewPaid =
  (home: string) =>
  (invoice: InvoiceView): PortalPaidView[] => {
    const { paid_at: paidAt } = invoice.status_transitions;
    if (invoice.receipt_url === null || paidAt === null) return [];
    return [
      {
        id: invoice.id,
        name: nameOfBill(invoice),
        amount: invoice.amount_paid,
        amountRefunded: invoice.amount_refunded,
        paidAt,
        receipt: beside(home, invoice.receipt_url),
      },
    ];
  };

const twoDigits = (value: number): string => String(value).padStart(2, '0');

const viewCard = (card: StoredPaymentMethod, names: ReadonlyMap<string, string>): PortalCardView => ({
  id: card.id,
  brand: card.card.brand,
  last4: card.card.last4,
  expires: `${twoDigits(card.card.exp_month)}/${card.card.exp_year}`,
  isDefault: card.is_default,
  isClosed: card.closed_at !== null,
  pays: (card.subscriptions ?? []).map((id) => names.get(id) ?? 'uma assinatura'),
});

/** Where a page is, and when it is read. */
interface Place {
  readonly home: string;
  readonly now: Timestamp;
}

function methodOf(view: PortalSubscription['view'], cards: readonly StoredPaymentMethod[]): PortalMethod | null {
  const { payment_method_type: method, default_payment_method: named } = view;
  if (method === null) return null;
  if (method !== 'card') return { method };
  const card = cards.find(({ id, is_default: isDefault }) => (named === null ? isDefault : id === named));
  return { method, brand: card?.card.brand ?? null, last4: card?.card.last4 ?? null };
}

function viewSubscription(
  found: PortalSubscription,
  { place: { home, now }, overview: { cards, open } }: { place: Place; overview: PortalOverview },
): PortalSubscriptionView {
  const { view, contracted, upcoming, end, acts, prices, openInvoiceId } = found;
  const { subscription, items } = contracted;
  const bill = open.find(({ id }) => id === openInvoiceId)?.payment_url ?? null;
  const amount = items.reduce((sum, { quantity, price }) => sum + quantity * price.unitAmount, 0);
  return {
    id: view.id,
    name: itemNames(items),
    status: view.status,
    amount,
    per: perRecurrence(items[0].price),
    next: upcoming === null ? null : { at: upcoming.period_start, amount: upcoming.total },
    paidBy: methodOf(view, cards),
    notice: noticeOf({ ...subscription, items }, now)?.pt ?? null,
    endedAt: view.ended,
    cancelAt: view.cancel_at,
    changesAt: view.pending_change?.status === 'scheduled' ? view.pending_change.effective_at : null,
    pausesAt: view.pause?.since ?? null,
    end,
    mayCancel: acts.includes('cancel'),
    mayUncancel: acts.includes('uncancel'),
    mayPause: acts.includes('pause'),
    mayResume: acts.includes('resume'),
    prices: prices.map(viewPortalPrice),
    bill: bill === null ? null : beside(home, bill),
    update:
      view.update_payment_url === null || view.status === 'inactive' ? null : beside(home, view.update_payment_url),
  };
}

export function viewOverview(overview: PortalOverview, place: Place): PortalOverviewView {
  const { subscriptions, open, paid, cards, mandates } = overview;
  const names = new Map(subscriptions.map(({ view, contracted }) => [view.id, itemNames(contracted.items)]));
  const intervalOf = new Map(
    subscriptions.map(({ view, contracted }) => [view.id, recurrenceName(contracted.items[0].price)]),
  );
  return {
    subscriptions: subscriptions.map((found) => viewSubscription(found, { place, overview })),
    bills: open.flatMap(viewBill(place)),
    paid: paid.data.flatMap(viewPaid(place.home)),
    hasMorePaid: paid.has_more,
    cards: cards.map((card) => viewCard(card, names)),
    mandates: mandates.map(({ id, subscription, status }) => ({
      id,
      name: names.get(subscription) ?? 'Assinatura',
      every: intervalOf.get(subscription) ?? 'período',
      isActive: status === 'active',
    })),
  };
}

export function viewPortalChange({
  found,
  price,
  preview,
}: Awaited<ReturnType<typeof previewByBuyer>>): PortalChangeView {
  const { effective, effective_at: at, total, due_now: dueNow, next_invoice: next, penalty } = preview;
  return {
    subscription: found.view.id,
    name: itemNames(found.contracted.items),
    price: viewPortalPrice(price),
    at,
    isNow: effective === 'now',
    total,
    dueNow,
    next: { at: next.period_start, amount: next.total },
    penalty,
  };
}
