import { LRUCache } from 'lru-cache';
import type { Verdict } from '../admission/rate-limit.ts';
import { realTimeMs } from '../kernel/time.ts';

/** Addresses of which more look-ups are counted than their tries allow; the ones that came last. */
const ADDRESSES_MAX = 10_000;
const LOOK_UPS_MAX = 100;

/**
 * Bounds the look-ups that made-up keys cost once their address used up its tries. Some are left: a real key that this process
 * has not seen yet may come from there, most of all where a proxy hides the addresses.
 */
export function createKeyLookups() {
  const lookUps = new LRUCache<string, { readonly untilMs: number; count: number }>({ max: ADDRESSES_MAX });
  return {
    mayAsk(address: string, { resetSeconds }: Verdict): boolean {
      const nowMs = realTimeMs();
      const known = lookUps.get(address);
      const window = known === undefined || known.untilMs <= nowMs ? null : known;
      const counted = window ?? { untilMs: nowMs + resetSeconds * 1_000, count: 0 };
      lookUps.set(address, counted);
      counted.count += 1;
      return counted.count <= LOOK_UPS_MAX;
    },
  };
}
