import type { CheckoutSession as SessionView } from '../../contract/checkout-sessions.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { type ScopeRow, scopeColumns, scopeOf } from '../accounts/scope.ts';
import { lockRedemption, release } from '../coupons/redemption.ts';
import { acrossAccounts, mine, readIn, run, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { missing } from '../kernel/errors.ts';
import { MINUTE, type Timestamp } from '../kernel/time.ts';
import { closeAll, refusedByPayment } from '../payments/close-invoice.ts';
import { type Book, lockBook, paymentInProgress, refuseWhilePaying } from '../payments/intents/book.ts';
import { type EndedQrs, endingQrs, type QrsInTheWay } from '../payments/pix/ending.ts';
import { endIn } from '../subscriptions/cancel.ts';
import { type Asked, BY_TIME, isHeldUp, isTime } from '../subscriptions/collection/step.ts';
import { type Contracted, lockSubscription } from '../subscriptions/rows.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import type { CheckoutSession } from './entity.ts';
import { closeSession, sessions } from './rows.ts';
import { decidedAt } from './rules.ts';
import { viewSession } from './view.ts';

interface SessionLook {
  customerId: string | null;
  invoiceId: string | null;
  subscriptionId: string | null;
}

const lookAtSession = statement<SessionLook>(
  'look_at_session',
  `SELECT c.customer_id AS "customerId", c.invoice_id AS "invoiceId", c.subscription_id AS "subscriptionId" FROM checkout_session c WHERE c.id = :id AND ${mine('c')}`,
);

/** A buyer who becomes known meanwhile is looked at once more, then the caller is to repeat. */
const TRIES_MAX = 2;

/** Closes a session by hand; one that has expired already is answered as it is (docs/product/checkout-sessions.md#moves). */
export const expireSession = (deps: Deps, scope: Scope, id: string): Promise<SessionView> =>
  closing(deps, scope, id, {
    unless: (tx, { session, book }) => (session.status === 'expired' ? viewOf(tx, session, book) : null),
    done: (tx, { session, book }) => tx.answer(viewOf(tx, session, book)),
  });

const viewOf = (tx: Tx, session: CheckoutSession, book: Book | null): SessionView =>
  viewSession(tx, session, book?.invoice.paymentIntentId ?? null);

/** A session with the charge of its invoice; null: nobody is charged yet. */
interface LockedSession {
  readonly session: CheckoutSession;
  readonly book: Book | null;
  /** What it sells, where it sells that by subscription and its buyer is known. */
  readonly contracted: Contracted | null;
}

interface Closing<T> {
  /** What is answered in the place of closing it; null: it is closed. */
  readonly unless: (tx: Tx, locked: LockedSession) => T | null;
  readonly done: (tx: Tx, locked: LockedSession) => T;
}

/** Voids what a session charges, ends its subscription, and expires it: in the order of locks, from the subscription to the session. */
async function closing<T>(deps: Deps, scope: Scope, id: string, { unless, done }: Closing<T>): Promise<T> {
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const [look] = await readIn(deps.pool, scope, lookAtSession, { id });
    if (look === undefined) throw missing('checkout session', id);
    const closed = await endingQrs<{ answer: T } | 'filled_meanwhile'>(deps, scope, {
      of: id,
      change: async (tx, ended) => {
        const locked = await lockSession(tx, id, look);
        if (locked === null) return 'filled_meanwhile';
        const instead = unless(tx, locked);
        if (instead !== null) return { answer: instead };
        // From then on it reads as expired, whenever that is written.
        tx.dateBack(locked.session.expiresAt);
        const inTheWay = await expireIn(tx, locked, ended);
        if (inTheWay !== null) return inTheWay;
        return { answer: done(tx, locked) };
      },
      whenPaid: refusedByPayment,
      whenSilent: 'change',
    });
    if (closed === 'filled_meanwhile') continue;
    return closed.answer;
  }
  throw paymentInProgress(`${id} is being filled in`);
}

