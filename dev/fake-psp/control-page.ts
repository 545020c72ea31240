import { button, escaped, instant, newest, page, row, table } from '../fakes/page.ts';
import { decimal } from './money.ts';
import type { PlainBooks, PlainCob, PlainPayment, Trouble } from './psp.ts';
import type { Cobr, Rec } from './rec-entries.ts';

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
        button('remove', `/cobs/${txid}/remove`, {})
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

const recRow = ({ idRec, contract, period, status }: Rec): string =>
  row([
    `<code>${escaped(idRec)}</code>`,
    escaped(contract),
    period,
    status,
    (status === 'CRIADA'
      ? button('approve', `/recs/${idRec}/approve`, {}) + button('reject', `/recs/${idRec}/reject`, {})
      : '') + (['CRIADA', 'APROVADA'].includes(status) ? button('cancel', `/recs/${idRec}/cancel`, {}) : ''),
  ]);

const cobrRow = ({ txid, amount, dueOn, status, tries }: Cobr): string =>
  row([
    `<code>${escaped(txid)}</code>`,
    decimal(amount),
    dueOn,
    status,
    tries.map((each) => `${each.date} ${each.status} ${each.code ?? ''}`).join('<br>'),
    button('next: too little money', `/cobrs/${txid}/decide`, { outcome: { code: 'AM02' } }) +
      button('next: account closed', `/cobrs/${txid}/decide`, { outcome: { code: 'AC05' } }),
  ]);

/** What a person sees of the PSP: the books, and buttons for whatever a bank does by itself. */
export function controlPage(profile: string, books: PlainBooks, troubles: readonly Trouble[]): string {
  const trouble = (label: string, body: Trouble) => button(label, '/troubles', body);
  const cobs = newest(books.cobs).map(cobRow);
  const payments = newest(books.payments).map((payment) => paymentRow(payment, books));
  const callbacks = newest(books.callbacks).map(({ url, outcome, answers }) =>
    row([escaped(url), outcome, answers.join(', ')]),
  );
  return page(
    `Fake PSP: ${profile}`,
    `<h2>Cobs</h2>${table(['txid', 'amount', 'status', 'expires (UTC)', ''], cobs)}
<h2>Payments</h2>${table(['end-to-end id', 'txid', 'amount', 'at (UTC)', 'returns', ''], payments)}
<h2>Recurrences</h2>${table(['idRec', 'contract', 'period', 'status', ''], newest(books.recs).map(recRow))}
<h2>Debits</h2>${table(['txid', 'amount', 'due', 'status', 'tries', ''], newest(books.cobrs).map(cobrRow))}
<p>${button('a day later', '/clock', { hours: 24 })}${button('an hour later', '/clock', { hours: 1 })}</p>
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
${button('no more troubles', '/troubles', {}, 'DELETE')}`,
  );
}
