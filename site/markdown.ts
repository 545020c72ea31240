import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import markdownIt from 'markdown-it';
import anchors from 'markdown-it-anchor';
import { Html, html } from '../server/kernel/html.ts';

hljs.registerLanguage('bash', bash);
hljs.registerLanguage('json', json);
hljs.registerLanguage('python', python);
hljs.registerLanguage('typescript', typescript);

/** How fences and samples name the languages. */
const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'bash',
  curl: 'bash',
  json: 'json',
  ts: 'typescript',
  typescript: 'typescript',
  python: 'python',
};

/** What readers call them. */
export const TITLES: Readonly<Record<string, string>> = {
  sh: 'Terminal',
  curl: 'curl',
  json: 'JSON',
  ts: 'TypeScript',
  typescript: 'TypeScript',
  python: 'Python',
};

/** Code with its words marked by classes; a language that is not known stays plain. */
export function highlighted(code: string, language: string): Html {
  const known = LANGUAGES[language];
  return known === undefined ? html`${code}` : new Html(hljs.highlight(code, { language: known }).value);
}

/** A block of code under its title, with a button that copies it. */
export const codeBlock = (
  code: string,
  { language, title, copy }: { language: string; title: string; copy: string },
): Html =>
  html`<div class="block"><p class="bar"><span>${title}</span> <button type="button" data-copy>${copy}</button></p><pre tabindex="0"><code>${highlighted(code, language)}</code></pre></div>`;

/** The anchor of a heading, as GitHub gives it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

export interface MarkdownOptions {
  /** Where a link of the text leads to on the site. */
  readonly linkOf: (target: string) => string;
  readonly copy: string;
}

export interface Heading {
  readonly level: number;
  readonly title: string;
  readonly anchor: string;
}

function rendererFor({ linkOf, copy }: MarkdownOptions) {
  const markdown = markdownIt({ html: false, linkify: false });
  markdown.use(anchors, { slugify: anchorOf, tabIndex: false });
  // The schemes of our own links are no addresses that a browser would know.
  markdown.validateLink = () => true;
  markdown.renderer.rules.fence = (tokens, index) => {
    const { content = '', info = '' } = tokens[index] ?? {};
    const [language = ''] = info.split(' ');
    return codeBlock(content.trimEnd(), { language, title: TITLES[language] ?? '', copy }).text;
  };
  markdown.renderer.rules.link_open = (tokens, index, options, _env, self) => {
    const token = tokens[index];
    token?.attrSet('href', linkOf(String(token.attrGet('href'))));
    return self.renderToken(tokens, index, options);
  };
  markdown.renderer.rules.table_open = () => '<div class="table"><table>';
  markdown.renderer.rules.table_close = () => '</table></div>';
  return markdown;
}

/** Renders texts of ours; markup in them is shown as text. */
export class Markdown {
  readonly #markdown: ReturnType<typeof rendererFor>;

  constructor(options: MarkdownOptions) {
    this.#markdown = rendererFor(options);
  }

  /** A whole text, with paragraphs. */
  text(source: string): Html {
    return new Html(this.#markdown.render(source));
  }

  /** One sentence or a few, without a paragraph around them. */
  line(source: string): Html {
    return new Html(this.#markdown.renderInline(source));
  }

  headings(source: string): Heading[] {
    return this.#markdown.parse(source, {}).flatMap((token, index, tokens) => {
      if (token.type !== 'heading_open') return [];
      const title = plain(tokens[index + 1]?.content ?? '');
      return [{ level: Number(token.tag.slice(1)), title, anchor: String(token.attrGet('id')) }];
    });
  }
}

/** A text without the signs of its markup. */
export const plain = (text: string): string => text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
