import { acrossAccounts, run } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { everyShard, rowShards, type ShardCount, shardName } from '../kernel/shards.ts';
import { realTimeMs } from '../kernel/time.ts';

const QUEUES = ['outbox', 'deliveries', 'billing'] as const;

/** The index of fresh deliveries has the endpoint behind the mode: it is stepped through, however many wait at each. */
const oldestFresh = (mode: string): string => {
  const fresh = `FROM delivery d WHERE d.stage = 'fresh' AND ${mode}`;
  return `(WITH RECURSIVE waiting(id) AS (
    (SELECT d.endpoint_id ${fresh} ORDER BY d.endpoint_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.endpoint_id ${fresh} AND d.endpoint_id > w.id ORDER BY d.endpoint_id LIMIT 1) FROM waiting w WHERE w.id IS NOT NULL
  ) SELECT min((SELECT d.claimable_at ${fresh} AND d.endpoint_id = w.id ORDER BY d.claimable_at LIMIT 1)) FROM waiting w WHERE w.id IS NOT NULL)`;
};

/** What runs bill, charge and expire. */
const oldestBilling = (which: string): string => {
  const first = (table: string) =>
    `(SELECT t.wake_at FROM ${table} t WHERE t.wake_at IS NOT NULL AND ${which} ORDER BY t.wake_at LIMIT 1)`;
  const oldest = ['subscription', 'invoice', 'checkout_session'].map(first).join(', ');
  return `greatest(0, coalesce(extract(epoch FROM now()) - least(${oldest}), 0))::float8`;
};

/** Each is the first entry of a partial index, or of one for each endpoint. */
const findAges = acrossAccounts<Record<(typeof QUEUES)[number], number>>(
  'oldest_due_rows',
  `SELECT greatest(0, coalesce(extract(epoch FROM now() - (SELECT min(due_at) FROM outbox)), 0))::float8 AS outbox,
     greatest(0, coalesce(extract(epoch FROM now() - least(
       ${oldestFresh('d.live_mode')}, ${oldestFresh('NOT d.live_mode')},
       (SELECT min(claimable_at) FROM delivery WHERE stage = 'ladder'))), 0))::float8 AS deliveries,
     ${oldestBilling('true')} AS billing`,
);

/** Of a shard of the runs; the index of an instant has the shard beside it. */
const findAgeOfShard = acrossAccounts<{ age: number }>(
  'oldest_due_of_shard',
  `SELECT ${oldestBilling('t.shard BETWEEN :firstShard::smallint AND :lastShard::smallint')} AS age`,
);

/** A look at very many rests so many times as long as it took. */
const REST = 200;

/** What measures how long the oldest row of each queue, and of each shard of the runs, has been due; while it rests, the last figures stand. */
export function createOldestDueMeasure(
  { pool, metrics }: Pick<Deps, 'pool' | 'metrics'>,
  countShards: () => ShardCount = () => 1,
): () => Promise<void> {
  let restsUntilMs = 0;
  let known: readonly string[] = [];
  const measureShards = async (): Promise<void> => {
    const of = countShards();
    const shards = of === 1 ? [] : everyShard(of);
    const queues = shards.map((runShard) => `billing-${shardName(runShard)}`);
    for (const gone of known.filter((queue) => !queues.includes(queue))) metrics.oldestDue.remove({ queue: gone });
    known = queues;
    for (const runShard of shards) {
      const [oldest] = await run(pool, findAgeOfShard, rowShards(runShard));
      metrics.oldestDue.set({ queue: `billing-${shardName(runShard)}` }, oldest?.age ?? 0);
    }
  };
  return async () => {
    const begunMs = realTimeMs();
    if (begunMs < restsUntilMs) return;
    const [ages] = await run(pool, findAges, {});
    await measureShards();
    const endedMs = realTimeMs();
    restsUntilMs = endedMs + (endedMs - begunMs) * REST;
    for (const queue of QUEUES) metrics.oldestDue.set({ queue }, ages?.[queue] ?? 0);
  };
}
