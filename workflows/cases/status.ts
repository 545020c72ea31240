import { condition, defineSignal, setCurrentDetails, setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import { faturaNextDue, faturaStatus } from './attributes.ts';

/** Carries no data: whatever changed is in the database. */
export const lookAgain = defineSignal('lookAgain');

/** Where a case stands, as its activity answered. */
export interface CaseStatus {
  readonly status: string;
  readonly note: string;
  /** Null: it is over. */
  readonly dueInSeconds: number | null;
}

const SECOND_MS = 1_000;

/** What the case shows to whoever opens it, and what it can be found by. */
export function show({ status, note, dueInSeconds }: CaseStatus): void {
  setCurrentDetails(note);
  const dueAt = dueInSeconds === null ? null : new Date(Date.now() + dueInSeconds * SECOND_MS);
  upsertSearchAttributes([
    { key: faturaStatus, value: status },
    { key: faturaNextDue, value: dueAt },
  ]);
}

/** The signals of one run: each asks for one more look, however many came. */
export class WakeUps {
  #asked = false;

  constructor() {
    setHandler(lookAgain, () => {
      this.#asked = true;
    });
  }

  /** Whether a look was asked for since the last answer. */
  take(): boolean {
    const asked = this.#asked;
    this.#asked = false;
    return asked;
  }

  /** Waits until the time is over or a look is asked for; `what` names the timer in the history. */
  async wait(seconds: number, what = 'looks again'): Promise<void> {
    await condition(() => this.#asked, seconds * SECOND_MS, { summary: what });
  }
}
