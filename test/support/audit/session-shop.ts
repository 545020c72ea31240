import type { CheckoutSession } from '@fatura/sdk';
import type { Merchant, TestApi } from '../api.ts';
import { byCard } from '../cards.ts';
import { CPF, newCustomer, newPrice } from '../factories.ts';
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
  /** A payment link with a session that is paid, one that is open, and one that has expired. */
  readonly link: { readonly id: string; readonly open: string };
}

async function sellByLink(api: TestApi, merchant: Merchant): Promise<SessionShop['link']> {
  const { checkoutSessions, invoices, paymentLinks } = merchant.fatura;
  const line_items = [{ price_id: (await newPrice(merchant)).id, quantity: 1 }];
  const link = await paymentLinks.create({ line_items, max_sales: 3 });
  const open = async (): Promise<CheckoutSession> => {
    const page = api.baseUrl + new URL(link.url ?? '').pathname;
    const { headers } = await fetch(page, { method: 'POST', redirect: 'manual' });
    const [id = ''] = /cs_[0-9a-z]{26}/.exec(headers.get('location') ?? '') ?? [];
    return checkoutSessions.retrieve(id);
  };
  const fillIn = async ({ id, url }: CheckoutSession): Promise<string> => {
    await fetch(`${api.baseUrl}${new URL(url ?? '').pathname}/buyer`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
      body: JSON.stringify({ name: 'Ana Souza', identifier: CPF, email: 'ana@loja.test', phone: '(11) 98765-4321' }),
    });
    return (await checkoutSessions.retrieve(id)).invoice ?? '';
  };
  await invoices.checkout(await fillIn(await open()), byCard());
  const left = await open();
  await fillIn(left);
  await checkoutSessions.expire(left.id);
  return { id: link.id, open: (await open()).id };
}

export async function openSessions(api: TestApi, merchant: Merchant): Promise<SessionShop> {
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
    link: await sellByLink(api, merchant),
  };
}
