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
import type { Language } from '../../../web/page/texts.ts';
import type { BilledPrice } from '../../catalog/rules.ts';
import { purposeOf } from '../../invoices/purpose.ts';
import { isDayOver } from '../../kernel/brazil.ts';
import { oneLine } from '../../kernel/text.ts';
import type { Timestamp } from '../../kernel/time.ts';
import type { previewByBuyer } from '../../portal/acts.ts';
import type { PortalOverview } from '../../portal/overview.ts';
import type { PortalSubscription } from '../../portal/subscriptions.ts';
import type { Items } from '../../subscriptions/decide.ts';
import { everyOf } from '../purchase.ts';
import { noticeOf } from '../subscription-notice.ts';

const inEnglish = (more: number): string => ` and ${more} more ${more === 1 ? 'item' : 'items'}`;

const namesOf = (lines: Parameters<typeof purposeOf>[0], language: Language): string =>
  oneLine(purposeOf(lines, language === 'en' ? inEnglish : undefined));

/** `Plano Ouro (Mensal)` */
const priceName = ({ productName, description }: BilledPrice): string =>
  oneLine(description === null ? productName : `${productName} (${description})`);

const itemNames = (items: Items, language: Language): string =>
  namesOf(
    items.map(({ quantity, price }) => ({ quantity, description: price.productName })),
    language,
  );

export const viewPortalPrice = (price: BilledPrice): PortalPrice => ({
  id: price.id,
  name: priceName(price),
  amount: price.unitAmount,
  every: everyOf(price),
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

function nameOfBill({ line_items: { data }, description }: InvoiceView, language: Language): string | null {
  if (data.length > 0) return namesOf(data, language);
  return description === null ? null : oneLine(description);
}

/** Whether what it costs that it is late is paid with it. */
const collectsNow = ({ late_fees: lateFees }: InvoiceView): boolean => lateFees?.collect === 'at_payment';

const viewBill =
  ({ home, now, language }: Place) =>
  (invoice: InvoiceView): PortalBillView[] =>
    invoice.payment_url === null
      ? []
      : [
          {
            id: invoice.id,
            name: nameOfBill(invoice, language),
            amount: invoice.amount_remaining + (collectsNow(invoice) ? invoice.amount_late : 0),
            dueAt: invoice.due_at,
            isLate: isDayOver(invoice.due_at, now),
            pay: beside(home, invoice.payment_url),
          },
        ];

export const viewPaid =
  ({ home, language }: Pick<Place, 'home' | 'language'>) =>
  (invoice: InvoiceView): PortalPaidView[] => {
    const { paid_at: paidAt } = invoice.status_transitions;
    if (invoice.receipt_url === null || paidAt === null) return [];
    return [
      {
        id: invoice.id,
        name: nameOfBill(invoice, language),
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
  pays: (card.subscriptions ?? []).map((id) => names.get(id) ?? null),
});

/** Where a page is, and when it is read. */
interface Place {
  readonly home: string;
  readonly now: Timestamp;
  readonly language: Language;
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
  { place: { home, now, language }, overview: { cards, open } }: { place: Place; overview: PortalOverview },
): PortalSubscriptionView {
  const { view, contracted, upcoming, end, acts, prices, openInvoiceId } = found;
  const { subscription, items } = contracted;
  const bill = open.find(({ id }) => id === openInvoiceId)?.payment_url ?? null;
  const amount = items.reduce((sum, { quantity, price }) => sum + quantity * price.unitAmount, 0);
  return {
    id: view.id,
    name: itemNames(items, language),
    status: view.status,
    amount,
    every: everyOf(items[0].price),
    next: upcoming === null ? null : { at: upcoming.period_start, amount: upcoming.total },
    paidBy: methodOf(view, cards),
    notice: noticeOf({ ...subscription, items }, now),
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
  const names = new Map(
    subscriptions.map(({ view, contracted }) => [view.id, itemNames(contracted.items, place.language)]),
  );
  const recurrences = new Map(
    subscriptions.map(({ view, contracted }) => [view.id, everyOf(contracted.items[0].price)]),
  );
  return {
    subscriptions: subscriptions.map((found) => viewSubscription(found, { place, overview })),
    bills: open.flatMap(viewBill(place)),
    paid: paid.data.flatMap(viewPaid(place)),
    hasMorePaid: paid.has_more,
    cards: cards.map((card) => viewCard(card, names)),
    mandates: mandates.map(({ id, subscription, status }) => ({
      id,
      name: names.get(subscription) ?? null,
      every: recurrences.get(subscription) ?? null,
      isActive: status === 'active',
    })),
  };
}

export function viewPortalChange(
  { found, price, preview }: Awaited<ReturnType<typeof previewByBuyer>>,
  language: Language,
): PortalChangeView {
  const { effective, effective_at: at, total, due_now: dueNow, next_invoice: next, penalty } = preview;
  return {
    subscription: found.view.id,
    name: itemNames(found.contracted.items, language),
    price: viewPortalPrice(price),
    at,
    isNow: effective === 'now',
    total,
    dueNow,
    next: { at: next.period_start, amount: next.total },
    penalty,
  };
}
