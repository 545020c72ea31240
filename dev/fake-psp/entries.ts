/** What the books of a merchant are made of. Amounts are whole cents, instants Unix milliseconds. */

export type CobStatus = 'ATIVA' | 'CONCLUIDA' | 'REMOVIDA_PELO_USUARIO_RECEBEDOR' | 'REMOVIDA_PELO_PSP';

/** What a revision of a cob may change. */
export interface CobTerms {
  readonly status: CobStatus;
  readonly amount: number;
  readonly key: string;
  /** Seconds from the creation of the cob. */
  readonly expiresIn: number;
  /** Fields that the PSP only keeps and shows again, in the words of the API. */
  readonly shown: Readonly<Record<string, unknown>>;
}

export interface Cob {
  readonly txid: string;
  readonly createdAt: number;
  readonly location: { readonly id: number; readonly url: string };
  /** The first terms are revision 0; the last ones hold. */
  readonly revisions: CobTerms[];
  readonly payments: Payment[];
}

export type ReturnStatus = 'EM_PROCESSAMENTO' | 'DEVOLVIDO' | 'NAO_REALIZADO';

/** The first is asked for by the merchant; the others are made by the bank. */
export type ReturnNature = 'ORIGINAL' | 'MED_OPERACIONAL' | 'MED_FRAUDE' | 'MED_PIX_AUTOMATICO';

export interface Return {
  readonly id: string;
  readonly returnIdentification: string;
  readonly amount: number;
  readonly nature: ReturnNature;
  readonly description: string | null;
  readonly requestedAt: number;
  settledAt: number | null;
  status: ReturnStatus;
}

export interface Payment {
  readonly endToEndId: string;
  /** Null: sent to the key, without a cob. */
  readonly txid: string | null;
  readonly amount: number;
  readonly key: string;
  readonly at: number;
  readonly returns: Return[];
}

/** What callbacks tell of: payments, recurrences, their charges. */
export const callbackTopics = ['pix', 'rec', 'cobr'] as const;
export type CallbackTopic = (typeof callbackTopics)[number];

export interface Webhook {
  readonly url: string;
  readonly createdAt: number;
}

/** A call of the PSP to the merchant, and what each try of it brought. */
export interface Callback {
  readonly url: string;
  readonly body: string;
  /** A status, or why there was none. */
  readonly answers: (number | string)[];
  /** `pending` while a try is in flight or planned. */
  outcome: 'pending' | 'accepted' | 'given_up';
}
