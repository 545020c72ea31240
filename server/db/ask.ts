import type pg from 'pg';

type Answer = (error: Error | null | undefined, result: pg.QueryResult) => void;

/**
 * Sends a query on any connection of a pool, or on one, and resolves to its answer.
 *
 * The driver's own promise would keep all that waits for it from the collector of young objects
 * (docs/design/admission.md#what-a-request-leaves-behind).
 */
export async function ask(
  target: pg.Pool | pg.ClientBase,
  query: string | pg.QueryConfig | pg.Query,
): Promise<pg.QueryResult> {
  const answered = new Promise<pg.QueryResult>((resolve, reject) => {
    const answer: Answer = (error, result) => (error ? reject(error) : resolve(result));
    // The types know of callbacks for texts alone.
    (target as { query(query: unknown, values: undefined, answer: Answer): void }).query(query, undefined, answer);
  });
  try {
    return await answered;
  } catch (error) {
    // It was made where the answer was read: whoever looks for its cause wants to know who asked.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}
