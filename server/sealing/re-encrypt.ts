import type pg from 'pg';
import { acrossAccounts, run, type Statement, statement } from '../db/statement.ts';
import { SEEN_WITHIN_SECONDS } from './key-check.ts';
import { type SealedColumn, sealedColumns } from './sealed-columns.ts';
import { headOf, keyIdIn, type SecretBox } from './secret-box.ts';

/** Rows of one step: so many are looked at in one statement, and at most so many are locked, for its time alone. */
const ROWS_A_STEP = 500;

/** How texts that name no key are told of: nobody of ours sealed them. */
const NOBODYS = 'unknown';

interface Step {
  readonly id: string;
  readonly accountId: string | null;
  /** How the text begins: with the id of its key. */
  readonly head: Buffer;
  /** Null: it is sealed with the first key already. */
  readonly sealed: Buffer | null;
}

interface Walk {
  readonly column: SealedColumn;
  readonly read: Statement<Step>;
  readonly write: Statement<{ id: string }>;
}

const HEAD_BYTES = headOf('00000000').length;

/** A row that somebody holds is left to a later pass: nobody waits for us, and we for nobody. */
function walkOf(name: string, column: SealedColumn): Walk {
  const { table, column: text, id, account, order, orderOf } = column;
  const head = `substring(r.${text} FROM 1 FOR ${HEAD_BYTES})`;
  // The key check value is nobody's.
  const declare = account === 'NULL' ? statement : acrossAccounts;
  return {
    column,
    read: declare<Step>(
      `read_sealed_step_${name}`,
      `SELECT ${id} AS id, ${account} AS "accountId", ${head} AS head,
         CASE WHEN ${head} <> :head THEN r.${text} END AS sealed
       FROM ${table} r WHERE r.${text} IS NOT NULL AND ${order} > ${orderOf(':after')} ORDER BY ${order} LIMIT ${ROWS_A_STEP}`,
    ),
    write: declare<{ id: string }>(
      `seal_step_anew_${name}`,
      `WITH anew AS MATERIALIZED (SELECT ${orderOf('n.sought')} AS sought, n.old, n.new
         FROM unnest(:ids::text[], :olds::bytea[], :anew::bytea[]) AS n (sought, old, new)),
       free AS MATERIALIZED (
         SELECT r.ctid AS place, n.old, n.new FROM anew n JOIN ${table} r ON ${order} = n.sought AND r.${text} = n.old
         FOR NO KEY UPDATE OF r SKIP LOCKED)
       UPDATE ${table} r SET ${text} = f.new FROM free f WHERE r.ctid = f.place AND r.${text} = f.old RETURNING ${id} AS id`,
    ),
  };
}

const walks: readonly Walk[] = Object.entries(sealedColumns).map(([name, column]) => walkOf(name, column));

/** What a pass over one column met. */
export interface ColumnCount {
  readonly table: string;
  readonly column: string;
  /** Rows by the id of the key that they were sealed with when they were met. */
  readonly keys: Readonly<Record<string, number>>;
  readonly sealedAnew: number;
  /** Held by somebody, or changed meanwhile: a later pass looks again. */
  readonly left: number;
  /** Ids of rows that no key of the ring opens, the first of them. */
  readonly unreadable: readonly string[];
}

const UNREADABLE_SHOWN_MAX = 10;

interface Resealed {
  readonly ids: string[];
  readonly olds: Buffer[];
  readonly anew: Buffer[];
  readonly unreadable: string[];
}

function resealed(box: SecretBox, { use }: SealedColumn, steps: readonly Step[]): Resealed {
  const made: Resealed = { ids: [], olds: [], anew: [], unreadable: [] };
  for (const { id, accountId, sealed } of steps) {
    if (sealed === null) continue;
    const place = { use, accountId, id };
    try {
      made.anew.push(box.seal(box.openBytes(sealed, place), place));
      made.ids.push(id);
      made.olds.push(sealed);
    } catch {
      made.unreadable.push(id);
    }
  }
  return made;
}

export interface Resealing {
  readonly pool: pg.Pool;
  readonly box: SecretBox;
}

/** Called with what is done of a column after each step, for whoever watches. */
type OnStep = (rows: number) => void;

