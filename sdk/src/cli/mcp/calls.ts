import { type RouteId, routes } from '../../generated/routes.ts';
import { routeTools } from '../../generated/tools.ts';
import type { Fatura } from '../../index.ts';
import type { ListAnswer } from './answers.ts';
import type { Args } from './previews.ts';

interface CallOptions {
  readonly idempotencyKey: string | null;
  readonly signal: AbortSignal;
}

type Method = (...args: unknown[]) => unknown;

/** The client has a method for each route, by the route's name. */
function methodOf(fatura: Fatura, route: RouteId): Method {
  const names = route.split('.');
  const last = names.pop() ?? '';
  const resource = names.reduce<unknown>((within, name) => (within as Record<string, unknown>)[name], fatura);
  const resourceMethods = resource as Record<string, Method>; // client.ts holds the names to the routes by its types
  return (...args) => resourceMethods[last]?.(...args);
}

interface FirstPage {
  page(): Promise<{ readonly data: ListAnswer['data']; readonly hasMore: boolean }>;
}

const isPaged = (answer: unknown): answer is FirstPage =>
  typeof answer === 'object' && answer !== null && 'page' in answer;

/** Whether a route takes an idempotency key. */
export const isKeyed = (route: RouteId): boolean => ['POST', 'PATCH'].includes(routes[route].method);

/** Calls a route with the fields of its tool's input; of a list it answers the first page. */
export async function callRoute(fatura: Fatura, route: RouteId, args: Args, options: CallOptions): Promise<unknown> {
  const { idempotencyKey, signal } = options;
  const { id, ...fields } = args;
  const [, ...below] = routes[route].path.match(/(?<=\{)\w+(?=\})/g) ?? [];
  const parts = [
    ...(routes[route].path.includes('{') ? [id] : []),
    ...below.map((name) => fields[name]),
    ...(routeTools[route].takes === 'nothing' ? [] : [fields]),
  ];
  const answer = methodOf(fatura, route)(...parts, { signal, ...(idempotencyKey === null ? {} : { idempotencyKey }) });
  if (!isPaged(answer)) return answer;
  const { data, hasMore } = await answer.page();
  return { data, has_more: hasMore };
}
