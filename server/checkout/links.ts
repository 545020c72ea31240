import type { z } from 'zod';
import type { SessionMode } from '../../contract/checkout-sessions.ts';
import type { LineItemInput } from '../../contract/lines.ts';
import type {
  PaymentLinkCreate,
  PaymentLinkListQuery,
  PaymentLinkUpdate,
  PaymentLink as PaymentLinkView,
} from '../../contract/payment-links.ts';
import type { Prices } from '../catalog/lookup.ts';
import { createAdHocPrice } from '../catalog/prices.ts';
import { refusePassed } from '../coupons/coupons.ts';
import type { Deps } from '../deps.ts';
import { readPrices, requirePrices } from '../invoices/lines.ts';
import { invalidParameter } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { checkLateFees } from '../kernel/late-fee-limits.ts';
import type { Page } from '../kernel/pages.ts';
import { answerChange } from '../unit-of-work/facts.ts';
import { listPage, readOne, withoutUndefined } from '../unit-of-work/lists.ts';
import { table } from '../unit-of-work/table.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { takenCodes, withExternalCode } from '../unit-of-work/unique.ts';
import { type PaymentLink, PaymentLinkSchema, type SessionLine } from './entity.ts';
import { priceSession } from './fill.ts';
import { refuseUnsaleable } from './lines.ts';
import { viewPaymentLink } from './link-view.ts';
import { refuseWebAddress } from './rules.ts';

/** What it sells never changes: whoever has its address was told. */
const paymentLinks = table(PaymentLinkSchema, {
  noun: 'payment link',
  fixed: ['mode', 'lineItems', 'amount', 'description', 'terms', 'sales', 'reserved'],
});

const EXTERNAL_CODE = 'payment_link.external_code';
const LINES = 'payment_link.line_items';
const TERMS = 'payment_link.subscription';

const linkCode = (scope: Scope, code: string | null | undefined) =>
  ({ scope, entity: PaymentLinkSchema, table: 'payment_link', param: EXTERNAL_CODE, code }) as const;

const refuseTakenCode = takenCodes({ table: 'payment_link', param: EXTERNAL_CODE });

interface Sold {
  readonly mode: SessionMode;
  readonly lineItems: SessionLine[];
}

const modeOf = (items: readonly LineItemInput[], prices: Prices): SessionMode =>
  items.some(({ price_id: id }) => prices.get(id)?.type === 'recurring') ? 'subscription' : 'payment';

/** What it sells of prices, judged as the lines of a session; null: it sells an amount. */
async function readSold(tx: Tx, items: readonly LineItemInput[] | undefined): Promise<(() => Sold) | null> {
  if (items === undefined) return null;
  const prices = await readPrices(tx, items);
  requirePrices(items, prices, LINES);
  return () => {
    const mode = modeOf(items, prices);
    refuseUnsaleable(mode, { items, prices, param: LINES });
    const lineItems = items.map(({ price_id: price, quantity }) => ({ price, quantity }));
    priceSession({ mode, lineItems, discounts: [] }, prices);
    return { mode, lineItems };
  };
}

/** An amount is sold by a price of its own, which is on sale nowhere else. */
function soldAmount(tx: Tx, { amount = 0, description = '' }: PaymentLinkCreate): Sold {
  const { id: price } = createAdHocPrice(tx, { name: description, unitAmount: amount });
  return { mode: 'payment', lineItems: [{ price, quantity: 1 }] };
}

