/** A cursor over keys: each claim goes on behind the key where the last one ended, so every key gets its turn. */
export class RoundRobin {
  #after = '';

  /** The key behind which the next claim begins. */
  get after(): string {
    return this.#after;
  }

  /** What a claim of at most `max` rows took, by their keys; answers whether more may be there already. */
  took(keys: readonly string[], max: number): boolean {
    const isFull = keys.length >= max;
    // Those before the key where the claim began were not looked at.
    const hasMore = isFull || this.#after !== '';
    this.#after = isFull ? ([...keys].sort().at(-1) ?? '') : '';
    return hasMore;
  }
}

/**
 * SQL of a recursive table `asking(id)`: the values above `:after` of a column in the rows of a condition, each once, in
 * their order. An index that begins with the columns of the condition and then has this one is stepped through from value to
 * value: neither how many rows one has nor how many rows there are makes it slower, and no more is read than is asked for.
 */
export const askingInTurn = ({ table, column, which }: { table: string; column: string; which: string }): string => {
  const next = (after: string) =>
    `SELECT n.${column} FROM ${table} n WHERE ${which} AND n.${column} > ${after} ORDER BY n.${column} LIMIT 1`;
  return `asking(id) AS ((${next(':after')}) UNION ALL SELECT (${next('asking.id')}) FROM asking WHERE asking.id IS NOT NULL)`;
};
