import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type {
  CustomerCreate,
  CustomerListQuery,
  CustomerUpdate,
  Customer as CustomerView,
} from '../../contract/customers.ts';
import { listPage, sent } from '../db/pages.ts';
import { statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import { externalCodeTaken, TRIES_MAX, withExternalCode } from '../db/unique.ts';
import type { Deps, Tx } from '../deps.ts';
import { BillingError, missing } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
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

/** Creates the customer that another object is created for; `param` is where its fields stand in the request. */
export const createCustomerIn = (tx: Tx, input: CustomerCreate, param: string): Promise<Buyer> =>
  store(tx, newCustomer(tx, input), param);

export function createCustomer(deps: Deps, scope: Scope, input: CustomerCreate): Promise<CustomerView> {
  return deps.transaction(scope, async (tx) => tx.answer(await store(tx, newCustomer(tx, input), 'customer')));
}

function newCustomer(tx: Tx, input: CustomerCreate): Customer {
  return {
    id: newId('cus'),
    accountId: tx.scope.accountId,
    liveMode: tx.scope.liveMode,
    created: tx.now,
    name: input.name,
    identifier: storedTaxId(input.identifier),
    email: input.email,
    phone: input.phone ? storedPhone(input.phone) : null,
    externalCode: input.external_code ?? null,
    address: input.address ?? null,
    anonymizedAt: null,
  };
}

const insertUnlessCodeTaken = statement(
  'insert_customer',
  `INSERT INTO customer (id, account_id, live_mode, created, name, identifier, email, phone, external_code, address)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   ON CONFLICT (account_id, live_mode, external_code) WHERE external_code IS NOT NULL DO NOTHING
   RETURNING id`,
);

const findCodeHolder = statement(
  'find_customer_code_holder',
  `SELECT id FROM customer WHERE account_id = $1 AND live_mode = $2 AND external_code = $3`,
);

async function insert(tx: Tx, customer: Customer): Promise<boolean> {
  const { id, accountId, liveMode, created, name, identifier, email, phone, externalCode, address } = customer;
  const stored = address && JSON.stringify(address);
  const values = [id, accountId, liveMode, created, name, identifier, email, phone, externalCode, stored];
  return (await tx.query(insertUnlessCodeTaken, values)).length > 0;
}

async function store(tx: Tx, customer: Customer, param: string): Promise<CustomerView> {
  for (let tries = 1; !(await insert(tx, customer)); tries += 1) {
    const { accountId, liveMode, externalCode: code } = customer;
    const [holder] = await tx.query<{ id: string }>(findCodeHolder, [accountId, liveMode, code]);
    // Without a holder it let go of the code between the two looks: the code is free again.
    if (holder !== undefined || tries >= TRIES_MAX) {
      throw externalCodeTaken({ param: `${param}.external_code`, code, holderId: holder?.id });
    }
  }
  const view = viewCustomer(customer);
  tx.record('customer.created', view);
  return view;
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

async function lockForChange(tx: Tx, id: string): Promise<Customer> {
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

/** The name an anonymized customer bears. */
const ANONYMOUS = 'Anonimizado';

const eraseAnswers = statement(
  'erase_idempotent_answers',
  `UPDATE idempotency_key SET answer = NULL WHERE account_id = $1 AND customer_id = $2`,
);

/** Erases the personal data of a customer (LGPD, decisions §3); again on an anonymized one it changes nothing. */
export function anonymizeCustomer(deps: Deps, scope: Scope, id: string): Promise<CustomerView> {
  return deps.transaction(scope, async (tx) => {
    const customer = await lockForChange(tx, id);
    if (customer.anonymizedAt != null) return tx.answer(viewCustomer(customer));
    for (const guard of tx.reactions.beforeAnonymize) await guard(tx, customer);
    Object.assign(customer, {
      name: ANONYMOUS,
      identifier: null,
      email: null,
      phone: null,
      externalCode: null,
      address: null,
    });
    customer.anonymizedAt = tx.now;
    for (const react of tx.reactions.anonymized) await react(tx, customer);
    // Sent last: it has to see the answers of all whom the statements before it waited for.
    await tx.query(eraseAnswers, [tx.scope.accountId, id]);
    const view = viewCustomer(customer);
    tx.record('customer.anonymized', view);
    return tx.answer(view);
  });
}
