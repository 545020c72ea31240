import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { run, statement } from '../db/statement.ts';
import { realTimeMs } from '../kernel/time.ts';

/** A limit in a window from the first request of it, of 60 s unless it says otherwise (docs/product/requests.md#rate-limits). */
export interface RateLimit {
  readonly name: string;
  readonly max: number;
  /** Requests taken from the database at once: 1 is exact across processes, more saves writes. */
  readonly block: number;
  readonly windowSeconds?: number;
}

export interface Verdict {
  readonly allowed: boolean;
  readonly limit: RateLimit;
  readonly remaining: number;
  readonly resetSeconds: number;
}

export const WINDOW_SECONDS = 60;

/** Grants what is left of the window up to a block, in one statement; a window that is over starts anew. */
interface Taken {
  granted: number;
  leftOver: number;
  leftMs: number;
}

const takeBlock = statement<Taken>(
  'rate_limit_take',
  `INSERT INTO rate_limit AS r (key, points, granted, expire)
   VALUES (:key, least(:block::int, :max::int), least(:block::int, :max::int), (extract(epoch FROM clock_timestamp()) * 1000)::bigint + :windowMs::bigint)
   ON CONFLICT (key) DO UPDATE SET
     granted = CASE WHEN r.expire <= excluded.expire - :windowMs::bigint THEN excluded.granted ELSE greatest(0, least(:block::int, :max::int - r.points)) END,
     points = CASE WHEN r.expire <= excluded.expire - :windowMs::bigint THEN excluded.points ELSE least(greatest(:max::int, r.points), r.points + :block::int) END,
     expire = CASE WHEN r.expire <= excluded.expire - :windowMs::bigint THEN excluded.expire ELSE r.expire END
   RETURNING granted, :max::int - points AS "leftOver", expire - (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "leftMs"`,
);

interface Block {
  /** The limit that it was taken under. */
  readonly max: number;
  remaining: number;
  /** Requests of the window nobody has taken yet, as the database last said. */
  leftOver: number;
  endsAtMs: number;
}

/** Of so many keys and addresses blocks are kept; of others the one that was used longest ago is forgotten. */
const BLOCKS_MAX = 10_000;

const blockOf = (key: string, { name }: RateLimit): string => `${name}:${key}`;

/** Counts requests by key: `consume(key, limit)` says whether one more is allowed. Refused ones are not counted. */
export function createRateLimiter(pool: pg.Pool) {
  const blocks = new LRUCache<string, Block>({ max: BLOCKS_MAX });
  const loading = new Map<string, Promise<void>>();

  const load = async (id: string, limit: RateLimit): Promise<void> => {
    const { block, max, windowSeconds = WINDOW_SECONDS } = limit;
    const [row] = await run(pool, takeBlock, { key: id, block, max, windowMs: windowSeconds * 1_000 });
    if (row === undefined) throw new Error('the rate limit statement returned no row');
    const endsAtMs = realTimeMs() + row.leftMs;
    blocks.set(id, { max, remaining: row.granted, leftOver: row.leftOver, endsAtMs });
  };

  const take = (id: string, limit: RateLimit): Verdict | null => {
    const block = blocks.get(id);
    const nowMs = realTimeMs();
    // What was taken or refused under another limit says nothing of the limit in force.
    if (block === undefined || nowMs >= block.endsAtMs || block.max !== limit.max) return null;
    const isSpent = block.remaining <= 0;
    if (isSpent && block.leftOver > 0) return null;
    if (!isSpent) block.remaining -= 1;
    return {
      allowed: !isSpent,
      limit,
      remaining: block.remaining + Math.max(0, block.leftOver),
      resetSeconds: Math.max(1, Math.ceil((block.endsAtMs - nowMs) / 1_000)),
    };
  };

  return {
    /** What refuses one more, as far as this process knows without a question; null: nothing does. Counts nothing. */
    spent(key: string, limit: RateLimit): Verdict | null {
      const { endsAtMs = 0, max = 0, remaining = 0, leftOver = 0 } = blocks.get(blockOf(key, limit)) ?? {};
      const leftMs = endsAtMs - realTimeMs();
      const isSpent = leftMs > 0 && max === limit.max && remaining <= 0 && leftOver <= 0;
      return isSpent ? { allowed: false, limit, remaining: 0, resetSeconds: Math.ceil(leftMs / 1_000) } : null;
    },

    async consume(key: string, limit: RateLimit): Promise<Verdict> {
      const id = blockOf(key, limit);
      for (;;) {
        const verdict = take(id, limit);
        if (verdict !== null) return verdict;
        const under = loading.get(id) ?? load(id, limit).finally(() => loading.delete(id));
        loading.set(id, under);
        await under;
      }
    },
  };
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;
