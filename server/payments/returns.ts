import type { Customer } from '../customers/entity.ts';
import { run } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps, Tx } from '../deps.ts';
import { BillingError } from '../kernel/errors.ts';
import { newSuffix } from '../kernel/ids.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { BankAnswer, RefundRequest, RefundStatus } from './acquirer/port.ts';
import { type AccountOfBank, askBank } from './bank.ts';
import { endSurplusReturn, findIntent, lockInvoice, updateIntent, updatePart } from './book.ts';
import { type PaymentIntent, PaymentIntentSchema, type RefundPart } from './entity.ts';
import { partRows } from './rows.ts';
import { nextLookSeconds, returnRetrySeconds } from './rules.ts';

/** A customer whose money is on its way back keeps its data (decisions §3, Customer). */
export async function refuseWhileReturning(tx: Tx, customer: Customer): Promise<void> {
  const returning = await tx.em.findOne(PaymentIntentSchema, { customerId: customer.id, status: 'refunding' });
  if (returning === null) return;
  throw new BillingError('INVALID_STATE', {
    message: `${customer.id} has the refund of ${returning.id} in process: repeat when it has ended`,
  });
}

interface PartLook extends AccountOfBank {
  accountId: string;
  liveMode: boolean;
  partId: string;
  intentId: string;
  invoiceId: string;
  amount: number;
  reference: string;
  requests: number;
  endToEndId: string;
  askedAt: Timestamp;
  retryAt: Timestamp | null;
}

const lookStatement = statement(
  'look_at_return',
  `SELECT p.account_id AS "accountId", p.live_mode AS "liveMode", p.id AS "partId", p.intent_id AS "intentId", p.invoice_id AS "invoiceId", p.amount, p.reference,
     p.requests, r.id AS "endToEndId", coalesce(p.retry_at, p.created) AS "askedAt", p.retry_at AS "retryAt", a.name, a.city
   FROM refund_part p JOIN pix_receipt r ON r.intent_id = p.intent_id JOIN account a ON a.id = p.account_id
   WHERE p.intent_id = $1 AND p.status = 'refunding' ORDER BY p.id`,
);

/** How a return stands after it was looked at. */
export type ReturnStanding =
  | { readonly kind: 'over' }
  | {
      readonly kind: 'not_due' | 'refused' | 'at_bank' | 'bank_silent';
      readonly lookInSeconds: number;
      readonly refusals: number;
    };

/** Asks for a return that is due, looks how it stands at the bank, and books its end; any number of times. */
export async function advanceReturn(deps: Deps, intentId: string): Promise<ReturnStanding> {
  const [look] = await run<PartLook>(deps.pool, lookStatement, [intentId]);
  if (look === undefined) return { kind: 'over' };
  const scope = { accountId: look.accountId, liveMode: look.liveMode };
  const now = deps.clock.now(scope);
  const refusals = look.requests - 1;
  if (look.retryAt !== null && now < look.retryAt)
    return { kind: 'not_due', lookInSeconds: look.retryAt - now, refusals };
  const answer = await askForReturn(deps, scope, look);
  await deps.failpoint?.('return.after-asking');
  const lookInSeconds = nextLookSeconds(now - look.askedAt);
  if (!answer.known) return { kind: 'bank_silent', lookInSeconds, refusals };
  switch (answer.value.status) {
    case 'completed':
      await deps.transaction(scope, (tx) => bookEnd(tx, look));
      return { kind: 'over' };
    case 'refused':
      return bookRefusal(deps, scope, look);
    default:
      return { kind: 'at_bank', lookInSeconds, refusals };
  }
}

/** Looks for the return at the bank by our reference, and asks for it when the bank has never heard of it. */
function askForReturn(deps: Deps, scope: Scope, look: PartLook): Promise<BankAnswer<RefundStatus>> {
  const request: RefundRequest = { reference: look.reference, endToEndId: look.endToEndId, amount: look.amount };
  return askBank(deps, { scope, account: look }, async (bank, merchant) => {
    const found = await bank.findRefund(merchant, request);
    if (!found.known || found.value.status !== 'unknown_to_bank') return found;
    return bank.refundPix(merchant, request);
  });
}

const readPart = statement('read_return', `SELECT ${partRows.columns('p')} FROM refund_part p WHERE p.id = $1`);

/** The return as it stands under the lock; null when it was booked meanwhile, under this reference or another. */
async function openReturn(tx: Tx, look: PartLook): Promise<{ part: RefundPart; intent: PaymentIntent } | null> {
  const [, intent, [part]] = await Promise.all([
    lockInvoice(tx, look.invoiceId),
    findIntent(tx, look.intentId),
    tx.query<RefundPart>(readPart, [look.partId]),
  ]);
  if (intent === null || part === undefined) throw new Error(`the return ${look.partId} lost its intent`);
  return part.status === 'refunding' && part.reference === look.reference ? { part, intent } : null;
}

async function bookEnd(tx: Tx, look: PartLook): Promise<void> {
  const open = await openReturn(tx, look);
  if (open === null) return;
  endSurplusReturn(tx, open.intent, open.part);
  updateIntent(tx, open.intent);
  updatePart(tx, open.part);
}

/** A refused return of a surplus is asked again under a new reference: the money is not ours to keep. */
async function bookRefusal(deps: Deps, scope: Scope, look: PartLook): Promise<ReturnStanding> {
  const refusals = look.requests;
  const pauseSeconds = returnRetrySeconds(refusals);
  const isBooked = await deps.transaction(scope, async (tx) => {
    const open = await openReturn(tx, look);
    if (open === null) return false;
    open.part.reference = newSuffix();
    open.part.requests += 1;
    open.part.retryAt = tx.now + pauseSeconds;
    updatePart(tx, open.part);
    return true;
  });
  if (isBooked) {
    deps.metrics.alarms.inc({ kind: 'surplus_return_refused' });
    deps.logger.error({ intent: look.intentId, refusals }, 'the bank refused to return a surplus');
  }
  return { kind: 'refused', lookInSeconds: pauseSeconds, refusals };
}
