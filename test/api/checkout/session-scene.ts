import type { CheckoutSession, CheckoutSessionCreate, CreatedCheckoutSession } from '@fatura/sdk';
import { performExpiry } from '../../../server/checkout/expire.ts';
import type { Merchant } from '../../support/api.ts';
import { newCustomer, newPrice } from '../../support/factories.ts';
import { newMonthly } from '../../support/subscriptions.ts';
import { PaymentScene } from '../payments/payment-scene.ts';

export const HOUR = 3_600;
/** After the deadline, when a QR code that stood there is asked about. */
export const DECISION = 30;

export const pages = {
  success_url: 'https://loja.test/obrigado?session={CHECKOUT_SESSION_ID}',
  return_url: 'https://loja.test/carrinho',
};

export const maria = { name: 'Maria da Silva', identifier: '529.982.247-25', email: 'maria@loja.test' };

/** One body for both modes, for a known customer unless told otherwise; `amount` is the price of its one line in cents. */
export type SessionOverrides = Partial<Omit<CheckoutSessionCreate, 'customer' | 'customer_id'>> & {
  amount?: number;
  customer_id?: string | null;
  customer?: NonNullable<CheckoutSessionCreate['customer']>;
};

export async function sessionBody(
  merchant: Merchant,
  overrides: SessionOverrides = {},
): Promise<CheckoutSessionCreate> {
  const { amount, customer_id: customerId, customer, mode = 'payment', ...rest } = overrides;
  const price = amount === undefined ? {} : { unit_amount: amount };
  const { id } = await (mode === 'payment' ? newPrice(merchant, price) : newMonthly(merchant, price));
  const buyer =
    customer === undefined
      ? customerId === null
        ? {}
        : { customer_id: customerId ?? (await newCustomer(merchant)).id }
      : { customer };
  return { ...pages, ...buyer, mode, line_items: [{ price_id: id, quantity: 1 }], ...rest };
}

/** A scene of sales on hosted pages. */
export class SessionScene extends PaymentScene {
  async create(overrides: SessionOverrides = {}): Promise<CreatedCheckoutSession> {
    return this.merchant.fatura.checkoutSessions.create(await sessionBody(this.merchant, overrides));
  }

  session(id: string): Promise<CheckoutSession> {
    return this.merchant.fatura.checkoutSessions.retrieve(id);
  }

  /** Lets time pass to so many seconds after the session's deadline. */
  async pass({ expires_at: expiresAt }: CheckoutSession, seconds = 0): Promise<void> {
    this.api.clock.advance(expiresAt + seconds - this.api.clock.now());
  }

  /** What `session-expiry-run` does with one session. */
  decide(id: string) {
    return performExpiry(this.deps, id);
  }

  /** Types of all events of a session, its invoice and its subscription, in their order. */
  async told({ id }: CheckoutSession): Promise<unknown[]> {
    const { invoice, subscription } = await this.session(id);
    const ids = [id, invoice, subscription].filter((known) => known != null);
    const rows = await this.rows('SELECT type FROM event WHERE related && $1::text[] ORDER BY id', ids);
    return rows.map(({ type }) => type);
  }
}
