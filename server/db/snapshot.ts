import type pg from 'pg';
import { ask } from './ask.ts';
import { beginIn, type Owner, reachOf } from './reach.ts';

const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** Reads what stands of an account in a mode at one moment, by as many statements as it takes. */
export async function inSnapshot<T>(
  pool: pg.Pool,
  owner: Required<Owner>,
  read: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken = true;
  try {
    // Instants in real time read alike wherever the server is.
    await ask(client, `${beginIn(client, reachOf(owner), BEGIN)}; SET LOCAL timezone = 'UTC'`);
    return await read(client);
  } finally {
    await ask(client, 'ROLLBACK').then(
      () => {
        broken = false;
      },
      () => {},
    );
    client.release(broken);
  }
}
