import type { OfferView } from '../../web/page/page-data.ts';
import { ACCOUNT_LOOK } from '../accounts/look.ts';
import { type ScopeRow, scopeColumns, scopeOf } from '../accounts/scope.ts';
import { readBilledPrices } from '../catalog/lookup.ts';
import type { SessionLine } from '../checkout/entity.ts';
import { priceSession } from '../checkout/fill.ts';
import { type LinkState, stateOfLink } from '../checkout/link-stock.ts';
import { type NotOpened, type OpenedSession, openOfLink, openOfPrice } from '../checkout/open.ts';
import { acrossAccounts, run, type Statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { PageLook } from '../kernel/account.ts';
import type { LinkedPage } from '../kernel/links.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { viewItems } from './bill-items.ts';
import { viewLook } from './look.ts';
import { everyOf } from './purchase.ts';

/** What is sold at a link, as it stands. */
export interface Offer {
  readonly id: string;
  readonly scope: Scope;
  readonly look: PageLook;
  readonly state: LinkState;
  readonly mode: 'payment' | 'subscription';
  readonly lineItems: readonly SessionLine[];
  /** Days for which nothing is charged; null: there are none. */
  readonly trialDays: number | null;
}

/** What kinds of links sell: how it is found, opened and told from another. */
export interface OfferSource {
  readonly page: LinkedPage;
  find(deps: Deps, id: string): Promise<Offer | null>;
  open(deps: Deps, scope: Scope, asked: { id: string; address: string }): Promise<OpenedSession | NotOpened>;
  /** Whether an open session was opened by the link of an id, and takes payment. */
  isOf(deps: Deps, asked: { id: string; session: string }): Promise<boolean>;
}

interface LinkRow extends ScopeRow {
  readonly id: string;
  readonly mode: Offer['mode'];
  readonly lineItems: SessionLine[];
  readonly trialDays: number | null;
  readonly active: boolean;
  readonly isSold: boolean;
  readonly expiresAt: Timestamp | null;
  readonly maxSales: number | null;
  readonly sales: number;
  readonly reserved: number;
  readonly look: PageLook;
}

const JOINS = (alias: string) =>
  `JOIN account a ON a.id = ${alias}.account_id
   JOIN account_look look ON look.account_id = ${alias}.account_id AND look.live_mode = ${alias}.live_mode`;

/** What was made for one link alone is on sale by that. */
const readLink = acrossAccounts<LinkRow>(
  'read_payment_link_of_page',
  `SELECT k.id, ${scopeColumns('k')}, k.mode, k.line_items AS "lineItems", (k.terms #>> '{trial,days}')::integer AS "trialDays", k.active, k.expires_at AS "expiresAt", k.max_sales AS "maxSales", k.sales, k.reserved,
     k.amount IS NOT NULL OR NOT EXISTS(SELECT FROM json_array_elements(k.line_items) line
       LEFT JOIN price q ON q.id = line ->> 'price' AND q.account_id = k.account_id AND q.live_mode = k.live_mode
       LEFT JOIN product t ON t.id = q.product_id WHERE (q.active AND t.active) IS NOT TRUE) AS "isSold", ${ACCOUNT_LOOK}
   FROM payment_link k ${JOINS('k')} WHERE k.id = :id`,
);

interface PriceRow extends ScopeRow {
  readonly id: string;
  readonly type: 'one_time' | 'recurring';
  readonly isSold: boolean;
  readonly look: PageLook;
}

const readPrice = acrossAccounts<PriceRow>(
  'read_price_of_page',
  `SELECT q.id, ${scopeColumns('q')}, q.type, q.active AND t.active AS "isSold", ${ACCOUNT_LOOK}
   FROM price q JOIN product t ON t.id = q.product_id ${JOINS('q')} WHERE q.id = :id`,
);

const openSession = (name: string, of: string): Statement<{ id: string; expiresAt: Timestamp } & ScopeRow> =>
  acrossAccounts(
    name,
    `SELECT c.id, c.expires_at AS "expiresAt", ${scopeColumns('c')} FROM checkout_session c JOIN account a ON a.id = c.account_id
     WHERE c.id = :session AND c.status = 'open' AND ${of}`,
  );

const ofLink = openSession('read_open_session_of_link', 'c.payment_link_id = :id');
const ofPrice = openSession(
  'read_open_session_of_price',
  `c.payment_link_id IS NULL AND c.success_url IS NULL AND c.line_items #>> '{0,price}' = :id`,
);

async function isOpen(deps: Deps, found: typeof ofLink, asked: { id: string; session: string }): Promise<boolean> {
  const [row] = await run(deps.pool, found, asked);
  return row !== undefined && row.expiresAt > deps.clock.now(scopeOf(row));
}

/** What payment links sell (docs/product/payment-links.md). */
export const linkOffers: OfferSource = {
  page: 'payment_link',
  async find(deps, id) {
    const [row] = await run(deps.pool, readLink, { id });
    if (row === undefined) return null;
    const { look, mode, lineItems, trialDays } = row;
    const scope = scopeOf(row);
    const state = row.isSold ? stateOfLink(row, deps.clock.now(scope)) : 'over';
    return { id, scope, look, state, mode, lineItems, trialDays };
  },
  open: (deps, scope, asked) => openOfLink(deps, scope, asked),
  isOf: (deps, asked) => isOpen(deps, ofLink, asked),
};

/** What prices sell at pages of their own, a piece to each buyer (docs/product/payment-links.md#the-page-of-a-price). */
export const priceOffers: OfferSource = {
  page: 'price',
  async find(deps, id) {
    const [row] = await run(deps.pool, readPrice, { id });
    if (row === undefined) return null;
    const { look, isSold, type } = row;
    const sold = {
      mode: type === 'recurring' ? 'subscription' : 'payment',
      lineItems: [{ price: id, quantity: 1 }],
      trialDays: null,
    } as const;
    return { id, scope: scopeOf(row), look, state: isSold ? 'selling' : 'over', ...sold };
  },
  open: (deps, scope, { id }) => openOfPrice(deps, scope, id),
  isOf: (deps, asked) => isOpen(deps, ofPrice, asked),
};

/** An offer as its page shows it; `state`: of whoever asks. */
export async function viewOffer(
  deps: Deps,
  { scope, look, mode, lineItems, trialDays }: Offer,
  { state, logos }: { state: OfferView['state']; logos: string },
): Promise<OfferView> {
  const prices = await readBilledPrices(
    deps.pool,
    scope,
    lineItems.map(({ price }) => price),
  );
  const { lines, total } = priceSession({ mode, lineItems: [...lineItems], discounts: [] }, prices);
  const recurring = prices.values().find(({ type }) => type === 'recurring');
  return {
    merchant: look.name,
    isSandbox: !scope.liveMode,
    state,
    trialDays,
    lines: viewItems(lines, []).lines,
    total,
    every: recurring === undefined ? null : everyOf(recurring),
    look: viewLook(look, { logos }),
  };
}
