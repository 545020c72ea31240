import type { z } from 'zod';
import type { CustomerListQuery, CustomerUpdate, Customer as CustomerView } from '../../contract/customers.ts';
import { mine, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import type { Page } from '../kernel/pages.ts';
import { answerChange } from '../unit-of-work/facts.ts';
import { listPage, readEach, readOne, withoutUndefined } from '../unit-of-work/lists.ts';
import { table } from '../unit-of-work/table.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { withExternalCode } from '../unit-of-work/unique.ts';
import { type Customer, CustomerSchema } from './entity.ts';
import { customerPart, emailIndexOf, identifierIndexOf, openedCustomer } from './personal.ts';
import { soughtTaxId, storedPhone, storedTaxId } from './rules.ts';
import { viewCustomer } from './view.ts';
import { havingWords, reindexWords } from './word-index.ts';

/** Customers may change in every column until they are anonymized. */
export const customers = table(CustomerSchema, { fixed: [], seals: customerPart });

/** Who something is created for. */
export interface Buyer {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
}

/** A buyer as the database holds him. */
interface BuyerRow {
  readonly id: string;
  readonly accountId: string;
  readonly personal: Buffer | null;
}

const BUYER_COLUMNS = `u.id, u.account_id AS "accountId", u.personal`;

const shareCustomer = statement<BuyerRow & { isAnonymous: boolean }>(
  'share_customer',
  `SELECT ${BUYER_COLUMNS}, u.anonymized_at IS NOT NULL AS "isAnonymous" FROM customer u
   WHERE ${mine('u')} AND u.id = :id FOR SHARE`,
);

/** Nothing personal is taken in any more for one who is anonymized. */
export const refuseAnonymized = (id: string): BillingError =>
  new BillingError('INVALID_STATE', { message: `${id} is anonymized: nothing can be changed or created for it` });

/** The customer that something is created for, kept from being anonymized until the transaction ends (docs/design/transactions.md#locks). */
export async function lockCustomer(tx: Tx, id: string, param?: string): Promise<Buyer> {
  const [row] = await tx.query(shareCustomer, { id });
  if (row === undefined) throw missing('customer', id, param);
  if (row.isAnonymous) throw refuseAnonymized(id);
  return buyerOf(tx, row);
}

function buyerOf({ secretBox }: Tx, row: BuyerRow): Buyer {
  const { id, name, email } = openedCustomer(row, secretBox);
  return { id, name, email };
}

const findCustomer = statement<BuyerRow>(
  'find_customer',
  `SELECT ${BUYER_COLUMNS} FROM customer u WHERE ${mine('u')} AND u.id = :id`,
);

/** A customer as it is now, which nothing keeps from being changed; null: there is none. */
export async function findBuyer(tx: Tx, id: string): Promise<Buyer | null> {
  const [row] = await tx.query(findCustomer, { id });
  return row === undefined ? null : buyerOf(tx, row);
}

const shareCustomerLike = statement<BuyerRow>(
  'share_customer_like',
  `SELECT ${BUYER_COLUMNS} FROM customer u
   WHERE ${mine('u')} AND u.email_index = :emailIndex AND u.identifier_index = :identifierIndex AND u.anonymized_at IS NULL
   ORDER BY u.id LIMIT 1 FOR SHARE`,
);

/** The oldest customer of this CPF or CNPJ and this e-mail, kept as `lockCustomer` keeps it; null: there is none. */
export async function lockCustomerLike(
  tx: Tx,
  { identifier, email }: { identifier: string; email: string },
): Promise<Buyer | null> {
  const { scope, secretBox } = tx;
  const [row] = await tx.query(shareCustomerLike, {
    emailIndex: emailIndexOf(secretBox, scope, email),
    identifierIndex: identifierIndexOf(secretBox, scope, storedTaxId(identifier)),
  });
  return row === undefined ? null : buyerOf(tx, row);
}

const shown =
  ({ secretBox }: Deps) =>
  (row: Customer): CustomerView =>
    viewCustomer(openedCustomer(row, secretBox));

export const retrieveCustomer = (deps: Deps, scope: Scope, id: string): Promise<CustomerView> =>
  readOne({ deps, scope }, CustomerSchema, { id, view: shown(deps) });

export const readCustomers = (deps: Deps, scope: Scope, ids: readonly string[]): Promise<CustomerView[]> =>
  readEach({ deps, scope }, CustomerSchema, { ids, view: shown(deps) });

export function listCustomers(
  deps: Deps,
  scope: Scope,
  query: z.output<typeof CustomerListQuery>,
): Promise<Page<CustomerView>> {
  const { secretBox } = deps;
  const { email, external_code: externalCode } = query;
  const identifier = query.identifier === undefined ? undefined : soughtTaxId(query.identifier);
  const filters = withoutUndefined({
    id: query.ids === undefined ? undefined : { $in: query.ids },
    externalCode,
    emailIndex: email === undefined ? undefined : emailIndexOf(secretBox, scope, email),
    identifierIndex: identifier === undefined ? undefined : identifierIndexOf(secretBox, scope, identifier),
  });
  const where = query.query === undefined ? filters : { $and: [filters, havingWords(secretBox, scope, query.query)] };
  return listPage({ deps, scope }, CustomerSchema, { query, where, url: '/api/v1/customers', view: shown(deps) });
}

/** Excludes creators and other changes, and lets the foreign keys of a payment pass: they would deadlock with an anonymization. */
const lockCustomerRow = statement<Customer>(
  'lock_customer',
  `SELECT ${customers.columns('u')} FROM customer u WHERE ${mine('u')} AND u.id = :id FOR NO KEY UPDATE`,
);

export async function lockForChange(tx: Tx, id: string): Promise<Customer> {
  const [customer] = await tx.query(lockCustomerRow, { id });
  if (customer === undefined) throw missing('customer', id);
  return tx.keep(customers, customer);
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
        const view = answerChange(tx, customer, { type: 'customer.updated', view: viewCustomer, apply, changes });
        reindexWords(tx, customer);
        return view;
      }),
  );
}
