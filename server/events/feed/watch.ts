import { FEED_SEEN_MAX } from '../../../contract/event-feed.ts';
import { Outage } from '../../db/loop.ts';
import { workForAll } from '../../db/owner.ts';
import { acrossAccounts, run } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { amountOf } from '../../kernel/budgets.ts';
import { BillingError } from '../../kernel/errors.ts';
import { idDay } from '../../kernel/ids.ts';
import type { Position } from './position.ts';

/** One look at all that is waited for, however many wait: an event is told within a second of its commit. */
const LOOK_EVERY_MS = 250;
const WAITING_MAX = 1_000;
const BUSY_SECONDS = 5;

/** Whose events are waited for. */
interface Owner {
  readonly accountId: string;
  readonly liveMode: boolean;
}

interface Waiting extends Owner {
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

const keyOf = ({ accountId, liveMode }: Owner): string => `${accountId} ${liveMode}`;

/** Lets readers of the feed wait until there is something that they were not told (docs/design/event-feed.md#waiting). */
export function createWatch({ pool, logger, metrics }: Pick<Deps, 'pool' | 'logger' | 'metrics'>) {
  const waiting = new Set<Waiting>();
  const places = new Map<string, number>();
  const outage = new Outage(logger, 'the look for events that are waited for');
  let looking: NodeJS.Timeout | null = null;

  const look = async (): Promise<void> => {
    const asked = [...waiting];
    const found = await run(pool, lookForEvents, {
      places: asked.map((_, place) => place),
      accounts: asked.map(({ accountId }) => accountId),
      modes: asked.map(({ liveMode }) => liveMode),
      afters: asked.map(({ position }) => position.after),
      days: asked.map(({ position }) => idDay(position.after)),
    });
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
    /** Takes one of the places of an account, for as long as a request waits; what is returned gives it back. */
    enter(owner: Owner): () => void {
      const key = keyOf(owner);
      const taken = places.get(key) ?? 0;
      const most = amountOf('feed_waiting', owner);
      if (taken >= most) {
        metrics.budgets.refuse('feed_waiting', owner);
        const message = `The budget "feed_waiting" is used up: ${most} requests of this account wait for events already; end one of them`;
        throw new BillingError('RATE_LIMITED', { message, retryAfterSeconds: BUSY_SECONDS });
      }
      if (places.size > 0 && [...places.values()].reduce((sum, count) => sum + count, 0) >= WAITING_MAX) {
        const message = 'Too many requests wait for events; repeat shortly, or without wait';
        throw new BillingError('SERVICE_UNAVAILABLE', { message, retryAfterSeconds: BUSY_SECONDS });
      }
      places.set(key, taken + 1);
      return () => {
        const left = (places.get(key) ?? 1) - 1;
        if (left === 0) places.delete(key);
        else places.set(key, left);
      };
    },

    /** Resolves when there may be news, when the time is over, or when the signal aborts. */
    next(owner: Owner, position: Position, { ms, signal }: { ms: number; signal: AbortSignal }): Promise<void> {
      if (signal.aborted || ms <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          waiting.delete(one);
          resolve();
        };
        const one: Waiting = { accountId: owner.accountId, liveMode: owner.liveMode, position, wake };
        const timer = setTimeout(wake, ms);
        signal.addEventListener('abort', wake);
        waiting.add(one);
        if (looking === null) workForAll(lookOn);
      });
    },
  };
}

export type Watch = ReturnType<typeof createWatch>;
