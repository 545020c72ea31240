import { createHmac } from 'node:crypto';
import pg from 'pg';
import { MAKE_GROUPS } from '../../server/db/migrations/0027-database-roles.ts';

/** Who logs in for each program, and what it may do: the migrator owns the tables. */
const GROUP_OF = {
  migrator: null,
  api: 'fatura_api',
  worker: 'fatura_worker',
  admin: 'fatura_admin',
  audit: 'fatura_audit',
} as const;

export type Login = keyof typeof GROUP_OF;
export type LoginUrls = Readonly<Record<Login, string>>;

// The keys of a literal are those of its type.
const LOGINS = Object.keys(GROUP_OF) as readonly Login[];

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

const makeLogin = (login: Login, { password }: URL): string => {
  const group = GROUP_OF[login];
  return `DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${login}') THEN CREATE ROLE ${login}; END IF;
    ALTER ROLE ${login} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD '${password}';
    ${group === null ? '' : `GRANT ${group} TO ${login};`}
  END $$`;
};

/** What a start before there were logins made as the superuser; a sequence follows its table. */
const HAND_OVER = `DO $$ DECLARE v_owned text; BEGIN
  FOR v_owned IN
    SELECT format('SCHEMA %I', nspname) FROM pg_namespace
      WHERE nspname NOT LIKE 'pg\\_%' AND nspname NOT IN ('information_schema', 'public') AND nspowner <> 'migrator'::regrole
    UNION ALL
    SELECT format('%s %s', CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, c.oid::regclass) FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema' AND relkind IN ('r', 'p', 'v') AND relowner <> 'migrator'::regrole
    UNION ALL
    SELECT format('FUNCTION %s', p.oid::regprocedure) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema' AND proowner <> 'migrator'::regrole
  LOOP EXECUTE format('ALTER %s OWNER TO migrator', v_owned); END LOOP;
END $$`;

/** Makes the roles of the server, and the database; the superuser does nothing else. */
export async function setUpDatabase(serverUrl: string, database: string): Promise<void> {
  const urls = loginUrls(serverUrl);
  await asSuperuser(new URL('postgres', serverUrl), async (client) => {
    await client.query(MAKE_GROUPS);
    for (const login of LOGINS) await client.query(makeLogin(login, new URL(urls[login])));
    await ownDatabase(client, database);
  });
  await asSuperuser(new URL(database, serverUrl), (client) => client.query(HAND_OVER));
}

/** Makes a database unless it is there, and gives it to the migrator. */
async function ownDatabase(client: pg.Client, database: string): Promise<void> {
  const name = client.escapeIdentifier(database);
  const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
  await client.query(
    found.rowCount === 0 ? `CREATE DATABASE ${name} OWNER migrator` : `ALTER DATABASE ${name} OWNER TO migrator`,
  );
}

async function asSuperuser(url: URL, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url.href });
  client.on('error', () => {}); // the query that meets it rejects too
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
