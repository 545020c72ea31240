import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { html } from '../server/kernel/html.ts';
import type { Language } from '../server/site/served.ts';
import type { Page } from './layout.ts';
import type { Heading, Markdown } from './markdown.ts';

const FOLDER = resolve(import.meta.dirname, '../docs/guides');

export interface Guide {
  readonly slug: string;
  readonly title: string;
  /** The first paragraph. */
  readonly description: string;
  readonly source: string;
}

export interface GuideGroup {
  readonly title: string;
  readonly guides: readonly Guide[];
}

function readGuide(slug: string, language: Language): Guide {
  const source = readFileSync(join(FOLDER, language, `${slug}.md`), 'utf8');
  const [heading = '', paragraph = ''] = source.split(/\n{2,}/);
  return { slug, title: heading.replace(/^# /, ''), description: paragraph.replaceAll('\n', ' '), source };
}

/** The guides of a language in reading order, as `docs/guides/guides.json` has it. */
export function readGuides(language: Language): GuideGroup[] {
  // A test holds the file to this form.
  const index = JSON.parse(readFileSync(join(FOLDER, 'guides.json'), 'utf8')) as {
    groups: { title: Record<Language, string>; guides: string[] }[];
  };
  return index.groups.map(({ title, guides }) => ({
    title: title[language],
    guides: guides.map((slug) => readGuide(slug, language)),
  }));
}

/** A Markdown text with its links turned to where they lead; code stays as it is. */
export const withLinks = (source: string, linkOf: (target: string) => string): string =>
  source
    .split(/(```[\s\S]*?```)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/\]\(([^)\s]+)\)/g, (_, to) => `](${linkOf(to)})`)))
    .join('');

/** Headings that lead to a part of the page. */
const contents = (headings: readonly Heading[]) =>
  html`<ul class="contents">${headings
    .filter(({ level }) => level === 2)
    .map(({ title, anchor }) => html`<li><a href="#${anchor}">${title}</a></li>`)}</ul>`;

export function guidePage(guide: Guide, markdown: Markdown): Page {
  const { slug, title, description, source } = guide;
  const body = source.replace(/^# .*\n+/, '');
  return {
    path: `/guides/${slug}`,
    title,
    description,
    body: html`<h1>${title}</h1>${contents(markdown.headings(body))}${markdown.text(body)}`,
  };
}
