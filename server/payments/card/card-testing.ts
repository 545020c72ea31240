import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Owner } from '../../db/reach.ts';
import { readIn, statement } from '../../db/statement.ts';
import { type AlarmTools, raiseAlarm } from '../../kernel/alarms.ts';
import { briefly } from '../../kernel/brief-cache.ts';
import { BillingError } from '../../kernel/errors.ts';
import { firstSuffixAt } from '../../kernel/ids.ts';
import { HOUR, realTimeMs, SECOND_MS } from '../../kernel/time.ts';
import { areTests, DECLINES_MAX } from './declines.ts';

const HOUR_MS = HOUR * SECOND_MS;
/** Numbers and subscriptions that are counted at once; of others the one that was tried longest ago is forgotten. */
const COUNTED_MAX = 100_000;

/** What is known of an account is looked at anew after so long, in every process. */
const LOOK_MS = 5_000;
const ACCOUNTS_MAX = 1_000;

/** Attempts of buyers: their ids tell when in real time they were made. */
const countAttempts = statement<{ attempts: number; declined: number }>(
  'count_attempts_of_account',
  `SELECT count(*) AS attempts, count(*) FILTER (WHERE c.status = 'declined') AS declined FROM charge_attempt c
   WHERE c.account_id = :accountId AND c.live_mode = :liveMode AND c.id > :since AND c.initiator = 'customer'`,
);

/** A card that is tried; what comes of it is told by the refusal that `charge` ends with, or by none. */
interface CardTrial<T> {
  /** Null: it is not known, or not yet. */
  readonly number: string | null;
  /** The subscription of a card that is only verified, of which the books have no attempt; null: of a charge. */
  readonly verifiedFor: string | null;
  readonly charge: () => Promise<T>;
}

/** Tells tests of stolen cards from sales (docs/product/cards.md#too-many-declines). */
export interface CardTesting {
  /** Charges or verifies a card, unless it was declined too often within an hour. */
  watch<T>(of: Required<Owner>, trial: CardTrial<T>): Promise<T>;
  /** Whether the account seems to be used for such a test now. */
  isActive(of: Required<Owner>): Promise<boolean>;
}

export function createCardTesting({ pool, ...tools }: AlarmTools & { readonly pool: pg.Pool }): CardTesting {
  const declines = new LRUCache<string, { count: number }>({ max: COUNTED_MAX, ttl: HOUR_MS });
  const alarmed = new LRUCache<string, true>({ max: ACCOUNTS_MAX, ttl: HOUR_MS });
  // Of this process alone: what was counted leads to no number, and is gone with it.
  const secret = randomBytes(32);
  const hashOf = (accountId: string, number: string): string =>
    createHmac('sha256', secret).update(`${accountId} ${number}`).digest('base64');

  /** Counted before it is tried, so that trials side by side are; what was not declined is taken back. */
  const count = (keys: readonly string[]): (() => void) => {
    if (keys.some((key) => (declines.get(key)?.count ?? 0) >= DECLINES_MAX)) {
      const message = `A card was declined ${DECLINES_MAX} times within an hour: no more cards are tried now, PIX can be`;
      throw new BillingError('CARD_ATTEMPTS_EXHAUSTED', { message });
    }
    const counted = keys.map((key) => {
      const known = declines.get(key) ?? { count: 0 };
      if (known.count === 0) declines.set(key, known);
      known.count += 1;
      return known;
    });
    return () => {
      for (const one of counted) one.count -= 1;
    };
  };

  const look = async (accountId: string): Promise<boolean> => {
    const since = `ca_${firstSuffixAt(realTimeMs() - HOUR_MS)}`;
    const [row] = await readIn(pool, { accountId, liveMode: true }, countAttempts, { since });
    const { attempts = 0, declined = 0 } = row ?? {};
    const isTested = areTests({ attempts, declined });
    if (isTested && !alarmed.has(accountId)) {
      alarmed.set(accountId, true);
      const message = 'an account may be used to test stolen cards';
      raiseAlarm(tools, 'card_testing', { account: accountId, attempts, declined, message });
    }
    return isTested;
  };
  const lookBriefly = briefly(look, { ms: LOOK_MS, max: ACCOUNTS_MAX });

  return {
    async watch({ accountId, liveMode }, { number, verifiedFor, charge }) {
      // A sandbox's cards are declined by their numbers, as often as its tests like.
      const ofNumber = liveMode && number !== null ? [hashOf(accountId, number)] : [];
      const takeBack = count(verifiedFor === null ? ofNumber : [...ofNumber, verifiedFor]);
      let isDeclined = false;
      try {
        return await charge();
      } catch (error) {
        isDeclined = error instanceof BillingError && error.code === 'CARD_DECLINED';
        throw error;
      } finally {
        if (!isDeclined) takeBack();
        else if (liveMode) lookBriefly(accountId).catch(() => {});
      }
    },
    isActive: async ({ accountId, liveMode }) => (liveMode ? lookBriefly(accountId) : false),
  };
}
