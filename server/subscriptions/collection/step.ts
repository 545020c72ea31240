import type { ErrorCode } from '../../../contract/errors.ts';
import { type ScopeRow, scopeColumns, scopeOf } from '../../accounts/scope.ts';
import { run, statement } from '../../db/statement.ts';
import type { Scope } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import type { StepKind } from '../../invoices/collection/rules.ts';
import { isDue, park, postpone } from '../../invoices/collection/schedule.ts';
import type { Timestamp } from '../../kernel/time.ts';
import { lockBook } from '../../payments/intents/book.ts';
import { type Asked, BY_TIME, isHeldUp, isTime } from '../asked.ts';
import { endSubscription } from '../cancel.ts';
import { chargeBySchedule } from './charge.ts';
import { markOverdue } from './overdue.ts';
import { askAboutQr, finishQr } from './qr.ts';
import { sendReminder } from './remind.ts';
import { suspendOver } from './suspend.ts';

/** What may hold a step up: a payment on its way, or a bank that is silent. */
const HELD_UP: readonly ErrorCode[] = [
  'PAYMENT_IN_PROGRESS',
  'PIX_PAYMENT_CONFIRMED',
  'INVOICE_NOT_OPEN',
  'ACQUIRER_UNAVAILABLE',
];

interface Look extends ScopeRow {
  subscriptionId: string | null;
  step: StepKind | null;
  stepAt: Timestamp | null;
}

const lookStatement = statement<Look>(
  'look_at_step',
  `SELECT ${scopeColumns('i')}, i.subscription_id AS "subscriptionId", i.step, i.step_at AS "stepAt"
   FROM invoice i JOIN account a ON a.id = i.account_id WHERE i.id = :invoiceId`,
);

type Perform = (deps: Deps, scope: Scope, of: { invoiceId: string; subscriptionId: string | null }) => Promise<boolean>;

const performers: Readonly<Record<StepKind, Perform>> = {
  charge: async (deps, scope, { invoiceId, subscriptionId }) =>
    subscriptionId !== null && (await chargeBySchedule(deps, scope, { invoiceId, subscriptionId })) !== 'not_due',
  mark_overdue: async (deps, scope, { invoiceId }) => {
    await askAboutQr(deps, scope, invoiceId);
    return markOverdue(deps, scope, invoiceId);
  },
  remind: async (deps, scope, { invoiceId }) => {
    await finishQr(deps, scope, invoiceId);
    return sendReminder(deps, scope, invoiceId);
  },
  suspend: async (deps, scope, { invoiceId, subscriptionId }) => {
    if (subscriptionId === null) return false;
    await askAboutQr(deps, scope, invoiceId);
    return suspendOver(deps, scope, { subscriptionId, invoiceId });
  },
  cancel: async (deps, scope, { invoiceId, subscriptionId }) =>
    subscriptionId !== null && cancelOver(deps, scope, { subscriptionId, invoiceId }),
};

/** Gives up the invoice that suspended a subscription, and ends that (docs/product/collection.md#end). */
const cancelOver = (
  deps: Deps,
  scope: Scope,
  { subscriptionId: id, invoiceId }: { subscriptionId: string; invoiceId: string },
): Promise<boolean> =>
  endSubscription(deps, scope, {
    id,
    closing: 'mark_uncollectible',
    isDue: async (tx, { subscription }) =>
      subscription.status === 'suspended' && isDue((await lockBook(tx, invoiceId)).invoice, 'cancel', tx.now),
  });

/** What collection came to with one invoice. */
export type StepOutcome = StepKind | 'postponed' | 'not_due';

/** Does what is due with an open invoice by itself, once, however often and by whom it is asked for. */
export async function performStep(deps: Deps, invoiceId: string, { by }: Asked = BY_TIME): Promise<StepOutcome> {
  const [look] = await run(deps.pool, lookStatement, { invoiceId });
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
    else postpone(invoice, tx.scope.account, tx.now);
  });
}
