import { reasonOf } from '../../server/exit-saying.ts';

/** What one check found, as it is printed. */
export interface Diagnosis {
  readonly check: string;
  readonly ok: boolean;
  readonly message: string;
  /** What to do; null: nothing. */
  readonly remedy: string | null;
  /** Nothing was looked at, since a setting is not set. */
  readonly skipped?: true;
}

export type Found = Omit<Diagnosis, 'check'>;

export const fine = (message: string): Found => ({ ok: true, message, remedy: null });
export const wrong = (message: string, remedy: string): Found => ({ ok: false, message, remedy });
export const skipped = (message: string): Found => ({ ok: true, message, remedy: null, skipped: true });

/** A check with the remedy of what it throws. */
export interface Examination<Examined> {
  readonly name: string;
  readonly remedy: string;
  readonly look: (examined: Examined) => Promise<Found>;
}

const WAIT_MS = 15_000;

/** What a check finds; one that throws, or does not end, found something wrong. */
export async function diagnose<Examined>(examination: Examination<Examined>, examined: Examined): Promise<Diagnosis> {
  const { name, remedy } = examination;
  const late = new Promise<Found>((resolve) => {
    setTimeout(() => resolve(wrong(`no answer within ${WAIT_MS / 1_000} seconds`, remedy)), WAIT_MS).unref();
  });
  // As its method: a look answers with the remedy of its own check.
  const looked = examination.look(examined).catch((error: unknown) => wrong(whyOf(error), remedy));
  return { check: name, ...(await Promise.race([looked, late])) };
}

/** Of a request that failed its cause says why. */
const whyOf = (error: unknown): string =>
  reasonOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
