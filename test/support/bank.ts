import { createSandboxAcquirer } from '../../server/payments/acquirer/sandbox/adapter.ts';
import type { BankCall, Trouble } from '../../server/payments/acquirer/sandbox/behaviour.ts';
import type { TestApi } from './api.ts';

type Meeting = Trouble | (() => Promise<void>);

/** The sandbox bank of a test: what its callers meet, and what they asked. */
export interface TestBank {
  /** Calls meet this trouble, or wait for this work, until the bank recovers. */
  meets(call: BankCall, meeting: Meeting): void;
  recovers(): void;
  /** Calls made since the bank recovered last. */
  readonly calls: readonly BankCall[];
}

/** Puts a bank that can be troubled in the place of the quiet one. */
export function troubleBank(api: TestApi): TestBank {
  const meetings = new Map<BankCall, Meeting>();
  const calls: BankCall[] = [];
  const before = async (call: BankCall): Promise<Trouble | undefined> => {
    calls.push(call);
    const meeting = meetings.get(call);
    if (typeof meeting !== 'function') return meeting;
    await meeting();
    return undefined;
  };
  const { acquirers, pool } = api.composition.deps;
  Object.assign(acquirers, { sandbox: createSandboxAcquirer(pool, { before }) });
  return {
    calls,
    meets: (call, meeting) => meetings.set(call, meeting),
    recovers: () => {
      meetings.clear();
      calls.length = 0;
    },
  };
}
