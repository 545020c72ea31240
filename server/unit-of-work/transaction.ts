import { codeOf } from '../kernel/errors.ts';
import { realTimeMs, type Timestamp } from '../kernel/time.ts';
import { tracedScope } from '../kernel/tracing.ts';
import { contended, StaleIds, WriteConflict } from './repeats.ts';
import { type Scope, Tx, type TxDeps } from './tx.ts';

/** Runs a use case in one transaction, again when the database asks for it. */
export type Transaction = <T>(scope: Scope, work: (tx: Tx) => Promise<T>) => Promise<T>;

/** A clock that was read longer ago may have been moved, as by an advance that a call to an acquirer outlasted. Milliseconds. */
const CLOCK_FRESH_MS = 100;

async function withFreshAccount(deps: TxDeps, scope: Scope): Promise<Scope> {
  const { readAtMs = Number.NEGATIVE_INFINITY } = scope.clock;
  if (scope.liveMode || realTimeMs() - readAtMs < CLOCK_FRESH_MS) return scope;
  return { ...scope, ...(await deps.readScope(scope)) };
}

const TRIES_MAX = 3;
const PAUSE_MAX_MS = 20;
const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';

const isRepeatable = (error: unknown): boolean =>
  error instanceof StaleIds ||
  error instanceof WriteConflict ||
  codeOf(error) === DEADLOCK ||
  codeOf(error) === SERIALIZATION_FAILURE;

interface Attempt<T> {
  readonly scope: Scope;
  readonly work: (tx: Tx) => Promise<T>;
  readonly notBefore: Timestamp;
}

async function attempt<T>(deps: TxDeps, { scope, work, notBefore }: Attempt<T>): Promise<T> {
  const fresh = await withFreshAccount(deps, scope);
  const client = await deps.pool.connect();
  let broken = false;
  const end = deps.watermark.begin();
  const tx = new Tx(deps, fresh, { client, notBefore });
  try {
    const result = await work(tx);
    await tx.follow();
    await tx.commit();
    return result;
  } catch (error) {
    await tx.rollback().catch(() => {
      broken = true;
    });
    throw tx.faultBehind(error);
  } finally {
    end(broken ? 'unknown' : 'known');
    client.release(broken);
  }
}

/** The only way into a transaction (docs/design/transactions.md#one-way-in): a deadlock or serialization failure repeats it, three times in all. */
export function createTransaction(deps: TxDeps): Transaction {
  const run = async <T>(scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> => {
    let notBefore = 0;
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(deps, { scope, work, notBefore });
      } catch (error) {
        if (!isRepeatable(error)) throw error;
        if (error instanceof WriteConflict) notBefore = error.at;
        if (tries >= TRIES_MAX) throw contended();
        // Those who met once must not meet again at the same step.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MAX_MS * tries));
      }
    }
  };
  return (scope, work) => deps.tracing.span({ name: 'transaction', ids: tracedScope(scope) }, () => run(scope, work));
}

/** Ends a transaction that was only to tell what it would come to. */
class TakenBack<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('taken back');
    this.result = result;
  }
}

/** What a use case would come to: it is done in a transaction that is rolled back, and refused as it would be. */
export async function takenBack<T>(transaction: Transaction, scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await transaction(scope, async (tx) => {
      throw new TakenBack(await work(tx));
    });
  } catch (error) {
    if (error instanceof TakenBack) return error.result;
    throw error;
  }
}
