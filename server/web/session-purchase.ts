import type { SessionMode, SessionStatus } from '../../contract/checkout-sessions.ts';
import type { SessionSubscriptionInput } from '../../contract/subscription-inputs.ts';
import type { Standing } from '../../web/page/page-data.ts';
import { type ScopeRow, scopeColumns, scopeOf } from '../accounts/scope.ts';
import { type Prices, readBilledPrices } from '../catalog/lookup.ts';
import { attachBuyer } from '../checkout/attach.ts';
import type { SessionDiscount, SessionLine } from '../checkout/entity.ts';
import { asCycleDiscount, priceSession } from '../checkout/fill.ts';
import { redeemTyped } from '../checkout/typed-code.ts';
import { redemptionIn } from '../coupons/redemption.ts';
import { acrossAccounts, run } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { Linked } from '../kernel/links.ts';
import type { Timestamp } from '../kernel/time.ts';
import { checkoutSubscription } from '../subscriptions/checkout.ts';
import { viewItems } from './bill-items.ts';
import { payBill, readPurchase, VERSION, VERSION_JOINS } from './invoice-purchase.ts';
import { idOfLink } from './page-requests.ts';
import { type FoundPurchase, fromOtherPage, type PurchaseSource, renewalOf } from './purchase.ts';
import { plannedItems, showBeginning } from './session-beginning.ts';
import { type NoticedRow, readNoticed } from './subscription-notice.ts';

interface SessionRow extends ScopeRow {
  id: string;
  mode: SessionMode;
  status: SessionStatus;
  invoiceId: string | null;
  subscriptionId: string | null;
  customerId: string | null;
  terms: SessionSubscriptionInput | null;
  lineItems: SessionLine[];
  discounts: SessionDiscount[];
  allowPromotionCodes: boolean;
  successUrl: string | null;
  returnUrl: string | null;
  paymentLinkId: string | null;
  expiresAt: Timestamp;
}

const readSession = acrossAccounts<SessionRow>(
  'read_session_of_page',
  `SELECT c.id, ${scopeColumns('c')}, c.mode, c.status, c.invoice_id AS "invoiceId", c.subscription_id AS "subscriptionId", c.customer_id AS "customerId", c.terms, c.line_items AS "lineItems", c.discounts,
     c.allow_promotion_codes AS "allowPromotionCodes",
     c.success_url AS "successUrl", c.return_url AS "returnUrl", c.payment_link_id AS "paymentLinkId", c.expires_at AS "expiresAt"
   FROM checkout_session c JOIN account a ON a.id = c.account_id WHERE c.id = :id`,
);

const readVersions = acrossAccounts<{ id: string; version: string }>(
  'read_session_versions',
  `SELECT s.id, concat_ws(' ', s.status, md5(s.discounts::text), i.id, ${VERSION}) AS version
   FROM checkout_session s LEFT JOIN invoice i ON i.id = s.invoice_id ${VERSION_JOINS} WHERE s.id = ANY (:ids)`,
);

/** What its subscription renews for; what is charged once renews never. */
function renews(row: SessionRow, prices: Prices, now: Timestamp): FoundPurchase['renewal'] {
  if (row.mode !== 'subscription') return null;
  const items = plannedItems(priceSession(row, prices), now);
  if (items === null) return null;
  const isBound = row.terms?.minimum_term !== undefined;
  return renewalOf({ items, discounts: row.discounts.map(asCycleDiscount) }, isBound);
}

/** What a session that charges nothing yet asks for: who buys, then a card. */
function asks({ status, subscriptionId }: SessionRow): 'buyer' | 'card_needed' | 'begun' {
  if (status === 'complete') return 'begun';
  return subscriptionId === null ? 'buyer' : 'card_needed';
}

/** What is sold before anybody is charged for it; what every session shows in its own way is filled in by `purchaseOf`. */
function uncharged(
  row: SessionRow,
  { prices, subscription, now }: { prices: Prices; subscription: NoticedRow | undefined; now: Timestamp },
): FoundPurchase {
  const scope = scopeOf(row);
  const { lines, total, sold } = priceSession(row, prices);
  const { terms } = row;
  const discounts = row.discounts.map(asCycleDiscount);
  return {
    ...{ id: row.id, invoiceId: null, kind: 'session', scope, standing: asks(row), merchant: scope.account.name },
    ...{ leadsTo: null, takesCode: false },
    ...{
      description: null,
      links: null,
      endsAt: null,
      renewal: null,
      customerId: null,
      subscriptionId: null,
      keepsCard: false,
      ...viewItems(lines, row.discounts),
    },
    ...{
      total,
      amount: total,
      amountRefunded: 0,
      dueAt: row.expiresAt,
      isLate: false,
      paidAt: null,
      closedAt: null,
      paidBy: null,
      receipt: null,
    },
    ...{
      qr: null,
      mandate: null,
      debitedOn: null,
      hadQr: false,
      intentId: null,
      installmentsMax: 1,
      declined: null,
      cardsExhausted: false,
      renewedBy: null,
    },
    ...(terms !== null &&
      showBeginning({ terms, sold, discounts, subscription }, { now, lateFees: scope.account.lateFees })),
  };
}

