import type { CardBrand } from '../../../contract/payment-methods.ts';
import { mine, statement } from '../../db/statement.ts';
import { missing } from '../../kernel/errors.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import { openedToken } from '../intents/rows.ts';
import type { ChargedCard } from './attempts.ts';

interface StoredCard {
  id: string;
  accountId: string;
  sealedToken: Buffer | null;
  brand: CardBrand | null;
  last4: string | null;
  origin: string | null;
}

const findStored = statement<StoredCard>(
  'find_stored_card',
  `SELECT m.id, m.account_id AS "accountId", m.sealed_token AS "sealedToken", m.brand, m.last4, m.network_origin AS origin FROM payment_method m
   WHERE ${mine('m')} AND m.id = :id AND m.customer_id = :customerId`,
);

/** A card that is stored of a customer, which the caller has locked; 404 where it is of nobody or was erased. */
export async function storedCardOf(
  tx: Tx,
  { id, customerId, param }: { id: string; customerId: string; param: string },
): Promise<ChargedCard> {
  const [row] = await tx.query(findStored, { id, customerId });
  const token = row === undefined ? null : openedToken(row, tx.secretBox).token;
  if (row === undefined || token === null || row.brand === null || row.last4 === null)
    throw missing('payment_method', id, param);
  return { paymentMethodId: id, token, brand: row.brand, last4: row.last4, origin: row.origin };
}
