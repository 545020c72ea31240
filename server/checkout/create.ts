import type { CheckoutSessionCreate, CreatedCheckoutSession } from '../../contract/checkout-sessions.ts';
import { readBuyer } from '../customers/create.ts';
import type { Deps } from '../deps.ts';
import { discountedLines, redeemCoupon } from '../invoices/coupon.ts';
import { readPrices, requirePrices, storeDiscounts } from '../invoices/lines.ts';
import { newId } from '../kernel/ids.ts';
import { checkLateFees } from '../kernel/late-fee-limits.ts';
import { readOwnDays } from '../subscriptions/own-days.ts';
import { beginsOf } from '../subscriptions/start.ts';
import type { NewRow } from '../unit-of-work/table.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { takenCodes, withExternalCode } from '../unit-of-work/unique.ts';
import { type CheckoutSession, CheckoutSessionSchema } from './entity.ts';
import { fillSession, priceSession } from './fill.ts';
import { refuseUnsaleable } from './lines.ts';
import { sessions } from './rows.ts';
import { filledIn, refuseWebAddress, SESSION_SECONDS } from './rules.ts';
import { viewSession } from './view.ts';

const EXTERNAL_CODE = 'session.external_code';
const LINES = 'session.line_items';

/** Creates a checkout session, with a customer also what it charges (docs/product/checkout-sessions.md#creation). */
export async function createSession(
  deps: Deps,
  scope: Scope,
  input: CheckoutSessionCreate,
): Promise<CreatedCheckoutSession> {
  const { liveMode } = scope;
  refuseWebAddress(input.success_url, { liveMode, param: 'session.success_url' });
  refuseWebAddress(input.return_url, { liveMode, param: 'session.return_url' });
  const code = input.external_code;
  const taken = { scope, entity: CheckoutSessionSchema, table: 'checkout_session', param: EXTERNAL_CODE, code };
  return withExternalCode(deps, taken, () =>
    deps.transaction(scope, async (tx) => tx.answer(await createIn(tx, input))),
  );
}

async function createIn(tx: Tx, input: CheckoutSessionCreate): Promise<CreatedCheckoutSession> {
  const { buyer, prices } = await readReferences(tx, input);
  await refuseTakenCode(tx, input.external_code);
  refuseUnsaleable(input.mode, { items: input.line_items, prices, param: LINES });
  checkLateFees(input.subscription?.late_fees, 'session.subscription.late_fees');
  readOwnDays(tx, input.subscription?.collection, { own: null, param: 'session.subscription.collection' });
  beginsOf(tx, input.subscription ?? {}, { after: tx.now + SESSION_SECONDS, root: 'session.subscription' });
  const made = newSession(tx, input);
  const { lines } = priceSession({ ...made, discounts: [] }, prices);
  const redeeming = { root: 'session', customerId: buyer?.id ?? null, invoiceId: null };
  const coupon = await redeemCoupon(tx, input, { ...redeeming, lines: discountedLines(lines, prices) });
  const discounts = [...coupon, ...storeDiscounts(input.discounts ?? [])];
  const session = tx.insert(sessions, { ...made, discounts });
  const purchase = priceSession(session, prices);
  if (buyer === null) {
    tx.record('checkout_session.created', viewSession(tx, session, null));
    return viewSession(tx, session, null);
  }
  const invoice = await fillSession(tx, session, { buyer, purchase, filled: 'checkout_session.created' });
  return viewSession(tx, session, invoice?.paymentIntentId ?? null);
}

/** Prices and buyer; what does not exist is told before what cannot be used (docs/product/requests.md#order-of-refusals). */
async function readReferences(tx: Tx, input: CheckoutSessionCreate) {
  const prices = await readPrices(tx, input.line_items);
  requirePrices(input.line_items, prices, LINES);
  return { prices, buyer: await readBuyer(tx, input, 'session') };
}

const refuseTakenCode = takenCodes({ table: 'checkout_session', param: EXTERNAL_CODE });

function newSession(tx: Tx, input: CheckoutSessionCreate): Omit<NewRow<CheckoutSession>, 'discounts'> {
  const id = newId('cs');
  const expiresAt = tx.now + SESSION_SECONDS;
  return {
    id,
    mode: input.mode,
    status: 'open',
    externalCode: input.external_code ?? null,
    lineItems: input.line_items.map(({ price_id: price, quantity }) => ({ price, quantity })),
    allowPromotionCodes: input.allow_promotion_codes ?? false,
    terms: input.subscription ?? null,
    metadata: input.metadata ?? [],
    successUrl: filledIn(input.success_url, id),
    returnUrl: input.return_url,
    expiresAt,
    dueAt: expiresAt,
  };
}
