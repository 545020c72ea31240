import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { RateLimit, RateLimiter } from '../admission/rate-limit.ts';
import { type Caller, callerKey, type Tenant, workFor } from '../admission/tenant.ts';
import { countedAddress } from '../http/address.ts';
import type { Admission } from '../http/admit.ts';
import { admit, refuseSpent } from './page-requests.ts';

/** Links whose tenant is remembered. */
const KNOWN_MAX = 20_000;

const buyerOf = ({ accountId, liveMode }: Tenant): Caller => ({ accountId, liveMode, by: 'buyer' });

/** What a buyer asks to see at a link. */
interface PageView<Found> {
  /** What the link names; the link was made here. */
  readonly id: string;
  /** So often it is shown. */
  readonly limit: RateLimit;
  readonly find: () => Promise<Found>;
  /** Null: the link leads to nothing that is known to be anybody's. */
  readonly whose: (found: Found) => Tenant | null;
  readonly show: (found: Found) => Promise<void> | void;
}

/** Holds what buyers ask for at links to the limits of the accounts that the links belong to (docs/design/admission.md#pages). */
export function createPageAdmission({ admission, rateLimiter }: { admission: Admission; rateLimiter: RateLimiter }) {
  // What a link names never changes its account or its mode.
  const buyers = new LRUCache<string, Caller>({ max: KNOWN_MAX });
  const buyerAt = (id: string | null): Caller | undefined => (id === null ? undefined : buyers.get(id));

  return {
    /** Does what is asked for at a link, for its tenant; where nobody knows yet whose it is, for the address that asks. */
    follow<T>(request: Request, id: string | null, work: () => T): T {
      const buyer = buyerAt(id);
      return workFor(buyer === undefined ? countedAddress(request.ip) : callerKey(buyer), work);
    },

    /** Remembers whose a link is, which the line of the request tells too. */
    learn(request: Request, id: string, of: Tenant): void {
      request.concerns = of;
      buyers.set(id, buyerOf(of));
    },

    /**
     * Finds and shows what a link leads to, within the limit of its account. Whose a link is that comes first is known only
     * once it is found: that is done without a place. To be called in `follow`.
     */
    async show<Found>(
      request: Request,
      response: Response,
      { id, limit, find, whose, show }: PageView<Found>,
    ): Promise<void> {
      const known = buyerAt(id);
      if (known !== undefined) request.concerns = known;
      // Before a place is taken: whoever goes on asking for one link takes none of those of other links.
      refuseSpent(rateLimiter, response, { id, limit });
      const findCounted = async (): Promise<Found> => {
        await admit(rateLimiter, response, { id, limit });
        return find();
      };
      if (known !== undefined) return admission.run(request, known, async () => show(await findCounted()));
      const found = await findCounted();
      const of = whose(found);
      if (of === null) return show(found);
      return admission.run(request, buyerOf(of), async () => show(found));
    },
  };
}

export type PageAdmission = ReturnType<typeof createPageAdmission>;
