import type { Request, Response } from 'express';
import { type Owner, workFor } from '../db/owner.ts';
import { NoTurn, Turns } from '../db/turns.ts';
import type { Deps } from '../deps.ts';
import { amountOf, type BudgetName } from '../kernel/budgets.ts';
import { BillingError } from '../kernel/errors.ts';
import type { IdempotentRunner } from './idempotency.ts';

/** The budget of who has something done. */
const budgetOf = { merchant: 'requests', buyer: 'buyers', acquirer: 'notices' } as const satisfies Record<
  Owner['by'],
  BudgetName
>;

/** So many accounts of a mode may use their budget up at once. */
const ACCOUNTS_BUSY = 8;
const WAIT_MS = 2_000;
/** What a refused one is told to wait: by then a tenth of a second's work of a busy account has been done many times. */
const RETRY_SECONDS = 1;

const modes = [{ liveMode: true }, { liveMode: false }] as const;
const gateName = (by: Owner['by'], { liveMode }: { liveMode: boolean }): string => `${by} ${liveMode}`;

function createGates(): ReadonlyMap<string, Turns> {
  const gates = new Map<string, Turns>();
  for (const by of ['merchant', 'buyer', 'acquirer'] as const) {
    for (const mode of modes) {
      const each = amountOf(budgetOf[by], mode);
      const bounds = { total: ACCOUNTS_BUSY * each, each, spare: each, waitMs: WAIT_MS };
      gates.set(gateName(by, mode), new Turns({ ...bounds, waitingMax: amountOf('requests_waiting', mode) }));
    }
  }
  return gates;
}

/** Answers of each account that are on their way. */
class Answers {
  readonly #of = new Map<string, Set<Response>>();

  add(holder: string, response: Response): void {
    const answers = this.#of.get(holder) ?? new Set();
    this.#of.set(holder, answers.add(response));
    response.once('close', () => {
      answers.delete(response);
      if (answers.size === 0) this.#of.delete(holder);
    });
  }

  /** Bytes that were given and that nobody has taken yet. */
  bytes(holder: string): number {
    let bytes = 0;
    for (const { writableLength } of this.#of.get(holder) ?? []) bytes += writableLength;
    return bytes;
  }
}

/** Holds the requests of each account to what it may have under way at once (docs/design/budgets.md#requests). */
export function createUnderWay({ metrics }: Pick<Deps, 'metrics'>) {
  const gates = createGates();
  const answers = new Answers();

  const refusal = (budget: BudgetName, owner: Owner, what: string): BillingError => {
    metrics.budgets.refuse(budget, owner);
    const most = amountOf(budget, owner).toLocaleString('en');
    const message = `The budget "${budget}" of ${most} ${what} is used up; repeat in ${RETRY_SECONDS} s`;
    return new BillingError('RATE_LIMITED', { message, retryAfterSeconds: RETRY_SECONDS });
  };

  const enter = async (owner: Owner): Promise<() => void> => {
    const gate = gates.get(gateName(owner.by, owner));
    if (gate === undefined) throw new Error(`no budget of what is done by ${owner.by}`);
    try {
      return await gate.take(owner.accountId);
    } catch (error) {
      if (!(error instanceof NoTurn)) throw error;
      const what = `at once, of this account in this mode,`;
      throw error.why === 'busy'
        ? refusal('requests_waiting', owner, `requests that wait ${what}`)
        : refusal(budgetOf[owner.by], owner, `requests ${what}`);
    }
  };

  /** Does what a request asks for. It is under way until that has come to its end and its answer has left, or nobody takes it. */
  const run = async <T>(request: Request, owner: Owner, work: () => Promise<T>): Promise<T> => {
    const holder = `${owner.accountId} ${gateName(owner.by, owner)}`;
    if (answers.bytes(holder) > amountOf('answer_bytes', owner)) {
      throw refusal('answer_bytes', owner, 'bytes of answers that were given and not taken yet');
    }
    const leave = await enter(owner);
    const { res: response } = request;
    if (response === undefined) throw new Error('a request without an answer');
    request.stepAside = leave;
    if (!response.closed) answers.add(holder, response);
    try {
      return await workFor(owner, work);
    } finally {
      if (response.closed) leave();
      else response.once('close', leave);
    }
  };

  return {
    run,
    /** A runner of requests that holds them to the budget of whoever sends them. */
    bounding:
      (runner: IdempotentRunner, by: Owner['by']): IdempotentRunner =>
      (request, response, handle) => {
        const { accountId, liveMode } = request.identity;
        return run(request, { accountId, liveMode, by }, () => runner(request, response, handle));
      },
  };
}

export type UnderWay = ReturnType<typeof createUnderWay>;
