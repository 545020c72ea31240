import type { ErrorCode } from '../../../contract/errors.ts';
import { type ScopeRow, scopeColumns, scopeOf } from '../../accounts/scope.ts';
import { hangsOn } from '../../db/months.ts';
import { keyedAcross, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { issue } from '../../invoices/life.ts';
import { type DueCounts, type DueRun, type DueWork, dueInTurn, runDue } from '../../jobs/due-run.ts';
import { MINUTE, type Timestamp } from '../../kernel/time.ts';
import { bucketsOf } from '../../payments/live/buckets.ts';
import { groupTransactions } from '../../unit-of-work/grouped.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { endSubscription } from '../cancel.ts';
import { lapseUnbillable } from '../changes/scheduled.ts';
import { askForQr } from '../collection/qr.ts';
import { type Asked, BY_TIME, isHeldUp, isTime, performStep } from '../collection/step.ts';
import { debitOrAsk } from '../mandates/debit.ts';
import { type Contracted, fillCalendar, lockSubscription } from '../rows.ts';
import { type DueKind, dueRank, stepRank } from '../rules.ts';
import { startInTime } from '../start.ts';
import { lockRenewal } from '../terms.ts';
import { endTrialInTime, tellTrialEnd } from '../trial.ts';
import { lapseInTime } from './lapse.ts';
import { beginPause, endPause } from './pause.ts';
import { billOfRenewal, isDueNow, pendingOf, type RenewalOutcome, renewByCard, startPeriod } from './renew.ts';
import { tellRenewal } from './tell-renewal.ts';

interface DueLook extends ScopeRow {
  due: DueKind | null;
  dueAt: Timestamp | null;
  /** The invoice whose step comes before what is due: it may suspend the subscription. */
  firstInvoiceId: string | null;
}

const lookAtDue = keyedAcross<DueLook & { key: string }>(
  'look_at_due',
  (isAsked) => `SELECT s.id AS key, ${scopeColumns('s')}, s.due, s.due_at AS "dueAt",
     (SELECT i.id FROM invoice i WHERE i.subscription_id = s.id AND i.in_case AND i.status = 'open'
        AND (i.step_at, ${stepRank('i.step')}) < (s.due_at, ${dueRank('s.due')})
      ORDER BY i.step_at, ${stepRank('i.step')}, i.id LIMIT 1) AS "firstInvoiceId"
   FROM subscription s JOIN account a ON a.id = s.account_id WHERE ${isAsked('s.id')}`,
);

/** What the calendar came to with one subscription. */
type DueOutcome =
  | (RenewalOutcome | AheadOutcome | 'period_started' | 'ended' | 'paused' | 'resumed' | 'postponed')
  | ('started' | 'told' | 'trial_ended' | 'change_lapsed');

const performers: Readonly<Record<DueKind, (deps: Deps, scope: Scope, id: string) => Promise<DueOutcome>>> = {
  renew: renewByCard,
  bill: billAhead,
  start_period: async (deps, scope, id) =>
    (await changeInTime(deps, scope, { id, due: 'start_period' })) ? 'period_started' : 'not_due',
  pause: async (deps, scope, id) => ((await changeInTime(deps, scope, { id, due: 'pause' })) ? 'paused' : 'not_due'),
  resume: async (deps, scope, id) => ((await changeInTime(deps, scope, { id, due: 'resume' })) ? 'resumed' : 'not_due'),
  start: async (deps, scope, id) => ((await startInTime(deps, scope, id)) ? 'started' : 'not_due'),
  tell_trial: async (deps, scope, id) => ((await tellTrialEnd(deps, scope, id)) ? 'told' : 'not_due'),
  tell_renewal: async (deps, scope, id) => ((await tellRenewal(deps, scope, id)) ? 'told' : 'not_due'),
  end_trial: async (deps, scope, id) => ((await endTrialInTime(deps, scope, id)) === null ? 'not_due' : 'trial_ended'),
  lapse_change: async (deps, scope, id) => ((await lapseInTime(deps, scope, id)) ? 'change_lapsed' : 'not_due'),
  end: async (deps, scope, id) => ((await endInTime(deps, scope, id)) ? 'ended' : 'not_due'),
};

/**
 * One that was not paid in its seven days (docs/product/subscriptions.md#first-payment), or whose end was asked for
 * (docs/product/subscriptions.md#cancellation): what it still owes then is given up, and can be paid all the same.
 */
const endInTime = (deps: Deps, scope: Scope, id: string): Promise<boolean> =>
  endSubscription(deps, scope, {
    id,
    endingOf: (tx, contracted) => {
      if (!isDueNow(tx, contracted, 'end')) return null;
      const { status, pendingUntil, cancelAt, penaltyWaived, unused } = contracted.subscription;
      const isUnpaid = status === 'pending' && (cancelAt == null || cancelAt > (pendingUntil ?? 0));
      if (isUnpaid) return { closing: 'void', reason: 'unpaid' };
      const terms = { unused, penalty: penaltyWaived ? ('waive' as const) : ('apply' as const) };
      return { closing: 'mark_uncollectible', reason: 'requested', terms, isServed: true };
    },
  });

/** More than the open invoices of a subscription have between two of its cycles. */
const STEPS_MAX = 1_000;

/**
 * Does what is due of a subscription by the calendar, once, however often and by whom it is asked for: after the steps of
 * its invoices that come before it, which a case that is late still owes (docs/product/collection.md#order-at-one-instant).
 */
export async function performDue(deps: Deps, id: string, { by }: Asked = BY_TIME): Promise<DueOutcome> {
  for (let steps = 0; steps <= STEPS_MAX; steps += 1) {
    const look = await deps.looks.find(lookAtDue, id);
    if (look === undefined || look.due === null || look.dueAt === null) return 'not_due';
    const scope = scopeOf(look);
    if (!isTime(deps, scope, { at: look.dueAt, by })) return 'not_due';
    if (look.firstInvoiceId === null) return performNow(deps, scope, { id, due: look.due });
    await performStep(deps, look.firstInvoiceId, { by });
  }
  throw new Error(`the steps before what is due of ${id} do not end`);
}

async function performNow(deps: Deps, scope: Scope, { id, due }: { id: string; due: DueKind }): Promise<DueOutcome> {
  try {
    const outcome = await performers[due](deps, scope, id);
    if (outcome === 'not_due') await setRight(deps, scope, id);
    return outcome;
  } catch (error) {
    if (!isHeldUp(error, HELD_UP)) throw error;
    await postpone(deps, scope, id);
    return 'postponed';
  }
}

/** Somebody else did it; should the row say otherwise, it says again what is due. */
function setRight(deps: Deps, scope: Scope, id: string): Promise<void> {
  return deps.transaction(scope, async (tx) => fillCalendar((await lockSubscription(tx, id)).subscription));
}

const HELD_UP: readonly ErrorCode[] = ['PAYMENT_IN_PROGRESS'];
/** What a payment on its way holds up is looked at again after this, on the account's clock. */
const POSTPONED = MINUTE;

const countProcessing = statement<{ processing: number }>(
  'count_charges_of_subscription',
  `SELECT count(*) AS processing FROM payment_intent p JOIN invoice i ON i.id = p.invoice_id
   WHERE i.subscription_id = :id AND p.status = 'processing'`,
);

/**
 * Only an end is ever held up, by a payment of what is owed, and the lapse of a change by that of its invoice. Of a pending one, a charge of unknown outcome makes it due again
 * itself; else it is looked at again.
 */
function postpone(deps: Deps, scope: Scope, id: string): Promise<void> {
  return deps.transaction(scope, async (tx) => {
    const [{ subscription }, [found]] = await Promise.all([
      lockSubscription(tx, id),
      tx.query(countProcessing, { id }),
    ]);
    if (subscription.due !== 'end' && subscription.due !== 'lapse_change') return;
    const isAtAcquirer = subscription.status === 'pending' && (found?.processing ?? 0) > 0;
    if (isAtAcquirer) subscription.due = null;
    subscription.dueAt = isAtAcquirer ? null : tx.now + POSTPONED;
  });
}

/** `billed`: with its QR code; `billed_for_debit`: its step instructs the acquirer at once; `billed_without_qr`: the acquirer is away, and the payment link makes it later. */
type AheadOutcome = 'billed' | 'billed_for_debit' | 'billed_without_qr' | 'free' | 'not_due';

/** Bills the next cycle of a subscription that is paid by PIX, ahead of its period, with a QR code (docs/product/subscriptions.md#renewal-by-pix). */
async function billAhead(deps: Deps, scope: Scope, id: string): Promise<AheadOutcome> {
  const billed = await deps.grouped(scope, id, (tx) => openBill(tx, id));
  if (billed === null) return 'not_due';
  if (billed.paidBy === 'nothing') return 'free';
  if (billed.paidBy === 'debit') return 'billed_for_debit';
  return (await askForQr(deps, scope, billed.invoiceId)) ? 'billed' : 'billed_without_qr';
}

interface Billed {
  readonly invoiceId: string;
  readonly paidBy: 'nothing' | 'debit' | 'qr';
}

async function openBill(tx: Tx, id: string): Promise<Billed | null> {
  const { contracted, terms } = await lockRenewal(tx, id);
  if (!isDueNow(tx, contracted, 'bill')) return null;
  await lapseUnbillable(tx, contracted, contracted.subscription.cycle + 1);
  const pending = await pendingOf(tx, { contracted, terms });
  const invoice = issue(tx, billOfRenewal(contracted, { cycle: contracted.subscription.cycle + 1, terms, pending }));
  if (invoice.status !== 'open') return { invoiceId: invoice.id, paidBy: 'nothing' };
  return { invoiceId: invoice.id, paidBy: await debitOrAsk(tx, contracted, invoice) };
}

/** What is no more than a change of the subscription. */
const changes = {
  start_period: startPeriod,
  // A day that a run comes late is no day of the pause.
  pause: (tx, contracted) => beginPause(tx, contracted, contracted.subscription.pausedAt ?? tx.now),
  resume: (tx, contracted) => endPause(tx, contracted, contracted.subscription.resumesAt ?? tx.now),
} as const satisfies Partial<Record<DueKind, (tx: Tx, contracted: Contracted) => void | Promise<void>>>;

/** Makes a change that is due; false: it is not. */
function changeInTime(
  deps: Deps,
  scope: Scope,
  { id, due }: { id: string; due: keyof typeof changes },
): Promise<boolean> {
  return deps.grouped(scope, id, async (tx) => {
    const contracted = await lockSubscription(tx, id);
    if (!isDueNow(tx, contracted, due)) return false;
    await changes[due](tx, contracted);
    return true;
  });
}

/** Rows that are due by real time; those of a held clock have no such time. */
const claimDue = dueInTurn('claim_due_subscriptions', {
  table: 'subscription',
  asks: `CASE WHEN t.due IN ('renew', 'bill', 'start', 'end_trial', 'lapse_change', 'end')
    THEN CASE t.payment_method_type WHEN 'card' THEN 'card' ELSE 'pix' END END`,
});
/** A case performs the steps of its own invoices, so the run skips them. */
const claimSteps = dueInTurn('claim_due_invoices', {
  table: 'invoice',
  also: 'NOT t.in_case',
  // A reminder asks for a QR code that is missing, other steps about one that stands.
  asks: `CASE t.step WHEN 'charge' THEN 'card' WHEN 'debit' THEN 'pix' ELSE (
    SELECT 'pix' FROM pix_charge c WHERE ${hangsOn('', 'c.invoice_id', 't.id')} AND (c.state = 'creating' OR c.state = 'active' AND t.step <> 'remind') LIMIT 1) END`,
});

/** What falls due by the calendar: steps of invoices that are in no case, and cycles of subscriptions. */
export function dueWork(deps: Deps, of: Pick<DueRun, 'mode' | 'runShard'>): DueWork[] {
  const bucketOf = bucketsOf(deps, of);
  return [
    { claim: claimSteps, perform: (id) => performStep(deps, id), bucketOf },
    { claim: claimDue, perform: (id) => performDue(deps, id), bucketOf },
  ];
}

/** Does what falls due by the calendar, many of one account together (docs/design/outbox-and-cases.md#runs). */
export const runBilling = (deps: Deps, options: DueRun): Promise<DueCounts> =>
  runDue(deps, options, dueWork({ ...deps, grouped: groupTransactions(deps) }, options));