async function passOver(
  { pool, box }: Resealing,
  { column, read, write }: Walk,
  { isWriting, onStep }: { isWriting: boolean; onStep?: OnStep | undefined },
): Promise<ColumnCount> {
  const keys: Record<string, number> = {};
  const unreadable: string[] = [];
  let [sealedAnew, left, after] = [0, 0, ''];
  for (;;) {
    const steps = await run(pool, read, { head: headOf(box.ring.first.id), after });
    for (const { head } of steps) {
      const key = keyIdIn(head) ?? NOBODYS;
      keys[key] = (keys[key] ?? 0) + 1;
    }
    if (isWriting) {
      const made = resealed(box, column, steps);
      const { ids, olds, anew } = made;
      const written = ids.length === 0 ? [] : await run(pool, write, { ids, olds, anew });
      sealedAnew += written.length;
      left += ids.length - written.length;
      unreadable.push(...made.unreadable);
      onStep?.(steps.length);
    }
    const last = steps.at(-1);
    if (last === undefined || steps.length < ROWS_A_STEP) break;
    after = last.id;
  }
  const shown = unreadable.slice(0, UNREADABLE_SHOWN_MAX);
  return { table: column.table, column: column.column, keys, sealedAnew, left, unreadable: shown };
}

/** Counts the sealed texts of every column by their keys. */
export async function countKeys(resealing: Resealing): Promise<ColumnCount[]> {
  const counts: ColumnCount[] = [];
  for (const walk of walks) counts.push(await passOver(resealing, walk, { isWriting: false }));
  return counts;
}

/**
 * Seals every text anew that is not sealed with the first key, in steps that are transactions of their own: the service
 * goes on meanwhile, and a pass that was broken off is begun again. A text is written only over the one that was read.
 */
export async function resealAll(resealing: Resealing, onStep?: OnStep): Promise<ColumnCount[]> {
  const counts: ColumnCount[] = [];
  for (const walk of walks) counts.push(await passOver(resealing, walk, { isWriting: true, onStep }));
  return counts;
}

/** A process that tells of its ring. */
export interface RingProcess {
  readonly process: string;
  readonly firstKey: string;
  readonly keys: readonly string[];
  readonly seenSecondsAgo: number;
}

const findProcesses = statement<RingProcess>(
  'find_ring_processes',
  `SELECT r.process, r.first_key AS "firstKey", r.keys, extract(epoch FROM now() - r.seen_at)::integer AS "seenSecondsAgo"
   FROM encryption_ring r WHERE NOT r.is_stopped AND r.seen_at > now() - interval '${SEEN_WITHIN_SECONDS} seconds'
   ORDER BY r.process`,
);

/** The processes that run with this database now. */
export const ringProcesses = (pool: pg.Pool): Promise<RingProcess[]> => run(pool, findProcesses, {});

const findKeys = statement<{ id: string }>('find_keys_in_use', 'SELECT k.id FROM encryption_key k ORDER BY k.id');

export const keysInUse = async (pool: pg.Pool): Promise<string[]> =>
  (await run(pool, findKeys, {})).map(({ id }) => id);

const readNow = statement<{ now: Date }>('read_database_clock', 'SELECT now() AS now');

/** What the database's clock says: a key counts as unused only if nobody sealed with it since then. */
export async function databaseNow(pool: pg.Pool): Promise<Date> {
  const [row] = await run(pool, readNow, {});
  if (row === undefined) throw new Error('a statement of one row answered none');
  return row.now;
}

/** A process that came and went meanwhile may have sealed with its key, too: also one that has stopped counts. */
const forgetUnused = statement<{ id: string }>(
  'forget_unused_keys',
  `DELETE FROM encryption_key k WHERE NOT k.id = ANY(:found::text[]) AND NOT EXISTS (
     SELECT FROM encryption_ring r WHERE r.first_key = k.id
       AND r.seen_at > :since::timestamptz - interval '${SEEN_WITHIN_SECONDS} seconds')
   RETURNING k.id`,
);

/** Takes keys out of use that no text and no process seals with; `since` is before the texts were counted. */
export async function forgetUnusedKeys(
  pool: pg.Pool,
  { counts, since }: { counts: readonly ColumnCount[]; since: Date },
): Promise<string[]> {
  const found = [...new Set(counts.flatMap(({ keys }) => Object.keys(keys)))];
  return (await run(pool, forgetUnused, { found, since })).map(({ id }) => id);
}
