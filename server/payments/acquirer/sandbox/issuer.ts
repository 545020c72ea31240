import { statement } from '../../../db/statement.ts';
import type { Tx } from '../../../unit-of-work/tx.ts';
import type { CardState } from '../card-port.ts';

/** As long as a card is mostly given out for. */
const RENEWED_YEARS = 3;

const changeCard = statement<{ expMonth: number; expYear: number }>(
  'sandbox_change_card',
  `UPDATE sandbox_bank.card SET is_closed = :isClosed, exp_year = exp_year + CASE WHEN :isClosed THEN 0 ELSE ${RENEWED_YEARS} END
   WHERE token = :token AND account_id = :accountId RETURNING exp_month AS "expMonth", exp_year AS "expYear"`,
);

/** The issuer of the sandbox changes a card, and this is what it is now (docs/product/sandbox.md#stored-cards). */
export async function changeAtIssuer(
  tx: Tx,
  { token, isClosed }: { token: string; isClosed: boolean },
): Promise<CardState> {
  const [card] = await tx.query(changeCard, { token, isClosed });
  if (card === undefined) throw new Error('the sandbox bank has no such card of the account');
  return isClosed ? { status: 'closed' } : { status: 'open', ...card };
}
