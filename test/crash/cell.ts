import { expect } from 'vitest';
import { FaturaError } from '../../sdk/src/index.ts';
import type { BankCall } from '../../server/payments/acquirer/sandbox/behaviour.ts';
import type { FailpointName } from '../support/failpoints.ts';
import type { Books } from './books.ts';
import type { ApiProcess } from './processes.ts';
import type { BankMode, ServedMerchant, Shop, Stage } from './stage.ts';

/**
 * Where the process dies: it kills itself at a named step, or is killed while the bank takes its time after one. The
 * bank's time passes before its work, or after it where the charge is to be in its books.
 */
export type Death =
  | { readonly at: FailpointName }
  | { readonly after: FailpointName; readonly duringCall: BankCall; readonly isAtBank?: true };

/** The process is killed when an acquirer of live mode has been asked for this, and has not answered. */
export interface DeathAtPsp {
  readonly whileAsked: string;
}

/** A request to be sent to any process any number of times under one key. */
export type Request = (merchant: ServedMerchant, key: string) => Promise<{ status: string }>;

/** What a cell is made in: a merchant of its own at a process that nothing kills, and the key of its request. */
export interface Scene {
  readonly stage: Stage;
  readonly shop: Shop;
  readonly merchant: ServedMerchant;
  readonly key: string;
}

export interface Prepared {
  /** Of a cell whose request makes the invoice, it is known once the request was answered. */
  readonly invoiceId: string;
  readonly request: Request;
  /** What the process dies of; the keyed request when nothing is said. */
  readonly strike?: (process: ApiProcess) => Promise<unknown>;
  /** What others may ask of the same invoice at the same moment. */
  readonly rivals: readonly Request[];
}

/** What callers are told: the status of what was made, or the code of the refusal. */
export interface Answers {
  /** Whether the key is held when the process dies, so that a repeat at once is refused. */
  readonly isHeld: boolean;
  /** To the first repeat, when the lease has run out. */
  readonly repeat: string;
  /** To the next one, after the cases have looked once and before the acquirer recovers. */
  readonly looked: string;
  /** To all later ones. */
  readonly final: string;
}

/** One way to lose a process, and what callers are told of it. */
export interface Fate {
  readonly name: string;
  readonly death: Death | DeathAtPsp;
  readonly answers: Answers;
}

/** One way to lose a process, and what is to come of it. */
export interface Cell extends Fate {
  readonly death: Death;
  readonly mode: BankMode;
  prepare(scene: Scene): Promise<Prepared>;
  /** What happens in the world between the death and the first repeat. */
  meanwhile?(scene: Scene, prepared: Prepared): Promise<unknown>;
  /** What shows at rest that nothing is blocked. */
  finish?(scene: Scene, prepared: Prepared): Promise<unknown>;
  readonly books: Books;
}

/** What a caller is told: the status of the object, or the code with the reason of a decline. */
export async function answerOf(answer: Promise<{ status: string }>): Promise<string> {
  try {
    return (await answer).status;
  } catch (error) {
    if (!(error instanceof FaturaError)) throw error;
    return error.declineReason === null ? error.code : `${error.code} ${error.declineReason}`;
  }
}

/** Whatever else happened: the bank has one capture at most, the invoice is paid exactly by it, and both have the same charges. */
export function expectSound({ invoice, sessions, intents, attempts, charges }: Books): void {
  const settling = intents.filter((line) => / (?:paid|refunding|refunded)$/.test(line));
  expect(settling).toHaveLength(invoice.amount_paid > 0 ? 1 : 0);
  const approved = charges.filter((line) => line.startsWith('approved'));
  expect(approved).toHaveLength(settling.filter((line) => line.startsWith('card')).length);
  expect(attempts.filter((line) => line === 'approved')).toHaveLength(approved.length);
  expect(attempts).not.toContain('sent');
  const ended = { paid: 'complete', void: 'expired' }[invoice.status] ?? 'open';
  for (const session of sessions) expect(session.split(' ')[1]).toBe(ended);
  expect(intents.filter((line) => / processing$/.test(line))).toEqual([]);
}

export const keysOf = <K extends string>(table: Readonly<Record<K, unknown>>): K[] =>
  // The keys of an object literal are exactly its declared keys; Object.keys forgets that.
  Object.keys(table) as K[];
