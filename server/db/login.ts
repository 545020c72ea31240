import type pg from 'pg';
import { run, statement } from './statement.ts';

interface Login {
  readonly name: string;
  readonly isUnheld: boolean;
  readonly ownsTables: boolean;
  readonly readsActivity: boolean;
}

const readLogin = statement<Login>(
  'read_login',
  `SELECT rolname AS name, rolsuper OR rolbypassrls AS "isUnheld", pg_has_role('pg_read_all_stats', 'USAGE') AS "readsActivity",
     EXISTS(SELECT FROM pg_class c WHERE c.oid = to_regclass('account') AND pg_has_role(c.relowner, 'USAGE')) AS "ownsTables"
   FROM pg_roles WHERE rolname = current_user`,
);

/** What is amiss with how the API or the worker logs in, each with its remedy (docs/operations.md#database-logins). */
export async function troublesOfLogin(pool: pg.Pool, process: 'api' | 'worker'): Promise<string[]> {
  const [login] = await run(pool, readLogin, {});
  if (login === undefined) return [];
  const { name, isUnheld, ownsTables, readsActivity } = login;
  const remedy = `give the ${process} a login of its own: CREATE ROLE … LOGIN PASSWORD … IN ROLE fatura_${process}, and a DATABASE_URL with it`;
  const troubles: string[] = [];
  if (isUnheld)
    troubles.push(`${name} is a superuser or bypasses row level security: one fault reaches every account; ${remedy}`);
  else if (ownsTables) troubles.push(`${name} owns the tables, and their policies do not hold it; ${remedy}`);
  if (!readsActivity) {
    troubles.push(
      `${name} cannot see when transactions of others began, so lists that are read forward come late: GRANT pg_read_all_stats TO fatura_${process}`,
    );
  }
  return troubles;
}
