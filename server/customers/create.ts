import type { CustomerCreate, Customer as CustomerView } from '../../contract/customers.ts';
import { mine, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { newId } from '../kernel/ids.ts';
import { sealedRow } from '../sealing/sealed-rows.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { CODE_TRIES_MAX, externalCodeTaken } from '../unit-of-work/unique.ts';
import { type Buyer, customers, lockCustomer } from './customers.ts';
import type { Customer } from './entity.ts';
import { customerPart } from './personal.ts';
import { storedPhone, storedTaxId } from './rules.ts';
import { viewCustomer } from './view.ts';
import { indexWords } from './word-index.ts';

/** Creates the customer that another object is created for; `param` is where its fields stand in the request. */
export const createCustomerIn = (tx: Tx, input: CustomerCreate, param: string): Promise<Buyer> =>
  store(tx, newCustomer(tx, input), param);

/** Who something is created for: an existing customer, a new one, or nobody yet; `root` is where both stand in the request. */
export async function readBuyer(
  tx: Tx,
  { customer_id: id, customer }: { customer_id?: string | undefined; customer?: CustomerCreate | undefined },
  root: string,
): Promise<Buyer | null> {
  if (customer !== undefined) return createCustomerIn(tx, customer, `${root}.customer`);
  return id === undefined ? null : lockCustomer(tx, id, `${root}.customer_id`);
}

/** The same where somebody has to be said. */
export async function requireBuyer(tx: Tx, input: Parameters<typeof readBuyer>[1], root: string): Promise<Buyer> {
  const buyer = await readBuyer(tx, input, root);
  if (buyer === null) throw new Error(`validation lets no ${root} pass without a customer`);
  return buyer;
}

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
    personal: null,
    emailIndex: null,
    identifierIndex: null,
    anonymizedAt: null,
    unsubscribedAt: null,
    lastEventId: null,
    lastEventAt: null,
  };
}

const insertUnlessCodeTaken = statement<{ id: string }>(
  'insert_row_customer_unless_taken',
  `${customers.insert.one.text}
   ON CONFLICT (account_id, live_mode, external_code) WHERE external_code IS NOT NULL DO NOTHING
   RETURNING id`,
);

const findCodeHolder = statement<{ id: string }>(
  'find_customer_code_holder',
  `SELECT u.id FROM customer u WHERE ${mine('u')} AND u.external_code = :code`,
);

async function insert(tx: Tx, customer: Customer): Promise<boolean> {
  return (await tx.query(insertUnlessCodeTaken, customers.insert.values(customer))).length > 0;
}

async function store(tx: Tx, made: Customer, param: string): Promise<CustomerView> {
  const customer = sealedRow(customerPart, made, tx.secretBox);
  for (let tries = 1; !(await insert(tx, customer)); tries += 1) {
    const { externalCode: code } = customer;
    const [holder] = await tx.query(findCodeHolder, { code });
    // Without a holder it let go of the code between the two looks: the code is free again.
    if (holder !== undefined || tries >= CODE_TRIES_MAX) {
      throw externalCodeTaken({ param: `${param}.external_code`, code, holderId: holder?.id });
    }
  }
  const kept = tx.keep(customers, customer);
  indexWords(tx, kept);
  const view = viewCustomer(kept);
  tx.record('customer.created', view);
  return view;
}
