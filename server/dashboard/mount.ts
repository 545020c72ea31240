import type { Express, RequestHandler } from 'express';
import { DASHBOARD } from '../../contract/dashboard.ts';
import { assetRouter, type BuiltDashboard } from '../web/built.ts';
import { sendShell } from './page.ts';

/** Below these are answers to scripts, and none is a page. */
const NO_PAGES = /^\/(?:api|auth|assets)(?:\/|$)/;

interface MountOptions {
  readonly built: BuiltDashboard;
  readonly publicUrl: string;
}

/** Serves the dashboard: what it loads, and one page for any address of it that is no API. The page knows its screens itself. */
export function mountDashboard(app: Express, { built, publicUrl }: MountOptions): void {
  const root = new URL(publicUrl).pathname.replace(/\/$/, '') + DASHBOARD;
  const showPage: RequestHandler = (request, response, next) => {
    if (NO_PAGES.test(request.path.slice(DASHBOARD.length))) next();
    else sendShell(response, built, root);
  };
  app.use(`${DASHBOARD}/assets`, assetRouter(built));
  app.get(DASHBOARD, showPage);
  app.get(`${DASHBOARD}/{*screen}`, showPage);
}
