import type pg from 'pg';

/** Rows that the service made, by a name that the bench gives the count. */
export type Counts = Readonly<Record<string, number>>;

/** Counts by name: each value is a FROM clause. */
export type CountedRows = Readonly<Record<string, string>>;

export async function countRows(pool: pg.Pool, counted: CountedRows): Promise<Counts> {
  const columns = Object.entries(counted).map(([name, from]) => `(SELECT count(*)::int FROM ${from}) AS "${name}"`);
  const { rows } = await pool.query<Record<string, number>>(`SELECT ${columns.join(', ')}`);
  return rows[0] ?? {};
}

/** Throws unless each count grew by exactly as much as was answered with success. */
export function checkGrowth(growth: { before: Counts; after: Counts; expected: number }): string {
  const { before, after, expected } = growth;
  const grown = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  const wrong = grown.filter(([, by]) => by !== expected);
  if (wrong.length > 0) {
    const found = wrong.map(([name, by]) => `${by} ${name}`).join(', ');
    throw new Error(`${expected} requests were answered with success, and the database holds ${found}`);
  }
  return `${expected.toLocaleString('en')} answers = ${grown.map(([name]) => name).join(' = ')}`;
}
