import { errorCatalog } from '../contract/errors.ts';
import { EVERYDAY_WORDS } from './everyday-words.ts';
import type { GuideGroup } from './guides.ts';
import { type Markdown, plain } from './markdown.ts';
import type { Writing } from './pages.ts';

/** Something that a reader may look for. */
export interface Findable {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Other words for what the title says. */
  readonly also: string;
  readonly kind: 'operation' | 'error' | 'event' | 'guide';
  readonly url: string;
}

type Found = Omit<Findable, 'id' | 'also'>;

const folded = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

const holds = (text: string, word: string): boolean =>
  new RegExp(`(?<![\\p{L}\\d])${RegExp.escape(folded(word))}(?![\\p{L}\\d])`, 'u').test(text);

/** The everyday words for what a text names. */
function otherWordsFor(text: string): string {
  const plainText = folded(text.replaceAll(/(?<=[a-z])(?=[A-Z])|_/g, ' '));
  const groups = EVERYDAY_WORDS.filter((words) => words.some((word) => holds(plainText, word)));
  return [...new Set(groups.flat())].join(' ');
}

const SECTION_CHARACTERS_MAX = 400;

/** A page, and its sections with the beginning of what they say. */
function sectionsOf(page: Found, markdown: Markdown, source: string): Found[] {
  const [, ...bodies] = source.replaceAll(/^```.*?^```/gms, '').split(/^#{2,} .*$/m);
  const headings = markdown.headings(source).filter(({ level }) => level > 1);
  const sections = headings.map(({ title, anchor }, place): Found => {
    const text = plain(bodies[place] ?? '').replaceAll(/[\s|]+/g, ' ');
    const said = text.slice(0, SECTION_CHARACTERS_MAX).replace(/\S*$/, '');
    return { title: `${page.title}: ${title}`, text: said, kind: 'guide', url: `${page.url}#${anchor}` };
  });
  return [page, ...sections];
}

/** Everything that the search knows, in one language. */
export function findables(
  { document, root, translate, markdown, words }: Writing,
  guides: readonly GuideGroup[],
): Findable[] {
  const operations = document.operations.map(
    ({ operationId, tags: [group], summary, description, method, path }): Found => ({
      title: `${operationId} · ${translate(summary)}`,
      text: `${method} ${path} ${description === undefined ? '' : translate(description)}`,
      kind: 'operation',
      url: `${root}/api/${group}#${operationId}`,
    }),
  );
  const errors = Object.entries(errorCatalog).map(
    ([code, { doc, status }]): Found => ({
      title: code,
      text: `${translate(doc)} erro error ${status}`,
      kind: 'error',
      url: `${root}/errors#${code}`,
    }),
  );
  const events = document.events.map(
    ([type]): Found => ({ title: type, text: '', kind: 'event', url: `${root}/events#${type}` }),
  );
  const introduction: Found = {
    title: words.introduction,
    text: '',
    kind: 'guide',
    url: `${root}/api`,
  };
  const codes: Found = { title: words.errors, text: '', kind: 'guide', url: `${root}/errors` };
  const texts = [
    ...sectionsOf(introduction, markdown, translate(document.introduction)),
    codes,
    ...guides.flatMap(({ guides: ofGroup }) =>
      ofGroup.flatMap(({ slug, title, description, source }) => {
        const guide: Found = { title, text: plain(description), kind: 'guide', url: `${root}/guides/${slug}` };
        return sectionsOf(guide, markdown, source);
      }),
    ),
  ];
  return [...operations, ...errors, ...events, ...texts].map((found, index) => ({
    ...found,
    also: otherWordsFor(found.title.split(': ').at(-1) ?? ''),
    id: String(index),
  }));
}
