import { z } from 'zod';
import { cents } from '../../../kernel/money.ts';
import { clip } from '../../../kernel/text.ts';
import { SECOND_MS, type Timestamp } from '../../../kernel/time.ts';
import type { PixCob, PixPayment, PixReturn, RefundStatus, ReturnNature } from '../port.ts';

/** Reads what PSPs answer, which is more than the document says: nulls, texts for numbers, other names, unknown words. */

/** No `min(1)`: zod compares the `length` of whatever comes, and throws for one of which no number can be made. */
export const filled = z.string().regex(/./su);
export const word = z.union([z.string(), z.number()]).transform(String);
export const optional = <T extends z.ZodType>(of: T) => of.nullish().catch(null);
const list = <T extends z.ZodType>(of: T) =>
  z
    .array(of)
    .nullish()
    .transform((value) => value ?? []);

/** Entries that cannot be read are as if they were not there yet. */
export const readable = <T extends z.ZodType>(of: T) =>
  list(z.unknown()).transform((entries) =>
    entries.flatMap((entry) => {
      const { data } = of.safeParse(entry);
      return data === undefined ? [] : [data];
    }),
  );

const OURS = /^[0-9a-z]{26}$/i;
/** An id that may be ours, as we write it: some PSPs answer in capitals. */
export const ownId = word.transform((id) => (OURS.test(id) ? id.toLowerCase() : id));

const AMOUNT = /^\d{1,10}([.,]\d{1,2})?$/;

/** "40.00", also 40, "40,00" and "40.0"; anything else, and nothing, is no amount. */
const amount = word.transform((value, context) => {
  const match = AMOUNT.exec(value.trim());
  const [whole = '', part = ''] = value.trim().split(/[.,]/);
  const amountCents = Number(whole) * 100 + Number(part.padEnd(2, '0'));
  if (match !== null && amountCents > 0) return amountCents;
  context.addIssue({ code: 'custom', message: 'an amount in reais' });
  return z.NEVER;
});

const instant = z.string().transform((value, context): Timestamp => {
  // Without an offset it is meant in Brasília, which keeps UTC−3 all year.
  const told = /(z|[+-]\d{2}:?\d{2})$/i.test(value) ? value : `${value}-03:00`;
  const atMs = Date.parse(told);
  if (!Number.isNaN(atMs)) return Math.floor(atMs / SECOND_MS);
  context.addIssue({ code: 'custom', message: 'a date and time' });
  return z.NEVER;
});

const Devolucao = z.object({
  id: ownId,
  valor: amount,
  status: word,
  natureza: optional(z.string()),
  horario: optional(z.object({ solicitacao: optional(instant), liquidacao: optional(instant) })),
});

export const Pix = z.object({
  endToEndId: filled,
  txid: optional(ownId),
  valor: amount,
  horario: instant,
  devolucoes: readable(Devolucao),
});

const Cob = z.object({
  txid: optional(ownId),
  status: word,
  valor: z.object({ original: amount }),
  pixCopiaECola: optional(filled),
  brcode: optional(filled),
  textoImagemQRcode: optional(filled),
  location: optional(filled),
  loc: optional(z.object({ location: optional(filled) })),
  pix: list(Pix),
});

/** Of a payment that cannot be read the charge is asked. */
const Named = z.object({ txid: ownId });

const PixPage = z.object({
  pix: list(z.unknown()),
  parametros: optional(
    z.object({ paginacao: optional(z.object({ quantidadeDePaginas: optional(z.coerce.number()) })) }),
  ),
});

const natures: Readonly<Record<string, ReturnNature>> = {
  MED_FRAUDE: 'fraud',
  MED_OPERACIONAL: 'operational_error',
  MED_PIX_AUTOMATICO: 'automatic_debit',
};

const returnStatuses: Readonly<Record<string, PixReturn['status']>> = {
  EM_PROCESSAMENTO: 'processing',
  DEVOLVIDO: 'completed',
  NAO_REALIZADO: 'refused',
};

const readReturn = ({ id, valor, status, natureza }: z.output<typeof Devolucao>): PixReturn => ({
  id,
  amount: valor,
  nature: natures[natureza ?? ''] ?? 'requested',
  // A word that is new to us ends nothing: it is asked again.
  status: returnStatuses[status] ?? 'processing',
});

export const readPayment = (
  txid: string,
  { endToEndId, valor, horario, devolucoes }: z.output<typeof Pix>,
): PixPayment => ({
  endToEndId,
  txid,
  amount: valor,
  paidAt: horario,
  settled: true,
  returns: [...new Map(devolucoes.map((each) => [each.id, readReturn(each)])).values()],
});

/** A charge as the PSP has it. */
export interface ReadCob extends PixCob {
  readonly amount: number;
  /** The text of the QR code, if the PSP tells it. */
  readonly copyPaste: string | null;
  /** Where the payer's bank fetches the charge; a QR code can be made of it. */
  readonly location: string | null;
}

const isRemoved = (status: string): boolean => status.startsWith('REMOVIDA');

