import type { PurchaseView } from '../../web/page/page-data.ts';
import type { Deps } from '../deps.ts';
import { acquirerOf, hasAcquirer } from '../payments/acquirer/ask.ts';
import { type FoundPurchase, isMissing, type Purchase, type PurchaseSource } from './purchase.ts';

const METHODS: PurchaseView['methods'] = ['pix', 'card'];

/** The ways in which a purchase can be paid: live money takes an acquirer for each, and cards end with too many declines. */
async function methodsOf(deps: Deps, { scope, cardsExhausted }: FoundPurchase): Promise<PurchaseView['methods']> {
  const offered = await Promise.all(METHODS.map((method) => hasAcquirer(deps, scope, method)));
  return METHODS.filter((method, place) => offered[place] && !(method === 'card' && cardsExhausted));
}

/** Where the browser sends a card; null: it comes to us. The bank of the sandbox takes what comes to us. */
async function cardUrlOf(deps: Deps, { scope }: FoundPurchase): Promise<string | null> {
  const acquirer = scope.liveMode ? await acquirerOf(deps, scope, 'card') : null;
  return acquirer?.cardEntry.kind === 'direct' ? acquirer.cardEntry.url : null;
}

/** A source of purchases that says how each can be paid. */
export const withMethods = (deps: Deps, source: PurchaseSource): PurchaseSource<Purchase> => ({
  ...source,
  find: async (link) => {
    const found = await source.find(link);
    if (isMissing(found)) return found;
    const [methods, cardUrl] = await Promise.all([methodsOf(deps, found), cardUrlOf(deps, found)]);
    return { ...found, methods, cardUrl };
  },
});
