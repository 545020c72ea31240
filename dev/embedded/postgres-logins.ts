import { createHmac } from 'node:crypto';
import pg from 'pg';
import { MAKE_GROUPS } from '../../server/db/roles.ts';

/** Who logs in for each program. The migrator owns the tables; the others may do what their group may. */
const LOGINS = ['migrator', 'api', 'worker', 'admin', 'audit'] as const;

export type Login = (typeof LOGINS)[number];
export type LoginUrls = Readonly<Record<Login, string>>;

/** The URLs of a database, of which the superuser's is given; each password follows from the superuser's. */
export function loginUrls(superuserUrl: string): LoginUrls {
  const password = decodeURIComponent(new URL(superuserUrl).password);
  const urlOf = (login: Login): string => {
    const url = new URL(superuserUrl);
    url.username = login;
    url.password = createHmac('sha256', password).update(login).digest('hex');
    return url.href;
  };
  return {
    migrator: urlOf('migrator'),
    api: urlOf('api'),
    worker: urlOf('worker'),
    admin: urlOf('admin'),
    audit: urlOf('audit'),
  };
}

const makeLogin = (login: Login, { password }: URL): string => `DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${login}') THEN CREATE ROLE ${login}; END IF;
    ALTER ROLE ${login} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD '${password}';
    ${login === 'migrator' ? '' : `GRANT fatura_${login} TO ${login};`}
  END $$`;

/** Makes the roles of the server, and the database, which is the migrator's; the superuser does nothing else. */
export async function setUpDatabase(serverUrl: string, database: string): Promise<void> {
  const urls = loginUrls(serverUrl);
  const client = new pg.Client({ connectionString: new URL('postgres', serverUrl).href });
  client.on('error', () => {}); // the query that meets it rejects too
  await client.connect();
  try {
    await client.query(MAKE_GROUPS);
    for (const login of LOGINS) await client.query(makeLogin(login, new URL(urls[login])));
    const name = client.escapeIdentifier(database);
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${name}`);
    await client.query(`ALTER DATABASE ${name} OWNER TO migrator`);
  } finally {
    await client.end().catch(() => {});
  }
}
