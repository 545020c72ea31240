import type { RequestHandler } from 'express';
import type { Identity } from '../accounts/authentication.ts';
import { Company } from '../db/company.ts';
import { Paces } from '../db/paces.ts';
import { holderOf, type Party } from './party.ts';

/** So many begin without a pause before an account is held to its pace. */
const AT_ONCE_MAX = 4;

type Begin = () => void;

/** Whose request begins, and how many of a second may. */
interface Beginner extends Party {
  readonly perSecond: number;
}

/**
 * Begins one request of each account in each round of the event loop, in the order they came. So however many of one account
 * are there at once, another's waits for one of them and not for all. Whoever is alone loses nothing, for the loop goes round
 * as fast as there is work; beside others an account also begins no more in a second than it may.
 */
export class FairStarts {
  /** Whoever began one in this round or has to wait, and what else it has. */
  readonly #waiting = new Map<string, Begin[]>();
  readonly #company: Company;
  readonly #paces = new Paces(AT_ONCE_MAX);

  /** Others who ask for something are known from elsewhere too, if their company is given. */
  constructor(company = new Company()) {
    this.#company = company;
  }

  /** How many of an account wait behind the one that begins next. */
  waiting(of: Party): number {
    return this.#waiting.get(holderOf(of))?.length ?? 0;
  }

  begin(beginner: Beginner, start: Begin): void {
    const holder = holderOf(beginner);
    this.#company.saw(holder);
    const queue = this.#waiting.get(holder);
    if (queue !== undefined) {
      queue.push(start);
      return;
    }
    const started = [start];
    this.#waiting.set(holder, started);
    this.#turn(holder, started, beginner.perSecond);
  }

  #turn(holder: string, queue: Begin[], perSecond: number): void {
    const again = (): void => this.#turn(holder, queue, perSecond);
    if (queue.length === 0) {
      this.#waiting.delete(holder);
      return;
    }
    const waitMs = this.#company.isShared ? this.#paces.take(holder, perSecond) : 0;
    if (waitMs > 0) {
      setTimeout(again, waitMs);
      return;
    }
    setImmediate(again);
    queue.shift()?.();
  }
}

/** Behind the authentication, and before a body is read. */
export const startFairly =
  (starts: FairStarts, perSecond: (identity: Identity) => number): RequestHandler =>
  ({ identity }, _response, next) => {
    const { accountId, liveMode } = identity;
    starts.begin({ accountId, liveMode, perSecond: perSecond(identity) }, next);
  };
