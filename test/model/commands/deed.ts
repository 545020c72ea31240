import { FaturaError } from '../../../sdk/src/index.ts';
import type { Books } from '../books.ts';
import { CRASHED, OK, type Outcome, type Weather } from '../model.ts';
import type { Site } from '../stage.ts';

/** What came back: `code` is OK, the code of the refusal (with the reason of a decline), or CRASHED. */
export interface Answer {
  readonly code: string;
  readonly body?: unknown;
}

export type DeedKind = 'card' | 'pix' | 'close' | 'refund' | 'pay_pix' | 'step';

/** Something somebody does, pinned to the objects it bears on, so that it can be done again. */
export interface Deed {
  readonly label: string;
  readonly kind: DeedKind;
  /** With an Idempotency-Key, or null for none. */
  perform(site: Site, key: string | null): Promise<Answer>;
  /** All that may come of it, in fine weather one thing; null when only the invariants can tell. */
  outcomes(books: Books, weather: Weather): Outcome[] | null;
  /** What a repeat under its key may lead to when the first run was not answered, and what that run held the key for. */
  readonly again?: { readonly lease: string; outcomes(books: Books): Outcome[] };
}

/** What is to be done, before it is known to what; null: there is nothing to do it to. */
export interface Plan {
  readonly label: string;
  /** Bank calls that may meet trouble, and steps at which the process may end. */
  readonly calls: readonly Weather['troubles'][number]['call'][];
  readonly steps: readonly string[];
  pin(books: Books): Deed | null;
}

/** The steps of whoever handles a notice of the bank. */
export const NOTICE_STEPS = [
  'settlement.before-settle',
  'settlement.between-payments',
  'settlement.after-settle',
] as const;

/** What is nearly always met so many times as often as what seldom is. */
export const often = <T>(times: number, nearly: readonly T[], seldom: readonly T[]): T[] => [
  ...Array.from({ length: times }, () => nearly).flat(),
  ...seldom,
];

/** The n-th of a list, however long it is. */
export const pick = <T>(list: readonly T[], n: number): T | null => list[n % Math.max(1, list.length)] ?? null;

/** Sends a request; what the service refuses is an answer, anything else a fault of the test. */
export async function request(site: Site, send: () => PromiseLike<unknown>): Promise<Answer> {
  try {
    return { code: OK, body: await send() };
  } catch (error) {
    if (!(error instanceof FaturaError)) throw error;
    if (error.code === 'INTERNAL_ERROR' && site.interruption.hasCrashed) return { code: CRASHED };
    return { code: error.declineReason === null ? error.code : `${error.code} ${error.declineReason}` };
  }
}

/** Takes a step of a case. */
export async function step(site: Site, take: () => Promise<unknown>): Promise<Answer> {
  try {
    await take();
    return { code: OK };
  } catch (error) {
    if (site.interruption.hasCrashed) return { code: CRASHED };
    throw error;
  }
}
