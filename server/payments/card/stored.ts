import type { CardBrand } from '../../../contract/payment-methods.ts';
import { mine, statement } from '../../db/statement.ts';
import { BillingError, missing } from '../../kernel/errors.ts';
import { realTimeMs } from '../../kernel/time.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import type { PaymentMethod } from '../entity.ts';
import { openedToken, paymentMethods } from '../intents/rows.ts';
import { viewStoredCard } from '../view.ts';
import type { ChargedCard } from './attempts.ts';
import type { TakenCard } from './intake.ts';

/** Takes a card in for renewals, which are charged by its token; it is stored once its charge is approved. */
export const takeIn = (tx: Tx, customerId: string, card: TakenCard): PaymentMethod => {
  const { paymentMethodId: id, token, brand, last4, expMonth, expYear } = card;
  const consentIp = tx.scope.buyerAddress ?? null;
  return tx.insert(paymentMethods, { id, customerId, token, brand, last4, expMonth, expYear, consentIp });
};

/** A card that was taken in is the customer's from now on (docs/product/cards.md#stored-cards). */
export function keepCard(tx: Tx, card: PaymentMethod): void {
  if (card.storedAt != null || card.deletedAt != null) return;
  card.storedAt = tx.now;
  tx.record('payment_method.attached', viewStoredCard(card));
}

/** Its token is erased once the acquirer has let the card go (`stored-card/{id}`). */
export function letGo(tx: Tx, card: PaymentMethod): void {
  card.deletedAt = tx.now;
  card.isDefault = false;
  card.askedAt = new Date(realTimeMs());
  tx.enqueue({ kind: 'stored-card', key: card.id });
}

interface StoredRow {
  id: string;
  accountId: string;
  sealedToken: Buffer | null;
  brand: CardBrand | null;
  last4: string | null;
  origin: string | null;
}

/** Columns of a stored card `m` that it is charged by. */
const CHARGED = `m.id, m.account_id AS "accountId", m.sealed_token AS "sealedToken", m.brand, m.last4, m.network_origin AS origin`;

const findStored = statement<StoredRow>(
  'find_stored_card',
  `SELECT ${CHARGED} FROM payment_method m
   WHERE ${mine('m')} AND m.id = :id AND m.customer_id = :customerId AND m.stored_at IS NOT NULL AND m.deleted_at IS NULL`,
);

/** The card that a subscription is charged to from now on. */
export interface ChosenCard {
  readonly card: ChargedCard;
  /** Null: the subscription names none, and follows the default of its customer. */
  readonly ownId: string | null;
}

/** A card that is stored of a customer, which the caller has locked; null names the default of the customer. */
export async function chosenCard(
  tx: Tx,
  { id, ...of }: { id: string | null; customerId: string; param: string },
): Promise<ChosenCard> {
  return { card: await (id === null ? defaultCardOf(tx, of) : storedCardOf(tx, { ...of, id })), ownId: id };
}

async function storedCardOf(
  tx: Tx,
  { id, customerId, param }: { id: string; customerId: string; param: string },
): Promise<ChargedCard> {
  const [row] = await tx.query(findStored, { id, customerId });
  const card = row === undefined ? null : chargedOf(tx, row);
  if (card === null) throw missing('payment_method', id, param);
  return card;
}

const findDefault = statement<StoredRow>(
  'find_default_card',
  `SELECT ${CHARGED} FROM payment_method m WHERE ${mine('m')} AND m.customer_id = :customerId AND m.is_default`,
);

async function defaultCardOf(
  tx: Tx,
  { customerId, param }: { customerId: string; param: string },
): Promise<ChargedCard> {
  const [row] = await tx.query(findDefault, { customerId });
  const card = row === undefined ? null : chargedOf(tx, row);
  if (card !== null) return card;
  const message = `${customerId} has no default card, which ${param} null asks for: make one by POST /api/v1/payment_methods/{id}/default`;
  throw new BillingError('PAYMENT_METHOD_NEEDED', { message, param });
}

function chargedOf({ secretBox }: Tx, row: StoredRow): ChargedCard | null {
  const { id: paymentMethodId, brand, last4, origin } = row;
  const { token } = openedToken(row, secretBox);
  return token === null || brand === null || last4 === null ? null : { paymentMethodId, token, brand, last4, origin };
}

/** SQL for a subscription `s` that names no card of its own and follows the default of its customer. */
export const followsDefault = (s: string): string =>
  `(${s}.payment_method_type = 'card' AND ${s}.payment_method_id IS NULL)`;

/**
 * SQL that joins the card `m` that a subscription `s` is charged to: its own, or else the default of its customer. What it compares is
 * plain columns: a policy keeps an index from anything else.
 */
export const joinCard = (s: string, m: string): string =>
  `LEFT JOIN payment_method ${m}_default ON ${m}_default.customer_id = ${s}.customer_id AND ${m}_default.is_default AND ${followsDefault(s)}
   LEFT JOIN payment_method ${m} ON ${m}.id = CASE WHEN ${s}.payment_method_id IS NULL THEN ${m}_default.id ELSE ${s}.payment_method_id END`;
