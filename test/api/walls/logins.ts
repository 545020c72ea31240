import pg from 'pg';
import type { Login } from '../../../dev/embedded/postgres-logins.ts';
import { beginIn, type Reach } from '../../../server/db/reach.ts';
import type { RealTimeApi } from '../../support/api.ts';

export const NOBODY: Reach = { live: '', sandbox: '' };

/** The logins that policies hold. */
export const HELD: readonly Login[] = ['api', 'worker', 'admin', 'audit'];

/** Whatever it comes to, it is undone. */
export async function undone<T>(client: pg.Client, reach: Reach, work: () => Promise<T>): Promise<T> {
  await client.query(beginIn(client, reach));
  try {
    return await work();
  } finally {
    await client.query('ROLLBACK');
  }
}

/** A bare connection for each login, and one of the superuser. */
export function programLogins() {
  const clients = new Map<Login | 'superuser', pg.Client>();
  const clientOf = (login: Login | 'superuser'): pg.Client => {
    const client = clients.get(login);
    if (client === undefined) throw new Error(`nobody logged in as ${login}`);
    return client;
  };
  return {
    clientOf,
    superuser: () => clientOf('superuser'),
    async open({ databaseUrl, urls }: Pick<RealTimeApi, 'databaseUrl' | 'urls'>): Promise<void> {
      for (const login of [...HELD, 'migrator', 'superuser'] as const) {
        const client = new pg.Client({ connectionString: login === 'superuser' ? databaseUrl : urls[login] });
        client.on('error', () => {}); // of a database that is dropped
        await client.connect();
        clients.set(login, client);
      }
    },
    async close(): Promise<void> {
      for (const client of clients.values()) await client.end();
    },
  };
}
