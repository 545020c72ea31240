import type pg from 'pg';
import { beginIn, EVERYBODY } from './reach.ts';
import { type SealedPart, sealedRow } from './sealed-rows.ts';
import type { SecretBox } from './secret-box.ts';
import { acrossAccounts, run, type Statement } from './statement.ts';
import type { Scoped, Table } from './table.ts';

/** Rows of one step: so many are locked at once, and for so short a time. */
const ROWS_A_STEP = 200;

export interface Fill {
  readonly table: string;
  /** Seals rows that were written in clear, in steps; answers how many. Rows that somebody holds are left to a later call. */
  run(pool: pg.Pool, box: SecretBox): Promise<number>;
}

async function fillStep<Row extends Scoped>(
  client: pg.PoolClient,
  { table, part, box, read }: { table: Table<Row>; part: SealedPart<Row>; box: SecretBox; read: Statement<Row> },
  after: string,
): Promise<Row[]> {
  // An operator has the rows of all accounts sealed.
  await client.query(beginIn(client, EVERYBODY));
  try {
    const rows = await run(client, read, { after });
    for (const row of rows) {
      const sealed = sealedRow(part, row, box);
      await run(client, table.update, table.values(sealed, table.updating));
    }
    await client.query('COMMIT');
    return rows;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** The way to seal what a table holds in clear; locked from the look to the change, no row loses what came between. */
export function fillOf<Row extends Scoped>(table: Table<Row>): Fill {
  const { name, seals: part } = table;
  if (part === undefined) throw new Error(`nothing of ${name} is sealed`);
  const read = acrossAccounts<Row>(
    `lock_rows_in_clear_${name}`,
    `SELECT ${table.columns('r')} FROM ${name} r WHERE ${part.isInClear} AND r.id > :after
     ORDER BY r.id LIMIT ${ROWS_A_STEP} FOR NO KEY UPDATE SKIP LOCKED`,
  );
  return {
    table: name,
    async run(pool, box) {
      const client = await pool.connect();
      try {
        let [filled, after] = [0, ''];
        for (;;) {
          const rows = await fillStep(client, { table, part, box, read }, after);
          filled += rows.length;
          const last = rows.at(-1);
          if (last === undefined) return filled;
          after = last.id;
        }
      } finally {
        client.release();
      }
    },
  };
}