/** A session is not paid any more from its deadline on; a payment that is on its way may still complete it. */
function standingOf({ status, expiresAt }: SessionRow, { standing }: FoundPurchase, now: Timestamp): Standing {
  if (status === 'expired') return 'expired';
  const couldBePaid = standing === 'payable' || standing === 'buyer' || standing === 'card_needed';
  return couldBePaid && expiresAt <= now ? 'expired' : standing;
}

/** A code is typed before anything is charged, and once. */
const takesCodeNow = (row: SessionRow, purchase: FoundPurchase): boolean =>
  row.allowPromotionCodes &&
  redemptionIn(row.discounts) === null &&
  ['buyer', 'payable', 'card_needed'].includes(purchase.standing) &&
  purchase.intentId === null &&
  !purchase.hadQr &&
  purchase.declined === null;

/** Its receipt is that of its invoice, at the address of that. */
const readCharged = (deps: Deps, invoice: Linked): Promise<FoundPurchase | null> =>
  readPurchase(deps, { invoiceId: invoice.id, receipt: deps.links.receipt(invoice) });

/** The subscription of a session that charges nothing yet. */
async function readBegun(deps: Deps, { subscriptionId: id }: SessionRow): Promise<NoticedRow | undefined> {
  return id === null ? undefined : (await run(deps.pool, readNoticed, { id }))[0];
}

/** Whoever opened it by a link begins anew there once it has expired. */
function backOf({ links }: Deps, row: SessionRow, now: Timestamp): string | null {
  const isOver = row.status === 'expired' || row.expiresAt <= now;
  if (row.returnUrl !== null || !isOver) return row.returnUrl;
  const [{ price = '' } = {}] = row.lineItems;
  const { liveMode } = row;
  const { paymentLinkId: id } = row;
  return fromOtherPage(id === null ? links.saleOf({ id: price, liveMode }) : links.sale({ id, liveMode }));
}

async function purchaseOf(deps: Deps, row: SessionRow): Promise<FoundPurchase> {
  const scope = scopeOf(row);
  const now = deps.clock.now(scope);
  const charged =
    row.invoiceId === null ? null : await readCharged(deps, { id: row.invoiceId, liveMode: scope.liveMode });
  // What is charged once is shown by its invoice alone.
  const isPriced = charged === null || row.mode === 'subscription';
  const ids = row.lineItems.map(({ price }) => price);
  const prices: Prices = isPriced ? await readBilledPrices(deps.pool, scope, ids) : new Map();
  const found = charged ?? uncharged(row, { prices, subscription: await readBegun(deps, row), now });
  const purchase = { ...found, standing: standingOf(row, found, now) };
  return {
    ...purchase,
    id: row.id,
    kind: 'session',
    links: { success: row.successUrl, back: backOf(deps, row, now) },
    takesCode: takesCodeNow(row, purchase),
    endsAt: row.expiresAt,
    isLate: false,
    keepsCard: row.mode === 'subscription',
    renewal: renews(row, prices, now),
    customerId: row.customerId,
    subscriptionId: row.subscriptionId,
  };
}

/** What the buyer stores a card for. */
async function subscriptionOf(deps: Deps, { id }: FoundPurchase): Promise<string> {
  const [row] = await run(deps.pool, readSession, { id });
  if (row?.subscriptionId == null) throw new Error(`${id} has no subscription`);
  return row.subscriptionId;
}

/** Checkout sessions by their links (docs/product/checkout-sessions.md#the-session). */
export function createSessionSource(deps: Deps): PurchaseSource {
  const idOf: PurchaseSource['idOf'] = ({ session: id, signature }) => idOfLink(deps, 'session', { id, signature });
  return {
    idOf,
    async find(link) {
      const id = idOf(link);
      if (id === null) return 'not_found';
      const [row] = await run(deps.pool, readSession, { id });
      return row === undefined ? 'not_found' : purchaseOf(deps, row);
    },
    async pay(scope, purchase, checkout) {
      if (purchase.cardFor === undefined) return payBill(deps, scope, { purchase, checkout });
      const id = await subscriptionOf(deps, purchase);
      return checkoutSubscription(deps, scope, { id, checkout });
    },
    fill: (scope, order) => attachBuyer(deps, scope, order),
    redeem: (scope, order) => redeemTyped(deps, scope, order),
    async versions(ids) {
      const rows = await run(deps.pool, readVersions, { ids });
      return new Map(rows.map(({ id, version }) => [id, version]));
    },
  };
}
