import type { Answer } from './answer.ts';
import { notFound } from './answer.ts';
import type { Merchant } from './books.ts';
import * as cards from './cards.ts';
import * as charges from './charges.ts';
import type { Operation, Trouble, TroubleKind } from './troubles.ts';
import { viewCard, viewCustomer } from './views.ts';

/** What operations work with. */
export interface Desk {
  /** The fake's own clock, which a test moves. */
  now(): number;
  /** What a test has the issuers of numbers answer. */
  readonly issuerCodes: Readonly<Record<string, string>>;
  strikes(kind: TroubleKind, operation: Operation, merchant: Merchant): Trouble | null;
  /** Sends a webhook, if one is registered. */
  tell(merchant: Merchant, type: string, data: object): void;
}

export interface Call {
  readonly desk: Desk;
  readonly merchant: Merchant;
  readonly ids: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export interface Route {
  readonly operation: Operation;
  readonly method: string;
  /** Below /core/v5; each group is an id. */
  readonly path: RegExp;
  handle(call: Call): Answer;
}

const [ID, CARD] = ['([\\w-]+)', '([\\w-]+)'];
const at = (path: string): RegExp => new RegExp(`^${path}$`);

export const routes: readonly Route[] = [
  {
    operation: 'createCustomer',
    method: 'POST',
    path: at('/customers'),
    handle: ({ desk, merchant, body }) => cards.createCustomer(desk, merchant, body),
  },
  {
    operation: 'listCustomers',
    method: 'GET',
    path: at('/customers'),
    handle: ({ desk, merchant, query }) => cards.listCustomers(desk, merchant, query),
  },
  {
    operation: 'getCustomer',
    method: 'GET',
    path: at(`/customers/${ID}`),
    handle: ({ merchant, ids: [id = ''] }) => ({ status: 200, body: viewCustomer(cards.customerOf(merchant, id)) }),
  },
  {
    operation: 'createCard',
    method: 'POST',
    path: at(`/customers/${ID}/cards`),
    handle: ({ desk, merchant, ids: [id = ''], body }) => cards.createCard(desk, merchant, id, body),
  },
  {
    operation: 'listCards',
    method: 'GET',
    path: at(`/customers/${ID}/cards`),
    handle: ({ desk, merchant, ids: [id = ''], query }) => cards.listCards(desk, merchant, id, query),
  },
  {
    operation: 'getCard',
    method: 'GET',
    path: at(`/customers/${ID}/cards/${CARD}`),
    handle: ({ merchant, ids: [id = '', card = ''] }) => ({
      status: 200,
      body: viewCard(cards.cardOf(merchant, id, card)),
    }),
  },
  {
    operation: 'deleteCard',
    method: 'DELETE',
    path: at(`/customers/${ID}/cards/${CARD}`),
    handle: ({ desk, merchant, ids: [id = '', card = ''] }) => cards.deleteCard(desk, merchant, id, card),
  },
  {
    operation: 'createOrder',
    method: 'POST',
    path: at('/orders'),
    handle: ({ desk, merchant, body }) => charges.createOrder(desk, merchant, body),
  },
  {
    operation: 'listOrders',
    method: 'GET',
    path: at('/orders'),
    handle: ({ desk, merchant, query }) => charges.listOrders(desk, merchant, query),
  },
  {
    operation: 'getOrder',
    method: 'GET',
    path: at(`/orders/${ID}`),
    handle: ({ desk, merchant, ids: [id = ''] }) => charges.getOrder(desk, merchant, id),
  },
  {
    operation: 'listCharges',
    method: 'GET',
    path: at('/charges'),
    handle: ({ desk, merchant, query }) => charges.listCharges(desk, merchant, query),
  },
  {
    operation: 'getCharge',
    method: 'GET',
    path: at(`/charges/${ID}`),
    handle: ({ desk, merchant, ids: [id = ''] }) => charges.getCharge(desk, merchant, id),
  },
  {
    operation: 'listTransactions',
    method: 'GET',
    path: at(`/charges/${ID}/transactions`),
    handle: ({ desk, merchant, ids: [id = ''], query }) => charges.listTransactions(desk, merchant, id, query),
  },
  {
    operation: 'cancelCharge',
    method: 'DELETE',
    path: at(`/charges/${ID}`),
    handle: ({ desk, merchant, ids: [id = ''], body }) => charges.cancelCharge(desk, merchant, id, body),
  },
];

export function routeOf(method: string, path: string): { route: Route; ids: readonly string[] } {
  for (const route of routes) {
    const match = route.method === method ? route.path.exec(path) : null;
    if (match !== null) return { route, ids: match.slice(1).map(decodeURIComponent) };
  }
  throw notFound('Resource');
}
