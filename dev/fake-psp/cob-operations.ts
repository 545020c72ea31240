import { termsOf } from './books.ts';
import { changesOf, newTerms, removesAndChanges } from './cob-terms.ts';
import type { Cob } from './entries.ts';
import { page, periodOf } from './lists.ts';
import { type Call, type Desk, type Handler, lasts, param } from './operations.ts';
import { invalid, notFound, PspRefusal } from './problem.ts';

export const putCob: Handler = (desk, call) => {
  const { books } = call.merchant;
  const txid = param(call, 'txid');
  const cob = books.cobs.get(txid) ?? null;
  const terms = newTerms(changesOf(call.body, { ...at(desk, call), cob }));
  if (cob === null) return { status: desk.profile.success.putCob, body: written(desk, call, books.open(txid, terms)) };
  refuseRepeat(desk, call);
  books.revise(cob, terms);
  return { status: desk.profile.success.repeatCob, body: written(desk, call, cob) };
};

export const postCob: Handler = (desk, call) => {
  if (!desk.profile.makesTxid) throw notFound('NaoEncontrado', 'Recurso não encontrado.');
  const terms = newTerms(changesOf(call.body, { ...at(desk, call), cob: null }));
  const cob = call.merchant.books.open(desk.chance.text(32), terms);
  return { status: 201, body: written(desk, call, cob) };
};

export const patchCob: Handler = (desk, call) => {
  const { books } = call.merchant;
  const cob = books.cob(param(call, 'txid'));
  const changes = changesOf(call.body, { ...at(desk, call), cob });
  if (removesAndChanges(changes)) {
    throw invalid('CobOperacaoInvalida', 'cob.status', 'A cobrança é removida juntamente com outras alterações.');
  }
  const shown = { ...termsOf(cob).shown, ...changes.shown };
  books.revise(cob, { ...changes, shown });
  return { status: desk.profile.success.patchCob, body: desk.views.written(cob) };
};

export const getCob: Handler = (desk, call) => {
  const { books } = call.merchant;
  const cob = books.cob(param(call, 'txid'));
  const newest = cob.revisions.length - 1;
  if (lasts(desk, call.strikes('lagging'), cob.createdAt))
    throw notFound('CobNaoEncontrado', 'Cobrança não encontrada.');
  changeByItself(call, cob);
  const asked = call.query.get('revisao');
  const revision = asked === null ? cob.revisions.length - 1 : Number(asked);
  if (revision > newest && asked !== null) {
    throw invalid('CobConsultaInvalida', 'revisao', 'O parâmetro revisao corresponde a uma revisão inexistente.');
  }
  return { status: 200, body: desk.views.read(asSeen(desk, call, cob), revision) };
};

export const listCobs: Handler = (desk, call) => {
  if (!desk.profile.listsCobs) throw notFound('NaoEncontrado', 'Recurso não encontrado.');
  const period = periodOf(desk.profile, call, 'CobConsultaInvalida');
  const status = call.query.get('status');
  const debtor = call.query.get('cpf') ?? call.query.get('cnpj');
  const found = [...call.merchant.books.cobs.values()].filter(
    (cob) =>
      period.holds(cob.createdAt) &&
      (status === null || termsOf(cob).status === status) &&
      (debtor === null || isOf(cob, debtor)) &&
      call.query.get('locationPresente') !== 'false',
  );
  const { parametros, items } = page(call, period, found);
  const cobs = items.map((cob) => desk.views.read(cob, cob.revisions.length - 1));
  return { status: 200, body: { parametros, cobs } };
};

const at = (desk: Desk, call: Call) => ({ merchant: call.merchant, profile: desk.profile });

function isOf(cob: Cob, debtor: string): boolean {
  const { devedor } = termsOf(cob).shown;
  return typeof devedor === 'object' && devedor !== null && Object.values(devedor).includes(debtor);
}

function refuseRepeat(desk: Desk, call: Call): void {
  const refused = call.strikes('repeat_refused') !== null;
  const habit = desk.profile.repeatOfCob;
  if (habit === 'revise' && !refused) return;
  const detail = 'Campo txid informado já foi utilizado em outra cobrança.';
  if (habit === 'conflict') throw new PspRefusal({ status: 409, type: 'CobOperacaoInvalida', detail });
  // The document knows this refusal for what is not ATIVA; these PSPs give it for every repeat.
  throw invalid('CobOperacaoInvalida', 'cob.txid', detail);
}

function written(desk: Desk, call: Call, cob: Cob) {
  changeByItself(call, cob);
  return desk.views.written(cob);
}

/** What a PSP may do to a cob without being asked. */
function changeByItself(call: Call, cob: Cob): void {
  const terms = termsOf(cob);
  if (terms.status !== 'ATIVA') return;
  if (call.strikes('revised')) call.merchant.books.revise(cob, { amount: terms.amount + 1 });
  if (call.strikes('removed')) call.merchant.books.revise(cob, { status: 'REMOVIDA_PELO_PSP' });
}

/** A paid cob as a read shows it that comes early. */
function asSeen(desk: Desk, call: Call, cob: Cob): Cob {
  const latest = cob.payments.at(-1);
  if (latest === undefined) return cob;
  if (lasts(desk, call.strikes('paid_without_pix'), latest.at)) return { ...cob, payments: [] };
  if (!lasts(desk, call.strikes('paid_unseen'), latest.at)) return cob;
  return { ...cob, payments: [], revisions: cob.revisions.map((terms) => ({ ...terms, status: 'ATIVA' })) };
}
