import type { DeclineReason } from '../../../contract/errors.ts';
import type { Deps } from '../../deps.ts';
import { BillingError } from '../../kernel/errors.ts';
import { settledWithin } from '../../kernel/settled-within.ts';
import { SECOND_MS } from '../../kernel/time.ts';
import { tracedScope } from '../../kernel/tracing.ts';
import type { Scope } from '../../unit-of-work/tx.ts';
import { ACQUIRER_DEADLINE } from '../rules.ts';
import type { AcquirerAnswer, AcquirerHalves, CardAcquirer, Merchant, Method, PixAcquirer } from './port.ts';

type AskDeps = Pick<Deps, 'acquirers' | 'clock' | 'metrics' | 'logger' | 'tracing'>;

/** The acquirer of the mode; null: live mode has none for this account and method. */
export const acquirerOf = async <M extends Method>(
  deps: Pick<Deps, 'acquirers'>,
  scope: Scope,
  method: M,
): Promise<AcquirerHalves[M] | null> =>
  scope.liveMode ? deps.acquirers.live[method](scope.accountId) : deps.acquirers.sandbox;

/** An acquirer that has not answered by then is not waited for; what it did all the same is found by asking it again. */
export const ACQUIRER_DEADLINE_MS = ACQUIRER_DEADLINE * SECOND_MS;

/** Asks the acquirer of the mode and method; one that is not configured is as silent as one that cannot be reached. */
export type AskAcquirer = <M extends Method, T>(
  scope: Scope,
  method: M,
  call: (acquirer: AcquirerHalves[M], merchant: Merchant) => Promise<AcquirerAnswer<T>>,
  options?: { deadlineMs?: number },
) => Promise<AcquirerAnswer<T>>;

/** How a process asks acquirers; nothing else calls them but what sets them up. */
export const createAsk =
  (deps: AskDeps): AskAcquirer =>
  async (scope, method, call, { deadlineMs = ACQUIRER_DEADLINE_MS } = {}) => {
    const acquirer = await acquirerOf(deps, scope, method);
    if (acquirer === null) return { known: false, why: 'unreachable' };
    const { accountId, liveMode, account } = scope;
    const merchant = { accountId, liveMode, name: account.name, city: account.city, now: deps.clock.now(scope) };
    const answer = call(measured(deps, acquirer, scope), merchant).catch((error: unknown) =>
      faultOf(deps, acquirer, error),
    );
    return settledWithin(deadlineMs, answer, () => ({ known: false, why: 'timeout' }));
  };

/** The acquirer with each of its calls measured, and traced, by its name. */
function measured<A extends PixAcquirer | CardAcquirer>({ metrics, tracing }: AskDeps, acquirer: A, scope: Scope): A {
  return new Proxy(acquirer, {
    get(of, call) {
      const value: unknown = Reflect.get(of, call);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        const end = metrics.acquirerCalls.startTimer({ call: String(call) });
        try {
          return await tracing.span({ name: `acquirer ${String(call)}`, kind: 'client', ids: tracedScope(scope) }, () =>
            value.apply(of, given),
          );
        } finally {
          end();
        }
      };
    },
  });
}

/** An adapter that fails tells as little of what happened as an acquirer that does. Its error may hold the card: only where it arose is told. */
function faultOf(deps: AskDeps, { name: acquirer }: { name: string }, error: unknown): AcquirerAnswer<never> {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  deps.logger.error(
    { acquirer, fault: error instanceof Error ? error.name : typeof error, frames },
    'an acquirer failed',
  );
  return { known: false, why: 'fault' };
}

/** What is left of a time that several calls to the acquirer share. */
export function timeBudget(totalMs: number): () => number {
  const endsAt = performance.now() + totalMs;
  return () => Math.max(0, endsAt - performance.now());
}

const methodNames: Record<Method, string> = { pix: 'PIX', card: 'cards' };

/** Live mode charges nothing by a method until the account has an acquirer for it (docs/product/requests.md#accounts-and-modes). */
export async function requireAcquirer<M extends Method>(
  deps: Pick<Deps, 'acquirers'>,
  scope: Scope,
  method: M,
): Promise<AcquirerHalves[M]> {
  const acquirer = await acquirerOf(deps, scope, method);
  if (acquirer !== null) return acquirer;
  const message = `No acquirer for ${methodNames[method]} is configured for live mode: nothing happened, and a repeat is refused until one is`;
  throw new BillingError('ACQUIRER_UNAVAILABLE', { message });
}

export const acquirerUnavailable = (why: string): BillingError =>
  new BillingError('ACQUIRER_UNAVAILABLE', { message: `${why}; nothing happened, repeat later` });

export const cardDeclined = (declineReason: DeclineReason): BillingError =>
  new BillingError('CARD_DECLINED', {
    message: `The card was declined: ${declineReason.replaceAll('_', ' ')}`,
    declineReason,
  });

export const acquirerTimeout = (paymentIntent: string, message: string): BillingError =>
  new BillingError('ACQUIRER_TIMEOUT', { message, paymentIntent });
