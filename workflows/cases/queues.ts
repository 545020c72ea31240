import type { Lane } from '../../server/kernel/lane.ts';

const OF_SANDBOX = '-sandbox';

/** Where the cases and runs of a lane are. Cases of before there were lanes go on where they were begun, among the live ones. */
export const queueOf = (taskQueue: string, lane: Lane): string =>
  lane === 'live' ? taskQueue : `${taskQueue}${OF_SANDBOX}`;

/** Attempts wait for receivers, so they have workers of their own and no other case waits for them. */
export const attemptsOf = (queue: string): string => `${queue}-attempts`;

/** Advances of test clocks have workers of their own too; one that was begun among the live cases has none. */
export const advancesOf = (queue: string): string => (queue.endsWith(OF_SANDBOX) ? `${queue}-advances` : queue);
