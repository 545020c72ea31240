import { type Books, expiresAtOf, termsOf } from './books.ts';
import type { Callback, CobStatus, Return, Webhook } from './entries.ts';
import type { Cobr, Rec } from './rec-entries.ts';

/** Books as values, to be compared with those of a merchant. Amounts are cents, instants Unix milliseconds. */
export interface PlainBooks {
  readonly cobs: readonly PlainCob[];
  readonly payments: readonly PlainPayment[];
  readonly returns: readonly PlainReturn[];
  readonly recs: readonly Rec[];
  readonly cobrs: readonly Cobr[];
  readonly webhook: Webhook | null;
  readonly callbacks: readonly Callback[];
}

export interface PlainCob {
  readonly txid: string;
  readonly status: CobStatus;
  readonly amount: number;
  readonly key: string;
  readonly revision: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** End-to-end ids. */
  readonly payments: readonly string[];
}

export interface PlainPayment {
  readonly endToEndId: string;
  readonly txid: string | null;
  readonly amount: number;
  readonly at: number;
}

export type PlainReturn = Return & { readonly endToEndId: string };

export function plainBooks(books: Books): PlainBooks {
  const payments = [...books.payments.values()];
  return structuredClone({
    cobs: [...books.cobs.values()].map((cob) => {
      const { status, amount, key } = termsOf(cob);
      return {
        txid: cob.txid,
        status,
        amount,
        key,
        revision: cob.revisions.length - 1,
        createdAt: cob.createdAt,
        expiresAt: expiresAtOf(cob),
        payments: cob.payments.map(({ endToEndId }) => endToEndId),
      };
    }),
    payments: payments.map(({ endToEndId, txid, amount, at }) => ({ endToEndId, txid, amount, at })),
    returns: payments.flatMap(({ endToEndId, returns }) => returns.map((each) => ({ ...each, endToEndId }))),
    recs: [...books.recs.recs.values()],
    cobrs: [...books.recs.cobrs.values()],
    webhook: books.webhooks.pix,
    callbacks: books.callbacks,
  });
}
