import { type AppRoute, type AppRouter, initContract, isAppRoute } from '@ts-rest/core';
import { z } from 'zod';
import { failures } from './errors.ts';

export const c = initContract();

/** What every domain's router shares: the prefix (docs/product/requests.md#versioning), exact status codes, the errors any route may answer. */
export const routerOptions = {
  pathPrefix: '/api/v1',
  strictStatusCodes: true,
  commonResponses: failures(401, 403, 421, 429, 500, 503),
} as const;

/** Errors of a route that reads one object. */
export const readErrors = failures(404);
/** Errors of a route that reads a list. */
export const listErrors = failures(400);
/** Errors of a route that creates or changes an object. */
export const writeErrors = failures(400, 404, 408, 409, 413, 415, 422);

/** The body of an action that takes no parameters: absent, or an empty object. */
export const emptyBody = z
  .strictObject({})
  .optional()
  .meta({ id: 'NoParameters', description: 'The action takes no parameters.' });

/** The routes of a router by their names: `customers.create`, and so on. */
export function routesOf(router: AppRouter, prefix = ''): [string, AppRoute][] {
  return Object.entries(router).flatMap(([name, part]) =>
    isAppRoute(part) ? [[prefix + name, part] as [string, AppRoute]] : routesOf(part, `${prefix}${name}.`),
  );
}
