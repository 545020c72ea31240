import type { ErrorCode } from '../../../contract/errors.ts';
import { type ScopeRow, scopeColumns, scopeOf } from '../../accounts/scope.ts';
import { hangsOn } from '../../db/months.ts';
import { acrossAccounts, keyedAcross, run } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { collectionDaysOf } from '../../invoices/days.ts';
import type { Invoice } from '../../invoices/entity.ts';
import { isDue, lockInvoice, park, postpone, schedule, tellOverdue } from '../../invoices/life.ts';
import { billedOf, remindersPast, type StepKind } from '../../invoices/rules.ts';
import { civilDaysBetween } from '../../kernel/brazil.ts';
import { BillingError } from '../../kernel/errors.ts';
import { isLetterHour } from '../../kernel/letter-hours.ts';
import type { Timestamp } from '../../kernel/time.ts';
import { writeToBuyer } from '../../mail/bill-letters.ts';
import { lockBook, refuseWhilePaying } from '../../payments/intents/book.ts';
import { handleNotice } from '../../payments/pix/settlement.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import { endSubscription, suspendFor } from '../cancel.ts';
import { lockSubscription } from '../rows.ts';
import { viewSubscription } from '../view.ts';
import { chargeBySchedule } from './charge.ts';
import { seeToDebit } from './debit.ts';
import { isOverdue } from './overdue.ts';
import { askForQr } from './qr.ts';

/** Who asks for what is due: a run or a case, or the test clock, which has an account for itself while it holds its clock. */
export interface Asked {
  readonly by: 'time' | 'test_clock';
}
export const BY_TIME: Asked = { by: 'time' };

/** Whether it is time for whoever asks: while a clock is held, only what moves it does what falls due. */
export const isTime = (deps: Deps, scope: Scope, { at, by }: Asked & { readonly at: Timestamp }): boolean =>
  at <= deps.clock.now(scope) && (scope.clock.heldAt === null || by === 'test_clock');

/** Whether something was refused for a reason that passes. */
export const isHeldUp = (error: unknown, reasons: readonly ErrorCode[]): boolean =>
  error instanceof BillingError && reasons.includes(error.code);

/** What may hold a step up: a payment on its way, or an acquirer that is silent. */
const HELD_UP: readonly ErrorCode[] = [
  'PAYMENT_IN_PROGRESS',
  'PIX_PAYMENT_CONFIRMED',
  'INVOICE_NOT_OPEN',
  'ACQUIRER_UNAVAILABLE',
];

interface StepLook extends ScopeRow {
  subscriptionId: string | null;
  step: StepKind | null;
  stepAt: Timestamp | null;
}

const lookAtStep = keyedAcross<StepLook & { key: string }>(
  'look_at_step',
  (
    isAsked,
  ) => `SELECT i.id AS key, ${scopeColumns('i')}, i.subscription_id AS "subscriptionId", i.step, i.step_at AS "stepAt"
   FROM invoice i JOIN account a ON a.id = i.account_id WHERE ${isAsked('i.id')}`,
);

interface StepOf {
  readonly invoiceId: string;
  readonly subscriptionId: string | null;
}
type Perform = (deps: Deps, scope: Scope, of: StepOf) => Promise<boolean>;
const ownerOf = ({ invoiceId: id, subscriptionId }: StepOf): string => billedOf({ id, subscriptionId });

const performers: Readonly<Record<StepKind, Perform>> = {
  charge: async (deps, scope, { invoiceId, subscriptionId }) =>
    subscriptionId !== null && (await chargeBySchedule(deps, scope, { invoiceId, subscriptionId })) !== 'not_due',
  debit: (deps, scope, { invoiceId }) => seeToDebit(deps, scope, invoiceId),
  mark_overdue: async (deps, scope, of) => {
    await askAboutQr(deps, scope, of.invoiceId);
    return markOverdue(deps, scope, of);
  },
  remind: async (deps, scope, of) => {
    await finishQr(deps, scope, of.invoiceId);
    return sendReminder(deps, scope, of);
  },
  suspend: async (deps, scope, { invoiceId, subscriptionId }) => {
    if (subscriptionId === null) return false;
    await askAboutQr(deps, scope, invoiceId);
    return suspendFor(deps, scope, { subscriptionId, invoiceId });
  },
  cancel: async (deps, scope, { invoiceId, subscriptionId }) =>
    subscriptionId !== null && cancelFor(deps, scope, { subscriptionId, invoiceId }),
};

/** Gives up the invoice that suspended a subscription, and ends that (docs/product/collection.md#end). */
const cancelFor = (
  deps: Deps,
  scope: Scope,
  { subscriptionId: id, invoiceId }: { subscriptionId: string; invoiceId: string },
): Promise<boolean> =>
  endSubscription(deps, scope, {
    id,
    endingOf: async (tx, { subscription }) => {
      const isLate =
        subscription.status === 'suspended' && isDue((await lockBook(tx, invoiceId)).invoice, 'cancel', tx.now);
      return isLate ? { closing: 'mark_uncollectible', reason: 'unpaid' } : null;
    },
  });

/** What collection came to with one invoice. */
export type StepOutcome = StepKind | 'postponed' | 'not_due';

