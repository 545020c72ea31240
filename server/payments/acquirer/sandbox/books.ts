import { ask } from '../../../db/ask.ts';
import type { Database } from '../../../db/database.ts';
import { beginBounded } from '../../../db/reach.ts';
import type { Connection } from '../../../db/statement.ts';

export type Pool = Database['pool'];

/** What was asked back of a payment before. */
export interface Return {
  readonly reference: string;
  readonly amount: number;
  readonly refused: boolean;
}

/** What of a payment is returned already. */
export const returnedOf = (returns: readonly Return[]): number =>
  returns.reduce((sum, { amount, refused }) => (refused ? sum : sum + amount), 0);

/** Whether a return was asked for before; a reference has one amount. */
export function isRepeat(former: readonly Return[], { reference, amount }: Omit<Return, 'refused'>): boolean {
  const repeated = former.find((other) => other.reference === reference);
  if (repeated !== undefined && repeated.amount !== amount)
    throw new Error(`the return ${reference} was repeated with another amount`);
  return repeated !== undefined;
}

export async function inTransaction<T>(pool: Pool, work: (client: Connection) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  try {
    await ask(client, beginBounded(client));
    const result = await work(client);
    await ask(client, 'COMMIT');
    return result;
  } catch (error) {
    await ask(client, 'ROLLBACK').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
