import type { IRouter, Request, Response } from 'express';
import { DASHBOARD } from '../../contract/dashboard.ts';
import { setRoute } from '../http/request.ts';
import { BillingError } from '../kernel/errors.ts';
import { OIDC_SECONDS, type Oidc } from '../staff/oidc.ts';
import { visitorOf } from './guard.ts';
import { type DashboardDeps, openFor } from './session-routes.ts';

const PATH_MAX = 2_000;

/** A place in the dashboard; anything else could lead a person to a stranger's page. */
const placeOf = (wanted: unknown): string =>
  typeof wanted === 'string' &&
  wanted.length <= PATH_MAX &&
  /^\/dashboard(?:\/[\w/-]*)?(?:\?[\w=&.,:%+-]*)?$/.test(wanted)
    ? wanted
    : DASHBOARD;

/** The way to the identity provider and back, which browsers go by themselves. */
export function mountOidc(router: IRouter, deps: DashboardDeps, oidc: Oidc): void {
  const begin = async (request: Request, response: Response): Promise<void> => {
    const { return_to: returnTo, fresh } = request.query;
    const { url, state } = await oidc.begin(visitorOf(request), {
      returnTo: placeOf(returnTo),
      isFresh: fresh === '1',
    });
    deps.cookies.set(response, 'oidc', state, OIDC_SECONDS);
    response.redirect(303, url.href);
  };
  const end = async (request: Request, response: Response): Promise<void> => {
    const state = deps.cookies.read(request, 'oidc');
    deps.cookies.clear(response, 'oidc');
    if (state === null || request.query.state !== state) {
      throw new BillingError('LOGIN_FAILED', { message: 'The sign-in was not begun in this browser' });
    }
    const [, query = ''] = request.originalUrl.split('?');
    const { person, returnTo } = await oidc.end(visitorOf(request), { query, state });
    await openFor(deps, { req: request, res: response }, { person, method: 'oidc' });
    response.redirect(303, returnTo);
  };
  /** A person sees the sign-in page, which says what was wrong, and not an answer in JSON. */
  const orSignIn =
    (work: (request: Request, response: Response) => Promise<void>) =>
    async (request: Request, response: Response): Promise<void> => {
      await work(request, response).catch((error: unknown) => {
        if (!(error instanceof BillingError)) throw error;
        request.refusedWith = error.code;
        response.redirect(303, `${DASHBOARD}/sign-in?refused=${error.code}`);
      });
    };
  for (const [path, work] of [
    ['/auth/oidc', begin],
    ['/auth/oidc/callback', end],
  ] as const) {
    router.get(path, (request, _response, next) => {
      setRoute(request, { path: DASHBOARD + path, scope: 'write' });
      next();
    });
    router.get(path, orSignIn(work));
  }
}
