import type * as types from './generated/types.ts';

/** A price: `recurring` exactly when its type is. */
export type Price = Omit<types.Price, 'type' | 'recurring'> &
  (
    | {
        /** Charged once. */
        type: 'one_time';
        recurring?: never;
      }
    | {
        /** Charged again each period. */
        type: 'recurring';
        /** How often the price is charged. */
        recurring: types.PriceRecurring;
      }
  );

/** A new price: `recurring` exactly when its type is. */
export type PriceCreate = Omit<types.PriceCreate, 'type' | 'recurring'> &
  (
    | {
        /** Charged once. */
        type: 'one_time';
        recurring?: never;
      }
    | {
        /** Charged again each period. */
        type: 'recurring';
        /** How often the price is charged. */
        recurring: types.PriceRecurringCreate;
      }
  );

/** A new standalone invoice: for a customer that exists, or for one to create with it. */
export type InvoiceCreate = Omit<types.InvoiceCreate, 'customer_id' | 'customer'> &
  (
    | {
        /** Who pays: an existing customer. */
        customer_id: string;
        customer?: never;
      }
    | {
        customer_id?: never;
        /** Who pays: a customer to create with the invoice. */
        customer: types.CustomerCreate;
      }
  );

/** A new checkout session: for a customer that exists, for one to create with it, or for a buyer who fills in the page. */
export type CheckoutSessionCreate = Omit<types.CheckoutSessionCreate, 'customer_id' | 'customer'> &
  (
    | {
        /** Who pays: an existing customer. */
        customer_id?: string;
        customer?: never;
      }
    | {
        customer_id?: never;
        /** Who pays: a customer to create with the session. */
        customer: types.CustomerCreate;
      }
  );

/** An invoice with the QR code of its checkout. */
export interface InvoiceByPix extends types.Invoice {
  payment_intent: string;
  payment_method: types.PaymentMethodByPix;
}

/** An invoice paid by its checkout. */
export interface InvoiceByCard extends types.Invoice {
  payment_intent: string;
  /** Absent when a checkout is repeated after its customer was anonymized. */
  payment_method?: types.PaymentMethodByCard;
}

/** A subscription with the QR code of its checkout. */
export interface SubscriptionByPix extends types.Subscription {
  payment_method: types.PaymentMethodByPix;
}

/** A subscription paid by its checkout. */
export interface SubscriptionByCard extends types.Subscription {
  /** Absent when a checkout is repeated after its customer was anonymized. */
  payment_method?: types.PaymentMethodByCard;
}
