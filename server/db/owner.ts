import { AsyncLocalStorage } from 'node:async_hooks';

/** For whom work is done that asks the database. */
export interface Owner {
  readonly accountId: string;
  readonly liveMode: boolean;
  /** Who has it done: each is counted apart, so that a buyer waits for no batch of the merchant. */
  readonly by: 'merchant' | 'buyer' | 'acquirer';
}

/** A page whose link does not say whose it is. */
export interface PageOwner {
  readonly page: string;
}

const owners = new AsyncLocalStorage<Owner | PageOwner | undefined>();

/** Does work for an owner: each connection that is asked for in it counts as the owner's, whichever use case asks. */
export const workFor = <T>(owner: Owner | PageOwner, work: () => T): T => owners.run(owner, work);

/** Does work that many wait for, begun by whoever came first: it is nobody's. */
export const workForAll = <T>(work: () => T): T => owners.run(undefined, work);

/** For whom this code runs; absent: for the service itself. */
export const ownerNow = (): Owner | PageOwner | undefined => owners.getStore();
