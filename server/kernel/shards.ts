/** Into so many shards rows fall, by the low ten bits of an id (`fatura_shard` of server/db/migrations/0001/before.sql). */
const ROW_SHARDS = 1_024;

/** Into how many shards a run may be cut. */
export const SHARD_COUNTS = [1, 2, 4, 8, 16] as const;

export type ShardCount = (typeof SHARD_COUNTS)[number];

/** The shard of a run, counted from 0, `of` so many. */
export interface RunShard {
  readonly shard: number;
  readonly of: ShardCount;
}

/** A run that is not cut. */
export const WHOLE: RunShard = { shard: 0, of: 1 };

export const everyShard = (of: ShardCount): RunShard[] => Array.from({ length: of }, (_, shard) => ({ shard, of }));

/** The shards of the rows that it takes, the first and the last. */
export const rowShards = ({ shard, of }: RunShard): { readonly firstShard: number; readonly lastShard: number } => ({
  firstShard: (shard * ROW_SHARDS) / of,
  lastShard: ((shard + 1) * ROW_SHARDS) / of - 1,
});

/** Whether two take some of the same rows. */
export const doOverlap = (one: RunShard, other: RunShard): boolean =>
  rowShards(one).firstShard <= rowShards(other).lastShard && rowShards(other).firstShard <= rowShards(one).lastShard;

/** `0of4`. */
export const shardName = ({ shard, of }: RunShard): string => `${shard}of${of}`;
