import { z } from 'zod';
import type { Troubles } from '../fakes/troubles.ts';

export const operations = [
  'createToken',
  'createCustomer',
  'listCustomers',
  'getCustomer',
  'createCard',
  'listCards',
  'getCard',
  'deleteCard',
  'createOrder',
  'listOrders',
  'getOrder',
  'listCharges',
  'getCharge',
  'listTransactions',
  'cancelCharge',
] as const;

export type Operation = (typeof operations)[number];

/** What may go wrong, and what it is. */
export const troubleKinds = {
  request_lost: 'nothing is done, the connection is destroyed',
  answer_lost: 'the work is done, the connection is destroyed',
  unavailable: '503, nothing is done',
  fault: '500, the work is done',
  html_fault: '502 with a page of HTML, the work is done',
  too_many: '429',
  unauthorized: '401, as if the key were revoked',
  slow: 'the work is done at once and answered after some milliseconds',
  stalled: 'the work is done and answered after some milliseconds, even if the caller has given up',
  hanging: 'the work is done, no answer ever comes',
  lagging: 'a list does not show what is younger than some milliseconds',
  stays_processing: 'a charge is at the acquirer until it is told to end',
  refund_stays: 'a refund is pending until it is told to end',
  refund_fails: 'a refund ends as not made',
  hook_none: 'no webhook is sent',
  hook_twice: 'a webhook is sent twice',
  hook_late: 'a webhook is sent after some milliseconds',
  hook_unknown_key: 'a webhook is signed with a key that is not shown',
  hook_forged: 'the body of a webhook is changed after it was signed',
} as const;

export type TroubleKind = keyof typeof troubleKinds;

const kinds = Object.keys(troubleKinds) as [TroubleKind, ...TroubleKind[]]; // Object.keys forgets the keys' type

export const Trouble = z.strictObject({
  kind: z.enum(kinds),
  /** A secret key; absent: every merchant. */
  merchant: z.string().optional(),
  operation: z.enum([...operations, 'hook']).optional(),
  share: z.number().min(0).max(1).optional(),
  next: z.int().min(1).optional(),
  milliseconds: z.int().min(0).optional(),
});

export type Trouble = z.input<typeof Trouble>;

export type PagarmeTroubles = Troubles<Trouble>;
