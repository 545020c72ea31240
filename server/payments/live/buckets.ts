import type { Deps } from '../../deps.ts';
import type { DueRun, DueWork } from '../../jobs/due-run.ts';
import { TokenBucket } from '../../jobs/token-bucket.ts';
import { isLive } from '../../kernel/mode.ts';
import { WHOLE } from '../../kernel/shards.ts';
import type { AcquirerCore, Method } from '../acquirer/port.ts';
import { methods } from './methods.ts';

const isMethod = (asks: string): asks is Method => methods.some((method) => method === asks);

/**
 * The token buckets of a run: of the acquirer of each account and method one, with the run's share of its rate. The acquirer of
 * the sandbox has no rate.
 */
export function bucketsOf(
  { acquirers: { live } }: Pick<Deps, 'acquirers'>,
  { mode, runShard: { of } = WHOLE }: Pick<DueRun, 'mode' | 'runShard'>,
): NonNullable<DueWork['bucketOf']> {
  // Settings that change bring another rate, and with it another bucket.
  const buckets = new WeakMap<NonNullable<AcquirerCore['rate']>, TokenBucket>();
  const look = async (accountId: string, method: Method): Promise<TokenBucket | null> => {
    const rate = (await live[method](accountId))?.rate;
    if (rate === undefined) return null;
    const bucket = buckets.get(rate) ?? new TokenBucket(() => rate.perSecond / of);
    buckets.set(rate, bucket);
    return bucket;
  };
  return ({ accountId, asks = null }) =>
    asks !== null && isMethod(asks) && isLive(mode) ? look(accountId, asks) : null;
}
