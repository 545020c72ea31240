import type pg from 'pg';
import { type LimitName, limitOf } from '../../admission/limits.ts';
import { createRateLimiter, type RateLimit } from '../../admission/rate-limit.ts';
import type { Sender } from './http/sender.ts';
import { readTarget } from './http/target-url.ts';

/** What a post goes to, and for whom. */
export interface Post {
  readonly accountId: string;
  readonly liveMode: boolean;
  readonly url: string;
  /** Its receiver has accepted some deliveries, and has not failed since. */
  readonly proven: boolean;
}

/** Bounds what sandboxes post a minute at hosts that nobody has verified (docs/product/webhooks.md#posts-of-a-sandbox). */
export interface PostBudget {
  /** Takes one post; null: it may be made, else the seconds until it may be asked for again. */
  take(post: Post): Promise<number | null>;
}

/** Taken from the database at once: a process that ends loses no more of a minute. */
const BLOCK = 10;
/** What waits for the next minute does not come back in one moment. */
const SPREAD_SECONDS = 15;

const postsOf = (name: LimitName): RateLimit & { name: LimitName } => ({
  name,
  max: limitOf(name, { liveMode: false }),
  block: BLOCK,
});

const LIMITS = {
  unproven: { account: postsOf('posts_unproven'), host: postsOf('posts_unproven_host') },
  proven: { account: postsOf('posts_proven'), host: postsOf('posts_proven_host') },
} as const;

/** Of one name, however it is written. */
const hostOf = (hostname: string): string => hostname.toLowerCase().replace(/\.$/, '');

export function createPostBudget(options: {
  pool: pg.Pool;
  sender: Pick<Sender, 'isAllowedNetwork'>;
  metrics: { readonly limits: { refuse(limit: LimitName, of: { liveMode: boolean }): void } };
}): PostBudget {
  const { pool, sender, metrics } = options;
  const limiter = createRateLimiter(pool);
  return {
    async take(post) {
      if (post.liveMode) return null;
      const target = readTarget(post.url, post);
      // One that cannot be sent is no post, and the operator's own networks are no strangers.
      if ('problem' in target || (await sender.isAllowedNetwork(target))) return null;
      const { account, host } = LIMITS[post.proven ? 'proven' : 'unproven'];
      const asked = [
        { limit: account, key: post.accountId },
        { limit: host, key: hostOf(target.hostname) },
      ];
      for (const { limit, key } of asked) {
        const { allowed, resetSeconds } = await limiter.consume(key, limit);
        if (allowed) continue;
        metrics.limits.refuse(limit.name, { liveMode: false });
        return resetSeconds + Math.floor(Math.random() * SPREAD_SECONDS);
      }
      return null;
    },
  };
}
