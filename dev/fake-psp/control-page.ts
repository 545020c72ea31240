import { decimal } from './money.ts';
import type { PlainBooks, PlainCob, PlainPayment, Trouble } from './psp.ts';

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** A button that sends JSON. */
const button = (label: string, path: string, body: object, method = 'POST'): string =>
  `<button data-method="${method}" data-path="${escaped(path)}" data-body="${escaped(JSON.stringify(body))}">${label}</button>`;

const row = (cells: readonly string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

const table = (heads: readonly string[], rows: readonly string[]): string =>
  rows.length === 0
    ? '<p>none yet</p>'
    : `<table><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr>${rows.join('')}</table>`;

const ROWS_MAX = 50;

/** The newest first, and no more than a person reads. */
const newest = <Entry>(entries: readonly Entry[]): readonly Entry[] => entries.slice(-ROWS_MAX).reverse();

const instant = (atMs: number): string => new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');

const cobRow = ({ txid, status, amount, expiresAt }: PlainCob): string =>
  row([
    `<code>${escaped(txid)}</code>`,
    decimal(amount),
    status,
    instant(expiresAt),
    status === 'ATIVA'
      ? button('pay', `/cobs/${txid}/pay`, {}) +
        button('pay one real more', `/cobs/${txid}/pay`, { amount: amount + 100 }) +
        button('pay late', `/cobs/${txid}/pay`, { late: true }) +
        button('remove', `/cobs/${txid}`, {}, 'DELETE')
      : button('pay late', `/cobs/${txid}/pay`, { late: true }),
  ]);

function paymentRow({ endToEndId, txid, amount, at }: PlainPayment, books: PlainBooks): string {
  const returns = books.returns.filter((each) => each.endToEndId === endToEndId);
  const gone = returns.filter(({ status }) => status !== 'NAO_REALIZADO').reduce((sum, each) => sum + each.amount, 0);
  const back = (label: string, nature: string): string =>
    button(label, `/payments/${endToEndId}/return`, { nature, amount: amount - gone });
  return row([
    `<code>${endToEndId}</code>`,
    `<code>${escaped(txid ?? 'to the key')}</code>`,
    decimal(amount),
    instant(at),
    returns.map((each) => `${decimal(each.amount)} ${each.nature} ${each.status}`).join('<br>'),
    gone < amount ? back('return: fraud', 'MED_FRAUDE') + back('return: bank error', 'MED_OPERACIONAL') : '',
  ]);
}

const SCRIPT = `document.addEventListener('click', async ({ target }) => {
  const { method, path, body } = target.dataset;
  if (!path) return;
  const answer = await fetch(path, { method, headers: { 'content-type': 'application/json' }, body });
  if (!answer.ok) return alert((await answer.json()).error);
  location.reload();
});`;

const STYLE = `body{font:15px system-ui;margin:2rem;max-width:80rem}table{border-collapse:collapse}
td,th{padding:.3rem .8rem .3rem 0;text-align:left;vertical-align:top}button{margin-right:.4rem}`;

/** What a person sees of the PSP: the books, and buttons for whatever a bank does by itself. */
export function controlPage(profile: string, books: PlainBooks, troubles: readonly Trouble[]): string {
  const trouble = (label: string, body: Trouble) => button(label, '/troubles', body);
  const cobs = newest(books.cobs).map(cobRow);
  const payments = newest(books.payments).map((payment) => paymentRow(payment, books));
  const callbacks = newest(books.callbacks).map(({ url, outcome, answers }) =>
    row([escaped(url), outcome, answers.join(', ')]),
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Fake PSP (${profile})</title><style>${STYLE}</style>
<h1>Fake PSP: ${profile}</h1>
<h2>Cobs</h2>${table(['txid', 'amount', 'status', 'expires (UTC)', ''], cobs)}
<h2>Payments</h2>${table(['end-to-end id', 'txid', 'amount', 'at (UTC)', 'returns', ''], payments)}
<h2>Callbacks</h2><p>${escaped(books.webhook?.url ?? 'no webhook is registered')}</p>${table(['to', 'outcome', 'answers'], callbacks)}
<h2>Troubles</h2><p>${escaped(troubles.map((each) => JSON.stringify(each)).join(' ')) || 'none'}</p>
${trouble('lose the next answer', { kind: 'answer_lost', next: 1 })}
${trouble('lose the next 3 requests', { kind: 'request_lost', next: 3 })}
${trouble('503 for the next 3', { kind: 'unavailable', next: 3 })}
${trouble('end the tokens', { kind: 'token_ends', next: 1 })}
${trouble('no callbacks', { kind: 'callback_none' })}
${trouble('next callback twice', { kind: 'callback_twice', next: 1 })}
${trouble('next devolução stays under processing', { kind: 'return_stays', next: 1 })}
${button('settle devoluções', '/returns/settle', {})}
${trouble('next devolução fails', { kind: 'return_fails', next: 1 })}
${button('no more troubles', '/troubles', {}, 'DELETE')}
<script>${SCRIPT}</script></html>`;
}
