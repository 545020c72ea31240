import type pg from 'pg';
import { readRunningInstance } from '../../dev/embedded/data-dir.ts';
import { readyClock } from '../../server/accounts/clock.ts';
import { type ScopeRow, scopeColumns, scopeOf } from '../../server/accounts/scope.ts';
import type { Origin, PersonRequest } from '../../server/audit-log/audit-log.ts';
import { compose } from '../../server/compose.ts';
import type { Config } from '../../server/config.ts';
import { openPool } from '../../server/db/database.ts';
import { acrossAccounts, run, statement } from '../../server/db/statement.ts';
import type { Deps } from '../../server/deps.ts';
import { idDay } from '../../server/kernel/ids.ts';
import { modeNotServed, modeOf } from '../../server/kernel/mode.ts';
import { createLogger } from '../../server/logging.ts';
import type { Scope } from '../../server/unit-of-work/tx.ts';
import { ringOfSettings } from './command.ts';

/** What an operator has done as the API does it, and to which object. */
export interface AskedOfService {
  readonly operation: PersonRequest['operation'];
  readonly object: { readonly kind: 'invoice' | 'subscription' | 'event'; readonly id: string };
  readonly values: PersonRequest['values'];
}

/** Does the work with the rights of the API, in the scope of the object: it is logged as asked for by the operator (docs/design/audit-log.md#operators). */
export type WithService = <T>(asked: AskedOfService, work: (deps: Deps, scope: Scope) => Promise<T>) => Promise<T>;

const scopeOfRow = (table: string, where: string) =>
  acrossAccounts<ScopeRow>(
    `admin_find_scope_of_${table}`,
    `SELECT ${scopeColumns('w')} FROM ${table} w JOIN account a ON a.id = w.account_id WHERE ${where}`,
  );

const findScope = {
  invoice: scopeOfRow('invoice', 'w.id = :id'),
  subscription: scopeOfRow('subscription', 'w.id = :id'),
};
const findScopeOfEvent = scopeOfRow('event', 'w.day = :day AND w.id = :id');

const readRow = ({ pool }: Deps, { kind, id }: AskedOfService['object']): Promise<ScopeRow[]> =>
  kind === 'event' ? run(pool, findScopeOfEvent, { day: idDay(id), id }) : run(pool, findScope[kind], { id });

/** Of a sandbox whose clock is being advanced nothing is changed. */
async function readScopeOf(deps: Deps, object: AskedOfService['object']): Promise<Scope> {
  const [row] = await readRow(deps, object);
  if (row === undefined) throw new Error(`No such ${object.kind}: ${object.id}`);
  const { modes } = deps.settings;
  if (!modes.includes(modeOf(row))) throw modeNotServed(modes);
  const scope = scopeOf(row);
  return scope.clock.heldAt === null ? scope : { ...scope, clock: await readyClock(deps.pool, scope) };
}

const readLogin = statement<{ name: string; isApi: boolean }>(
  'admin_read_login',
  `SELECT current_user::text AS name, pg_has_role('fatura_api', 'USAGE') AS "isApi"`,
);

async function refuseOtherLogin(pool: pg.Pool): Promise<void> {
  const [login] = await run(pool, readLogin, {});
  if (login === undefined || login.isApi) return;
  throw new Error(
    `This is done with the rights of the API, which ${login.name} of DATABASE_URL has not: run it in the environment of the API, or with a login IN ROLE fatura_api`,
  );
}

async function readRing(databaseUrl: string, config: Config) {
  const pool = openPool(databaseUrl, { size: 1 });
  return ringOfSettings(pool, config).finally(() => pool.end());
}

async function composeOf(config: Config) {
  const databaseUrl = config.databaseUrl?.reveal() ?? readRunningInstance(config.dataDir)?.apiDatabaseUrl;
  if (databaseUrl === undefined)
    throw new Error('No instance is running here: run `npm start` first, or set DATABASE_URL.');
  return compose({
    ...{ databaseUrl, keyRing: await readRing(databaseUrl, config), poolSize: 4 },
    ...{ modes: config.modes, publicUrl: config.publicUrl, trustProxy: config.trustProxy, rateLimit: config.rateLimit },
    ...{ webhookAllowedNetworks: config.webhookAllowedNetworks, webhookNameServers: config.webhookNameServers },
    // What a command prints is for its reader.
    logger: createLogger({ level: 'warn', process: 'admin', destination: process.stderr }),
  });
}

/** Composes what a process of the service works with for one command. */
export async function asService<T>(
  { config, origin }: { config: Config; origin: Origin },
  { operation, object, values }: AskedOfService,
  work: (deps: Deps, scope: Scope) => Promise<T>,
): Promise<T> {
  const composition = await composeOf(config);
  try {
    const { deps } = composition;
    await refuseOtherLogin(deps.pool);
    const scope = await readScopeOf(deps, object);
    const asked: PersonRequest = { operation, object: object.id, values, isTold: false };
    return await work(deps, { ...scope, origin: { ...origin, asked } });
  } finally {
    await composition.close();
  }
}
