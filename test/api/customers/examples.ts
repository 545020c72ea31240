import type { CustomerCreate } from '../../../sdk/src/generated/types.ts';

/** A valid new customer; the overrides are the point of the test. */
export const maria = (overrides: Partial<CustomerCreate> = {}): CustomerCreate => ({
  name: 'Maria da Silva',
  identifier: '529.982.247-25',
  email: 'maria@example.com',
  ...overrides,
});
