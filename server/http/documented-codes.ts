import type { AppRoute } from '@ts-rest/core';
import type { Request } from 'express';
import { DASHBOARD } from '../../contract/dashboard.ts';
import { answeringRoute, codesOf } from '../../contract/error-routes.ts';
import { errorCatalog } from '../../contract/errors.ts';
import { contract } from '../../contract/index.ts';
import { routesOf } from '../../contract/router.ts';
import type { BillingError } from '../kernel/errors.ts';
import { routeOf } from './request.ts';

const nameOf = ({ method, path }: AppRoute): string => `${method} ${path}`;

/** Judges whether a refusal has a code that its operation lists; what is no operation of the contract may refuse as it likes. */
export function documentedCodes(): (request: Request, refusal: BillingError) => boolean {
  const known = new Map(routesOf(contract).map(([id, route]) => [nameOf(route), answeringRoute(id, route)]));
  return (request, { code }) => {
    // The dashboard has codes of its own beside those of the operation.
    if (request.originalUrl.startsWith(`${DASHBOARD}/`)) return true;
    // Refused before a route was found, a request has none.
    const route: AppRoute | undefined = routeOf(request);
    const answering = route && known.get(nameOf(route));
    return answering === undefined || codesOf(answering, errorCatalog[code].status).includes(code);
  };
}
