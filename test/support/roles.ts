import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { loginUrls } from '../../dev/embedded/postgres-logins.ts';
import { type Database, openDatabase, openPool } from '../../server/db/database.ts';
import { ReachingQuery } from '../../server/db/reach.ts';
import { entities } from '../../server/entities.ts';
import { isOwnText } from './statements.ts';

/** Whether what runs at this moment does so for a request. */
const serving = new AsyncLocalStorage<true>();

/** Does what a request asks for. */
export const asApi = <T>(work: () => T): T => serving.run(true, work);

/** The database of a pool as others log in to it. */
export interface Roles {
  readonly operator: Database;
  readonly auditor: pg.Pool;
  /** For a test's own transactions: nothing holds the superuser. */
  readonly superuser: pg.Pool;
  close(): Promise<void>;
}

const taken = new WeakMap<pg.Pool, Roles>();

export function rolesOf(pool: pg.Pool): Roles {
  const roles = taken.get(pool);
  if (roles === undefined) throw new Error('nobody took roles on this pool');
  return roles;
}

/** The service prepares its statements, and sends each with its bounds. */
const isOfService = (config: unknown): boolean =>
  config instanceof ReachingQuery ||
  (typeof config === 'object' && config !== null && 'name' in config && config.name !== '');

/** What a test sends: text, or a statement of its own, without the bounds that the service gave it. */
function ofTest(config: unknown): unknown {
  if (typeof config !== 'object' || config === null || !('text' in config) || !isOwnText(config.text))
    return isOfService(config) ? null : config;
  return { text: config.text, values: 'values' in config ? config.values : [] };
}

type Connected = Parameters<pg.Pool['connect']>[0];

/**
 * Lets one composition do as each process may: requests run as the API, what a test calls by itself as the worker, and a
 * test's own SQL as the superuser. Its pool is the API's.
 */
export async function takeRoles(pool: pg.Pool, superuserUrl: string): Promise<Roles> {
  // As a process that has begun to listen, it has shown the database its keys.
  (await pool.connect()).release();
  const urls = loginUrls(superuserUrl);
  // One process to the others, as what it stands for is.
  const name = new URL(pool.options.connectionString ?? '').searchParams.get('application_name') ?? '';
  const ofSameName = (other: pg.Pool): pg.Pool => {
    const url = new URL(other.options.connectionString ?? '');
    url.searchParams.set('application_name', name);
    Object.assign(other.options, { connectionString: url.href });
    return other;
  };
  const worker = ofSameName(openPool(urls.worker));
  const superuser = new pg.Pool({ connectionString: superuserUrl, types: pool.options.types });
  superuser.on('error', () => {});
  const queryAsService = pool.query;
  const connectAsApi = pool.connect.bind(pool);
  const connectAsWorker = worker.connect.bind(worker);
  const connect = (connected: Connected) => (serving.getStore() ? connectAsApi : connectAsWorker)(connected);
  const query = (...sent: [unknown, ...unknown[]]): unknown => {
    const [config, ...rest] = sent;
    const own = ofTest(config);
    return own === null
      ? Reflect.apply(queryAsService, pool, sent)
      : Reflect.apply(superuser.query, superuser, [own, ...rest]);
  };
  Object.assign(pool, { connect, query });
  const operator = await openDatabase(urls.admin, { entities, size: 2, reachesEverybody: true });
  ofSameName(operator.pool);
  const auditor = ofSameName(openPool(urls.audit, { size: 1, reachesEverybody: true }));
  const roles = {
    operator,
    auditor,
    superuser,
    close: async () => {
      await Promise.all([operator.close(), auditor.end(), worker.end(), superuser.end()]);
    },
  };
  taken.set(pool, roles);
  return roles;
}
