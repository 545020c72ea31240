import type { Mode } from '../../server/kernel/mode.ts';

const OF_SANDBOX = '-sandbox';

/** Where the cases and runs of a mode are. */
export const queueOf = (taskQueue: string, mode: Mode): string =>
  mode === 'live' ? taskQueue : `${taskQueue}${OF_SANDBOX}`;

/** Runs that bill last longest, so a worker takes few of them at once and leaves the others to other workers. */
export const billingOf = (queue: string): string =>
  queue.endsWith(OF_SANDBOX) ? `${queue.slice(0, -OF_SANDBOX.length)}-runs${OF_SANDBOX}` : `${queue}-runs`;

/** Attempts wait for receivers, so they have workers of their own and no other case waits for them. */
export const attemptsOf = (queue: string): string => `${queue}-attempts`;

/** Advances of test clocks have workers of their own, too. */
export const advancesOf = (queue: string): string => `${queue}-advances`;
