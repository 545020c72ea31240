import type { EntitySchema } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { newSuffix } from '../kernel/ids.ts';
import { type Bounds, bind } from './bounds.ts';
import { goByDatabase } from './database-clock.ts';
import { reachingPool } from './entity-reader.ts';
import { prepareAhead, STAY_WITH_EVERYBODY } from './reach.ts';
import { PostgresNames } from './schema.ts';
import { SharedPool, type Sharing } from './shared-pool.ts';

/** The pool with every connection pipelining, so that statements sent together cost one round trip. */
export interface Database {
  readonly pool: pg.Pool;
  readonly orm: MikroORM;
  close(): Promise<void>;
}

/** PostgreSQL closes what idles in a transaction or waits for a lock longer than any request may last. */
export const STATEMENT_TIMEOUT_MS = 20_000;
/** Of a request: what one reads takes milliseconds, and whoever needs longer keeps others from it. */
const REQUEST_STATEMENT_TIMEOUT_MS = 3_000;
/** Of a request, for a row that another request changes. */
const REQUEST_LOCK_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Another one costs its first request some 30 ms of the database's time: it knows no table and no plan yet. */
const IDLE_MS = 600_000;
const POOL_SIZE_DEFAULT = 20;

/** What the names of our connections begin with in `pg_stat_activity`; the rest is one for each pool. */
export const PROCESS_NAMES = 'fatura-';

function named(url: string): string {
  const own = new URL(url);
  own.searchParams.set('application_name', `${PROCESS_NAMES}${newSuffix()}`);
  return own.href;
}

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.DATE, (value) => value);

interface PoolOptions {
  readonly size?: number;
  /** For operators and migrations: whatever runs on it reaches every account. Others say so statement by statement. */
  readonly reachesEverybody?: boolean;
  readonly onError?: (error: Error) => void;
  /** A new connection is handed out only after this has passed. */
  readonly onConnect?: (client: pg.ClientBase) => Promise<void>;
  /** Many accounts share the process by their requests, which take connections in turns and have short times. */
  readonly sharing?: Sharing;
  /** PostgreSQL refuses whatever would write. */
  readonly isReadOnly?: boolean;
  /** Of a replica, whose clock nobody goes by. */
  readonly isReplica?: boolean;
}

const BOUNDS: Bounds = {
  statementMs: STATEMENT_TIMEOUT_MS,
  lockMs: null,
  idleMs: STATEMENT_TIMEOUT_MS,
  onOneCore: false,
};
/** The walk of one account over many rows takes one core of the database and not several. */
const REQUEST_BOUNDS: Bounds = {
  statementMs: REQUEST_STATEMENT_TIMEOUT_MS,
  lockMs: REQUEST_LOCK_TIMEOUT_MS,
  idleMs: STATEMENT_TIMEOUT_MS,
  onOneCore: true,
};

function settingsOf(
  url: string,
  { size, onConnect, sharing, isReadOnly = false, isReplica = false, reachesEverybody = false }: PoolOptions,
): pg.PoolConfig {
  const bounds = sharing === undefined ? BOUNDS : REQUEST_BOUNDS;
  return {
    connectionString: named(url),
    max: size ?? POOL_SIZE_DEFAULT,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    types,
    pipeline: true,
    onConnect: async (client) => {
      bind(client, bounds);
      if (reachesEverybody) await client.query(STAY_WITH_EVERYBODY);
      if (isReadOnly) await client.query('SET default_transaction_read_only = on');
      await prepareAhead(client, bounds);
      if (!isReplica) await goByDatabase(client);
      await onConnect?.(client);
    },
  };
}

export function openPool(url: string, options: PoolOptions = {}): pg.Pool {
  const settings = settingsOf(url, options);
  // A connection that the server drops while it idles is replaced at its next use; without a listener it would end the process.
  const onError = options.onError ?? (() => {});
  const open = <Pool extends pg.Pool>(pool: Pool): Pool => {
    pool.on('error', onError);
    pool.on('connect', (client) => client.on('error', onError));
    return pool;
  };
  // One process has one name, whichever of its connections it works on (server/unit-of-work/watermark.ts).
  const part = (size: number): pg.Pool => open(new pg.Pool({ ...settings, max: size }));
  if (options.sharing === undefined) return open(new pg.Pool(settings));
  return open(new SharedPool(settings, { ...options.sharing, open: part }));
}

/** Opens the pool and the ORM over it. */
export async function openDatabase(
  url: string,
  options: PoolOptions & { readonly entities: readonly EntitySchema[] },
): Promise<Database> {
  const pool = openPool(url, options);
  const orm = await MikroORM.init({
    dbName: new URL(url).pathname.slice(1),
    entities: [...options.entities],
    driverOptions: new PostgresDialect({ pool: reachingPool(pool) }),
    discovery: { warnWhenNoEntities: false },
    namingStrategy: PostgresNames,
    // Entities are read and never flushed: no accessors, which outlive what they belong to, are made for each of their properties.
    propagationOnPrototype: false,
  });
  return {
    pool,
    orm,
    close: async () => {
      await orm.close(true);
      // The ORM ends only a pool that it used itself.
      if (!pool.ending) await pool.end();
    },
  };
}
