const SCRIPT = `document.addEventListener('click', async ({ target }) => {
  const { method, path, body } = target.dataset;
  if (!path) return;
  const answer = await fetch(path, { method, headers: { 'content-type': 'application/json' }, body });
  if (!answer.ok) return alert((await answer.json()).error);
  location.reload();
});`;

const STYLE = `body{font:15px system-ui;margin:2rem;max-width:80rem}table{border-collapse:collapse}
td,th{padding:.3rem .8rem .3rem 0;text-align:left;vertical-align:top}button{margin-right:.4rem}`;

export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** A button that sends JSON. */
export const button = (label: string, path: string, body: object, method = 'POST'): string =>
  `<button data-method="${method}" data-path="${escaped(path)}" data-body="${escaped(JSON.stringify(body))}">${label}</button>`;

export const row = (cells: readonly string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

export const table = (heads: readonly string[], rows: readonly string[]): string =>
  rows.length === 0
    ? '<p>none yet</p>'
    : `<table><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr>${rows.join('')}</table>`;

const ROWS_MAX = 50;

/** The newest first, and no more than a person reads. */
export const newest = <Entry>(entries: readonly Entry[]): readonly Entry[] => entries.slice(-ROWS_MAX).reverse();

export const instant = (atMs: number): string => new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');

/** A page of controls. */
export const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style>
<h1>${title}</h1>
${body}
<script>${SCRIPT}</script></html>`;