/** Does what is due with an open invoice by itself, once, however often and by whom it is asked for. */
export async function performStep(deps: Deps, invoiceId: string, { by }: Asked = BY_TIME): Promise<StepOutcome> {
  const look = await deps.looks.find(lookAtStep, invoiceId);
  if (look === undefined || look.step === null || look.stepAt === null) return 'not_due';
  const scope = scopeOf(look);
  if (!isTime(deps, scope, { at: look.stepAt, by })) return 'not_due';
  try {
    const done = await performers[look.step](deps, scope, { invoiceId, subscriptionId: look.subscriptionId });
    if (done) return look.step;
    // Somebody else did it; should it be due all the same, it is not asked for over and over.
    await holdUp(deps, scope, { invoiceId, step: look.step });
    return 'not_due';
  } catch (error) {
    if (!isHeldUp(error, HELD_UP)) throw error;
    await holdUp(deps, scope, { invoiceId, step: look.step });
    return 'postponed';
  }
}

/** A charge of unknown outcome schedules the invoice again itself; anything else is looked at again. */
function holdUp(deps: Deps, scope: Scope, { invoiceId, step }: { invoiceId: string; step: StepKind }): Promise<void> {
  return deps.transaction(scope, async (tx) => {
    const { invoice, intent } = await lockBook(tx, invoiceId);
    if (!isDue(invoice, step, tx.now)) return;
    if (intent?.status === 'processing') park(invoice);
    else postpone(invoice, tx.now);
  });
}

/** Tells that an invoice is unpaid a day after it was due, and of a subscription once an episode (docs/product/collection.md#overdue-episode); false: not due. */
function markOverdue(deps: Deps, scope: Scope, of: StepOf): Promise<boolean> {
  return deps.grouped(scope, ownerOf(of), async (tx) => {
    const book = await lockBook(tx, of.invoiceId);
    const { invoice } = book;
    if (!isDue(invoice, 'mark_overdue', tx.now)) return false;
    refuseWhilePaying(book);
    const { subscriptionId } = invoice;
    const begins = subscriptionId != null && !(await isOverdue(tx, subscriptionId));
    tellOverdue(tx, invoice);
    if (subscriptionId != null) await followSubscription(tx, { invoice, subscriptionId, begins });
    return true;
  });
}

/** From here on the invoice is its subscription's case. */
async function followSubscription(
  tx: Tx,
  { invoice, subscriptionId, begins }: { invoice: Invoice; subscriptionId: string; begins: boolean },
): Promise<void> {
  const contracted = await lockSubscription(tx, subscriptionId);
  const { status } = contracted.subscription;
  if (begins && (status === 'active' || status === 'paused'))
    tx.record('subscription.overdue', viewSubscription(tx, contracted));
  // A case that is at work already has asked for this itself.
  if (!invoice.inCase) tx.enqueue({ kind: 'collection', key: subscriptionId });
  invoice.inCase = true;
}

/** Writes to the buyer of a bill that no card is charged for (docs/product/mail.md#reminders); false: not due. */
function sendReminder(deps: Deps, scope: Scope, of: StepOf): Promise<boolean> {
  return deps.grouped(scope, ownerOf(of), async (tx) => {
    const invoice = await lockInvoice(tx, of.invoiceId);
    if (!isDue(invoice, 'remind', tx.now)) return false;
    if (isLetterHour(tx.now)) await remind(tx, invoice);
    schedule(invoice, tx.now);
    return true;
  });
}

async function remind(tx: Tx, invoice: Invoice): Promise<void> {
  const days = collectionDaysOf(invoice);
  const { reminderDays } = days;
  // Reminders that an outage let pass are not made up for: the newest says it all.
  invoice.reminders = Math.max(remindersPast(invoice.dueAt, { days, now: tx.now }), invoice.reminders + 1);
  const step = reminderDays[invoice.reminders - 1];
  if (step === undefined) return;
  const daysLate = civilDaysBetween(invoice.dueAt, tx.now);
  const isLast = reminderDays.length > 1 && invoice.reminders >= reminderDays.length;
  await writeToBuyer(tx, { invoice, occasion: { kind: 'reminder', step, daysLate, isLast } });
}

type Standing = { txid: string; state: 'creating' | 'active'; isDebit: boolean };

const findStandingQr = acrossAccounts<Standing>(
  'find_standing_qr',
  `SELECT c.id AS txid, c.state, c.due_on IS NOT NULL AS "isDebit" FROM pix_charge c WHERE ${hangsOn('', 'c.invoice_id', ':invoiceId')} AND c.state IN ('creating', 'active')`,
);

const standingQr = async ({ pool }: Deps, invoiceId: string): Promise<Standing | undefined> =>
  (await run(pool, findStandingQr, { invoiceId }))[0];

/** A payment whose notice was lost is found before anything is held against the buyer; an acquirer that is silent is not waited for. */
async function askAboutQr(deps: Deps, scope: Scope, invoiceId: string): Promise<void> {
  const qr = await standingQr(deps, invoiceId);
  if (qr?.state === 'active') await handleNotice(deps, scope, { txid: qr.txid });
}

/** The bill came when the acquirer was away: its QR code is asked for again, and the buyer is written to all the same. */
async function finishQr(deps: Deps, scope: Scope, invoiceId: string): Promise<void> {
  const qr = await standingQr(deps, invoiceId);
  if (qr?.state === 'creating' && !qr.isDebit) await askForQr(deps, scope, invoiceId);
}
