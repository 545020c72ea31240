import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import type { ClockScope } from '../kernel/time.ts';
import { ask } from './ask.ts';
import { type Reach, ReachingQuery, reachOf } from './reach.ts';

/** Reads rows of entities. */
export type EntityReader = Pick<EntityManager, 'find' | 'findOne'>;

/** Whose rows the ORM reads at this moment: it has no way of its own to hand that down to the connection. */
const reading = new AsyncLocalStorage<Reach>();

/** An entity manager of one account in one mode, on a connection that reaches it: that of an operator. */
export function scopedEm(orm: MikroORM, scope: ClockScope): EntityManager {
  const em = orm.em.fork({ clear: true });
  em.setFilterParams('scope', { accountId: scope.accountId, liveMode: scope.liveMode });
  return em;
}

/** Reads one account in one mode and nothing else. */
export function scopedReader(orm: MikroORM, scope: ClockScope): EntityReader {
  const em = scopedEm(orm, scope);
  const reach = reachOf(scope);
  const within = <Work extends (...args: never[]) => unknown>(work: Work): Work =>
    // It is called as it would be without the reach.
    ((...args: Parameters<Work>) => reading.run(reach, () => work.apply(em, args))) as Work;
  return { find: within(em.find), findOne: within(em.findOne) };
}

/** The pool as the ORM uses it: what it reads goes out with the reach of whoever reads. */
export function reachingPool(pool: pg.Pool): PostgresPool {
  // The ORM tells connections apart by their objects.
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const clientOf = (client: pg.PoolClient): PostgresPoolClient => {
    const made = known.get(client) ?? reachingClient(client);
    known.set(client, made);
    return made;
  };
  return { options: {}, connect: async () => clientOf(await pool.connect()), end: () => pool.end() };
}

function reachingClient(client: pg.PoolClient): PostgresPoolClient {
  const query = (text: string, values: readonly unknown[]): Promise<unknown> => {
    const reach = reading.getStore();
    const config = { text, values: [...values] };
    return ask(client, reach === undefined ? config : new ReachingQuery(config, reach));
  };
  // In everything else it is the connection.
  return Object.assign(Object.create(client), { query });
}
