import type pg from 'pg';

/** How long what is done on a connection may take. */
export interface Bounds {
  readonly statementMs: number;
  /** For a row or a table that others keep; null: as long as the statement may last. */
  readonly lockMs: number | null;
  /** A transaction that does nothing for so long is ended. */
  readonly idleMs: number;
  /** A statement takes one core of the database and not several. */
  readonly onOneCore: boolean;
}

/** The settings that hold to bounds, by name. */
export const settingsIn = ({ statementMs, lockMs, idleMs, onOneCore }: Bounds): Readonly<Record<string, string>> => ({
  statement_timeout: String(statementMs),
  ...(lockMs === null ? {} : { lock_timeout: String(lockMs) }),
  idle_in_transaction_session_timeout: String(idleMs),
  ...(onOneCore ? { max_parallel_workers_per_gather: '0' } : {}),
});

const bound = new WeakMap<pg.ClientBase, Bounds>();

/**
 * Says what bounds a connection has. They are set anew for each transaction, as is its reach: behind a pooler of transactions
 * no setting of a connection lasts, and PgBouncer takes none as a connection begins (docs/operations.md#a-pooler).
 */
export const bind = (client: pg.ClientBase, bounds: Bounds): void => void bound.set(client, bounds);

export const boundsOf = (client: pg.ClientBase): Bounds | null => bound.get(client) ?? null;
