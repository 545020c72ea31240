import { z } from 'zod';
import { page, periodOf } from './lists.ts';
import { centsOf } from './money.ts';
import { type Call, type Desk, type Handler, lasts, param } from './operations.ts';
import { invalid } from './problem.ts';
import { noCobr } from './rec-books.ts';
import type { Cobr } from './rec-entries.ts';

const Asked = z.object({
  idRec: z.string(),
  calendario: z.object({ dataDeVencimento: z.string() }),
  valor: z.object({ original: z.string() }),
  infoAdicional: z.string().optional(),
  ajusteDiaUtil: z.boolean().optional(),
  recebedor: z.record(z.string(), z.unknown()),
  devedor: z.record(z.string(), z.unknown()).optional(),
});

export const putCobR: Handler = (desk, call) => instruct(desk, call, param(call, 'txid'));

export const postCobR: Handler = (desk, call) => instruct(desk, call, desk.chance.text(32));

function instruct(desk: Desk, call: Call, txid: string) {
  const { idRec, calendario, valor, ...shown } = Asked.parse(call.body);
  const amount = centsOf(valor.original);
  if (amount === 0) throw invalid('CobROperacaoInvalida', 'cobr.valor', 'O campo cobr.valor.original é zero.');
  const cobr = call.merchant.books.recs.instruct({ txid, idRec, dueOn: calendario.dataDeVencimento, amount, shown });
  const body = view(desk, call, cobr);
  desk.instructed(call.merchant);
  return { status: 201, body };
}

const Revised = z.object({ status: z.literal('CANCELADA').optional() });

export const patchCobR: Handler = (desk, call) => {
  const { recs } = call.merchant.books;
  const cobr = recs.cobr(param(call, 'txid'));
  if (Revised.parse(call.body).status !== undefined) recs.takeBack(cobr);
  return { status: 200, body: view(desk, call, cobr) };
};

export const getCobR: Handler = (desk, call) => {
  const { recs } = call.merchant.books;
  const cobr = recs.cobr(param(call, 'txid'));
  if (lasts(desk, call.strikes('lagging'), cobr.createdAt)) throw noCobr();
  return { status: 200, body: view(desk, call, cobr) };
};

export const listCobRs: Handler = (desk, call) => {
  const period = periodOf(desk.profile, call, 'CobRConsultaInvalida');
  const [status, idRec] = [call.query.get('status'), call.query.get('idRec')];
  const found = [...call.merchant.books.recs.cobrs.values()].filter(
    (cobr) =>
      period.holds(cobr.createdAt) &&
      (status === null || cobr.status === status) &&
      (idRec === null || cobr.idRec === idRec),
  );
  const { parametros, items } = page(call, period, found);
  return { status: 200, body: { parametros, cobsr: items.map((cobr) => view(desk, call, cobr)) } };
};

export const retryCobR: Handler = (desk, call) => {
  const { recs } = call.merchant.books;
  const cobr = recs.cobr(param(call, 'txid'));
  recs.retry(cobr, param(call, 'data'));
  const body = view(desk, call, cobr);
  desk.instructed(call.merchant);
  return { status: 201, body };
};

function view(desk: Desk, { merchant }: Call, cobr: Cobr) {
  const payments = cobr.payments.map((id) => desk.views.payment(merchant.books.payment(id)));
  const { allowsRetries } = merchant.books.recs.rec(cobr.idRec);
  return desk.recViews.cobr(cobr, { cnpj: merchant.cnpj, payments, allowsRetries });
}
