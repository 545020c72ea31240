import { errorCatalog } from '../../contract/errors.ts';
import type { GuideGroup } from './guides.ts';
import { plain } from './markdown.ts';
import type { Writing } from './pages.ts';

/** Something that a reader may look for. */
export interface Findable {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly kind: 'operation' | 'error' | 'event' | 'guide';
  readonly url: string;
}

type Found = Omit<Findable, 'id'>;

/** Everything that the search knows, in one language. */
export function findables({ document, root, translate, markdown }: Writing, guides: readonly GuideGroup[]): Findable[] {
  const operations = document.operations.map(
    ({ operationId, tags: [group], summary, description, method, path }): Found => ({
      title: `${operationId} · ${translate(summary)}`,
      text: `${method} ${path} ${description === undefined ? '' : translate(description)}`,
      kind: 'operation',
      url: `${root}/api/${group}#${operationId}`,
    }),
  );
  const errors = Object.entries(errorCatalog).map(
    ([code, { doc }]): Found => ({ title: code, text: translate(doc), kind: 'error', url: `${root}/errors#${code}` }),
  );
  const events = document.events.map(
    ([type]): Found => ({ title: type, text: '', kind: 'event', url: `${root}/events#${type}` }),
  );
  const texts = guides.flatMap(({ guides: ofGroup }) =>
    ofGroup.flatMap(({ slug, title, description, source }): Found[] => [
      { title, text: plain(description), kind: 'guide', url: `${root}/guides/${slug}` },
      ...markdown
        .headings(source)
        .filter(({ level }) => level > 1)
        .map(
          ({ title: heading, anchor }): Found => ({
            title: `${title}: ${heading}`,
            text: '',
            kind: 'guide',
            url: `${root}/guides/${slug}#${anchor}`,
          }),
        ),
    ]),
  );
  return [...operations, ...errors, ...events, ...texts].map((found, index) => ({ ...found, id: String(index) }));
}
