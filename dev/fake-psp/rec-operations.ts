import { z } from 'zod';
import { page, periodOf } from './lists.ts';
import { centsOf } from './money.ts';
import { type Call, type Desk, type Handler, lasts, param } from './operations.ts';
import { invalid } from './problem.ts';
import { noRec } from './rec-books.ts';
import { periods, type Rec } from './rec-entries.ts';

/** A location has no id of the merchant: each call makes another one. */
export const postLocRec: Handler = (desk, call) => ({
  status: 201,
  body: desk.recViews.location(call.merchant.books.recs.openLocation()),
});

export const getLocRec: Handler = (desk, call) => ({
  status: 200,
  body: desk.recViews.location(call.merchant.books.recs.location(Number(param(call, 'id')))),
});

const Asked = z.object({
  idRec: z.string().optional(),
  vinculo: z.object({
    contrato: z.string(),
    objeto: z.string().optional(),
    devedor: z.record(z.string(), z.string()),
  }),
  calendario: z.object({ dataInicial: z.string(), dataFinal: z.string().optional(), periodicidade: z.enum(periods) }),
  valor: z.object({ valorRec: z.string().optional(), valorMinimoRecebedor: z.string().optional() }).default({}),
  politicaRetentativa: z.enum(['NAO_PERMITE', 'PERMITE_3R_7D']),
  loc: z.number().optional(),
  ativacao: z.object({ dadosJornada: z.object({ txid: z.string() }).optional() }).optional(),
});

const refusal = (field: string, reason: string) => invalid('RecOperacaoInvalida', `rec.${field}`, reason);

const centsOrNull = (text: string | undefined): number | null => (text === undefined ? null : centsOf(text));

export const postRec: Handler = (desk, call) => {
  const { books } = call.merchant;
  const { vinculo, calendario, valor, politicaRetentativa, loc, ativacao, idRec } = Asked.parse(call.body);
  const allowsRetries = politicaRetentativa === 'PERMITE_3R_7D';
  const firstTxid = ativacao?.dadosJornada?.txid ?? null;
  if (valor.valorRec !== undefined && valor.valorMinimoRecebedor !== undefined) {
    throw refusal('valor', 'Ambos os campos valorRec e valorMinimoRecebedor estão preenchidos.');
  }
  if (firstTxid !== null && !books.cobs.has(firstTxid)) throw refusal('ativacao', 'A cobrança do txid inexiste.');
  const rec = books.recs.create({
    idRec: ownId(desk, { idRec, allowsRetries }),
    locationId: loc ?? null,
    ...{ contract: vinculo.contrato, object: vinculo.objeto ?? null, debtor: vinculo.devedor },
    ...{ startsOn: calendario.dataInicial, endsOn: calendario.dataFinal ?? null, period: calendario.periodicidade },
    ...{ fixed: centsOrNull(valor.valorRec), minimum: centsOrNull(valor.valorMinimoRecebedor) },
    ...{ allowsRetries, firstTxid },
  });
  return { status: 201, body: shown(desk, call, rec, null) };
};

/** Whose the id is: the merchant's where this PSP wants it, of the form that the document says. */
function ownId(
  desk: Desk,
  { idRec, allowsRetries }: { idRec: string | undefined; allowsRetries: boolean },
): string | null {
  if (desk.profile.recId === 'bank') return null;
  const begin = `R${allowsRetries ? 'R' : 'N'}${desk.profile.ispb}`;
  if (idRec?.startsWith(begin) === true) return idRec;
  throw refusal('idRec', `O campo rec.idRec deve começar com ${begin}.`);
}

export const getRec: Handler = (desk, call) => {
  const { books } = call.merchant;
  const rec = books.recs.rec(param(call, 'idRec'));
  if (lasts(desk, call.strikes('lagging'), rec.createdAt)) throw noRec();
  const txid = call.query.get('txid');
  if (txid !== null && rec.firstTxid !== null && txid !== rec.firstTxid) {
    throw invalid('RecConsultaInvalida', 'txid', 'O txid difere do informado em ativacao.dadosJornada.txid.');
  }
  return { status: 200, body: shown(desk, call, rec, txid) };
};

const Revised = z.object({ status: z.literal('CANCELADA').optional() });

export const patchRec: Handler = (desk, call) => {
  const rec = call.merchant.books.recs.rec(param(call, 'idRec'));
  if (Revised.parse(call.body).status !== undefined) desk.cancelRec(call.merchant, rec);
  return { status: 200, body: shown(desk, call, rec, null) };
};

export const listRecs: Handler = (desk, call) => {
  const period = periodOf(desk.profile, call, 'RecConsultaInvalida');
  const status = call.query.get('status');
  const found = [...call.merchant.books.recs.recs.values()].filter(
    (rec) => period.holds(rec.createdAt) && (status === null || rec.status === status),
  );
  const { parametros, items } = page(call, period, found);
  return { status: 200, body: { parametros, recs: items.map((rec) => shown(desk, call, rec, null)) } };
};

function shown(desk: Desk, { merchant }: Call, rec: Rec, txid: string | null) {
  const cob = txid === null ? null : (merchant.books.cobs.get(txid) ?? null);
  return desk.recViews.rec(rec, { cnpj: merchant.cnpj, cob });
}
