import { type ClockRow, clockColumns, type ScopeRow, scopeColumns, scopeOf } from '../../accounts/scope.ts';
import { hangsOn } from '../../db/months.ts';
import { acrossAccounts, run } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { raiseAlarm } from '../../kernel/alarms.ts';
import { type CaseStep, DONE, HELD } from '../../kernel/case-step.ts';
import { MINUTE, SECOND_MS, type Timestamp } from '../../kernel/time.ts';
import type { Scope, Tx } from '../../unit-of-work/tx.ts';
import type { AcquirerAnswer, RefundStatus } from '../acquirer/port.ts';
import type { RefundPart } from '../entity.ts';
import { nextLookSeconds, OPEN_ALARM, returnRetrySeconds } from '../rules.ts';
import {
  completePart,
  failPart,
  isOvertaken,
  lockRefundBook,
  type RefundBook,
  replacePart,
  retryPart,
} from './parts.ts';

interface PartLook extends ScopeRow {
  partId: string;
  intentId: string;
  invoiceId: string;
  amount: number;
  reason: RefundPart['reason'];
  reference: string;
  requests: number;
  /** The payment of a PIX, and its QR code. */
  endToEndId: string | null;
  txid: string | null;
  /** The approved attempt of a card. */
  charge: string | null;
  askedAt: Timestamp;
  retryAt: Timestamp | null;
}

/** A part in the place of another is asked for so soon. Seconds. */
const REPLACED_LOOK = 1;
/** Looked at in one step of the case. */
const PARTS_MAX = 20;

const lookAtReturns = acrossAccounts<PartLook>(
  'look_at_returns',
  `SELECT ${scopeColumns('p')}, p.id AS "partId", p.intent_id AS "intentId", p.invoice_id AS "invoiceId",
     p.amount, p.reason, p.reference, p.requests, r.id AS "endToEndId", r.txid, c.id AS charge,
     coalesce(p.retry_at, p.created) AS "askedAt", p.retry_at AS "retryAt"
   FROM refund_part p JOIN account a ON a.id = p.account_id
   LEFT JOIN pix_receipt r ON r.intent_id = p.intent_id
   LEFT JOIN charge_attempt c ON ${hangsOn('ca_', 'c.intent_id', 'p.intent_id')} AND c.status = 'approved'
   WHERE p.intent_id = :intentId AND p.status = 'refunding' ORDER BY random()`,
);

/** Asks for the returns that are due, looks how they stand at the acquirer, and books their ends; any number of times. */
export async function advanceReturns(deps: Deps, intentId: string): Promise<CaseStep> {
  const looks = await run(deps.pool, lookAtReturns, { intentId });
  let step = looks.length > PARTS_MAX ? inProcess(1) : DONE;
  for (const look of chosen(deps, looks)) {
    step = sooner(step, await advancePart(deps, look));
    // What does not answer for one part is not waited for once more for each of the others.
    if (isSilent(step)) break;
  }
  return step;
}

const SILENT = 'acquirer silent';

const silent = (dueInSeconds: number): CaseStep => ({
  done: false,
  dueInSeconds,
  status: SILENT,
  note: 'The acquirer does not answer; the return is asked again under the same reference.',
});

const isSilent = (step: CaseStep): boolean => !step.done && step.status === SILENT;

const inProcess = (dueInSeconds: number): CaseStep => ({
  done: false,
  dueInSeconds,
  status: 'at acquirer',
  note: 'The acquirer has the return in process.',
});

const refused = (dueInSeconds: number, refusals: number): CaseStep => ({
  done: false,
  dueInSeconds,
  status: 'refused',
  note: `The acquirer refused the return ${refusals} time(s); it is asked again under a new reference.`,
});

const byPlace = (one: PartLook, other: PartLook): number => (one.partId < other.partId ? -1 : 1);

/**
 * Parts of one instant are made in their order (docs/product/collection.md#order-at-one-instant). Of those that stay at the
 * acquirer any are looked at, as the rows came by chance: they must not keep the others from it.
 */
function chosen(deps: Deps, looks: readonly PartLook[]): PartLook[] {
  const stays = (look: PartLook): boolean => deps.clock.now(scopeOf(look)) - look.askedAt > MINUTE;
  const { fresh = [], staying = [] } = Object.groupBy(looks, (look) => (stays(look) ? 'staying' : 'fresh'));
  return [...fresh.toSorted(byPlace), ...staying].slice(0, PARTS_MAX).toSorted(byPlace);
}

/** The step that is to be looked at first. */
function sooner(one: CaseStep, other: CaseStep): CaseStep {
  if (one.done) return other;
  if (other.done) return one;
  return isSilent(other) || other.dueInSeconds < one.dueInSeconds ? other : one;
}

async function advancePart(deps: Deps, look: PartLook): Promise<CaseStep> {
  const scope = scopeOf(look);
  const now = deps.clock.now(scope);
  if (look.retryAt !== null && now < look.retryAt) return refused(look.retryAt - now, look.requests - 1);
  const answer = await askForReturn(deps, scope, look);
  const lookInSeconds = nextLookSeconds(now - look.askedAt);
  if (!answer.known || answer.value.status === 'processing' || answer.value.status === 'unknown_to_acquirer')
    alarmIfOld(deps, look, now - look.askedAt);
  if (!answer.known) return silent(lookInSeconds);
  switch (answer.value.status) {
    case 'completed':
      return bookCompletion(deps, scope, look, lookInSeconds);
    case 'refused':
      return look.reason === 'surplus' ? bookSurplusRefusal(deps, scope, look) : bookRefusal(deps, scope, look);
    default:
      return inProcess(lookInSeconds);
  }
}

