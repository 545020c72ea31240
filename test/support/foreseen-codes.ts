import { codesOf } from '../../contract/error-routes.ts';
import { routesOf } from '../../sdk/scripts/error-codes.ts';
import type { ResponseInfo } from '../../sdk/src/index.ts';

const foreseen: ReadonlyMap<string, readonly string[]> = new Map(
  routesOf().map(([id, route]) => [id, codesOf(id, route)]),
);
const unforeseen = new Set<string>();

/** Notes a code that the contract says the route never answers (contract/error-routes.ts). */
export function noteCode({ route, error }: ResponseInfo): void {
  if (error === null || error.type === 'client_error' || foreseen.get(route)?.includes(error.code)) return;
  unforeseen.add(`${route} answered ${error.code}`);
}

/** What was noted since the last time. */
export function takeUnforeseen(): string[] {
  const noted = [...unforeseen];
  unforeseen.clear();
  return noted;
}
