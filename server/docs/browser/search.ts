import MiniSearch from 'minisearch';

interface Findable {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly kind: string;
  readonly url: string;
}

const RESULTS_MAX = 30;

/** Words of names too: `invoices.checkout` and `CARD_DECLINED` are found by their parts. */
const wordsOf = (text: string): string[] => {
  const parts = text.split(/[\s.,:;·/_()`'"-]+/);
  return [...text.split(/\s+/), ...parts, ...parts.flatMap((part) => part.split(/(?<=[a-z])(?=[A-Z])/))].filter(
    Boolean,
  );
};

/** Letters alone: `cartao` finds `cartão`. */
const folded = (word: string): string => word.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

async function loadIndex(url: string): Promise<MiniSearch<Findable>> {
  const index = new MiniSearch<Findable>({
    fields: ['title', 'text'],
    storeFields: ['title', 'kind', 'url'],
    tokenize: wordsOf,
    processTerm: folded,
    searchOptions: { boost: { title: 4 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
  });
  const answer = await fetch(url);
  index.addAll(await answer.json());
  return index;
}

function show(list: Element, found: readonly { title: string; kind: string; url: string }[]): void {
  list.replaceChildren(
    ...found.slice(0, RESULTS_MAX).map(({ title, url }) => {
      const link = document.createElement('a');
      link.href = url;
      link.textContent = title;
      const item = document.createElement('li');
      item.append(link);
      return item;
    }),
  );
}

/** The dialog that finds operations, codes, events and guides; `/` opens it. */
export function openSearch(): void {
  const button = document.querySelector<HTMLButtonElement>('#open-search');
  const dialog = document.querySelector<HTMLDialogElement>('#search');
  const input = dialog?.querySelector('input');
  const list = dialog?.querySelector('ul');
  const nothing = dialog?.querySelector<HTMLElement>('.nothing');
  if (!button || !dialog || !input || !list || !nothing) return;
  let index: Promise<MiniSearch<Findable> | null> | null = null;
  const open = () => {
    index ??= loadIndex(button.dataset.index ?? '').catch(() => {
      index = null; // the next opening asks again
      return null;
    });
    dialog.showModal();
    input.select();
  };
  button.hidden = false;
  button.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
    if (event.key !== '/' || isTyping || dialog.open) return;
    event.preventDefault();
    open();
  });
  input.addEventListener('input', async () => {
    const asked = input.value.trim();
    const found = asked === '' ? [] : ((await index)?.search(asked) ?? []);
    if (input.value.trim() !== asked) return; // more was typed meanwhile
    // Stored fields come back beside the score, typed as anything.
    show(list, found as unknown as Findable[]);
    nothing.hidden = asked === '' || found.length > 0;
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  list.addEventListener('click', () => dialog.close());
}
