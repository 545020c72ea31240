import type pg from 'pg';
import { run, statement } from '../db/statement.ts';
import { changeLogged } from './audit-log.ts';

/** How long a chain of the audit log is, and what its last entry commits to. */
export interface LogHead {
  readonly chain: string;
  readonly entries: number;
  /** In hexadecimal digits. */
  readonly digest: string;
}

/** Chains that one entry anchors. */
const ANCHORED_AT_ONCE = 500;
const ROUNDS_MAX = 100;

const HEAD = `h.chain, h.entries, encode(h.hash, 'hex') AS digest`;

const findUnanchored = statement<LogHead>(
  'find_unanchored_logs',
  `SELECT ${HEAD} FROM audit_log_head h WHERE h.chain <> 'service' AND h.entries > h.anchored ORDER BY h.chain LIMIT ${ANCHORED_AT_ONCE}`,
);

const findService = statement<LogHead>(
  'find_head_of_service_log',
  `SELECT ${HEAD} FROM audit_log_head h WHERE h.chain = 'service'`,
);

/**
 * Writes into the chain of the service where the chains of accounts end: from then on no entry of theirs can go without the
 * service's own chain telling. Answers how many, and the head of that chain, which is to be kept outside of the database.
 */
export async function anchorLogs(pool: pg.Pool): Promise<{ anchored: number; head: LogHead | null }> {
  let anchored = 0;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const heads = await run(pool, findUnanchored, {});
    if (heads.length === 0) break;
    await changeLogged({ pool }, (tx) =>
      tx.log({
        action: 'audit_log.anchor',
        account: null,
        liveMode: null,
        object: null,
        before: null,
        after: { heads },
      }),
    );
    anchored += heads.length;
  }
  const [head = null] = await run(pool, findService, {});
  return { anchored, head };
}
