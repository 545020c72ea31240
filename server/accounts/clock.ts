import type pg from 'pg';
import { run, statement } from '../db/statement.ts';
import { BillingError } from '../kernel/errors.ts';
import { type AccountClock, instantText, realTimeMs, type Timestamp } from '../kernel/time.ts';
import type { Tx } from '../unit-of-work/tx.ts';

/** The clock of a sandbox, and where it is being advanced to. */
export interface MovingClock extends AccountClock {
  /** Null unless it is being advanced. */
  readonly target: Timestamp | null;
}

const MOVING_CLOCK = `SELECT sandbox_offset_seconds AS "aheadSeconds", clock_held_at AS "heldAt", clock_target AS target
  FROM account WHERE id = :accountId`;

const readMovingStatement = statement<MovingClock>('read_moving_clock', MOVING_CLOCK);
const lockMovingStatement = statement<MovingClock>('lock_moving_clock', `${MOVING_CLOCK} FOR NO KEY UPDATE`);

type Asked = { readonly accountId: string };

const asRead = (clock: MovingClock | undefined): MovingClock | null =>
  clock === undefined ? null : { ...clock, readAtMs: realTimeMs() };

function found(clock: MovingClock | null, { accountId }: Asked): MovingClock {
  if (clock === null) throw new Error(`no such account: ${accountId}`);
  return clock;
}

/** The clock of an account's sandbox as it stands; null: there is no such account. */
export async function findMovingClock(pool: pg.Pool, { accountId }: Asked): Promise<MovingClock | null> {
  const [clock] = await run(pool, readMovingStatement, { accountId });
  return asRead(clock);
}

/** The clock of an account's sandbox as it stands. */
export const readMovingClock = async (pool: pg.Pool, asked: Asked): Promise<MovingClock> =>
  found(await findMovingClock(pool, asked), asked);

/** The same, kept from being moved until the transaction ends; live data of the account is written all the same. */
export async function lockMovingClock(tx: Tx): Promise<MovingClock> {
  const [clock] = await tx.query(lockMovingStatement, {});
  return found(asRead(clock), tx.scope);
}

/** The clock, to be changed by; refused while it is being moved. */
export function refuseWhileMoving(clock: MovingClock): AccountClock {
  if (clock.target === null) return clock;
  throw new BillingError('INVALID_STATE', {
    message: `The test clock is being advanced to ${clock.target} (${instantText(clock.target)}): nothing of the sandbox can be changed until it is ready`,
  });
}

/** The clock of a sandbox that was being moved a moment ago; refused while it still is. */
export const readyClock = async (pool: pg.Pool, asked: Asked): Promise<AccountClock> =>
  refuseWhileMoving(await readMovingClock(pool, asked));
