import type pg from 'pg';
import { openPool } from '../server/db/database.ts';
import { dayText } from '../server/db/partitions.ts';
import { realTimeMs } from '../server/kernel/time.ts';

/** Connections for the results and claims of deliveries. */
const DELIVERY_CONNECTIONS = 4;

/**
 * Plans of the delivery statements must not depend on when they were made: on an empty table a scan looks best, and the
 * plan stays when fifty thousand rows have come; of a million that wait, a claim must not sort all to take a hundred.
 */
export const DELIVERY_PLANS = {
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  plan_cache_mode: 'force_generic_plan',
};

export function openDeliveryPool(options: { databaseUrl: string; onError: (error: Error) => void }): pg.Pool {
  const url = new URL(options.databaseUrl);
  const settings = Object.entries(DELIVERY_PLANS).map(([name, value]) => `-c ${name}=${value}`);
  url.searchParams.set('options', [url.searchParams.get('options') ?? '', ...settings].join(' ').trim());
  const pool = openPool(url.href, { size: DELIVERY_CONNECTIONS, onError: options.onError });
  return pool.on('acquire', renewPlans());
}

const LOOK_EVERY_MS = 2_000;
/** Some thousand rows: what is planned for them reads what it needs, however many more come. */
const PLANNED_WELL_BYTES = 1_048_576;

const SIZE_OF_DAY = `SELECT coalesce(pg_relation_size(to_regclass('delivery_' || translate($1, '-', ''))), 0)::float8 AS bytes`;

/**
 * Has the plans of a connection made anew once the day has twice what they were made for, until it has enough, and again
 * with each day: of one that was empty when a plan was made, the plan reads everything, and a burst would wait for a minute.
 * No more often: a plan over all days takes a core for as long as ten claims.
 */
export function renewPlans(): (client: Pick<pg.PoolClient, 'query'>) => void {
  const plans = new WeakMap<object, { readonly day: string; bytes: number; lookedAtMs: number; isOutgrown: boolean }>();
  return (client) => {
    const nowMs = realTimeMs();
    const day = dayText(nowMs);
    const known = plans.get(client);
    const made = known?.day === day ? known : { day, bytes: 0, lookedAtMs: -Infinity, isOutgrown: false };
    plans.set(client, made);
    // A connection that is lost fails what it was acquired for, too.
    if (made.isOutgrown) client.query('DISCARD PLANS').catch(() => {});
    made.isOutgrown = false;
    if (made.bytes >= PLANNED_WELL_BYTES || nowMs - made.lookedAtMs < LOOK_EVERY_MS) return;
    made.lookedAtMs = nowMs;
    client.query<{ bytes: number }>(SIZE_OF_DAY, [day]).then(
      ({ rows: [size] }) => {
        const bytes = size?.bytes ?? 0;
        if (bytes === 0 || bytes < 2 * made.bytes) return;
        made.bytes = bytes;
        made.isOutgrown = true;
      },
      () => {},
    );
  };
}
