import type { Express, Request, RequestHandler } from 'express';
import { DASHBOARD } from '../../contract/dashboard.ts';
import { namesLoopback } from '../kernel/loopback.ts';
import { assetRouter, type BuiltDashboard } from '../web/built.ts';
import { sendShell } from './page.ts';

/** Below these are answers to scripts, and none is a page. */
const NO_PAGES = /^\/(?:api|auth|assets)(?:\/|$)/;

interface MountOptions {
  readonly built: BuiltDashboard;
  readonly publicUrl: string;
}

/**
 * Where a page of this machine is that was asked for by another of the machine's names: cookies, passkeys and the check of Origin
 * hold for the one of PUBLIC_URL. Null: it is there already. A PUBLIC_URL of elsewhere has a proxy before it, which may ask by any
 * name. Nothing of the answer is what the request calls the host.
 */
function ownAddress({ headers, url }: Request, publicUrl: string): string | null {
  const asked = URL.parse(`http://${headers.host}`);
  if (asked === null || asked.hostname === new URL(publicUrl).hostname) return null;
  if (!namesLoopback(publicUrl) || !namesLoopback(asked.href)) return null;
  const { pathname, search } = new URL(url, publicUrl);
  return publicUrl.replace(/\/$/, '') + pathname + search;
}

/** Serves the dashboard: what it loads, and one page for any address of it that is no API. The page knows its screens itself. */
export function mountDashboard(app: Express, { built, publicUrl }: MountOptions): void {
  const root = new URL(publicUrl).pathname.replace(/\/$/, '') + DASHBOARD;
  const showPage: RequestHandler = (request, response, next) => {
    if (NO_PAGES.test(request.path.slice(DASHBOARD.length))) return next();
    const elsewhere = ownAddress(request, publicUrl);
    if (elsewhere === null) sendShell(response, built, root);
    else response.set('Cache-Control', 'no-store').redirect(307, elsewhere);
  };
  app.use(`${DASHBOARD}/assets`, assetRouter(built));
  app.get(DASHBOARD, showPage);
  app.get(`${DASHBOARD}/{*screen}`, showPage);
}
