import { NoTurn, type Turns } from '../db/turns.ts';
import type { Deps } from '../deps.ts';
import { amountOf, type BudgetName } from '../kernel/budgets.ts';
import { BillingError } from '../kernel/errors.ts';
import type { Party } from './party.ts';

/** What a refused one is told to wait: by then a busy account has done much of what it had under way. */
const RETRY_SECONDS = 1;

export const AT_ONCE = 'at once, of this account in this mode,';

/** A budget, and what it is of, as a refusal tells it. */
interface Asked {
  readonly budget: BudgetName;
  readonly what: string;
}

/** What is said where a budget is used up. */
export function createRefusals({ metrics }: Pick<Deps, 'metrics'>) {
  const refusal = (of: Party, { budget, what }: Asked): BillingError => {
    metrics.budgets.refuse(budget, of);
    const most = amountOf(budget, of).toLocaleString('en');
    const message = `The budget "${budget}" of ${most} ${what} is used up; repeat in ${RETRY_SECONDS} s`;
    return new BillingError('RATE_LIMITED', { message, retryAfterSeconds: RETRY_SECONDS });
  };
  return {
    refusal,
    /** Takes a place of a budget in turn; what is returned gives it back. */
    async turn(turns: Turns, of: Party, asked: Asked): Promise<() => void> {
      try {
        return await turns.take(of.accountId);
      } catch (error) {
        if (!(error instanceof NoTurn)) throw error;
        const waiting = { budget: 'requests_waiting', what: `requests that wait ${AT_ONCE}` } as const;
        throw refusal(of, error.why === 'busy' ? waiting : asked);
      }
    },
  };
}

export type Refusals = ReturnType<typeof createRefusals>;
