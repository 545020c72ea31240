import { BillingError } from '../../kernel/errors.ts';

/** Does pieces of work one after another, with room for other requests between them; refuses more than can wait. */
export function createTurns(waitingMax: number): <T>(work: () => T) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return <T>(work: () => T): Promise<T> => {
    if (waiting >= waitingMax)
      throw new BillingError('SERVICE_UNAVAILABLE', { message: 'Too many files are asked for' });
    waiting += 1;
    const before = last;
    const turn = (async () => {
      await before;
      await new Promise((resolve) => setImmediate(resolve));
      return work();
    })();
    last = turn.then(
      () => (waiting -= 1),
      () => (waiting -= 1),
    );
    return turn;
  };
}
