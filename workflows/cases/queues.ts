import type { Mode } from '../../server/kernel/mode.ts';

const OF_SANDBOX = '-sandbox';

/** Where the cases and runs of a mode are. */
export const queueOf = (taskQueue: string, mode: Mode): string =>
  mode === 'live' ? taskQueue : `${taskQueue}${OF_SANDBOX}`;

/** Attempts wait for receivers, so they have workers of their own and no other case waits for them. */
export const attemptsOf = (queue: string): string => `${queue}-attempts`;

/** Advances of test clocks have workers of their own, too. */
export const advancesOf = (queue: string): string => `${queue}-advances`;
