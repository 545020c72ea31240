import type { CardBrand } from '../../contract/payment-methods.ts';
import type { SubscriptionStatus } from '../../contract/subscriptions.ts';
import type { Method, PurchaseView } from '../../web/page/page-data.ts';
import { type ScopeRow, scopeColumns, scopeOf } from '../accounts/scope.ts';
import { acrossAccounts, run } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { pendingItemsOf } from '../invoice-items/pending.ts';
import { BillingError } from '../kernel/errors.ts';
import type { Timestamp } from '../kernel/time.ts';
import { joinCard } from '../payments/card/stored.ts';
import { decide, type Items, type PendingItem } from '../subscriptions/decide.ts';
import { discountOfBill, type SubscriptionDiscount } from '../subscriptions/discounts.ts';
import { createMandate } from '../subscriptions/mandates/create.ts';
import { changePaymentMethod, turnToPix } from '../subscriptions/payment-method.ts';
import { itemsOf } from '../subscriptions/rows.ts';
import { resumesByCard, storesCard, waitsForCard } from '../subscriptions/rules.ts';
import { firstBillAt } from '../subscriptions/trial.ts';
import { viewItems } from './bill-items.ts';
import { type MandateColumns, mandateColumns, mandateVersion, offeredMandate } from './mandate-offer.ts';
import { idOfLink } from './page-requests.ts';
import { type FoundPurchase, fromOtherPage, type PurchaseSource, renewalOf } from './purchase.ts';
import { type NoticedRow, noticeOf, readNoticed } from './subscription-notice.ts';

interface SubscriptionRow extends ScopeRow, MandateColumns {
  id: string;
  status: SubscriptionStatus;
  discounts: SubscriptionDiscount[];
  periodEnd: Timestamp | null;
  methodType: Method | null;
  brand: CardBrand | null;
  last4: string | null;
  bills: number;
  openInvoiceId: string | null;
  items: Items;
  pending: PendingItem[];
  customerId: string;
  termCycles: number | null;
}

const OPEN_INVOICE = `(SELECT i.id FROM invoice i WHERE i.subscription_id = s.id AND i.status = 'open' ORDER BY i.id LIMIT 1)`;

const readSubscription = acrossAccounts<SubscriptionRow>(
  'read_subscription_of_page',
  `SELECT s.id, ${scopeColumns('s')}, s.status, s.discounts, s.current_period_end AS "periodEnd",
     s.payment_method_type AS "methodType", s.customer_id AS "customerId", s.term_cycles AS "termCycles", k.brand, k.last4, ${OPEN_INVOICE} AS "openInvoiceId",
     s.bills, ${itemsOf('s')} AS items, ${pendingItemsOf('s')} AS pending, ${mandateColumns}
   FROM subscription s JOIN account a ON a.id = s.account_id ${joinCard('s', 'k')} LEFT JOIN mandate m ON m.id = s.mandate_id
   WHERE s.id = :id`,
);

const readVersions = acrossAccounts<{ id: string; version: string }>(
  'read_subscription_versions',
  `SELECT s.id, concat_ws(' ', s.status, s.resumes_at, s.term_seq, s.current_period_end, s.payment_method_type, s.payment_method_id,
     s.trial_end_at, ${OPEN_INVOICE}, ${mandateVersion('s.id')}) AS version FROM subscription s WHERE s.id = ANY (:ids)`,
);

function renewedBy({ methodType, brand, last4 }: SubscriptionRow): PurchaseView['renewedBy'] {
  if (methodType === null) return null;
  return methodType === 'card' ? { method: 'card', brand, last4 } : { method: methodType };
}

/** What the bill to come takes of its price. */
function nextBill({ items, discounts, bills, pending }: SubscriptionRow) {
  const { lines, applied, credits, total } = decide({ items, discounts, bill: bills + 1, pending });
  return { ...viewItems(lines, applied.map(discountOfBill), credits), total, amount: total };
}

/** One that runs may be authorised alone; until then it is paid as before. */
function mandateOf(deps: Deps, row: SubscriptionRow): FoundPurchase['mandate'] {
  const { status, items, openInvoiceId } = row;
  if (status !== 'active' || openInvoiceId !== null) return null;
  const { price } = items[0];
  return offeredMandate(row, { recurrence: price, journey: 'mandate_only', txid: null }, deps.clock.now(scopeOf(row)));
}

