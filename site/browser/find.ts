import MiniSearch from 'minisearch';

/** As the build wrote it. */
export interface Findable {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly also: string;
  readonly kind: string;
  readonly url: string;
}

export type Found = Pick<Findable, 'title' | 'kind' | 'url'>;

/** What an index file holds. */
export interface Searchable {
  /** Not looked for where other words are. */
  readonly smallWords: readonly string[];
  readonly findables: readonly Findable[];
}

/** Words of names too: `invoices.checkout` and `CARD_DECLINED` are found by their parts. */
const wordsOf = (text: string): string[] => {
  const parts = text.split(/[\s.,:;·/_()`'"-]+/);
  return [...text.split(/\s+/), ...parts, ...parts.flatMap((part) => part.split(/(?<=[a-z])(?=[A-Z])/))].filter(
    Boolean,
  );
};

/** Letters alone: `cartao` finds `cartão`. */
const folded = (word: string): string => word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Guides answer what people ask in words of their own; an operation, a code or an event is asked for by its name. */
const KIND_BOOST: Readonly<Record<string, number>> = { guide: 1.6 };

/** Finds with all words, or where nothing has all of them with any. */
export function finder({ smallWords, findables }: Searchable): (asked: string) => Found[] {
  const small = new Set(smallWords.map(folded));
  const index = new MiniSearch<Findable>({
    fields: ['title', 'also', 'text'],
    storeFields: ['title', 'kind', 'url'],
    tokenize: wordsOf,
    processTerm: folded,
    searchOptions: {
      boost: { title: 4, also: 3 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.15 : false),
      boostDocument: (_, __, stored) => KIND_BOOST[String(stored?.kind)] ?? 1,
    },
  });
  index.addAll(findables);
  return (asked) => {
    const words = asked.split(/\s+/).filter((word) => !small.has(folded(word)));
    const query = words.length > 0 ? words.join(' ') : asked;
    const all = index.search(query, { combineWith: 'AND' });
    // Stored fields come back beside the score, typed as anything.
    return (all.length > 0 ? all : index.search(query)) as unknown as Found[];
  };
}
