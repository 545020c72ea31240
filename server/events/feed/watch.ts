import { FEED_SEEN_MAX } from '../../../contract/event-feed.ts';
import { limits } from '../../admission/limits.ts';
import { type Tenant, tenantKey, workForAll } from '../../admission/tenant.ts';
import { acrossAccounts, run } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { Outage } from '../../jobs/loop.ts';
import { BillingError } from '../../kernel/errors.ts';
import { FairSemaphore, type Release } from '../../kernel/fair-semaphore.ts';
import { idDay } from '../../kernel/ids.ts';
import type { Position } from './position.ts';

/** One look at all that is waited for, however many wait: an event is told within a second of its commit. */
const LOOK_EVERY_MS = 250;
const WAITING_MAX = 1_000;
const BUSY_SECONDS = 5;

interface Waiting extends Tenant {
  readonly position: Position;
  readonly wake: () => void;
}

const lookForEvents = acrossAccounts<{ place: number; id: string }>(
  'look_for_events_waited_for',
  `SELECT w.place, found.id
   FROM unnest(:places::int[], :accounts::text[], :modes::boolean[], :afters::text[], :days::date[]) AS w(place, account_id, live_mode, after, day)
   CROSS JOIN LATERAL (
     SELECT e.id FROM event e
     WHERE e.account_id = w.account_id AND e.live_mode = w.live_mode AND e.day >= w.day AND e.id > w.after
     ORDER BY e.id LIMIT ${FEED_SEEN_MAX + 1}) found`,
);

/** Lets readers of the feed wait until there is something that they were not told (docs/design/event-feed.md#waiting). */
export function createWatch({ late, logger, metrics }: Pick<Deps, 'late' | 'logger' | 'metrics'>) {
  const waiting = new Set<Waiting>();
  // As many in either mode.
  const semaphore = new FairSemaphore({ total: WAITING_MAX, each: limits.feed_waiting.live });
  const outage = new Outage(logger, 'the look for events that are waited for');
  let looking: NodeJS.Timeout | null = null;

  const look = async (): Promise<void> => {
    const asked = [...waiting];
    const sought = {
      places: asked.map((_, place) => place),
      accounts: asked.map(({ accountId }) => accountId),
      modes: asked.map(({ liveMode }) => liveMode),
      afters: asked.map(({ position }) => position.after),
      days: asked.map(({ position }) => idDay(position.after)),
    };
    // Where pages are read, too: what is found there is there.
    const found = await late.run(({ pool }) => run(pool, lookForEvents, sought));
    for (const { place, id } of found) {
      const one = asked[place];
      if (one !== undefined && !one.position.seen.includes(id)) one.wake();
    }
    outage.end();
  };

  const lookOn = (): void => {
    looking = setTimeout(async () => {
      if (waiting.size > 0) await look().catch((error: unknown) => outage.begin(error));
      looking = null;
      if (waiting.size > 0) lookOn();
    }, LOOK_EVERY_MS);
  };

  return {
    /** Takes a permit for as long as a request waits; throws where the account has none left, or nobody has. */
    enter(tenant: Tenant): Release {
      const release = semaphore.tryAcquire(tenantKey(tenant));
      if (release !== null) return release;
      if (semaphore.use.taken >= WAITING_MAX) {
        const message = 'Too many requests wait for events; repeat shortly, or without wait';
        throw new BillingError('SERVICE_UNAVAILABLE', { message, retryAfterSeconds: BUSY_SECONDS });
      }
      metrics.limits.refuse('feed_waiting', tenant);
      const message = `${limits.feed_waiting.live} requests of this account wait for events already; end one of them`;
      throw new BillingError('RATE_LIMITED', { message, retryAfterSeconds: BUSY_SECONDS });
    },

    /** Resolves when there may be events, when the time is over, or when the signal aborts. */
    next(tenant: Tenant, position: Position, { ms, signal }: { ms: number; signal: AbortSignal }): Promise<void> {
      if (signal.aborted || ms <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          waiting.delete(one);
          resolve();
        };
        const one: Waiting = { accountId: tenant.accountId, liveMode: tenant.liveMode, position, wake };
        const timer = setTimeout(wake, ms);
        signal.addEventListener('abort', wake);
        waiting.add(one);
        if (looking === null) workForAll(lookOn);
      });
    },
  };
}

export type FeedWatch = ReturnType<typeof createWatch>;
