import type { z } from 'zod';
import { conditional, without } from './conditions.ts';
import { CustomerCreate } from './customers.ts';
import { field } from './kernel.ts';

/** A customer to create along with what it buys. */
export const newBuyer = (description: string) =>
  field(CustomerCreate.optional(), description, {
    name: 'Maria da Silva',
    identifier: '529.982.247-25',
    email: 'maria@example.com',
  });

interface NamedBuyer {
  readonly customer_id?: string | undefined;
  readonly customer?: unknown;
}

/** An existing customer or a new one, not both. */
export function refuseTwoBuyers({ customer_id: id, customer }: NamedBuyer, context: z.core.$RefinementCtx): void {
  if (id === undefined || customer === undefined) return;
  context.addIssue({ code: 'custom', path: ['customer'], message: 'must be absent when customer_id is sent' });
}

/** One of both. */
export function checkBuyer(named: NamedBuyer, context: z.core.$RefinementCtx): void {
  if (named.customer_id === undefined && named.customer === undefined) {
    const message = 'or customer is required';
    context.addIssue({ code: 'custom', path: ['customer_id'], message, params: { missing: true } });
  }
  refuseTwoBuyers(named, context);
}

/** The same in JSON Schema. */
export const oneBuyer = conditional({
  when: { required: ['customer_id'] },
  so: without('customer'),
  otherwise: { required: ['customer'] },
});
