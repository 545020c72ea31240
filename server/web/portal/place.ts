import type { Request } from 'express';

export type PortalRequest = Request<Record<'secret' | 'id' | 'price', string>>;

/** How many parts stand behind the secret in a path. */
const depthOf = ({ path }: Request): number => path.split('/').length - 2;

/** The way from the address of a request up to that of all portals; relative, so that it holds behind a proxy with a path of its own. */
export const upFrom = (request: Request): string => '../'.repeat(depthOf(request));

export const homeOf = (request: PortalRequest): string => `${upFrom(request)}${request.params.secret}`;