async function createIn(tx: Tx, input: PaymentLinkCreate): Promise<PaymentLinkView> {
  const judge = await readSold(tx, input.line_items);
  await refuseTakenCode(tx, input.external_code);
  refusePassed(input.expires_at, tx.now, 'payment_link.expires_at');
  const sold = judge === null ? soldAmount(tx, input) : judge();
  if (input.subscription !== undefined && sold.mode !== 'subscription') {
    throw invalidParameter(TERMS, `${TERMS} must be absent where no price recurs`);
  }
  checkLateFees(input.subscription?.late_fees, `${TERMS}.late_fees`);
  const link = tx.insert(paymentLinks, {
    id: newId('plink'),
    ...sold,
    terms: input.subscription ?? null,
    allowPromotionCodes: input.allow_promotion_codes ?? false,
    metadata: input.metadata ?? [],
    active: input.active ?? true,
    amount: input.amount ?? null,
    description: input.description ?? null,
    maxSales: input.max_sales ?? null,
    expiresAt: input.expires_at ?? null,
    successUrl: input.success_url ?? null,
    returnUrl: input.return_url ?? null,
    externalCode: input.external_code ?? null,
  });
  const view = viewPaymentLink(tx, link);
  tx.record('payment_link.created', view);
  return tx.answer(view);
}

function refuseAddresses({ liveMode }: Scope, input: PaymentLinkUpdate): void {
  const { success_url: success, return_url: back } = input;
  if (success != null) refuseWebAddress(success, { liveMode, param: 'payment_link.success_url' });
  if (back != null) refuseWebAddress(back, { liveMode, param: 'payment_link.return_url' });
}

/** Creates a payment link (docs/product/payment-links.md#creation). */
export async function createPaymentLink(deps: Deps, scope: Scope, input: PaymentLinkCreate): Promise<PaymentLinkView> {
  refuseAddresses(scope, input);
  return withExternalCode(deps, linkCode(scope, input.external_code), () =>
    deps.transaction(scope, (tx) => createIn(tx, input)),
  );
}

export const retrievePaymentLink = (deps: Deps, scope: Scope, id: string): Promise<PaymentLinkView> =>
  readOne({ deps, scope }, PaymentLinkSchema, { id, view: (link) => viewPaymentLink(deps, link) });

export function listPaymentLinks(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof PaymentLinkListQuery>,
): Promise<Page<PaymentLinkView>> {
  const where = withoutUndefined({ active: query.active, externalCode: query.external_code });
  const view = (link: PaymentLink) => viewPaymentLink(deps, link);
  return listPage({ deps, scope }, PaymentLinkSchema, { query, where, url: '/api/v1/payment_links', view });
}

/** What is sold, and what open sessions hold, stays sold and held. */
function refuseFewer({ sales, reserved }: PaymentLink, maxSales: number | null | undefined): void {
  const taken = sales + reserved;
  if (maxSales == null || maxSales >= taken) return;
  const param = 'payment_link.max_sales';
  throw invalidParameter(
    param,
    `${param} must be at least ${taken} (${sales} sold, ${reserved} reserved), got ${maxSales}`,
  );
}

function applyToLink(link: PaymentLink, changes: PaymentLinkUpdate): void {
  if (changes.active !== undefined) link.active = changes.active;
  if (changes.allow_promotion_codes !== undefined) link.allowPromotionCodes = changes.allow_promotion_codes;
  if (changes.metadata !== undefined) link.metadata = changes.metadata;
  if (changes.expires_at !== undefined) link.expiresAt = changes.expires_at;
  if (changes.max_sales !== undefined) link.maxSales = changes.max_sales;
  if (changes.success_url !== undefined) link.successUrl = changes.success_url;
  if (changes.return_url !== undefined) link.returnUrl = changes.return_url;
  if (changes.external_code !== undefined) link.externalCode = changes.external_code;
}

/** Changes the fields sent; sessions that are open go on as they were (docs/product/payment-links.md#changes). */
export async function updatePaymentLink(
  deps: Deps,
  scope: Scope,
  id: string,
  changes: PaymentLinkUpdate,
): Promise<PaymentLinkView> {
  refuseAddresses(scope, changes);
  return withExternalCode(deps, linkCode(scope, changes.external_code), () =>
    deps.transaction(scope, async (tx) => {
      const link = await tx.lock(paymentLinks, id);
      refusePassed(changes.expires_at, tx.now, 'payment_link.expires_at');
      refuseFewer(link, changes.max_sales);
      const view = (row: PaymentLink) => viewPaymentLink(tx, row);
      return answerChange(tx, link, { type: 'payment_link.updated', view, apply: applyToLink, changes });
    }),
  );
}
