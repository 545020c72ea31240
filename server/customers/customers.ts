import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { CustomerListQuery, CustomerUpdate, Customer as CustomerView } from '../../contract/customers.ts';
import { listPage, sent } from '../db/pages.ts';
import { statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import { withExternalCode } from '../db/unique.ts';
import type { Deps, Tx } from '../deps.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import type { Page } from '../kernel/pages.ts';
import { type Customer, CustomerSchema } from './entity.ts';
import { soughtTaxId, storedPhone, storedTaxId } from './rules.ts';
import { viewCustomer } from './view.ts';

/** Who something is created for. */
export interface Buyer {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

interface BuyerRow {
  id: string;
  name: string;
  email: string | null;
  anonymized_at: number | null;
}

const shareCustomer = statement(
  'share_customer',
  `SELECT id, name, email, anonymized_at FROM customer
   WHERE account_id = $1 AND live_mode = $2 AND id = $3 FOR SHARE`,
);

/** Nothing personal is taken in any more for one who is anonymized. */
export const refuseAnonymized = (id: string): BillingError =>
  new BillingError('INVALID_STATE', { message: `${id} is anonymized: nothing can be changed or created for it` });

/** The customer that something is created for, kept from being anonymized until the transaction ends (design, rule 3). */
export async function lockCustomer(tx: Tx, id: string, param: string): Promise<Buyer> {
  const [row] = await tx.query<BuyerRow>(shareCustomer, [tx.scope.accountId, tx.scope.liveMode, id]);
  if (row === undefined) throw missing('customer', id, param);
  if (row.anonymized_at !== null) throw refuseAnonymized(id);
  return { id: row.id, name: row.name, email: row.email };
}

export async function retrieveCustomer(deps: Deps, scope: Scope, id: string): Promise<CustomerView> {
  const customer = await deps.read(scope).findOne(CustomerSchema, { id });
  if (customer === null) throw missing('customer', id);
  return viewCustomer(customer);
}

export function listCustomers(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof CustomerListQuery>,
): Promise<Page<CustomerView>> {
  const where = sent({
    email: query.email,
    identifier: query.identifier === undefined ? undefined : soughtTaxId(query.identifier),
    externalCode: query.external_code,
  });
  return listPage(deps.read(scope), CustomerSchema, { query, where, url: '/api/v1/customers', view: viewCustomer });
}

/** Excludes creators and other changes, and lets the foreign keys of a payment pass: they would deadlock with an anonymization. */
const lockCustomerRow = statement(
  'lock_customer',
  `SELECT id FROM customer WHERE account_id = $1 AND live_mode = $2 AND id = $3 FOR NO KEY UPDATE`,
);

export async function lockForChange(tx: Tx, id: string): Promise<Customer> {
  await tx.query(lockCustomerRow, [tx.scope.accountId, tx.scope.liveMode, id]);
  const customer = await tx.em.findOne(CustomerSchema, { id });
  if (customer === null) throw missing('customer', id);
  return customer;
}

function apply(customer: Customer, changes: CustomerUpdate): void {
  const { name, identifier, email, phone, external_code: externalCode, address } = changes;
  if (name !== undefined) customer.name = name;
  if (identifier !== undefined) customer.identifier = storedTaxId(identifier);
  if (email !== undefined) customer.email = email;
  if (phone !== undefined) customer.phone = phone && storedPhone(phone);
  if (externalCode !== undefined) customer.externalCode = externalCode;
  if (address !== undefined) customer.address = address;
}

/** Changes the fields sent; invoices keep the name and e-mail they were made with. */
export function updateCustomer(deps: Deps, scope: Scope, id: string, changes: CustomerUpdate): Promise<CustomerView> {
  const code = changes.external_code;
  return withExternalCode(
    deps,
    { scope, entity: CustomerSchema, table: 'customer', param: 'customer.external_code', code },
    () =>
      deps.transaction(scope, async (tx) => {
        const customer = await lockForChange(tx, id);
        if (customer.anonymizedAt != null) throw refuseAnonymized(id);
        const before = viewCustomer(customer);
        apply(customer, changes);
        const after = viewCustomer(customer);
        if (!isDeepStrictEqual(before, after)) tx.record('customer.updated', after);
        return tx.answer(after);
      }),
  );
}
