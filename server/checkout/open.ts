import type { SessionMode } from '../../contract/checkout-sessions.ts';
import { findBilledPrices } from '../catalog/lookup.ts';
import type { Deps } from '../deps.ts';
import { newId } from '../kernel/ids.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import type { CheckoutSession, SessionLine } from './entity.ts';
import { heldFrom, reserveSale } from './link-stock.ts';
import { sessions } from './rows.ts';
import { filledIn, SESSION_SECONDS } from './rules.ts';
import { viewSession } from './view.ts';

/** Sales of a link of limited sales that sessions of one address hold at once (docs/product/payment-links.md#limits). */
export const HELD_FROM_ADDRESS_MAX = 10;

/** A session that somebody opened by a link. */
export interface OpenedSession {
  readonly id: string;
  readonly liveMode: boolean;
}

/** Why none was opened: what is left is held, or nothing is; or the address holds as many as it may. */
export type NotOpened = 'not_sold' | 'held_by_address';

/** A transaction that is given up leaves nothing held. */
class GivenUp extends Error {
  readonly why: NotOpened;
  constructor(why: NotOpened) {
    super(why);
    this.why = why;
  }
}

interface Opening {
  readonly mode: SessionMode;
  readonly lineItems: SessionLine[];
  readonly successUrl: string | null;
  readonly returnUrl: string | null;
  readonly paymentLinkId: string | null;
  readonly openedFrom: string | null;
  readonly terms: CheckoutSession['terms'];
  readonly allowPromotionCodes: boolean;
  readonly metadata: CheckoutSession['metadata'];
}

function open(tx: Tx, { successUrl, ...opening }: Opening): OpenedSession {
  const id = newId('cs');
  const expiresAt: Timestamp = tx.now + SESSION_SECONDS;
  const session: CheckoutSession = tx.insert(sessions, {
    ...opening,
    id,
    status: 'open',
    externalCode: null,
    discounts: [],
    successUrl: successUrl === null ? null : filledIn(successUrl, id),
    expiresAt,
    dueAt: expiresAt,
  });
  tx.record('checkout_session.created', viewSession(tx, session, null));
  return { id, liveMode: session.liveMode };
}

/** Whether all of some prices are on sale now; what was made for one link alone is on sale by that. */
async function areSold(tx: Tx, lines: readonly SessionLine[]): Promise<boolean> {
  const prices = await findBilledPrices(
    tx,
    lines.map(({ price }) => price),
  );
  return lines.every(({ price }) => prices.get(price)?.isSold === true);
}

async function openOfLinkIn(tx: Tx, { id, address }: { id: string; address: string }): Promise<OpenedSession> {
  const link = await reserveSale(tx, id);
  if (link === null || (link.amount === null && !(await areSold(tx, link.lineItems)))) throw new GivenUp('not_sold');
  const isLimited = link.maxSales !== null;
  const openedFrom = isLimited ? tx.secretBox.fingerprint(['opened-from', id, address]).toString('base64url') : null;
  if (openedFrom !== null && (await heldFrom(tx, { id, openedFrom })) >= HELD_FROM_ADDRESS_MAX)
    throw new GivenUp('held_by_address');
  const { mode, lineItems, successUrl = null, returnUrl = null, terms = null, allowPromotionCodes, metadata } = link;
  const sold = { mode, lineItems, terms, allowPromotionCodes, metadata };
  return open(tx, { ...sold, successUrl, returnUrl, paymentLinkId: id, openedFrom });
}

async function unlessGivenUp<T>(opening: Promise<T>): Promise<T | NotOpened> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof GivenUp) return error.why;
    throw error;
  }
}

/** Opens a session of a payment link for whoever asks from an address: it holds one of the link's sales until it is paid or expires. */
export const openOfLink = (
  deps: Deps,
  scope: Scope,
  asked: { readonly id: string; readonly address: string },
): Promise<OpenedSession | NotOpened> => unlessGivenUp(deps.transaction(scope, (tx) => openOfLinkIn(tx, asked)));

/** Opens a session of one piece of a price that is on sale. */
export const openOfPrice = (deps: Deps, scope: Scope, id: string): Promise<OpenedSession | NotOpened> =>
  unlessGivenUp(
    deps.transaction(scope, async (tx) => {
      const price = (await findBilledPrices(tx, [id])).get(id);
      if (price?.isSold !== true) throw new GivenUp('not_sold');
      const mode = price.type === 'recurring' ? 'subscription' : 'payment';
      const lineItems = [{ price: id, quantity: 1 }];
      const sold = { lineItems, terms: null, allowPromotionCodes: false, metadata: [] };
      return open(tx, { ...sold, mode, successUrl: null, returnUrl: null, paymentLinkId: null, openedFrom: null });
    }),
  );
