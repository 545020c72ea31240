import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Express, NextFunction, Request, Response } from 'express';
import { Documents } from './documents.ts';
import { INDEX, type Language, languages, SERVICE, type WrittenFile } from './served.ts';

/** A page shows what we built and talks to this service alone. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Addresses from the root of the service, in attributes of a page and in the index of the search. */
const OWN_PATHS = /( (?:href|src|data-index|data-path)=|"url":)"\//g;

/** The path of its host that a service stands below; mostly none. */
const pathOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '');

/** A written text at the address of this service. */
function addressed(text: string, publicUrl: string): string {
  const below = pathOf(publicUrl);
  const placed = below === '' ? text : text.replaceAll(OWN_PATHS, `$1"${below}/`);
  return placed.replaceAll(SERVICE, publicUrl);
}

export interface DocsOptions {
  readonly publicUrl: string;
  /** The folder with the texts that the build wrote. */
  readonly folder: string;
}

type Handler = (request: Request, response: Response, next: NextFunction) => void;

/** Serves a text; each is read and packed when it is first asked for, and kept. */
function serving(documents: Documents, { publicUrl, folder }: DocsOptions): (file: WrittenFile) => Handler {
  return ({ path, type, file }) =>
    (request, response, next) => {
      if (type === 'html') response.set('Content-Security-Policy', POLICY);
      const read = () => addressed(readFileSync(join(folder, file), 'utf8'), publicUrl);
      documents.send({ request, response }, { name: path, type, read }).catch(next);
    };
}

/** The language that the reader's browser asks for; the market's, where it asks for neither. */
const languageFor = (request: Request): Language => {
  const asked = request.acceptsLanguages([...languages]);
  return asked === false ? 'pt' : (asked as Language); // one of those that it was asked about
};

/** The language of a page, whether it is there or not. */
const PAGE = new RegExp(`^/docs/(${languages.join('|')})/.`);

/** The reference, the guides and their documents (docs/product/reference.md). */
export function mountDocs(app: Express, options: DocsOptions): void {
  const serve = serving(new Documents(), options);
  const files = JSON.parse(readFileSync(join(options.folder, INDEX), 'utf8')) as WrittenFile[]; // as the build writes it
  const handlers = new Map(files.map((file) => [file.path, serve(file)]));
  const leadTo =
    (path: string): Handler =>
    (request, response) =>
      response
        .vary('Accept-Language')
        .redirect(302, `${pathOf(options.publicUrl)}/docs/${languageFor(request)}${path}`);
  app.get('/', leadTo(''));
  app.get('/docs', leadTo(''));
  app.get('/docs/errors', leadTo('/errors'));
  // One route for all: the router tries each route in turn, and every request of the API passes these.
  app.get(['/openapi.json', '/llms.txt', '/llms-full.txt', '/docs/*path'], (request, response, next) => {
    const handler = handlers.get(request.path);
    if (handler !== undefined) return handler(request, response, next);
    const missing = handlers.get(`/docs/${PAGE.exec(request.path)?.[1]}/404`);
    if (missing === undefined) next();
    else missing(request, response.status(404), next);
  });
}
