import type { RequestHandler } from 'express';
import { Turns } from '../db/turns.ts';
import { amountOf } from '../kernel/budgets.ts';
import { LiveWork } from '../kernel/live-work.ts';
import { SECOND_MS } from '../kernel/time.ts';
import type { Party } from './party.ts';
import { asyncMiddleware } from './request.ts';
import type { Refusals } from './turns-of-budgets.ts';

/**
 * A request takes one of so many places for as long as makes up the pace of all, however long it is under way itself. They are
 * given back one by one: requests that begin together keep a live one that comes then waiting for all of them.
 */
const PLACES = 4;
/** So many are left to accounts that have none. */
const SPARE = PLACES / 2;
const WAIT_MS = 2_000;

/** Holds all sandboxes together to so many requests a second while live accounts are there (docs/design/budgets.md#beside-live-work). */
export class SandboxPace {
  readonly #refusals: Refusals;
  readonly #places = new Turns({ total: PLACES, each: PLACES - SPARE, spare: SPARE, waitMs: WAIT_MS });
  readonly #everyMs = SECOND_MS / amountOf('sandboxes', { liveMode: false });
  /** When the last of the places that are taken is given back. */
  #lastBackMs = 0;
  readonly #liveWork = new LiveWork();

  constructor(refusals: Refusals) {
    this.#refusals = refusals;
  }

  /** Something is done for an account, whoever asks for it. */
  saw({ liveMode }: Party): void {
    if (liveMode) this.#liveWork.saw();
  }

  /** Resolves when a request may begin; throws where its turn does not come. */
  async begin(party: Party): Promise<void> {
    this.saw(party);
    if (party.liveMode || !this.#liveWork.isThere) return;
    const what = 'requests a second, of all sandboxes beside live accounts,';
    const leave = await this.#refusals.turn(this.#places, party, { budget: 'sandboxes', what });
    const nowMs = performance.now();
    this.#lastBackMs = Math.max(nowMs + this.#everyMs * PLACES, this.#lastBackMs + this.#everyMs);
    setTimeout(leave, this.#lastBackMs - nowMs).unref();
  }

  /** Behind the authentication, and before a body is read. */
  readonly hold: RequestHandler = asyncMiddleware(({ identity }) => this.begin(identity));
}
