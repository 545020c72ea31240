import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import express, { type Response, type Router } from 'express';
import type { Assets, Renderer } from '../../web/page/page-data.ts';

/** Where `npm run setup` builds the pages to. */
const FOLDER = resolve(import.meta.dirname, '../../.fatura/build');

/** The path of the assets, from the path that the pages are under. */
export const ASSETS = 'assets';

/** The names change with the content, so none is ever asked for twice. */
const FOR_EVER = 'public, max-age=31536000, immutable';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};
/** Best first. */
const ENCODINGS = [
  { coding: 'br', ending: '.br' },
  { coding: 'gzip', ending: '.gz' },
] as const;

/** The pages as they were built: how the server renders them, and what their browsers load. */
export interface BuiltPages {
  readonly renderer: Renderer;
  /** Names of the script and the styles. */
  readonly assets: Assets;
  /** Where the texts of the docs are. */
  readonly docs: string;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly dashboard: BuiltDashboard;
}

/** What the shell of the dashboard loads at first, and all that its script may load later. */
export interface BuiltDashboard {
  readonly script: string;
  readonly style: string;
  /** Scripts that the first one begins with. */
  readonly preload: readonly string[];
  readonly files: ReadonlyMap<string, Buffer>;
}

export class PagesNotBuilt extends Error {}

const filesIn = (folder: string): ReadonlyMap<string, Buffer> =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))] as const));

/** Reads the built pages once, at the start. */
export function readBuiltPages(folder: string = FOLDER): BuiltPages {
  try {
    const { script, style, receiptStyle, portal, dashboard } = JSON.parse(
      readFileSync(join(folder, 'built.json'), 'utf8'),
    );
    // The build types its own entry by the same interface.
    const renderer = createRequire(import.meta.url)(join(folder, 'server', 'render.mjs')) as Renderer;
    return {
      renderer,
      assets: { script, style, receiptStyle, portal },
      docs: join(folder, 'docs'),
      files: filesIn(join(folder, 'client')),
      dashboard: { ...dashboard, files: filesIn(join(folder, 'dashboard')) },
    };
  } catch (error) {
    const message = `The pages for buyers are not built in ${folder}: run \`npm run build\`, or \`npm run setup\` for everything`;
    throw new PagesNotBuilt(message, { cause: error });
  }
}

/** Where a page finds what it loads, by the way from it up to the path that the assets are under. */
export function assetsAt(
  up: string,
  { assets: { script, style, receiptStyle, portal } }: Pick<BuiltPages, 'assets'>,
): Assets {
  const at = (name: string): string => `${up}${ASSETS}/${name}`;
  return {
    script: at(script),
    style: at(style),
    receiptStyle: at(receiptStyle),
    portal: { script: at(portal.script), style: at(portal.style) },
  };
}

function send(response: Response, { files }: Pick<BuiltPages, 'files'>, name: string): boolean {
  const type = TYPES[name.split('.').at(-1) ?? ''];
  const plain = files.get(name);
  if (type === undefined || plain === undefined) return false;
  const accepted = response.req.acceptsEncodings();
  const packed = ENCODINGS.find(({ coding, ending }) => accepted.includes(coding) && files.has(name + ending));
  response.set({ 'Content-Type': type, 'Cache-Control': FOR_EVER, Vary: 'Accept-Encoding' });
  if (packed !== undefined) response.set('Content-Encoding', packed.coding);
  response.end(packed === undefined ? plain : files.get(name + packed.ending));
  return true;
}

/** Serves what the pages load, from memory. */
export function assetRouter(pages: Pick<BuiltPages, 'files'>): Router {
  const router = express.Router({ strict: true });
  router.get('/:name', (request, response, next) => {
    if (!send(response, pages, String(request.params.name))) next();
  });
  return router;
}
