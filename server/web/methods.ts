import { asksForCard, type PurchaseView } from '../../web/page/page-data.ts';
import { openedCustomer } from '../customers/personal.ts';
import { acrossAccounts, run } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { acquirerOf } from '../payments/acquirer/ask.ts';
import { type FoundPurchase, isMissing, type Purchase, type PurchaseSource } from './purchase.ts';

const CPF_DIGITS = 11;

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

const readBuyer = acrossAccounts<{ id: string; accountId: string; personal: Buffer }>(
  'read_buyer_of_page',
  'SELECT c.id, c.account_id AS "accountId", c.personal FROM customer c WHERE c.id = :id',
);

/** The CPF that its buyer need not type again; a company holds no card by its CNPJ. */
async function cpfOf({ pool, secretBox }: Deps, found: FoundPurchase): Promise<string | null> {
  const { customerId: id } = found;
  if (id === null || !asksForCard(found)) return null;
  const [row] = await run(pool, readBuyer, { id });
  const { identifier = null } = row === undefined ? {} : openedCustomer(row, secretBox);
  return identifier !== null && identifier.length === CPF_DIGITS ? identifier : null;
}

/** A source of purchases that says how each can be paid. */
export const withMethods = (deps: Deps, source: PurchaseSource): PurchaseSource<Purchase> => ({
  ...source,
  find: async (link) => {
    const found = await source.find(link);
    if (isMissing(found)) return found;
    const [methods, cardUrl, cpf] = await Promise.all([
      methodsOf(deps, found),
      cardUrlOf(deps, found),
      cpfOf(deps, found),
    ]);
    return { ...found, methods, cardUrl, buyerCpf: methods.includes('card') ? cpf : null };
  },
});
