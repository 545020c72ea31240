import { termsOf } from './books.ts';
import { copyPasteText } from './br-code.ts';
import type { Cob, CobTerms, Payment, Return } from './entries.ts';
import { decimal } from './money.ts';
import type { PspProfile } from './profile.ts';

type Json = Record<string, unknown>;

const BRASILIA_OFFSET_MS = 3 * 3_600_000;

/** An instant as a profile writes it. */
export function dateText(dates: PspProfile['dates'], atMs: number): string {
  if (dates === 'milliseconds') return new Date(atMs).toISOString();
  if (dates === 'seconds') return new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const local = new Date(atMs - BRASILIA_OFFSET_MS).toISOString();
  return local.replace(/(\.\d\d)\dZ$/, '$1-03:00');
}

/** How a PSP shows its books. */
export class Views {
  private readonly profile: PspProfile;

  constructor(profile: PspProfile) {
    this.profile = profile;
  }

  /** A cob as it was made or changed. */
  written(cob: Cob): Json {
    return { ...this.base(cob, termsOf(cob), cob.revisions.length - 1), ...this.copyPaste(cob) };
  }

  /** A cob as it is read: with what was paid for it, and at an earlier revision if asked for. */
  read(cob: Cob, revision: number): Json {
    const terms = cob.revisions[revision] ?? termsOf(cob);
    const pix = cob.payments.map((payment) => this.payment(payment));
    return {
      ...this.base(cob, terms, revision),
      ...(this.profile.copyPaste.onGet ? this.copyPaste(cob) : {}),
      ...(pix.length > 0 || terms.status === 'CONCLUIDA' ? { pix } : this.absent('pix')),
    };
  }

  payment(payment: Payment): Json {
    const returns = payment.returns.map((each) => this.returned(each));
    return {
      endToEndId: payment.endToEndId,
      ...(payment.txid === null ? this.absent('txid') : { txid: payment.txid }),
      valor: decimal(payment.amount),
      chave: payment.key,
      horario: this.date(payment.at),
      ...this.absent('infoPagador'),
      ...(returns.length > 0 ? { devolucoes: returns } : this.absent('devolucoes')),
      ...this.profile.extraFields.pix,
    };
  }

  returned(each: Return): Json {
    const settled = each.settledAt === null ? this.absent('liquidacao') : { liquidacao: this.date(each.settledAt) };
    return {
      id: each.id,
      rtrId: each.returnIdentification,
      valor: decimal(each.amount),
      natureza: each.nature,
      ...(each.description === null ? this.absent('descricao') : { descricao: each.description }),
      horario: { solicitacao: this.date(each.requestedAt), ...settled },
      status: each.status,
      ...(each.status === 'NAO_REALIZADO' ? { motivo: 'Conta do pagador encerrada.' } : this.absent('motivo')),
    };
  }

  date(atMs: number): string {
    return dateText(this.profile.dates, atMs);
  }

  private base(cob: Cob, terms: CobTerms, revision: number): Json {
    const criacao = this.date(cob.createdAt);
    return {
      calendario: { criacao, expiracao: terms.expiresIn },
      txid: cob.txid,
      revisao: revision,
      loc: { id: cob.location.id, location: cob.location.url, tipoCob: 'cob', criacao },
      location: cob.location.url,
      status: terms.status,
      ...this.absent('devedor'),
      valor: { original: decimal(terms.amount) },
      chave: terms.key,
      ...this.absent('solicitacaoPagador'),
      ...terms.shown,
      ...this.profile.extraFields.cob,
    };
  }

  private copyPaste(cob: Cob): Json {
    const amount = decimal(termsOf(cob).amount);
    const text = copyPasteText({ location: cob.location.url, amount, name: 'RECEBEDOR DE TESTE', city: 'BRASILIA' });
    return { [this.profile.copyPaste.field]: text };
  }

  private absent(field: string): Json {
    return this.profile.writesNulls ? { [field]: null } : {};
  }
}
