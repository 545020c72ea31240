import type { PurchaseView } from '../../web/page/page-data.ts';
import type { Deps } from '../deps.ts';
import { acquirerOf } from '../payments/acquirer/ask.ts';
import { type FoundPurchase, isMissing, type Purchase, type PurchaseSource } from './purchase.ts';

const METHODS: PurchaseView['methods'] = ['pix_automatico', 'pix', 'card'];

/** The ways in which a purchase can be paid: live money takes an acquirer for each, and cards end with too many declines. */
async function methodsOf(
  deps: Deps,
  { scope, cardsExhausted, mandate }: FoundPurchase,
): Promise<PurchaseView['methods']> {
  const [pix, card] = await Promise.all([acquirerOf(deps, scope, 'pix'), acquirerOf(deps, scope, 'card')]);
  const isOffered = {
    pix_automatico: mandate !== null && pix?.offersMandates === true,
    pix: pix !== null,
    card: card !== null && !cardsExhausted,
  };
  return METHODS.filter((method) => isOffered[method]);
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
