import { z } from 'zod';
import type { DebitFinding, DebitTry, MandateFinding, NoticeReferences } from '../port.ts';
import { filled, optional, ownId, Pix, readable, readNotice, readPayment, word } from './reading.ts';

/** Reads what PSPs answer of mandates and their debits, as tolerantly as the rest. */

const Location = z.object({ id: word, idRec: optional(filled) });

/** A place of a mandate; null: the answer is none. */
export function readPlace(answer: unknown): { readonly place: string; readonly bankRef: string | null } | null {
  const { data } = Location.safeParse(answer);
  return data === undefined ? null : { place: data.id, bankRef: data.idRec ?? null };
}

const Rec = z.object({
  idRec: filled,
  status: word,
  pagador: optional(z.object({ ispbParticipante: optional(word) })),
  encerramento: optional(z.object({ cancelamento: optional(z.object({ solicitante: optional(word) })) })),
  dadosQR: optional(z.object({ pixCopiaECola: optional(filled) })),
});

const recStatuses: Readonly<Record<string, MandateFinding['status']>> = {
  APROVADA: 'approved',
  REJEITADA: 'rejected',
  EXPIRADA: 'expired',
  CANCELADA: 'cancelled',
};

const enders: Readonly<Record<string, MandateFinding['endedBy']>> = {
  USUARIO_PAGADOR: 'payer',
  PSP_PAGADOR: 'payer_bank',
  USUARIO_RECEBEDOR: 'merchant',
  PSP_RECEBEDOR: 'bank',
};

/** A mandate as the PSP has it. */
export interface ReadRec extends MandateFinding {
  /** The text of the QR code by which it is authorised, if the PSP tells it. */
  readonly copyPaste: string | null;
}

/** Null: the answer makes no mandate. */
export function readRec(answer: unknown): ReadRec | null {
  const { data } = Rec.safeParse(answer);
  if (data === undefined) return null;
  const { idRec: bankRef, status, pagador, encerramento, dadosQR } = data;
  return {
    bankRef,
    // A word that is new to us ends nothing: it is asked again.
    status: recStatuses[status] ?? 'created',
    endedBy: enders[encerramento?.cancelamento?.solicitante ?? ''] ?? null,
    payerBank: pagador?.ispbParticipante ?? null,
    copyPaste: dadosQR?.pixCopiaECola ?? null,
  };
}

const Tentativa = z.object({
  dataLiquidacao: filled,
  status: word,
  rejeicao: optional(z.object({ codigo: optional(word) })),
});

const Cobr = z.object({
  txid: optional(ownId),
  status: word,
  tentativas: readable(Tentativa),
  pix: readable(Pix),
});

const tryStatuses: Readonly<Record<string, DebitTry['status']>> = {
  SOLICITADA: 'asked',
  AGENDADA: 'scheduled',
  PAGA: 'paid',
  REJEITADA: 'refused',
  CANCELADA: 'cancelled',
  EXPIRADA: 'expired',
};

const DAY_LENGTH = '2026-12-10'.length;

const readTry = ({ dataLiquidacao, status, rejeicao }: z.output<typeof Tentativa>): DebitTry => ({
  date: dataLiquidacao.slice(0, DAY_LENGTH),
  status: tryStatuses[status] ?? 'asked',
  code: rejeicao?.codigo ?? null,
});

const ended: Readonly<Record<string, DebitFinding['status']>> = {
  REJEITADA: 'refused',
  EXPIRADA: 'expired',
  CANCELADA: 'cancelled',
};

/** Null: the answer makes no debit. `txid` is the one that was asked for: not every PSP repeats it. */
export function readCobr(answer: unknown, txid: string): DebitFinding | null {
  const { data } = Cobr.safeParse(answer);
  if (data === undefined || (data.txid ?? txid) !== txid) return null;
  const payments = data.pix.filter((pix) => (pix.txid ?? txid) === txid).map((pix) => readPayment(txid, pix));
  const tries = data.tentativas.map(readTry);
  return { txid, status: statusOf(data.status, { payments, tries }), payments, tries };
}

function statusOf(
  status: string,
  { payments, tries }: Pick<DebitFinding, 'payments' | 'tries'>,
): DebitFinding['status'] {
  if (status === 'CONCLUIDA' || payments.length > 0) return 'paid';
  const over = ended[status];
  if (over !== undefined) return over;
  if (status !== 'ATIVA') return 'waiting';
  return tries.some((each) => each.status === 'asked' || each.status === 'scheduled') ? 'scheduled' : 'unpaid';
}

const Told = z.object({ idRec: filled, txid: optional(ownId) });
const Recs = z.object({ recs: readable(Told), cobsr: readable(Told) });

/** What a callback names, whatever its form; null: it is no callback of API Pix. */
export function readCallback(notice: unknown): NoticeReferences | null {
  const named = toldOf(notice);
  if (named.length === 0) {
    const txids = readNotice(notice);
    return txids === null ? null : { txids };
  }
  const debits = named.flatMap(({ txid }) => txid ?? []);
  const mandates = named.flatMap(({ idRec, txid }) => (txid == null ? [idRec] : []));
  return { mandates: [...new Set(mandates)], debits: [...new Set(debits)] };
}

/** A bare list, as some PSPs send it, is of mandates or debits if its entries name a mandate. */
function toldOf(notice: unknown): z.output<typeof Told>[] {
  if (Array.isArray(notice)) return readable(Told).parse(notice);
  const { data } = Recs.safeParse(notice);
  return data === undefined ? [] : [...data.recs, ...data.cobsr];
}
