import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import {
  type CheckoutSession as SessionView,
  sessionModes,
  sessionStatuses,
} from '../../contract/checkout-sessions.ts';
import { scoped, scopeFilter, told } from '../db/scoped.ts';

/** A line as it was sent. */
export interface SessionLine {
  readonly price: string;
  readonly quantity: number;
}

export type SessionDiscount = NonNullable<SessionView['discounts']>['data'][number];

export const CheckoutSessionSchema = defineEntity({
  name: 'CheckoutSession',
  tableName: 'checkout_session',
  filters: scopeFilter,
  properties: {
    ...scoped,
    ...told,
    mode: p.enum(sessionModes),
    status: p.enum(sessionStatuses),
    /** Null, like the invoice, until the buyer is known. */
    customerId: p.string().nullable(),
    invoiceId: p.string().nullable(),
    subscriptionId: p.string().nullable(),
    amount: p.bigint('number').nullable(),
    externalCode: p.string().nullable(),
    lineItems: p.json<SessionLine[]>(),
    discounts: p.json<SessionDiscount[]>(),
    metadata: p.json<Record<string, unknown>[]>(),
    successUrl: p.string(),
    returnUrl: p.string(),
    expiresAt: p.bigint('number'),
    attachedAt: p.bigint('number').nullable(),
    completedAt: p.bigint('number').nullable(),
    expiredAt: p.bigint('number').nullable(),
    /** When it is decided whether it expires; null: it is closed, or a charge at the acquirer decides. */
    dueAt: p.bigint('number').nullable(),
    /** The same in real seconds; null while the account's clock is held. */
    wakeAt: p.bigint('number').nullable(),
  },
});

export type CheckoutSession = InferEntity<typeof CheckoutSessionSchema>;
