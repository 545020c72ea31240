import type { EventType } from '@fatura/sdk';
import type { Catalogue } from '../../texts/catalogue.ts';

type ResourceOf<T> = T extends `${infer Resource}.${string}` ? Resource : never;

/** What an event can be about. */
export type EventResource = ResourceOf<EventType>;

type Names = Record<EventResource, string>;

const pt: Names = {
  invoice: 'Faturas',
  payment_intent: 'Pagamentos',
  subscription: 'Assinaturas',
  refund: 'Devoluções',
  payment_method: 'Cartões guardados',
  mandate: 'Autorizações de Pix Automático',
  dispute: 'Contestações',
  checkout_session: 'Compras',
  payment_link: 'Links de pagamento',
  customer: 'Clientes',
  product: 'Produtos',
  price: 'Preços',
  coupon: 'Cupons',
  invoice_item: 'Lançamentos',
  promotion_code: 'Códigos promocionais',
  discount: 'Resgates de cupons',
  account: 'Conta',
  export: 'Exportações',
};

const en: Names = {
  invoice: 'Invoices',
  payment_intent: 'Payments',
  subscription: 'Subscriptions',
  refund: 'Refunds',
  payment_method: 'Stored cards',
  mandate: 'Mandates of Pix Automático',
  dispute: 'Disputes',
  checkout_session: 'Purchases',
  payment_link: 'Payment links',
  customer: 'Customers',
  product: 'Products',
  price: 'Prices',
  coupon: 'Coupons',
  invoice_item: 'Invoice items',
  promotion_code: 'Promotion codes',
  discount: 'Redemptions of coupons',
  account: 'Account',
  export: 'Exports',
};

/** What events are about, in the order of what is asked for most. */
export const eventResources: Catalogue<Names> = { pt, en };
