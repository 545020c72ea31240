import { z } from 'zod';
import { page, periodOf } from './lists.ts';
import { centsOf } from './money.ts';
import { type Handler, lasts, param } from './operations.ts';
import { invalid, notFound } from './problem.ts';

export const listPix: Handler = (desk, call) => {
  const period = periodOf(desk.profile, call, 'PixConsultaInvalida');
  const { query } = call;
  const unseen = call.strikes('paid_unseen');
  const found = [...call.merchant.books.payments.values()].filter(
    ({ at, txid, returns }) =>
      period.holds(at) &&
      !lasts(desk, unseen, at) &&
      (!query.has('txid') || txid === query.get('txid')) &&
      // Whoever pays is not in these books, so nobody is found by a document.
      !query.has('cpf') &&
      !query.has('cnpj') &&
      agrees(query.get('txIdPresente'), txid !== null) &&
      agrees(query.get('devolucaoPresente'), returns.length > 0),
  );
  const { parametros, items } = page(call, period, found);
  return { status: 200, body: { parametros, pix: items.map((payment) => desk.views.payment(payment)) } };
};

export const getPix: Handler = (desk, call) => {
  const payment = call.merchant.books.payment(param(call, 'e2eid'));
  if (lasts(desk, call.strikes('lagging'), payment.at)) throw notFound('PixNaoEncontrado', 'Pix não encontrado.');
  return { status: 200, body: desk.views.payment(payment) };
};

const Asked = z.object({ valor: z.string(), descricao: z.string().optional(), natureza: z.string().optional() });

export const putReturn: Handler = (desk, call) => {
  const { books } = call.merchant;
  const { valor, descricao, natureza } = Asked.parse(call.body);
  const id = param(call, 'id');
  const payment = books.payment(param(call, 'e2eid'));
  if (natureza === 'RETIRADA') {
    throw invalid('PixDevolucaoInvalida', 'devolucao.natureza', 'O Pix não tem saque nem troco.');
  }
  const amount = centsOf(valor);
  const status = desk.profile.success.putReturn;
  const known = payment.returns.find((each) => each.id === id);
  if (known !== undefined) {
    const refused = desk.profile.repeatOfReturn === 'bad-request' || call.strikes('repeat_refused') !== null;
    if (refused || known.amount !== amount) {
      throw invalid('PixDevolucaoInvalida', 'id', 'A devolução apresenta um id já utilizado por outra requisição.');
    }
    return { status, body: desk.views.returned(known) };
  }
  const requested = books.requestReturn(payment, { id, amount, description: descricao ?? null });
  const body = desk.views.returned(requested);
  desk.returnRequested(call.merchant, payment.endToEndId, id);
  return { status, body };
};

export const getReturn: Handler = (desk, call) => {
  const { books } = call.merchant;
  const found = books.returnOf(books.payment(param(call, 'e2eid')), param(call, 'id'));
  if (lasts(desk, call.strikes('lagging'), found.requestedAt))
    throw notFound('PixDevolucaoNaoEncontrada', 'Devolução não encontrada.');
  return { status: 200, body: desk.views.returned(found) };
};

/** Whether a filter, if there is one, wants what is so. */
const agrees = (wanted: string | null, is: boolean): boolean => wanted === null || (wanted === 'true') === is;
