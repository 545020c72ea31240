import { NoTurn, Turns } from '../../db/turns.ts';
import type { Deps } from '../../deps.ts';
import { holderOf, type Party } from '../../http/party.ts';
import { createRests } from '../../http/rests.ts';
import { amountOf } from '../../kernel/budgets.ts';
import { BillingError } from '../../kernel/errors.ts';
import { laneOf, perLane } from '../../kernel/lane.ts';

/** So long a file waits for those before it. */
const WAIT_MS = 10_000;

/** All accounts of a mode together, of whom each may have links without end. */
const EVERYBODY = 'everybody';

/**
 * Makes files one after another in each mode, in turns of the accounts. The cores that make them are everybody's: those of
 * live mode have no more than a fifth of the time, those of sandboxes a tenth.
 */
export function createFileTurns({
  metrics,
}: Pick<Deps, 'metrics'>): <T>(of: Party, make: () => Promise<T>) => Promise<T> {
  const turns = perLane((lane) => {
    const waitingMax = amountOf('receipt_files', { liveMode: lane === 'live' });
    return new Turns({ total: 1, each: 1, spare: 0, waitingMax, waitMs: WAIT_MS });
  });
  // It is the time alone that counts.
  const rests = createRests(Number.POSITIVE_INFINITY);

  const take = (of: Party): Promise<() => void> =>
    turns[laneOf(of.liveMode)].take(holderOf(of)).catch((error: unknown) => {
      if (!(error instanceof NoTurn)) throw error;
      metrics.budgets.refuse('receipt_files', of);
      throw new BillingError('SERVICE_UNAVAILABLE', { message: 'Too many files are asked for' });
    });

  return async (of, make) => {
    const giveBack = await take(of);
    const startedMs = performance.now();
    try {
      return await make();
    } finally {
      const takenMs = performance.now() - startedMs;
      rests[laneOf(of.liveMode)].leave(EVERYBODY, { takenMs, bytes: 0 }, giveBack);
    }
  };
}
