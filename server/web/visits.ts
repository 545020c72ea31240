import type { Request, Response } from 'express';
import type { Limit, RateLimiter } from '../accounts/rate-limit.ts';
import { type Owner, workFor } from '../db/owner.ts';
import { countedAddress } from '../http/address.ts';
import type { Party } from '../http/party.ts';
import { SlowRefusals } from '../http/slow-refusals.ts';
import type { UnderWay } from '../http/under-way.ts';
import { laneOf, type PerLane, perLane } from '../kernel/lane.ts';
import { admit, refuseSpent } from './page-requests.ts';

/** So many links of a mode are remembered; then all of that mode are forgotten, and each is found anew. */
const KNOWN_MAX = 10_000;

const buyerOf = ({ accountId, liveMode }: Party): Owner => ({ accountId, liveMode, by: 'buyer' });

/** Whose links are that led somewhere in this process: what a link names never changes its account or its mode. */
class LinkOwners {
  readonly #known: PerLane<Map<string, Owner>> = perLane(() => new Map());

  /** The links of sandboxes push none of live mode out. */
  learn(id: string, of: Party): void {
    const known = this.#known[laneOf(of.liveMode)];
    if (known.size >= KNOWN_MAX && !known.has(id)) known.clear();
    known.set(id, buyerOf(of));
  }

  of(id: string): Owner | undefined {
    return this.#known.live.get(id) ?? this.#known.sandbox.get(id);
  }
}

/** What a buyer asks to see at a link. */
interface Sight<Found> {
  /** What the link names; the link was made here. */
  readonly id: string;
  /** So often it is shown. */
  readonly limit: Limit;
  readonly find: () => Promise<Found>;
  /** Null: the link leads to nothing that is known to be anybody's. */
  readonly whose: (found: Found) => Party | null;
  readonly show: (found: Found) => Promise<void> | void;
}

/** Holds what buyers ask for at links to the budgets of the accounts that the links belong to (docs/design/budgets.md#pages). */
export function createVisits({ underWay, rateLimiter }: { underWay: UnderWay; rateLimiter: RateLimiter }) {
  const owners = new LinkOwners();
  const slow = new SlowRefusals();
  const ownerOf = (id: string | null): Owner | undefined => (id === null ? undefined : owners.of(id));

  return {
    /** Does what is asked for at a link on the connections of its account; where nobody knows yet whose it is, on those for visitors. */
    follow: <T>(request: Request, id: string | null, work: () => T): T =>
      workFor(ownerOf(id) ?? { visitor: countedAddress(request.ip) }, work),

    /** Remembers whose a link is, which the line of the request tells too. */
    learn(request: Request, id: string, of: Party): void {
      request.concerns = of;
      owners.learn(id, of);
    },

    /** Refuses what came too often as late as a merchant's keys are refused; who is refused keeps no place meanwhile. */
    refuse({ concerns, stepAside }: Request, tell: () => void): void {
      stepAside();
      if (concerns === undefined) tell();
      else slow.tell(concerns, tell);
    },

    /**
     * Finds and shows what a link leads to, within the budget of its account. Whose a link is that comes first is known only
     * once it is found: that is done without a place. To be called in `follow`.
     */
    async show<Found>(
      request: Request,
      response: Response,
      { id, limit, find, whose, show }: Sight<Found>,
    ): Promise<void> {
      const known = ownerOf(id);
      if (known !== undefined) request.concerns = known;
      // Before a place is taken: whoever goes on asking for one link takes none of those of other links.
      refuseSpent(rateLimiter, response, { id, limit });
      const findCounted = async (): Promise<Found> => {
        await admit(rateLimiter, response, { id, limit });
        return find();
      };
      if (known !== undefined) return underWay.run(request, known, async () => show(await findCounted()));
      const found = await findCounted();
      const of = whose(found);
      if (of === null) return show(found);
      return underWay.run(request, buyerOf(of), async () => show(found));
    },
  };
}

export type Visits = ReturnType<typeof createVisits>;
