import type pg from 'pg';
import type { Mode } from '../kernel/mode.ts';
import { MODE_GROUPS } from './roles.ts';
import { run, statement } from './statement.ts';

interface Held {
  readonly name: string;
  readonly isUnheld: boolean;
  readonly ownsTables: boolean;
}

interface Login extends Held {
  readonly readsActivity: boolean;
  /** The mode that the login reaches alone; null: both. */
  readonly onlyMode: Mode | null;
}

const isOf = (mode: Mode): string => MODE_GROUPS[mode].map((group) => `pg_has_role('${group}', 'USAGE')`).join(' OR ');

const HELD = `rolname AS name, rolsuper OR rolbypassrls AS "isUnheld",
     EXISTS(SELECT FROM pg_class c WHERE c.oid = to_regclass('account') AND pg_has_role(c.relowner, 'USAGE')) AS "ownsTables"`;

const readHeld = statement<Held>('read_held', `SELECT ${HELD} FROM pg_roles WHERE rolname = current_user`);

const readLogin = statement<Login>(
  'read_login',
  `SELECT ${HELD}, pg_has_role('pg_read_all_stats', 'USAGE') AS "readsActivity",
     CASE WHEN ${isOf('live')} THEN 'live' WHEN ${isOf('sandbox')} THEN 'sandbox' END AS "onlyMode"
   FROM pg_roles WHERE rolname = current_user`,
);

function whyUnheld({ name, isUnheld, ownsTables }: Held): string | null {
  if (isUnheld) return `${name} is a superuser or bypasses row level security: one fault reaches every account`;
  return ownsTables ? `${name} owns the tables, and their policies do not hold it` : null;
}

/** Who logs in, and why the policies of the tables do not hold that login; null: they do. */
export async function readHold(pool: pg.Pool): Promise<{ readonly name: string; readonly unheld: string | null }> {
  const [login] = await run(pool, readHeld, {});
  if (login === undefined) throw new Error('the login is no role of the database');
  return { name: login.name, unheld: whyUnheld(login) };
}

/** What is amiss with how the API or the worker logs in, each with its remedy (docs/operations.md#database-logins). */
export async function troublesOfLogin(
  pool: pg.Pool,
  { process, modes }: { process: 'api' | 'worker'; modes: readonly Mode[] },
): Promise<string[]> {
  const [login] = await run(pool, readLogin, {});
  if (login === undefined) return [];
  const { name, readsActivity, onlyMode } = login;
  const unheld = whyUnheld(login);
  const [served] = modes;
  const remedy = `give the ${process} a login of its own: CREATE ROLE … LOGIN PASSWORD … IN ROLE fatura_${process}, and a DATABASE_URL with it`;
  const troubles: string[] = [];
  if (unheld !== null) troubles.push(`${unheld}; ${remedy}`);
  else if (onlyMode !== null && (modes.length > 1 || served !== onlyMode))
    troubles.push(
      `${name} reaches ${onlyMode} mode alone, and MODES is ${modes.join(',')}: requests of the other mode fail`,
    );
  else if (onlyMode === null && modes.length === 1)
    troubles.push(
      `${name} reaches both modes, and MODES is ${served}; use a login IN ROLE fatura_${process}_${served}`,
    );
  if (!readsActivity) {
    troubles.push(
      `${name} cannot see when transactions of others began, so lists that are read forward come late: GRANT pg_read_all_stats TO fatura_${process}`,
    );
  }
  return troubles;
}
