/** What the books of a merchant hold of Pix Automático, in the words of the API. Amounts are whole cents, instants Unix milliseconds. */

export type RecStatus = 'CRIADA' | 'APROVADA' | 'REJEITADA' | 'EXPIRADA' | 'CANCELADA';
export type CobrStatus = 'CRIADA' | 'ATIVA' | 'CONCLUIDA' | 'EXPIRADA' | 'REJEITADA' | 'CANCELADA';
export type TryStatus = 'SOLICITADA' | 'AGENDADA' | 'PAGA' | 'CANCELADA' | 'REJEITADA' | 'EXPIRADA';

export const periods = ['SEMANAL', 'MENSAL', 'TRIMESTRAL', 'SEMESTRAL', 'ANUAL'] as const;
export type Period = (typeof periods)[number];

/** Who ended a recurrence or a charge. */
export type EndedBy = 'PSP_PAGADOR' | 'USUARIO_PAGADOR' | 'PSP_RECEBEDOR' | 'USUARIO_RECEBEDOR';

export interface Change<Status> {
  readonly status: Status;
  readonly at: number;
}

/** Why something ended. */
export type Ending =
  | { readonly kind: 'rejeicao'; readonly code: string }
  | { readonly kind: 'cancelamento'; readonly code: string; readonly by: EndedBy };

/** A place that serves one recurrence to the payer's bank. */
export interface RecLocation {
  readonly id: number;
  readonly url: string;
  readonly createdAt: number;
  idRec: string | null;
}

/** A recurrence: what a payer authorises. */
export interface Rec {
  readonly idRec: string;
  readonly createdAt: number;
  readonly contract: string;
  readonly object: string | null;
  readonly debtor: Readonly<Record<string, string>>;
  /** `YYYY-MM-DD`. */
  readonly startsOn: string;
  readonly endsOn: string | null;
  readonly period: Period;
  readonly fixed: number | null;
  readonly minimum: number | null;
  readonly allowsRetries: boolean;
  readonly location: RecLocation | null;
  /** Of the cob whose payment authorises. */
  readonly firstTxid: string | null;
  journey: 'AGUARDANDO_DEFINICAO' | 'JORNADA_2' | 'JORNADA_3';
  status: RecStatus;
  ending: Ending | null;
  readonly changes: Change<RecStatus>[];
}

/** One day on which a debit is tried. */
export interface Try {
  readonly date: string;
  /** `AGND`: as instructed; `NTAG`: after the due date. */
  readonly kind: 'AGND' | 'NTAG';
  readonly endToEndId: string;
  status: TryStatus;
  code: string | null;
  readonly changes: Change<TryStatus>[];
}

/** One charge of a recurrence. */
export interface Cobr {
  readonly txid: string;
  readonly idRec: string;
  readonly createdAt: number;
  readonly dueOn: string;
  readonly amount: number;
  /** Fields that the PSP only keeps and shows again. */
  readonly shown: Readonly<Record<string, unknown>>;
  status: CobrStatus;
  ending: Ending | null;
  readonly changes: Change<CobrStatus>[];
  readonly tries: Try[];
  /** End-to-end ids. */
  readonly payments: string[];
}
