import { Html, html } from '../server/kernel/html.ts';
import { type Language, SERVICE } from '../server/site/served.ts';
import { plain } from './markdown.ts';
import type { Words } from './words.ts';

/** A page of the docs without what all of them share. */
export interface Page {
  /** Below `/docs/<language>`; empty for the first page, null for one without an address. */
  readonly path: string | null;
  readonly title: string;
  /** One sentence, for search engines and lists. */
  readonly description: string;
  readonly body: Html;
  /** Wide pages have code beside their text. */
  readonly isWide?: boolean;
}

export interface NavigationPart {
  readonly title: string;
  readonly links: readonly { readonly path: string; readonly title: string }[];
}

export interface Frame {
  readonly language: Language;
  readonly words: Words;
  readonly navigation: readonly NavigationPart[];
  /** Addresses of the script and the style. */
  readonly script: string;
  readonly style: string;
}

const other: Readonly<Record<Language, Language>> = { en: 'pt', pt: 'en' };

const part = ({ title, links }: NavigationPart, here: string): Html =>
  html`<li><p>${title}</p><ul>${links.map(({ path, title: name }) => {
    const current = new Html(path === here ? ' aria-current="page"' : '');
    return html`<li><a href="${path}"${current}>${name}</a></li>`;
  })}</ul></li>`;

const searchDialog = (words: Words): Html =>
  html`<dialog id="search" aria-label="${words.search}"><form method="dialog"><input type="search" aria-label="${words.search}" placeholder="${words.searchHint}" autocomplete="off" spellcheck="false"><button>${words.close}</button></form><p class="nothing" hidden>${words.nothingFound}</p><ul></ul></dialog>`;

/** The whole document of a page. */
export function documentOf(page: Page, frame: Frame): string {
  const { language, words, navigation, script, style } = frame;
  const here = `/docs/${language}${page.path ?? ''}`;
  const there = `/docs/${other[language]}${page.path ?? ''}`;
  const tongue = other[language] === 'pt' ? 'pt-BR' : 'en';
  return html`<!doctype html>
<html lang="${words.htmlLang}"><head><meta charset="utf-8"><title>${page.title} · Fatura</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="description" content="${plain(page.description)}">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><link rel="stylesheet" href="${style}">
${
  page.path === null
    ? null
    : html`<link rel="alternate" hreflang="${words.htmlLang}" href="${SERVICE}${here}"><link rel="alternate" hreflang="${tongue}" href="${SERVICE}${there}">`
}
<script type="module" src="${script}"></script></head>
<body><a class="skip" href="#content">${words.skip}</a>
<header><a class="name" href="/docs/${language}">Fatura <span>${words.docs}</span></a>
<button type="button" id="open-search" hidden data-index="/docs/${language}/search.json">${words.search} <kbd>/</kbd></button>
<label class="code-language" hidden><span>${words.codeLanguage}</span><select id="code-language"><option value="curl">curl</option><option value="typescript">TypeScript</option><option value="python">Python</option></select></label>
<button type="button" id="theme" hidden aria-label="${words.theme}" title="${words.theme}">◐</button>
<a href="${there}" hreflang="${tongue}" lang="${tongue}">${words.otherLanguage}</a></header>
<nav aria-label="${words.menu}"><details open><summary>${words.menu}</summary><ul>${navigation.map((of) => part(of, here))}</ul></details></nav>
<main id="content"${new Html(page.isWide ? ' class="wide"' : '')} data-copied="${words.copied}">${page.body}</main>${searchDialog(words)}</body></html>`
    .text;
}
