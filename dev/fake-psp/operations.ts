import type { Chance } from '../fakes/random.ts';
import type { Answer } from './answer.ts';
import type { Merchant } from './merchant.ts';
import type { PspProfile } from './profile.ts';
import type { Rec } from './rec-entries.ts';
import type { RecViews } from './rec-views.ts';
import type { Operation, Trouble, TroubleKind } from './troubles.ts';
import type { Views } from './views.ts';

/** One call of the API that passed the gateway: its caller is known and it has the form of the document. */
export interface Call {
  readonly merchant: Merchant;
  readonly operation: Operation;
  /** Of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
  /** The trouble of a kind that strikes this call. */
  strikes(kind: TroubleKind): Trouble | null;
}

/** What the operations of a PSP share. */
export interface Desk {
  readonly profile: PspProfile;
  readonly views: Views;
  readonly chance: Chance;
  readonly clock: () => number;
  readonly recViews: RecViews;
  /** The merchant ends a recurrence. */
  cancelRec(merchant: Merchant, rec: Rec): void;
  /** A debit was instructed: the payer's bank answers in its time. */
  instructed(merchant: Merchant): void;
  /** A devolução was asked for: it is settled in its time. */
  returnRequested(merchant: Merchant, endToEndId: string, id: string): void;
  /** Whether a URL refuses calls without a certificate and takes those with the PSP's. */
  isGuarded(url: string): Promise<boolean>;
}

export type Handler = (desk: Desk, call: Call) => Answer | Promise<Answer>;

/** A part of the path that the router has found. */
export function param(call: Call, name: string): string {
  const value = call.params[name];
  if (value === undefined) throw new Error(`${call.operation} has no {${name}} in its path`);
  return value;
}

/** Whether a trouble that strikes a read is not over yet: it lasts from the write on, or strikes whenever it strikes. */
export function lasts(desk: Desk, trouble: Trouble | null, writtenAt: number): boolean {
  if (trouble === null) return false;
  return trouble.milliseconds === undefined || desk.clock() < writtenAt + trouble.milliseconds;
}
