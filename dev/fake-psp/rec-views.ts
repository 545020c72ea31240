import { compositeText } from './br-code.ts';
import type { Cob } from './entries.ts';
import { decimal } from './money.ts';
import { dayOf } from './rec-days.ts';
import type { Change, Cobr, Ending, Rec, RecLocation, Try } from './rec-entries.ts';
import type { Views } from './views.ts';

type Json = Record<string, unknown>;

const RECEIVER = { nome: 'RECEBEDOR DE TESTE' };
const PAYER_ISPB = '99999008';

/** How a PSP shows its books of Pix Automático. */
export class RecViews {
  private readonly views: Views;

  constructor(views: Views) {
    this.views = views;
  }

  location({ id, url, createdAt, idRec }: RecLocation): Json {
    return { id, location: url, criacao: this.views.date(createdAt), ...(idRec === null ? {} : { idRec }) };
  }

  /** A recurrence, with the composite code where its locations are filled. */
  rec(rec: Rec, { cnpj, cob }: { cnpj: string; cob: Cob | null }): Json {
    const { location } = rec;
    return {
      idRec: rec.idRec,
      status: rec.status,
      vinculo: {
        contrato: rec.contract,
        devedor: rec.debtor,
        ...(rec.object === null ? {} : { objeto: rec.object }),
      },
      calendario: {
        dataInicial: rec.startsOn,
        periodicidade: rec.period,
        ...(rec.endsOn === null ? {} : { dataFinal: rec.endsOn }),
      },
      valor: {
        ...(rec.fixed === null ? {} : { valorRec: decimal(rec.fixed) }),
        ...(rec.minimum === null ? {} : { valorMinimoRecebedor: decimal(rec.minimum) }),
      },
      recebedor: { ...RECEIVER, cnpj },
      politicaRetentativa: rec.allowsRetries ? 'PERMITE_3R_7D' : 'NAO_PERMITE',
      ...(location === null ? {} : { loc: this.location(location), ...this.code(rec, location, cob) }),
      ...(rec.journey === 'AGUARDANDO_DEFINICAO'
        ? {}
        : { pagador: { ispbParticipante: PAYER_ISPB, ...payerOf(rec.debtor) } }),
      ativacao: {
        tipoJornada: rec.journey,
        ...(rec.firstTxid === null ? {} : { dadosJornada: { txid: rec.firstTxid } }),
      },
      ...this.history(rec),
    };
  }

  private code(rec: Rec, location: RecLocation, cob: Cob | null): Json {
    if (rec.status !== 'CRIADA') return {};
    const charge =
      cob === null ? null : { location: cob.location.url, amount: decimal(cob.revisions.at(-1)?.amount ?? 0) };
    const pixCopiaECola = compositeText({ charge, recurrence: location.url, name: RECEIVER.nome, city: 'BRASILIA' });
    return { dadosQR: { jornada: cob === null ? 'JORNADA_2' : 'JORNADA_3', pixCopiaECola } };
  }

  /** What a callback tells of a recurrence. */
  recTold(rec: Rec): Json {
    const { idRec, status, journey } = rec;
    return { idRec, status, ativacao: { tipoJornada: journey }, ...this.history(rec) };
  }

  cobr(cobr: Cobr, merchant: { cnpj: string; payments: readonly Json[]; allowsRetries: boolean }): Json {
    return {
      ...{ idRec: cobr.idRec, txid: cobr.txid, status: cobr.status },
      calendario: { criacao: dayOf(cobr.createdAt), dataDeVencimento: cobr.dueOn },
      valor: { original: decimal(cobr.amount) },
      ...cobr.shown,
      recebedor: { ...RECEIVER, cnpj: merchant.cnpj, ...asObject(cobr.shown.recebedor) },
      politicaRetentativa: merchant.allowsRetries ? 'PERMITE_3R_7D' : 'NAO_PERMITE',
      ...this.cobrTold(cobr, merchant.payments),
    };
  }

  /** What a callback tells of a charge. */
  cobrTold(cobr: Cobr, payments: readonly Json[]): Json {
    return {
      ...{ idRec: cobr.idRec, txid: cobr.txid, status: cobr.status },
      ...this.history(cobr),
      tentativas: cobr.tries.map((each) => this.tried(each)),
      ...(payments.length === 0 ? {} : { pix: payments }),
    };
  }

  private tried(each: Try): Json {
    return {
      ...{ dataLiquidacao: each.date, tipo: each.kind, endToEndId: each.endToEndId, status: each.status },
      atualizacao: each.changes.map((change) => this.changed(change)),
      ...(each.code === null ? {} : { rejeicao: { codigo: each.code, descricao: `Rejeitada: ${each.code}` } }),
    };
  }

  private history({ changes, ending }: { changes: readonly Change<string>[]; ending: Ending | null }): Json {
    return {
      atualizacao: changes.map((change) => this.changed(change)),
      ...(ending === null ? {} : { encerramento: endingOf(ending) }),
    };
  }

  private changed({ status, at }: Change<string>): Json {
    return { status, data: this.views.date(at) };
  }
}

function endingOf(ending: Ending): Json {
  const told = { codigo: ending.code, descricao: ending.code };
  if (ending.kind === 'rejeicao') return { rejeicao: told };
  return { cancelamento: { solicitante: ending.by, ...told } };
}

/** Whoever authorises pays for themselves. */
const payerOf = ({ nome: _, ...identifier }: Readonly<Record<string, string>>) => identifier;

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
