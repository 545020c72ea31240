import type { AppRoute, AppRouter, ServerInferRequest, ServerInferResponses } from '@ts-rest/core';
import type { Request, Response } from 'express';

/** What brings a request, and carries its cookies back. */
interface Exchange {
  readonly req: Request;
  readonly res: Response;
}

/** A handler for every route of a router: it answers the body of its success. */
export type DashboardHandlers<Routes extends AppRouter> = {
  readonly [Name in keyof Routes]: Routes[Name] extends AppRoute
    ? (request: ServerInferRequest<Routes[Name]> & Exchange) => Promise<ServerInferResponses<Routes[Name], 200>['body']>
    : Routes[Name] extends AppRouter
      ? DashboardHandlers<Routes[Name]>
      : never;
};

type Handler = (request: object) => Promise<unknown>;

/** The handlers as the route library takes them. */
export function answering(handlers: object): object {
  return Object.fromEntries(
    Object.entries(handlers).map(([name, part]: [string, object | Handler]) => {
      if (typeof part !== 'function') return [name, answering(part)];
      return [name, async (request: object) => ({ status: 200, body: await part(request) })];
    }),
  );
}
