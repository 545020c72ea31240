import type { CustomerCreate } from '../../contract/customers.ts';
import { findBilledPrices } from '../catalog/lookup.ts';
import { isOpenTo } from '../coupons/redeem.ts';
import { lockRedemption, release } from '../coupons/redemption.ts';
import { createCustomerIn } from '../customers/create.ts';
import { lockCustomerLike } from '../customers/customers.ts';
import type { Deps } from '../deps.ts';
import { rememberTyped } from '../mail/typed-email.ts';
import type { ShownConsent } from '../subscriptions/consent.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import type { CheckoutSession } from './entity.ts';
import { fillSession, priceSession } from './fill.ts';
import { sessions } from './rows.ts';
import { refuseUnlessOpen } from './rules.ts';

/** What a buyer fills in on the page of a session that was created without a customer. */
export type BuyerForm = Pick<CustomerCreate, 'name' | 'identifier' | 'email'> & { readonly phone: string };

interface Attaching {
  readonly id: string;
  readonly buyer: BuyerForm;
  /** What the page says of the subscription that it sells; null: it sells none. */
  readonly consent?: ShownConsent | null;
}

/**
 * Makes what a session charges for the buyer who filled in its page (docs/product/checkout-sessions.md#creation), once: a
 * session that has its buyer keeps it. A customer with the same CPF or CNPJ and e-mail is taken as stored, else one is created.
 */
export async function attachBuyer(deps: Deps, scope: Scope, order: Attaching): Promise<void> {
  await deps.transaction(scope, async (tx) => {
    await attachIn(tx, order);
  });
}

async function attachIn(tx: Tx, { id, buyer, consent }: Attaching): Promise<void> {
  const session = await tx.lock(sessions, id);
  refuseUnlessOpen(session, tx.now);
  if (session.customerId != null) return;
  const ids = session.lineItems.map(({ price }) => price);
  const [prices, known] = await Promise.all([findBilledPrices(tx, ids), lockCustomerLike(tx, buyer)]);
  const customer = known ?? (await createCustomerIn(tx, buyer, 'buyer'));
  if (known === null) await rememberTyped(tx, customer);
  await dropUnlessFirst(tx, session, customer.id);
  const purchase = priceSession(session, prices);
  await fillSession(tx, session, {
    buyer: customer,
    purchase,
    filled: 'checkout_session.customer_attached',
    consent: consent ?? null,
  });
}

/** A code for first purchases is given back where its buyer has paid before: what the page asks from then on is without it. */
async function dropUnlessFirst(tx: Tx, session: CheckoutSession, customerId: string): Promise<void> {
  const redemption = await lockRedemption(tx, session.discounts);
  if (redemption === null || (await isOpenTo(tx, redemption, customerId))) return;
  release(tx, redemption);
  session.discounts = session.discounts.filter((discount) => discount.redemption !== redemption.id);
}
