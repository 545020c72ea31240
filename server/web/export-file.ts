import { pipeline } from 'node:stream/promises';
import express, { type Express, type Request, type Response } from 'express';
import type { Assets } from '../../web/page/page-data.ts';
import type { Deps } from '../deps.ts';
import { type ExportFile, findExportFile } from '../exports/file.ts';
import { setRoute } from '../http/request.ts';
import { ASSETS, assetRouter, assetsAt, type BuiltPages } from './built.ts';
import { beginFile } from './page.ts';
import type { PageAdmission } from './page-admission.ts';
import { sendMessage, tellFaultsByPage } from './page-answers.ts';
import { idOfLink, tries } from './page-requests.ts';

interface Parts {
  readonly built: BuiltPages;
  readonly pageAdmission: PageAdmission;
}

interface Context extends Parts {
  readonly deps: Deps;
  readonly assets: Assets;
}

const BASE = '/exports';
const PATH = '/:export/:signature';
type Link = { export: string; signature: string };

const statuses = { not_found: 404, export_gone: 410 } as const;

const sendNone = (context: Context, response: Response, why: keyof typeof statuses): void =>
  sendMessage(context, response, { status: statuses[why], message: why });

/** Sends a file part by part, no faster than it is taken: neither its size nor a slow reader takes memory or a place of others. */
async function send(response: Response, { name, bytes, content }: NonNullable<ExportFile['file']>): Promise<void> {
  beginFile(response, { name, type: 'text/csv; charset=utf-8', disposition: 'attachment' });
  response.set('Content-Length', String(bytes));
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  response.req.leave();
  // Whoever leaves before the end is owed nothing.
  await pipeline(content, response).catch((error: unknown) => {
    if (!response.closed && !response.destroyed) throw error;
  });
}

/** Mounts the files of exports (docs/product/exports.md#fetching-the-file). */
export function mountExportFiles(app: Express, deps: Deps, parts: Parts): void {
  const context = { ...parts, deps, assets: assetsAt('../', parts.built) };
  const { pageAdmission } = parts;
  const router = express.Router({ strict: true, caseSensitive: true });
  const show = async (request: Request<Link>, response: Response, id: string): Promise<void> => {
    const find = async () => {
      const found = await findExportFile(deps, id);
      if (found !== null) pageAdmission.learn(request, id, found.of);
      return found;
    };
    await pageAdmission.show(request, response, {
      id,
      limit: tries.exportFile,
      find,
      whose: (found) => found?.of ?? null,
      show: (found) => {
        if (found === null) return sendNone(context, response, 'not_found');
        return found.file === null ? sendNone(context, response, 'export_gone') : send(response, found.file);
      },
    });
  };
  router.get(PATH, (request: Request<Link>, response) => {
    setRoute(request, { path: `${BASE}${PATH}`, scope: 'read' });
    const { export: named, signature } = request.params;
    const id = idOfLink(deps, 'export', { id: named, signature });
    if (id === null) return sendNone(context, response, 'not_found');
    return pageAdmission.follow(request, id, () => show(request, response, id));
  });
  app.use(`${BASE}/${ASSETS}`, assetRouter(parts.built));
  app.use(BASE, router, tellFaultsByPage(context));
}
