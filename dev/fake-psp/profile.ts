import type { CallbackTopic } from './entries.ts';

/** How one PSP deviates from the document. What is data here is code nowhere. */
export interface PspProfile {
  readonly name: string;
  /** The PSP's number among the banks, in the ids of returns. */
  readonly ispb: string;
  /** Where the API begins below the host. */
  readonly basePath: string;
  /** The version that stands between the base path and a resource; null: the base path holds it. */
  readonly versions: {
    readonly item: Readonly<Record<string, string>>;
    readonly list: Readonly<Record<string, string>>;
  } | null;
  readonly token: TokenHabits;
  /** What meets a caller without a certificate, or with one of another authority. */
  readonly foreignCertificate: 'handshake' | 401 | 403;
  /** What else each call of the API shows. */
  readonly credentials: readonly Credential[];
  /** What a token without the scope of a call brings. */
  readonly lackingScope: 400 | 403;
  /** The status of each success that PSPs do not agree on. */
  readonly success: Readonly<Record<'putCob' | 'repeatCob' | 'patchCob' | 'putReturn' | 'putWebhook', number>>;
  /** Whether the answer to a registration shows the URL; the document has it without a body. */
  readonly showsRegistration: boolean;
  /** What a PUT on a cob that is ATIVA does. */
  readonly repeatOfCob: 'revise' | 'bad-request' | 'conflict';
  readonly repeatOfReturn: 'same' | 'bad-request';
  /** The field of the BR code, and whether a GET shows it. */
  readonly copyPaste: { readonly field: string; readonly onGet: boolean };
  readonly dates: 'milliseconds' | 'seconds' | 'offset';
  /** Whether `inicio` and `fim` may have milliseconds. */
  readonly takesMilliseconds: boolean;
  /** Whether absent fields are written as null. */
  readonly writesNulls: boolean;
  readonly errors: 'problem' | 'problem-text-status' | 'bb' | 'efi';
  /** Whether a devedor with an address is refused. */
  readonly refusesAddress: boolean;
  /** Fields that no document names. */
  readonly extraFields: {
    readonly cob: Readonly<Record<string, unknown>>;
    readonly pix: Readonly<Record<string, unknown>>;
  };
  readonly listsCobs: boolean;
  readonly makesTxid: boolean;
  /** Whose the id of a recurrence is: the merchant makes it, or the PSP does. */
  readonly recId: 'merchant' | 'bank';
  readonly callback: CallbackHabits;
}

export interface TokenHabits {
  readonly path: string;
  readonly style: 'basic-form' | 'basic-json' | 'form-secret' | 'form-id';
  /** Seconds. */
  readonly expiresIn: number;
  readonly expiresAsText: boolean;
  /** Whether scopes that the merchant does not have are left out, instead of refused. */
  readonly downscopes: boolean;
  readonly scopeRequired: boolean;
  /** Calls in a minute after which the merchant is blocked; null: no limit. */
  readonly callsMax: number | null;
}

/** Where a value of the merchant has to stand in each call. */
export interface Credential {
  readonly in: 'query' | 'header';
  readonly name: string;
  /** The client id, or a value of its own, by the name that the settings of an account have for it. */
  readonly value: 'clientId' | { readonly setting: string };
}

export interface CallbackHabits {
  readonly body: 'object' | 'array';
  /** Written after the registered URL as it stands, by what is told of, so that a query at its end swallows it. */
  readonly suffixes: Readonly<Record<CallbackTopic, string>>;
  /** Whether a registration is refused while the URL takes calls without a certificate. */
  readonly probes: boolean;
}
