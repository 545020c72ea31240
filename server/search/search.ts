import type { z } from 'zod';
import type { SearchQuery, Search as SearchView } from '../../contract/search.ts';
import { readSessions } from '../checkout/list.ts';
import { listCustomers, readCustomers } from '../customers/customers.ts';
import { emailIndexOf } from '../customers/personal.ts';
import { readOrdered } from '../db/plan-hints.ts';
import type { Deps } from '../deps.ts';
import { readInvoices } from '../invoices/list.ts';
import { readIntents } from '../payments/intents/list.ts';
import { readSubscriptions } from '../subscriptions/list.ts';
import type { Scope } from '../unit-of-work/tx.ts';
import { findAll, type Group } from './find.ts';
import { type Sought, soughtIn } from './rules.ts';

const LIMIT_DEFAULT = 5;

interface Asked {
  readonly sought: Sought;
  readonly limit: number;
}

async function customersByWords(deps: Deps, scope: Scope, { sought, limit }: Asked): Promise<string[]> {
  if (!sought.hasWords) return [];
  const { data } = await listCustomers(deps, scope, { query: sought.text, limit });
  return data.map(({ id }) => id);
}

async function idsOf(deps: Deps, scope: Scope, asked: Asked): Promise<(group: Group) => string[]> {
  const { text, email, amount, last4 } = asked.sought;
  const values = {
    text,
    email: email === null ? null : emailIndexOf(deps.secretBox, scope, email),
    amount,
    last4,
    customers: await customersByWords(deps, scope, asked),
    limit: asked.limit,
  };
  // However many attempts have one card: they come in their order, and end with the page.
  const found = await readOrdered(deps.pool, scope, { prepared: findAll, values });
  return (group) => found.filter((one) => one.group === group).map(({ id }) => id);
}

/** What the words, digits, codes or ids of a query name (docs/product/search.md). One read after the other: an account has few connections. */
export async function searchAccount(
  deps: Deps,
  scope: Scope,
  { query, limit = LIMIT_DEFAULT }: z.output<typeof SearchQuery>,
): Promise<SearchView> {
  const ids = await idsOf(deps, scope, { sought: soughtIn(query), limit });
  return {
    object: 'search',
    query,
    customers: await readCustomers(deps, scope, ids('customers')),
    invoices: await readInvoices(deps, scope, ids('invoices')),
    payment_intents: await readIntents(deps, scope, ids('payment_intents')),
    subscriptions: await readSubscriptions(deps, scope, ids('subscriptions')),
    checkout_sessions: await readSessions(deps, scope, ids('checkout_sessions')),
  };
}
