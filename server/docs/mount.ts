import type { Express, NextFunction, Request, Response } from 'express';
import { buildOpenApi } from '../../contract/openapi.ts';
import { ApiDocument } from './document.ts';
import { Documents } from './documents.ts';
import { llmsIndex, llmsWhole } from './llms.ts';
import { postmanCollection } from './postman.ts';
import { Site } from './site.ts';
import { translator } from './translations.ts';
import { type Language, languages } from './words.ts';

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

export interface DocsOptions {
  readonly publicUrl: string;
  /** Names of the script and the style. */
  readonly files: { readonly script: string; readonly style: string };
}

/** Where the script and the style are served. */
export const DOCS_ASSETS = '/docs/assets';

/** The docs, written from the contract and the guides when they are first asked for. */
class Docs {
  readonly #documents = new Documents();
  readonly #options: DocsOptions;
  #document: ApiDocument | null = null;
  readonly #sites = new Map<Language, Site>();

  constructor(options: DocsOptions) {
    this.#options = options;
  }

  get document(): ApiDocument {
    this.#document ??= new ApiDocument(this.#options.publicUrl);
    return this.#document;
  }

  site(language: Language): Site {
    const known = this.#sites.get(language);
    if (known !== undefined) return known;
    const { script, style } = this.#options.files;
    const assets = { script: `${DOCS_ASSETS}/${script}`, style: `${DOCS_ASSETS}/${style}` };
    const site = new Site({ language, document: this.document, assets, translate: translator(language) });
    this.#sites.set(language, site);
    return site;
  }

  /** Serves one text under its path. */
  text(type: string, write: () => string) {
    return (request: Request, response: Response, next: NextFunction): void => {
      this.#documents.send({ request, response }, { name: request.path, type, write }).catch(next);
    };
  }

  page(language: Language) {
    return (request: Request, response: Response, next: NextFunction): void => {
      const site = this.site(language);
      const path = request.path.slice(`/docs/${language}`.length);
      response.set('Content-Security-Policy', POLICY);
      if (!site.paths.includes(path)) {
        response.status(404).type('html').send(site.missing);
        return;
      }
      const write = () => site.page(path) ?? site.missing;
      this.#documents.send({ request, response }, { name: request.path, type: 'html', write }).catch(next);
    };
  }

  /** The source of a guide, for readers that are no people. */
  source(language: Language) {
    return (request: Request, response: Response, next: NextFunction): void => {
      const guides = this.site(language).guides.flatMap((group) => group.guides);
      const guide = guides.find(({ slug }) => request.path.endsWith(`/${slug}.md`));
      if (guide === undefined) next();
      else this.text('text/markdown; charset=utf-8', () => guide.source)(request, response, next);
    };
  }
}

/** The language that the reader's browser asks for; the market's, where it asks for neither. */
const languageFor = (request: Request): Language => {
  const asked = request.acceptsLanguages([...languages]);
  return asked === false ? 'pt' : (asked as Language); // one of those that it was asked about
};

const leadTo =
  (path: string) =>
  (request: Request, response: Response): void => {
    response.vary('Accept-Language').redirect(302, `/docs/${languageFor(request)}${path}`);
  };

/** The reference, the guides and their documents (docs/product/reference.md). */
export function mountDocs(app: Express, options: DocsOptions): void {
  const docs = new Docs(options);
  const english = () => ({ document: docs.document, guides: docs.site('en').guides });
  const plain = 'text/plain; charset=utf-8';
  app.get(
    '/openapi.json',
    docs.text('json', () => JSON.stringify(buildOpenApi(options.publicUrl))),
  );
  app.get(
    '/llms.txt',
    docs.text(plain, () => llmsIndex(english())),
  );
  app.get(
    '/llms-full.txt',
    docs.text(plain, () => llmsWhole(english())),
  );
  app.get(
    '/docs/postman.json',
    docs.text('json', () => JSON.stringify(postmanCollection(docs.document), null, 2)),
  );
  app.get('/', leadTo(''));
  app.get('/docs', leadTo(''));
  app.get('/docs/errors', leadTo('/errors'));
  for (const language of languages) {
    app.get(
      `/docs/${language}/search.json`,
      docs.text('json', () => docs.site(language).searchIndex),
    );
    app.get(`/docs/${language}/guides/:slug.md`, docs.source(language));
    app.get([`/docs/${language}`, `/docs/${language}/*path`], docs.page(language));
  }
}
