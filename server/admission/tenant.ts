import { AsyncLocalStorage } from 'node:async_hooks';

/** Whose requests are counted together: an account in one of its modes. */
export interface Tenant {
  readonly accountId: string;
  readonly liveMode: boolean;
}

/** A tenant with who asks for it: each is counted apart, so that a buyer waits for no batch of the merchant. */
export interface Caller extends Tenant {
  readonly by: 'merchant' | 'buyer' | 'acquirer';
}

/** The key of what is kept of a tenant. */
export const tenantKey = ({ accountId, liveMode }: Tenant): string => `${accountId} ${liveMode}`;

export const callerKey = (caller: Caller): string => `${tenantKey(caller)} ${caller.by}`;

const keys = new AsyncLocalStorage<string | undefined>();

/** Does work whose connections are counted under a key, whichever use case takes them: a caller, or the address of a buyer. */
export const workFor = <T>(key: string, work: () => T): T => keys.run(key, work);

/** Does work of the service itself, which many wait for. */
export const workForAll = <T>(work: () => T): T => keys.run(undefined, work);

/** The key that this code works for; absent: the service itself. */
export const keyNow = (): string | undefined => keys.getStore();
