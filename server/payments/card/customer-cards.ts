import type { z } from 'zod';
import type { CardScenario } from '../../../contract/sandbox.ts';
import type { StoredMethodListQuery, StoredPaymentMethod } from '../../../contract/stored-methods.ts';
import { lockForChange, retrieveCustomer } from '../../customers/customers.ts';
import { mine, readIn, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { BillingError, missing } from '../../kernel/errors.ts';
import type { Page } from '../../kernel/pages.ts';
import { hook } from '../../unit-of-work/hooks.ts';
import { listPage } from '../../unit-of-work/lists.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { changeAtIssuer } from '../acquirer/sandbox/issuer.ts';
import { type PaymentMethod, PaymentMethodSchema } from '../entity.ts';
import { paymentMethods } from '../intents/rows.ts';
import { viewStoredCard } from '../view.ts';
import { followsDefault, letGo } from './stored.ts';
import { applyState } from './upkeep.ts';

/** The subscriptions that a card is shown with. */
const SHOWN_MAX = 100;

/** A subscription `s` that may still charge a card: it goes on, or its last bill is collected. */
const CHARGES = `(s.status <> 'inactive' OR EXISTS (SELECT FROM invoice i
  WHERE i.subscription_id = s.id AND i.status = 'open' AND i.collection = 'final'))`;

const findUses = statement<{ id: string; subscriptions: string[] }>(
  'find_uses_of_stored_cards',
  `SELECT m.id, ARRAY(SELECT s.id FROM subscription s WHERE s.customer_id = m.customer_id
       AND (s.payment_method_id = m.id OR (m.is_default AND ${followsDefault('s')})) AND ${CHARGES}
     ORDER BY s.id LIMIT ${SHOWN_MAX}) AS subscriptions
   FROM payment_method m WHERE ${mine('m')} AND m.id = ANY(:ids)`,
);

async function viewsOf(deps: Deps, scope: Scope, cards: readonly PaymentMethod[]): Promise<StoredPaymentMethod[]> {
  const uses = cards.length === 0 ? [] : await readIn(deps.pool, scope, findUses, { ids: cards.map(({ id }) => id) });
  const byId = new Map(uses.map(({ id, subscriptions }) => [id, subscriptions]));
  return cards.map((card) => ({ ...viewStoredCard(card), subscriptions: byId.get(card.id) ?? [] }));
}

/** The stored cards of a customer, newest first (docs/product/cards.md#stored-cards). */
export async function listStoredCards(
  deps: Deps,
  scope: Scope,
  { customerId, query }: { customerId: string; query: z.output<typeof StoredMethodListQuery> },
): Promise<Page<StoredPaymentMethod>> {
  await retrieveCustomer(deps, scope, customerId);
  return listPage({ deps, scope }, PaymentMethodSchema, {
    query,
    where: { customerId, storedAt: { $ne: null }, deletedAt: null },
    url: `/api/v1/customers/${customerId}/payment_methods`,
    viewAll: (cards) => viewsOf(deps, scope, cards),
  });
}

const isStored = ({ storedAt, deletedAt }: PaymentMethod): boolean => storedAt != null && deletedAt == null;

export async function retrieveStoredCard(deps: Deps, scope: Scope, id: string): Promise<StoredPaymentMethod> {
  const card = await deps.read(scope).findOne(PaymentMethodSchema, { id });
  const [view] = card === null || !isStored(card) ? [] : await viewsOf(deps, scope, [card]);
  if (view === undefined) throw missing('payment_method', id);
  return view;
}

const findOwner = statement<{ customerId: string }>(
  'find_customer_of_card',
  `SELECT m.customer_id AS "customerId" FROM payment_method m WHERE ${mine('m')} AND m.id = :id`,
);

/** The customer first, as whoever stores or chooses a card does. */
async function lockStored(tx: Tx, id: string): Promise<PaymentMethod> {
  const [owner] = await tx.query(findOwner, { id });
  if (owner === undefined) throw missing('payment_method', id);
  await lockForChange(tx, owner.customerId);
  const card = await tx.lock(paymentMethods, id);
  if (!isStored(card)) throw missing('payment_method', id);
  return card;
}

const findDefault = statement<PaymentMethod>(
  'find_former_default_card',
  `SELECT ${paymentMethods.columns('m')} FROM payment_method m WHERE ${mine('m')} AND m.customer_id = :customerId AND m.is_default FOR UPDATE`,
);

const clearDefault = statement(
  'clear_default_card',
  `UPDATE payment_method m SET is_default = false WHERE ${mine('m')} AND m.id = :id`,
);

/** Follows the default card of a customer where nothing names another. */
export const defaultCardChanged = hook<(tx: Tx, customerId: string) => Promise<void>>('defaultCardChanged');

/** Subscriptions that name no card of their own are charged to it from now on, for open renewals too. */
export function makeDefaultCard(deps: Deps, scope: Scope, id: string): Promise<StoredPaymentMethod> {
  return deps.transaction(scope, async (tx) => {
    const card = await lockStored(tx, id);
    if (card.isDefault) return tx.answer(viewStoredCard(card));
    const { customerId } = card;
    const [former] = await tx.query(findDefault, { customerId });
    if (former !== undefined) {
      // At once: the index lets no second default be written in the statement of the first.
      await tx.query(clearDefault, { id: former.id });
      const kept = tx.keep(paymentMethods, former);
      kept.isDefault = false;
      tx.record('payment_method.updated', viewStoredCard(kept));
    }
    card.isDefault = true;
    const view = viewStoredCard(card);
    tx.record('payment_method.updated', view);
    for (const follow of tx.reactionsAt(defaultCardChanged)) await follow(tx, customerId);
    return tx.answer(view);
  });
}

/** Has the issuer of the sandbox change a card, as acquirers tell of live ones. */
export function changeStoredCard(
  deps: Deps,
  scope: Scope,
  { id, scenario }: { id: string; scenario: CardScenario },
): Promise<StoredPaymentMethod> {
  return deps.transaction(scope, async (tx) => {
    const card = await lockStored(tx, id);
    if (card.token == null) throw missing('payment_method', id);
    applyState(tx, card, await changeAtIssuer(tx, { token: card.token, isClosed: scenario === 'closed' }));
    return tx.answer(viewStoredCard(card));
  });
}

/** Deletes a stored card, at the acquirer too (`stored-card/{id}`); 409 while a subscription is charged to it. */
export function deleteStoredCard(deps: Deps, scope: Scope, id: string): Promise<StoredPaymentMethod> {
  return deps.transaction(scope, async (tx) => {
    const card = await lockStored(tx, id);
    const [use] = await tx.query(findUses, { ids: [id] });
    const [charging] = use?.subscriptions ?? [];
    if (charging !== undefined)
      throw new BillingError('PAYMENT_METHOD_IN_USE', {
        message: `${charging} is charged to ${id}: give it another card, or end it, before the card is deleted`,
      });
    const view = viewStoredCard(card);
    letGo(tx, card);
    tx.record('payment_method.detached', view);
    return tx.answer(view);
  });
}
