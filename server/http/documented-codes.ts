import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core';
import type { Request } from 'express';
import { answeringRoute, codesOf } from '../../contract/error-routes.ts';
import { type ErrorCode, errorCatalog } from '../../contract/errors.ts';
import { contract } from '../../contract/index.ts';
import type { BillingError } from '../kernel/errors.ts';
import { routeOf } from './request.ts';

type CodesByRoute = Map<string, (status: number) => readonly ErrorCode[]>;

const nameOf = ({ method, path }: AppRoute): string => `${method} ${path}`;

function codesByRoute(router: AppRouter, prefix: string, found: CodesByRoute = new Map()): CodesByRoute {
  for (const [name, part] of Object.entries(router)) {
    if (!isAppRoute(part)) codesByRoute(part, `${prefix}${name}.`, found);
    else {
      const route = answeringRoute(prefix + name, part);
      found.set(nameOf(part), (status) => codesOf(route, status));
    }
  }
  return found;
}

/** Judges whether a refusal has a code that its operation lists; what is no operation of the contract may refuse as it likes. */
export function documentedCodes(): (request: Request, refusal: BillingError) => boolean {
  const known = codesByRoute(contract, '');
  return (request, { code }) => {
    // Refused before a route was found, a request has none.
    const route: AppRoute | undefined = routeOf(request);
    return (route && known.get(nameOf(route)))?.(errorCatalog[code].status).includes(code) ?? true;
  };
}