function alarmIfOld(deps: Deps, { intentId, partId }: PartLook, waited: number): void {
  if (waited < OPEN_ALARM) return;
  const message = 'a refund is asked for and neither made nor refused';
  raiseAlarm(deps, 'refund_not_settled', { intent: intentId, part: partId, waited, message });
}

/** Looks for the return at the acquirer by our reference, and asks for it when the acquirer has never heard of it. */
function askForReturn(deps: Deps, scope: Scope, look: PartLook): Promise<AcquirerAnswer<RefundStatus>> {
  const { reference, amount, reason, endToEndId, charge, askedAt } = look;
  const core = { reference, amount, reason };
  const waitedMs = (deps.clock.now(scope) - askedAt) * SECOND_MS;
  if (charge !== null) {
    const request = { ...core, method: 'card', charge } as const;
    return deps.ask(scope, 'card', (acquirer, merchant) =>
      findOrAsk({
        found: acquirer.findRefund(merchant, request),
        ask: waitedMs < acquirer.repeatableForMs ? () => acquirer.refundCard(merchant, request) : null,
      }),
    );
  }
  if (endToEndId === null) throw new Error(`the return ${look.partId} is of a payment that we have no receipt of`);
  const request = { ...core, method: 'pix', endToEndId, askedAt } as const;
  return deps.ask(scope, 'pix', (acquirer, merchant) =>
    findOrAsk({
      found: acquirer.findRefund(merchant, request),
      ask: waitedMs < acquirer.repeatableForMs ? () => acquirer.refundPix(merchant, request) : null,
    }),
  );
}

/** Null for `ask`: the acquirer may have forgotten the reference, and would return the money twice. */
async function findOrAsk({
  found: finding,
  ask,
}: {
  found: Promise<AcquirerAnswer<RefundStatus>>;
  ask: (() => Promise<AcquirerAnswer<RefundStatus>>) | null;
}): Promise<AcquirerAnswer<RefundStatus>> {
  const found = await finding;
  if (ask === null || !found.known || found.value.status !== 'unknown_to_acquirer') return found;
  return ask();
}

/** Changes the part under the lock; null: it was booked meanwhile, under this reference or another. */
async function withPart<T>(
  tx: Tx,
  look: PartLook,
  change: (book: RefundBook, part: RefundPart) => T | Promise<T>,
): Promise<T | null> {
  const book = await lockRefundBook(tx, look);
  const part = book.parts.find(({ id }) => id === look.partId);
  if (part === undefined) throw new Error(`the return ${look.partId} is not in our books`);
  if (part.status !== 'refunding' || part.reference !== look.reference) return null;
  return change(book, part);
}

/** Has the bank be asked what became of the payment: it may have taken money by itself, or given it back. */
function askAboutPayment(tx: Tx, { txid }: PartLook): void {
  if (txid !== null) tx.enqueue({ kind: 'pix-settlement', key: txid });
}

async function bookCompletion(deps: Deps, scope: Scope, look: PartLook, lookInSeconds: number): Promise<CaseStep> {
  const isBooked = await deps.transaction(scope, (tx) =>
    withPart(tx, look, async (book, part) => {
      const { amount, amountRefunded, amountDisputed } = book.intent;
      // The bank returned what our books have as disputed: it gave that back, and we have yet to hear of it.
      const isAhead = amountRefunded + part.amount > amount - amountDisputed;
      if (isAhead) askAboutPayment(tx, look);
      else await completePart(tx, book, part);
      return !isAhead;
    }),
  );
  return isBooked === false ? inProcess(lookInSeconds) : DONE;
}

/** The merchant may ask for the money again; nothing is asked by itself. */
async function bookRefusal(deps: Deps, scope: Scope, look: PartLook): Promise<CaseStep> {
  await deps.transaction(scope, (tx) => withPart(tx, look, (book, part) => failPart(tx, book, part)));
  return DONE;
}

async function bookSurplusRefusal(deps: Deps, scope: Scope, look: PartLook): Promise<CaseStep> {
  const refusals = look.requests;
  const pauseSeconds = returnRetrySeconds(refusals);
  const booked = await deps.transaction(scope, (tx) =>
    withPart(tx, look, (book, part) => {
      if (isOvertaken(book)) {
        replacePart(tx, book, part);
        return book.parts.some(({ status }) => status === 'refunding') ? 'replaced' : 'ended';
      }
      retryPart(tx, part, pauseSeconds);
      askAboutPayment(tx, look);
      return 'refused';
    }),
  );
  if (booked === 'replaced') return inProcess(REPLACED_LOOK);
  if (booked === 'ended') return DONE;
  if (booked === 'refused') {
    const message = 'the acquirer refused to return a surplus';
    raiseAlarm(deps, 'surplus_return_refused', { intent: look.intentId, refusals, message });
  }
  return refused(pauseSeconds, refusals);
}

const clockOfIntent = acrossAccounts<ClockRow>(
  'read_clock_of_intent',
  `SELECT ${clockColumns('p')} FROM payment_intent p JOIN account a ON a.id = p.account_id WHERE p.id = :intentId`,
);

/** The case `refund-settlement`: sees the returns of a payment through, whatever the acquirer says first. */
export async function refundSettlementStep(deps: Deps, intentId: string): Promise<CaseStep> {
  const [clock] = await run(deps.pool, clockOfIntent, { intentId });
  if (clock !== undefined && clock.heldAt !== null) return HELD;
  return advanceReturns(deps, intentId);
}