/** Null: the answer makes no charge. `txid` is the one that was asked for: not every PSP repeats it. */
export function readCob(answer: unknown, txid: string): ReadCob | null {
  const { data } = Cob.safeParse(answer);
  if (data === undefined || (data.txid ?? txid) !== txid) return null;
  const payments = data.pix.filter((pix) => (pix.txid ?? txid) === txid).map((pix) => readPayment(txid, pix));
  const status = statusOf(data.status, payments);
  const location = data.location ?? data.loc?.location ?? null;
  return {
    txid,
    status,
    payments,
    amount: cents(data.valor.original),
    copyPaste: data.pixCopiaECola ?? data.brcode ?? data.textoImagemQRcode ?? null,
    location: location === null ? null : location.replace(/^https?:\/\//, ''),
  };
}

function statusOf(status: string, payments: readonly PixPayment[]): PixCob['status'] {
  if (isRemoved(status)) return 'removed';
  return status === 'CONCLUIDA' || payments.length > 0 ? 'concluded' : 'active';
}

/** Null: the answer makes no return. */
export function readReturnStatus(answer: unknown, now: Timestamp): RefundStatus | null {
  const { data } = Devolucao.safeParse(answer);
  if (data === undefined) return null;
  const { status } = readReturn(data);
  if (status !== 'completed') return { status };
  return { status, at: data.horario?.liquidacao ?? data.horario?.solicitacao ?? now };
}

/** A page of received payments; null: the answer is none. Without a number of pages nobody knows whether it is the last. */
export interface ReadPage {
  readonly payments: readonly Pick<PixPayment, 'txid' | 'endToEndId' | 'returns'>[];
  readonly entries: number;
  readonly pages: number | null;
}

export function readPixPage(answer: unknown): ReadPage | null {
  const { data } = PixPage.safeParse(answer);
  if (data === undefined) return null;
  const pages = data.parametros?.paginacao?.quantidadeDePaginas ?? null;
  return { payments: data.pix.flatMap(readListed), entries: data.pix.length, pages };
}

function readListed(entry: unknown): ReadPage['payments'] {
  const { data: pix } = Pix.safeParse(entry);
  // Without a txid it is of no charge of ours.
  if (pix !== undefined) return pix.txid == null || pix.txid === '' ? [] : [readPayment(pix.txid, pix)];
  const { data: named } = Named.safeParse(entry);
  return named === undefined ? [] : [{ txid: named.txid, endToEndId: '', returns: [] }];
}

const NoticeEntry = z.object({ txid: optional(ownId) });
const Notice = z.union([z.object({ pix: z.array(NoticeEntry) }), z.array(NoticeEntry), NoticeEntry]);

/** The txids that a callback names, whatever its form; null: it is no callback of API Pix. */
export function readNotice(notice: unknown): string[] | null {
  const { data } = Notice.safeParse(notice);
  if (data === undefined) return null;
  const entries = Array.isArray(data) ? data : 'pix' in data ? data.pix : [data];
  return [...new Set(entries.flatMap(({ txid }) => txid ?? []))];
}

const Token = z.object({
  access_token: filled,
  expires_in: optional(z.coerce.number().positive()),
  scope: optional(z.string()),
});

/** A token, how long it lasts, and what it allows as far as the PSP says. */
export interface ReadToken {
  readonly value: string;
  readonly seconds: number | null;
  readonly scopes: readonly string[] | null;
}

export function readToken(answer: unknown): ReadToken | null {
  const { data } = Token.safeParse(answer);
  if (data === undefined) return null;
  const { access_token: value, expires_in: seconds, scope } = data;
  return { value, seconds: seconds ?? null, scopes: scope == null ? null : scope.split(/[\s,]+/).filter(Boolean) };
}

const Problem = z.object({
  title: optional(z.string()),
  detail: optional(z.string()),
  violacoes: list(z.object({ razao: optional(z.string()), propriedade: optional(z.string()) })).catch([]),
  erros: list(z.object({ mensagem: optional(z.string()), codigo: optional(word) })).catch([]),
  message: optional(z.string()),
  mensagem: optional(z.string()),
  nome: optional(z.string()),
  error_description: optional(z.string()),
  error: optional(z.string()),
});

const PROBLEM_MAX = 300;

/** Why a PSP refused, in its own words, for an operator; cut, for the words are a stranger's. */
export function readProblem(answer: unknown): string | null {
  const { data } = Problem.safeParse(answer);
  if (data === undefined) return null;
  const said = [
    data.title,
    data.detail ?? data.message ?? data.mensagem ?? data.error_description ?? data.error ?? data.nome,
    ...data.violacoes.map(({ propriedade, razao }) => [propriedade, razao].filter(Boolean).join(': ')),
    ...data.erros.map(({ codigo, mensagem }) => [codigo, mensagem].filter(Boolean).join(': ')),
  ];
  return clip(said.filter(Boolean).join('; '), PROBLEM_MAX) || null;
}
