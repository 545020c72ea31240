import { DOCS_ASSETS, type Language, languages, SERVICE, type WrittenText } from '../server/site/served.ts';
import { ApiDocument } from './document.ts';
import { SMALL_WORDS } from './everyday-words.ts';
import { llmsIndex, llmsWhole } from './llms.ts';
import { postmanCollection } from './postman.ts';
import { Site } from './site.ts';
import { translator } from './translations.ts';

interface Assets {
  readonly script: string;
  readonly style: string;
}

const json = (path: string, value: unknown): WrittenText => ({ path, type: 'json', text: JSON.stringify(value) });
const plain = (path: string, text: string): WrittenText => ({ path, type: 'text/plain; charset=utf-8', text });

function siteTexts(site: Site, language: Language): WrittenText[] {
  const root = `/docs/${language}`;
  const pages = site.paths.map((path) => ({ path: root + path, type: 'html', text: site.page(path) ?? '' }));
  const sources = site.sources.map(({ slug, text }) => ({
    path: `${root}/guides/${slug}.md`,
    type: 'text/markdown; charset=utf-8',
    text,
  }));
  return [
    ...pages,
    ...sources,
    { path: `${root}/404`, type: 'html', text: site.missing },
    json(`${root}/search.json`, { smallWords: SMALL_WORDS, findables: site.findables }),
  ];
}

/** Every text of the docs, for a service at any address: this is the work of a build, for it takes seconds. */
export function writeDocs({ script, style }: Assets): WrittenText[] {
  const document = new ApiDocument(SERVICE);
  const assets = { script: `${DOCS_ASSETS}/${script}`, style: `${DOCS_ASSETS}/${style}` };
  const siteIn = (language: Language) => new Site({ language, document, assets, translate: translator(language) });
  const sites = { pt: siteIn('pt'), en: siteIn('en') } satisfies Record<Language, Site>;
  const english = { document, guides: sites.en.guides, linkOf: sites.en.linkOf };
  return [
    json('/openapi.json', document.source),
    json('/docs/postman.json', postmanCollection(document)),
    plain('/llms.txt', llmsIndex(english)),
    plain('/llms-full.txt', llmsWhole(english)),
    ...languages.flatMap((language) => siteTexts(sites[language], language)),
  ];
}
