import type { CustomerCreate } from '../../contract/customers.ts';
import { createCustomerIn } from '../customers/create.ts';
import { lockCustomerLike } from '../customers/customers.ts';
import type { Scope, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { asDiscountInputs, lineOf, readPrices } from '../invoices/lines.ts';
import { totalOf } from '../invoices/rules.ts';
import type { CheckoutSession } from './entity.ts';
import { fillSession, type Purchase } from './fill.ts';
import { sessions } from './rows.ts';
import { refuseUnlessOpen } from './rules.ts';

/** What a buyer fills in on the page of a session that was created without a customer. */
export type BuyerForm = Pick<CustomerCreate, 'name' | 'identifier' | 'email'> & { readonly phone: string };

/**
 * Makes what a session charges for the buyer who filled in its page (docs/product/checkout-sessions.md#creation), once: a
 * session that has its buyer keeps it. A customer with the same CPF or CNPJ and e-mail is taken as stored, else one is created.
 */
export const attachBuyer = (deps: Deps, scope: Scope, { id, buyer }: { id: string; buyer: BuyerForm }): Promise<void> =>
  deps.transaction(scope, async (tx) => {
    const session = await tx.lock(sessions, id);
    refuseUnlessOpen(session, tx.now);
    if (session.invoiceId != null) return;
    const [purchase, known] = await Promise.all([priced(tx, session), lockCustomerLike(tx, buyer)]);
    const customer = known ?? (await createCustomerIn(tx, buyer, 'buyer'));
    await fillSession(tx, session, { buyer: customer, purchase, filled: 'checkout_session.customer_attached' });
  });

/** As when the session was created: a price that was taken off sale since is still what the buyer was offered. */
async function priced(tx: Tx, { lineItems, discounts }: CheckoutSession): Promise<Purchase> {
  const items = lineItems.map(({ price, quantity }) => ({ price_id: price, quantity }));
  const prices = await readPrices(tx, items);
  const lines = lineItems.flatMap(({ price: id, quantity }) => {
    const price = prices.get(id);
    return price === undefined ? [] : [lineOf(quantity, price)];
  });
  const price = prices.get(lineItems[0]?.price ?? '');
  if (price === undefined || lines.length < lineItems.length) throw new Error('prices are never deleted');
  return { lines, total: totalOf(lines, asDiscountInputs(discounts), 'discounts'), price };
}
