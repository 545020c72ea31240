import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { html } from '../server/kernel/html.ts';
import { type Language, SERVICE } from '../server/site/served.ts';
import type { ApiDocument } from './document.ts';
import { type GuideGroup, guidePage, readGuides, withLinks } from './guides.ts';
import { documentOf, type Frame, type NavigationPart, type Page } from './layout.ts';
import { Markdown } from './markdown.ts';
import { errorsPage, eventsPage, groupPage, introductionPage, objectsOf, placeOfGroup, type Writing } from './pages.ts';
import { type Findable, findables } from './search.ts';
import { type Words, words } from './words.ts';

const CHANGELOG = resolve(import.meta.dirname, '../CHANGELOG.md');

export interface SiteOptions {
  readonly language: Language;
  readonly document: ApiDocument;
  /** Addresses of the script and the style of every page. */
  readonly assets: { readonly script: string; readonly style: string };
  /** A text of the contract, which is English, in the language of the site. */
  readonly translate: (text: string) => string;
}

/** A link of a guide: to another guide, an operation, an error code, an event type, or anywhere. */
function linkFor(root: string): (target: string) => string {
  return (target) => {
    const [scheme = '', rest = ''] = /^(ref|code|event):(.*)$/.exec(target)?.slice(1) ?? [];
    if (scheme === 'code') return `${root}/errors#${rest}`;
    if (scheme === 'event') return `${root}/events#${rest}`;
    if (scheme === 'ref') return `${root}/api/${rest.split('.')[0]}${rest.includes('.') ? `#${rest}` : ''}`;
    return target.replace(/^(?:\.\/)?([a-z-]+)\.md(?=#|$)/, `${root}/guides/$1`);
  };
}

/** The docs in one language. */
export class Site {
  readonly words: Words;
  readonly guides: readonly GuideGroup[];
  readonly #writing: Writing;
  readonly #frame: Frame;
  readonly #pages: ReadonlyMap<string, () => Page>;

  constructor({ language, document, assets, translate }: SiteOptions) {
    const root = `/docs/${language}`;
    this.words = words[language];
    this.guides = readGuides(language);
    const markdown = new Markdown({ linkOf: linkFor(root), copy: this.words.copy });
    const places = placesOfObjects(document, root);
    this.#writing = {
      document,
      markdown,
      words: this.words,
      translate,
      root,
      placeOf: (name) => places.get(name) ?? null,
      codePath: (code) => `${root}/errors#${code}`,
    };
    this.#frame = { language, words: this.words, navigation: this.#navigation(), ...assets };
    this.#pages = this.#allPages();
  }

  /** Paths below the root of the language. */
  get paths(): readonly string[] {
    return [...this.#pages.keys()];
  }

  /** A page as it is sent; null where there is none. */
  page(path: string): string | null {
    const write = this.#pages.get(path);
    return write === undefined ? null : documentOf(write(), this.#frame);
  }

  /** The page for an address that leads nowhere. */
  get missing(): string {
    const { notFound } = this.words;
    const body = html`<h1>${notFound}</h1><p><a href="${this.#writing.root}">${this.words.home}</a></p>`;
    return documentOf({ path: null, title: notFound, description: notFound, body }, this.#frame);
  }

  /** What the search finds. */
  get findables(): Findable[] {
    return findables(this.#writing, this.guides);
  }

  /** Where a link of a guide leads to for readers that are elsewhere. */
  linkOf = (target: string): string => {
    const path = linkFor(this.#writing.root)(target);
    return path.startsWith('/') ? SERVICE + path : path;
  };

  /** The guides as Markdown, for readers that are no people. */
  get sources(): { readonly slug: string; readonly text: string }[] {
    return this.guides.flatMap(({ guides }) =>
      guides.map(({ slug, source }) => ({ slug, text: withLinks(source, this.linkOf) })),
    );
  }

  #navigation(): NavigationPart[] {
    const { root, document, translate } = this.#writing;
    const guides = this.guides.map(({ title, guides: ofGroup }) => ({
      title,
      links: ofGroup.map((guide) => ({ path: `${root}/guides/${guide.slug}`, title: guide.title })),
    }));
    const reference = {
      title: this.words.reference,
      links: [
        { path: `${root}/api`, title: this.words.introduction },
        ...document.groups.map((group) => ({
          path: placeOfGroup(group.name, this.#writing),
          title: translate(group['x-displayName']),
        })),
        { path: `${root}/events`, title: this.words.events },
        { path: `${root}/errors`, title: this.words.errors },
        { path: `${root}/changelog`, title: this.words.changelog },
      ],
    };
    return [...guides, reference];
  }

  #allPages(): ReadonlyMap<string, () => Page> {
    const writing = this.#writing;
    const guides = this.guides.flatMap(({ guides: ofGroup }) => ofGroup);
    return new Map<string, () => Page>([
      ['', () => this.#home()],
      ['/api', () => introductionPage(writing)],
      ...writing.document.groups.map((group) => [`/api/${group.name}`, () => groupPage(group, writing)] as const),
      ['/events', () => eventsPage(writing)],
      ['/errors', () => errorsPage(writing)],
      ['/changelog', () => this.#changelog()],
      ...guides.map((guide) => [`/guides/${guide.slug}`, () => guidePage(guide, writing.markdown)] as const),
    ]);
  }

  #home(): Page {
    const { intro, firstSale, reference, openapi, postman, forModels, home } = this.words;
    const { root } = this.#writing;
    const groups = this.guides.map(
      ({ title, guides }) =>
        html`<section><h2>${title}</h2><ul>${guides.map(
          (guide) =>
            html`<li><a href="${root}/guides/${guide.slug}">${guide.title}</a><p>${this.#writing.markdown.line(guide.description)}</p></li>`,
        )}</ul></section>`,
    );
    return {
      path: '',
      title: home,
      description: intro,
      body: html`<h1>Fatura</h1><p class="intro">${intro}</p><p class="calls"><a class="call" href="${root}/guides/first-sale">${firstSale}</a> <a class="call quiet" href="${root}/api">${reference}</a></p><div class="cards">${groups}</div>
<ul class="files"><li><a href="/openapi.json">${openapi}</a></li><li><a href="/docs/postman.json">${postman}</a></li><li><a href="/llms.txt">${forModels}: llms.txt</a></li><li><a href="/llms-full.txt">llms-full.txt</a></li></ul>`,
    };
  }

  #changelog(): Page {
    const source = readFileSync(CHANGELOG, 'utf8').replace(/^# .*\n+/, '');
    const { changelog } = this.words;
    return {
      path: '/changelog',
      title: changelog,
      description: changelog,
      body: html`<h1>${changelog}</h1><div lang="en">${this.#writing.markdown.text(source)}</div>`,
    };
  }
}

/** Where each object of the API is explained: with the group that retrieves it, else with the first that answers it. */
function placesOfObjects(document: ApiDocument, root: string): Map<string, string> {
  const places = new Map<string, string>();
  for (const { name: group } of document.groups) {
    for (const object of objectsOf(group, { document })) {
      if (!places.has(object)) places.set(object, `${placeOfGroup(group, { root })}#${object}`);
    }
  }
  return places;
}
