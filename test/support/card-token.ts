import type { Deps } from '../../server/deps.ts';
import { places } from '../../server/sealing/sealed-columns.ts';

/** The token of the card that a subscription is charged by, which its row has sealed. */
export async function tokenOfSubscription({ pool, secretBox }: Pick<Deps, 'pool' | 'secretBox'>, id: string) {
  const { rows } = await pool.query<{ id: string; account: string; sealed: Buffer }>(
    `SELECT m.id, m.account_id AS account, m.sealed_token AS sealed
     FROM payment_method m JOIN subscription s ON s.payment_method_id = m.id WHERE s.id = $1`,
    [id],
  );
  const [card] = rows;
  if (card === undefined) throw new Error(`${id} has no card`);
  const { token } = JSON.parse(secretBox.open(card.sealed, places.cardToken(card.account, card.id)));
  return String(token);
}