/** Null: the buyer became known since the look. */
async function lockSession(tx: Tx, id: string, look: SessionLook): Promise<LockedSession | null> {
  const { customerId, invoiceId, subscriptionId } = look;
  const contracted = subscriptionId === null ? null : await lockSubscription(tx, subscriptionId);
  const book = invoiceId === null ? null : await lockBook(tx, invoiceId);
  const session = await tx.lock(sessions, id);
  return (session.customerId ?? null) === customerId ? { session, book, contracted } : null;
}

/** Null: it is expired. */
async function expireIn(
  tx: Tx,
  { session, book, contracted }: LockedSession,
  ended: EndedQrs,
): Promise<QrsInTheWay | null> {
  // Its reaction expires the session.
  if (contracted !== null && session.status === 'open')
    return endIn(tx, contracted, { closing: 'void', reason: 'unpaid', ended });
  if (book === null || session.status !== 'open') {
    const redemption = await lockRedemption(tx, session.discounts);
    if (book === null && redemption !== null) release(tx, redemption);
    closeSession(tx, session, { action: 'expire', invoice: book?.invoice ?? null });
    return null;
  }
  refuseWhilePaying(book);
  const inTheWay = ended.retireRest(tx, [book]);
  if (inTheWay !== null) return inTheWay;
  closeAll(tx, [book], { closing: 'void', ended });
  closeSession(tx, session, { action: 'expire', invoice: book.invoice });
  return null;
}

export type ExpiryOutcome = 'expired' | 'not_due' | 'postponed';

interface DueLook extends ScopeRow {
  dueAt: Timestamp | null;
}

const lookAtDue = acrossAccounts<DueLook>(
  'look_at_due_session',
  `SELECT ${scopeColumns('c')}, c.due_at AS "dueAt" FROM checkout_session c JOIN account a ON a.id = c.account_id WHERE c.id = :id`,
);

const HELD_UP: readonly ErrorCode[] = ['PAYMENT_IN_PROGRESS'];
/** A PIX that is confirmed and not settled at the deadline is looked at again after this, on the account's clock. */
const POSTPONED = MINUTE;

/** Decides on a session that came to its deadline, once, however often and by whom it is asked for (docs/product/checkout-sessions.md#deadline). */
export async function performExpiry(deps: Deps, id: string, { by }: Asked = BY_TIME): Promise<ExpiryOutcome> {
  const [look] = await run(deps.pool, lookAtDue, { id });
  if (look === undefined || look.dueAt === null) return 'not_due';
  const scope = scopeOf(look);
  if (!isTime(deps, scope, { at: look.dueAt, by })) return 'not_due';
  try {
    return await closing<ExpiryOutcome>(deps, scope, id, {
      unless: (_, locked) => unlessDue(deps.clock.now(scope), locked),
      done: () => 'expired',
    });
  } catch (error) {
    if (!isHeldUp(error, HELD_UP)) throw error;
    await postpone(deps, scope, id);
    return 'postponed';
  }
}

/** Answers why a session is not decided yet; with a QR code that stands it is put off until the acquirer knows. Null: it is time. */
function unlessDue(now: Timestamp, { session, book }: LockedSession): ExpiryOutcome | null {
  if (session.dueAt == null || session.dueAt > now) return 'not_due';
  const dueAt = decidedAt(session, book?.qr != null);
  if (dueAt <= now) return null;
  session.dueAt = dueAt;
  return 'postponed';
}

/** A charge of unknown outcome makes it due again itself. */
async function postpone(deps: Deps, scope: Scope, id: string): Promise<void> {
  const [look] = await readIn(deps.pool, scope, lookAtSession, { id });
  if (look === undefined) return;
  await deps.transaction(scope, async (tx) => {
    const locked = await lockSession(tx, id, look);
    if (locked === null || locked.session.status !== 'open') return;
    const isAtAcquirer = locked.book?.intent?.status === 'processing';
    locked.session.dueAt = isAtAcquirer ? null : tx.now + POSTPONED;
  });
}
