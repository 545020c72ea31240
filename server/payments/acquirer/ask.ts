import type { DeclineReason } from '../../../contract/errors.ts';
import type { Scope } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { BillingError } from '../../kernel/errors.ts';
import { SECOND_MS } from '../../kernel/time.ts';
import { ACQUIRER_DEADLINE } from '../rules.ts';
import type { Acquirer, AcquirerAnswer, Merchant } from './port.ts';

const acquirerOf = (deps: Deps, scope: Scope): Acquirer | null =>
  scope.liveMode ? deps.acquirers.live : deps.acquirers.sandbox;

/** An acquirer that has not answered by then is not waited for; what it did all the same is found by asking it again. */
export const ACQUIRER_DEADLINE_MS = ACQUIRER_DEADLINE * SECOND_MS;

/** Asks the acquirer of the mode; one that is not configured is as silent as one that cannot be reached. */
export async function askAcquirer<T>(
  deps: Deps,
  scope: Scope,
  ask: (acquirer: Acquirer, merchant: Merchant) => Promise<AcquirerAnswer<T>>,
  { deadlineMs = ACQUIRER_DEADLINE_MS }: { deadlineMs?: number } = {},
): Promise<AcquirerAnswer<T>> {
  const acquirer = acquirerOf(deps, scope);
  if (acquirer === null) return { known: false, why: 'unreachable' };
  const { accountId, liveMode, account } = scope;
  const merchant = { accountId, liveMode, name: account.name, city: account.city, now: deps.clock.now(scope) };
  const answer = ask(measured(deps, acquirer), merchant).catch((error: unknown) => faultOf(deps, acquirer, error));
  return withinDeadline(answer, deadlineMs);
}

/** The acquirer with each of its calls measured by its name. */
function measured({ metrics }: Deps, acquirer: Acquirer): Acquirer {
  return new Proxy(acquirer, {
    get(of, call) {
      const value: unknown = Reflect.get(of, call);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        const end = metrics.acquirerCalls.startTimer({ call: String(call) });
        try {
          return await value.apply(of, given);
        } finally {
          end();
        }
      };
    },
  });
}

/** An adapter that fails tells as little of what happened as an acquirer that does. Its error may hold the card: only where it arose is told. */
function faultOf(deps: Deps, { name: acquirer }: Acquirer, error: unknown): AcquirerAnswer<never> {
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

async function withinDeadline<T>(answer: Promise<AcquirerAnswer<T>>, deadlineMs: number): Promise<AcquirerAnswer<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<AcquirerAnswer<T>>((resolve) => {
    timer = setTimeout(() => resolve({ known: false, why: 'timeout' }), deadlineMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Live mode charges nothing until an acquirer is configured (docs/product/requests.md#accounts-and-modes). */
export function requireAcquirer(deps: Deps, scope: Scope): void {
  if (acquirerOf(deps, scope) !== null) return;
  const message = 'No acquirer is configured for live mode: nothing happened, and a repeat is refused until one is';
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
