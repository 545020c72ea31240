import { type Found, finder } from './find.ts';

const RESULTS_MAX = 30;

async function loadFinder(url: string): Promise<(asked: string) => Found[]> {
  const answer = await fetch(url);
  return finder(await answer.json());
}

function show(list: Element, found: readonly Found[]): void {
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
  let loading: Promise<((asked: string) => Found[]) | null> | null = null;
  const open = () => {
    loading ??= loadFinder(button.dataset.index ?? '').catch(() => {
      loading = null; // the next opening asks again
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
    const found = asked === '' ? [] : ((await loading)?.(asked) ?? []);
    if (input.value.trim() !== asked) return; // more was typed meanwhile
    show(list, found);
    nothing.hidden = asked === '' || found.length > 0;
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  list.addEventListener('click', () => dialog.close());
}