type FirstCharge = Pick<FoundPurchase, 'cardFor' | 'dueAt' | 'isChargedLater'>;

/** Only a bill that waits is paid, on its own page; without one the buyer says how those to come are paid. */
function purchaseOf(deps: Deps, row: SubscriptionRow, first: FirstCharge | null): FoundPurchase {
  const { id, openInvoiceId, periodEnd } = row;
  const scope = scopeOf(row);
  const leadsTo =
    openInvoiceId === null ? null : fromOtherPage(deps.links.payment({ id: openInvoiceId, liveMode: scope.liveMode }));
  return {
    ...{
      id,
      scope,
      leadsTo,
      ...nextBill(row),
      renewedBy: renewedBy(row),
      keepsCard: true,
      renewal: renewalOf(row, row.termCycles !== null),
      customerId: row.customerId,
      subscriptionId: null,
    },
    mandate: mandateOf(deps, row),
    standing: first !== null ? 'card_needed' : openInvoiceId === null ? 'renewing' : 'billed',
    ...{
      invoiceId: null,
      merchant: scope.account.name,
      kind: 'subscription',
      links: null,
      takesCode: false,
      endsAt: null,
    },
    ...{ description: null, amountRefunded: 0, dueAt: periodEnd ?? deps.clock.now(scope), isLate: false },
    ...{
      paidAt: null,
      closedAt: null,
      paidBy: null,
      receipt: null,
      qr: null,
      debitedOn: null,
      hadQr: false,
      intentId: null,
    },
    ...{ installmentsMax: 1, declined: null, cardsExhausted: false },
    ...first,
  };
}

/** Of one that was never billed: what its buyer stores a card for, and when that is charged for the first time. */
function firstCharge(subscription: NoticedRow | undefined, now: Timestamp): FirstCharge | null {
  if (subscription === undefined || !storesCard(subscription)) return null;
  const cardFor = resumesByCard(subscription) ? 'now' : waitsForCard(subscription) ? 'trial' : 'later';
  return cardFor === 'now'
    ? { cardFor, dueAt: now }
    : { cardFor, isChargedLater: true, dueAt: firstBillAt(subscription, now) };
}

/** Subscriptions by the links under which their buyers change how they are paid (docs/product/payment-page.md#a-subscription). */
export function createSubscriptionSource(deps: Deps): PurchaseSource {
  const idOf: PurchaseSource['idOf'] = ({ subscription: id, signature }) =>
    idOfLink(deps, 'subscription', { id, signature });
  return {
    idOf,
    async find(link) {
      const id = idOf(link);
      if (id === null) return 'not_found';
      const [row] = await run(deps.pool, readSubscription, { id });
      if (row === undefined) return 'not_found';
      if (row.status === 'inactive') return 'gone';
      const [noticed] = await run(deps.pool, readNoticed, { id });
      const isPaused = row.status === 'paused';
      const now = deps.clock.now(scopeOf(row));
      return { ...purchaseOf(deps, row, firstCharge(noticed, now)), isPaused, notice: noticeOf(noticed, now) };
    },
    async pay(scope, { id }, checkout) {
      if (checkout.payment_method_type === 'pix') return turnToPix(deps, scope, id);
      if (checkout.payment_method_type === 'pix_automatico')
        return createMandate(deps, scope, { subscriptionId: id, order: { journey: 'mandate_only' } });
      const { payment_method_type: _, expected_total: _total, installments = 1, ...holding } = checkout;
      if (installments > 1) {
        const message = 'A card that is stored is charged nothing now, so it has no installments';
        throw new BillingError('INSTALLMENTS_NOT_ALLOWED', { message, param: 'installments' });
      }
      return changePaymentMethod(deps, scope, { id, holding });
    },
    async fill() {
      throw new BillingError('INVALID_STATE', { message: 'A subscription has its buyer' });
    },
    async versions(ids) {
      const rows = await run(deps.pool, readVersions, { ids });
      return new Map(rows.map(({ id, version }) => [id, version]));
    },
  };
}
