/** A statement the server keeps prepared: `name` is the cache key of its text; an empty one is not kept. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A prepared statement with its values. */
export interface Write {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** Declares a statement; names are unique in the code and at most 63 bytes, as PostgreSQL demands. */
export function statement(name: string, text: string): Statement {
  return { name, text: text.replace(/\s+/g, ' ').trim() };
}

const combined = new Map<string, Statement>();

/** Distinct combinations are few: one for each use case that writes. */
const COMBINATIONS_MAX = 1_000;

function combineTexts(statements: readonly Statement[]): string {
  let offset = 0;
  const parts = statements.map(({ text }, index) => {
    const own = [...text.matchAll(/\$(\d+)/g)].map((match) => Number(match[1]));
    const shifted = text.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + offset}`);
    offset += Math.max(0, ...own);
    return `w${index} AS (${shifted})`;
  });
  return `WITH ${parts.join(', ')} SELECT 1`;
}

/** Joins writes into one prepared statement, so that they cost one round trip; they must not read each other. */
export function combine(writes: readonly Write[]): Write {
  const [first] = writes;
  if (writes.length === 1 && first !== undefined) return first;
  const key = writes.map((write) => write.statement.name).join('+');
  let known = combined.get(key);
  if (known === undefined) {
    const text = combineTexts(writes.map((write) => write.statement));
    // Those of many rows at once are endless: beyond the most frequent ones none is kept prepared.
    known = { name: combined.size < COMBINATIONS_MAX ? `combined_${combined.size}` : '', text };
    if (known.name !== '') combined.set(key, known);
  }
  return { statement: known, values: writes.flatMap((write) => write.values) };
}
