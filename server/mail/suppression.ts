import type pg from 'pg';
import { run, statement } from '../db/statement.ts';
import { clip } from '../kernel/text.ts';
import { folded } from './rules.ts';

/** Addresses that nothing is sent to, at most: each is a line that an operator wrote. */
export const SUPPRESSED_MAX = 100_000;
export const REASON_MAX = 200;
const ADDRESS_MAX = 254;
/** As much as the rules of the protocol leave no doubt about: no control character, no space, one @. */
const ADDRESS = /^[^\p{Cc}\s@<>"]+@[^\p{Cc}\s@<>"]+$/u;

const find = statement('find_suppression', 'SELECT FROM mail_suppression WHERE address = :address');

/** Nothing is sent to an address that an operator has suppressed, after a bounce or a complaint. */
export const isSuppressed = async (pool: pg.Pool | pg.ClientBase, recipient: string): Promise<boolean> =>
  (await run(pool, find, { address: folded(recipient) })).length > 0;

const insert = statement<{ address: string }>(
  'suppress_address',
  `INSERT INTO mail_suppression (address, reason) SELECT :address, :reason
   WHERE (SELECT count(*) FROM mail_suppression) < ${SUPPRESSED_MAX} OR EXISTS (SELECT FROM mail_suppression WHERE address = :address)
   ON CONFLICT (address) DO UPDATE SET reason = excluded.reason RETURNING address`,
);
const remove = statement<{ address: string }>(
  'unsuppress_address',
  'DELETE FROM mail_suppression WHERE address = :address RETURNING address',
);
const findAll = statement<{ address: string; reason: string | null; created_at: Date }>(
  'list_suppressions',
  'SELECT address, reason, created_at FROM mail_suppression WHERE address > :after ORDER BY address LIMIT :limit',
);

/** The address as it is compared; throws with words for an operator. */
export function readAddress(text: string): string {
  const address = folded(text);
  if (address.length > ADDRESS_MAX || !ADDRESS.test(address))
    throw new Error(
      `must be an e-mail address of at most ${ADDRESS_MAX} characters, got ${JSON.stringify(clip(text, ADDRESS_MAX))}`,
    );
  return address;
}

export async function suppress(
  pool: pg.Pool | pg.ClientBase,
  { address, reason }: { address: string; reason: string | null },
): Promise<void> {
  const [added] = await run(pool, insert, { address, reason });
  if (added === undefined) throw new Error(`${SUPPRESSED_MAX} addresses are suppressed already: unsuppress some first`);
}

/** Whether the address was suppressed. */
export const unsuppress = async (pool: pg.Pool | pg.ClientBase, address: string): Promise<boolean> =>
  (await run(pool, remove, { address })).length > 0;

export const listSuppressed = (pool: pg.Pool | pg.ClientBase, page: { after: string; limit: number }) =>
  run(pool, findAll, page);
