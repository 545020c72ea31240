import type { SessionSubscriptionInput } from '../../contract/subscription-inputs.ts';
import type { Deps } from '../deps.ts';
import { invalidParameter } from '../kernel/errors.ts';
import { DAY, type Timestamp } from '../kernel/time.ts';
import { type OpenedCharge, sendScheduled } from '../payments/card/attempts.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import { isDueNow } from './billing/renew.ts';
import { activateByCard, askForFirst, type Beginning } from './first-bill.ts';
import type { Contracted } from './rows.ts';
import { nextSubscriptionStatus, PENDING_SECONDS } from './rules.ts';
import { beginTrial, lockBeginning, refuseUnlessWithin, storedTrial } from './trial.ts';
import { viewSubscription } from './view.ts';

/** Two years. */
const AHEAD_MAX = 730 * DAY;

/** When a subscription begins, and with which trial. */
export interface StartTerms extends ReturnType<typeof storedTrial> {
  readonly startsAt: Timestamp | null;
}

export const AT_CREATION: StartTerms = { ...storedTrial(undefined), startsAt: null };

/**
 * When a subscription begins that has a trial or a start to come, each of which lies after an instant; null: it has neither,
 * and begins with its first payment.
 */
export function beginsOf(
  tx: Tx,
  { trial, start_date: startsAt }: Pick<SessionSubscriptionInput, 'trial' | 'start_date'>,
  { after, root }: { after: Timestamp; root: string },
): StartTerms | null {
  if (trial === undefined && startsAt === undefined) return null;
  if (startsAt !== undefined) refuseUnlessAhead(tx, startsAt, { after, param: `${root}.start_date` });
  const start = startsAt ?? tx.now;
  if (trial?.end !== undefined)
    refuseUnlessWithin(trial.end, { after: startsAt ?? after, start, param: `${root}.trial.end` });
  return { ...storedTrial(trial), startsAt: startsAt ?? null };
}

/** A subscription begins now, or at an instant within two years (docs/product/subscriptions.md#a-start-to-come). */
function refuseUnlessAhead(tx: Tx, at: Timestamp, { after, param }: { after: Timestamp; param: string }): void {
  const latest = tx.now + AHEAD_MAX;
  if (at > after && at <= latest) return;
  throw invalidParameter(
    param,
    `${param} must lie after ${after} and within two years (${latest}), got ${at}; without it the subscription begins now`,
  );
}

/** Until when the trial of a pending one waits for its card: seven days, and not beyond its own end. */
export const cardAwaitedUntil = (tx: Tx, trialEndAt: Timestamp | null | undefined): Timestamp =>
  Math.min(tx.now + PENDING_SECONDS, trialEndAt ?? Number.POSITIVE_INFINITY);

/** What a subscription comes to when its time is there: its trial, or its first bill. Answers the charge that is to be sent. */
export async function begin(tx: Tx, beginning: Beginning): Promise<OpenedCharge | null> {
  const { contracted, terms } = beginning;
  const { subscription } = contracted;
  if (subscription.trialEndBehavior != null) {
    if (subscription.trialNeedsMethod && terms.card === null) awaitCard(tx, contracted);
    else beginTrial(tx, contracted);
    return null;
  }
  if (terms.card !== null) return activateByCard(tx, beginning, subscription.startsAt ?? tx.now);
  await askForFirst(tx, beginning);
  return null;
}

/** A new one waits already. */
function awaitCard(tx: Tx, contracted: Contracted): void {
  const { subscription } = contracted;
  if (subscription.status === 'pending') return;
  subscription.status = nextSubscriptionStatus(subscription, 'ask');
  subscription.pendingUntil = cardAwaitedUntil(tx, subscription.trialEndAt);
  tx.record('subscription.updated', viewSubscription(tx, contracted));
}

/** Begins a scheduled subscription in its time; false: it is not due. */
export async function startInTime(deps: Deps, scope: Scope, id: string): Promise<boolean> {
  const started = await deps.transaction(scope, async (tx) => {
    const beginning = await lockBeginning(tx, id);
    return isDueNow(tx, beginning.contracted, 'start') ? { opened: await begin(tx, beginning) } : null;
  });
  if (started?.opened != null) await sendScheduled(deps, scope, started.opened);
  return started !== null;
}
