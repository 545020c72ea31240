import type { CheckoutSession } from '@fatura/sdk';
import type { Merchant } from '../api.ts';
import { byCard } from '../cards.ts';
import { newCustomer, newPrice } from '../factories.ts';
import { newMonthly } from '../subscriptions.ts';

interface Session {
  readonly id: string;
  readonly invoice: string;
}

/** Checkout sessions in each of their states, as the API leaves them. */
export interface SessionShop {
  readonly session: {
    readonly open: Session;
    readonly complete: Session;
    readonly expired: Session;
    /** In mode subscription, and not paid yet. */
    readonly monthly: Session;
  };
}

export async function openSessions(merchant: Merchant): Promise<SessionShop> {
  const { checkoutSessions, invoices } = merchant.fatura;
  const pages = { success_url: 'https://loja.test/obrigado', return_url: 'https://loja.test/carrinho' };
  const create = async (
    mode: 'payment' | 'subscription',
    { isKnown } = { isKnown: true },
  ): Promise<CheckoutSession> => {
    const { id } = await (mode === 'payment' ? newPrice(merchant) : newMonthly(merchant));
    const buyer = isKnown ? { customer_id: (await newCustomer(merchant)).id } : {};
    return checkoutSessions.create({ ...pages, ...buyer, mode, line_items: [{ price_id: id, quantity: 1 }] });
  };
  const known = ({ id, invoice }: CheckoutSession): Session => ({ id, invoice: invoice ?? '' });
  await create('payment', { isKnown: false });
  const [open, complete, expired] = [await create('payment'), await create('payment'), await create('payment')];
  await invoices.checkout(complete.invoice ?? '', byCard());
  await checkoutSessions.expire(expired.id);
  await checkoutSessions.expire((await create('subscription')).id);
  const monthly = await create('subscription');
  return {
    session: { open: known(open), complete: known(complete), expired: known(expired), monthly: known(monthly) },
  };
}
