import { AsyncLocalStorage } from 'node:async_hooks';
import type { Lane } from '../kernel/lane.ts';

/** For whom work is done that asks the database. */
export interface Owner {
  readonly accountId: string;
  readonly liveMode: boolean;
  /** Who has it done: each is counted apart, so that a buyer waits for no batch of the merchant. */
  readonly by: 'merchant' | 'buyer' | 'acquirer';
}

/** Who asks for a page of which nobody knows yet whose it is, by the address; or all who ask for one thing that is nobody's. */
export interface Visitor {
  readonly visitor: string;
}

/** A lane of the worker (docs/design/lanes.md). */
export interface LaneOwner {
  readonly lane: Lane;
}

const owners = new AsyncLocalStorage<Owner | Visitor | LaneOwner | undefined>();

/** Does work for an owner: each connection that is asked for in it counts as the owner's, whichever use case asks. */
export const workFor = <T>(owner: Owner | Visitor | LaneOwner, work: () => T): T => owners.run(owner, work);

/** Does work that many wait for, begun by whoever came first: it is nobody's. */
export const workForAll = <T>(work: () => T): T => owners.run(undefined, work);

/** For whom this code runs; absent: for the service itself. */
export const ownerNow = (): Owner | Visitor | LaneOwner | undefined => owners.getStore();
