import { z } from 'zod';
import type { Troubles } from '../fakes/troubles.ts';

/** What a caller asks of the PSP, by names of ours, and where the document has it. */
export const operationPlaces = {
  putCob: ['/cob/{txid}', 'put'],
  patchCob: ['/cob/{txid}', 'patch'],
  getCob: ['/cob/{txid}', 'get'],
  postCob: ['/cob', 'post'],
  listCobs: ['/cob', 'get'],
  listPix: ['/pix', 'get'],
  getPix: ['/pix/{e2eid}', 'get'],
  putReturn: ['/pix/{e2eid}/devolucao/{id}', 'put'],
  getReturn: ['/pix/{e2eid}/devolucao/{id}', 'get'],
  postLocRec: ['/locrec', 'post'],
  getLocRec: ['/locrec/{id}', 'get'],
  postRec: ['/rec', 'post'],
  listRecs: ['/rec', 'get'],
  getRec: ['/rec/{idRec}', 'get'],
  patchRec: ['/rec/{idRec}', 'patch'],
  putCobR: ['/cobr/{txid}', 'put'],
  postCobR: ['/cobr', 'post'],
  patchCobR: ['/cobr/{txid}', 'patch'],
  getCobR: ['/cobr/{txid}', 'get'],
  listCobRs: ['/cobr', 'get'],
  retryCobR: ['/cobr/{txid}/retentativa/{data}', 'post'],
  putWebhook: ['/webhook/{chave}', 'put'],
  getWebhook: ['/webhook/{chave}', 'get'],
  deleteWebhook: ['/webhook/{chave}', 'delete'],
  putWebhookRec: ['/webhookrec', 'put'],
  getWebhookRec: ['/webhookrec', 'get'],
  deleteWebhookRec: ['/webhookrec', 'delete'],
  putWebhookCobR: ['/webhookcobr', 'put'],
  getWebhookCobR: ['/webhookcobr', 'get'],
  deleteWebhookCobR: ['/webhookcobr', 'delete'],
} as const;

export type Operation = keyof typeof operationPlaces;

export const operations = Object.keys(operationPlaces) as [Operation, ...Operation[]]; // Object.keys forgets the keys' type

/** What may go wrong, and what it is. */
export const troubleKinds = {
  request_lost: 'nothing is done, the connection is destroyed',
  answer_lost: 'the work is done, the connection is destroyed',
  unavailable: '503',
  html_fault: '500 with a page of HTML',
  too_many: '429',
  empty: 'the work is done, the answer is 204 without a body',
  truncated: 'the work is done, half of the JSON is sent as if it were all',
  cut_off: 'the work is done, the connection is destroyed in the middle of the answer',
  nonsense: 'the work is done, the answer is the JSON `null`',
  stalled: 'the work is done and answered after some milliseconds, even if the caller has given up',
  slow: 'the work is done at once and answered after some milliseconds',
  hanging: 'the work is done, no answer ever comes',
  token_ends: 'every token of the merchant is revoked: 401',
  token_downscoped: 'a new token lacks scopes, without a word',
  revised: 'the PSP revises the cob by itself: one cent more',
  removed: 'the PSP removes the cob by itself',
  repeat_refused: 'a repeat is refused, whatever the profile does with it',
  paid_unseen: 'a paid cob is still ATIVA, and its payment in no list',
  paid_without_pix: 'a paid cob is CONCLUIDA with an empty list of payments',
  lagging: 'a read does not see what was written: 404',
  return_stays: 'a devolução stays EM_PROCESSAMENTO until it is told to end',
  return_fails: 'a devolução ends as NAO_REALIZADO',
  callback_none: 'no callback is sent',
  callback_twice: 'a callback is sent twice',
  callback_late: 'a callback is sent after some milliseconds',
  callback_disordered: 'a callback waits until the one after it was sent',
  callback_foreign: 'a callback also tells of a payment of another merchant',
  callback_astray: 'a callback is sent to another path',
} as const;

export type TroubleKind = keyof typeof troubleKinds;

const kinds = Object.keys(troubleKinds) as [TroubleKind, ...TroubleKind[]]; // Object.keys forgets the keys' type

/** A trouble, and whom and what it strikes; without `share` and `next` it strikes always. */
export const Trouble = z.strictObject({
  kind: z.enum(kinds),
  /** A client id; absent: every merchant. */
  merchant: z.string().optional(),
  /** Absent: every operation that the kind can strike. */
  operation: z.enum([...operations, 'token', 'callback']).optional(),
  /** Of the calls, by chance. */
  share: z.number().min(0).max(1).optional(),
  /** The next so many calls. */
  next: z.int().min(1).optional(),
  /** How long it lasts, where it lasts. */
  milliseconds: z.int().min(0).optional(),
  /** What a token lacks; `pix.write` where none is named. */
  scopes: z.array(z.string()).optional(),
  /** Whether the work is done although the answer says that it was not. */
  worked: z.boolean().optional(),
});

export type Trouble = z.input<typeof Trouble>;

/** Which call a trouble may strike. */
export interface Struck {
  readonly merchant: string;
  readonly operation: Operation | 'token' | 'callback';
}

export type PspTroubles = Troubles<Trouble>;
