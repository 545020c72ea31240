import { type ClockRow, clockColumns, type ScopeRow, scopeColumns, scopeOf } from '../accounts/scope.ts';
import { run } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Scope } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { lockInvoice } from '../invoices/rows.ts';
import { askBank } from './acquirer/ask.ts';
import { reconcileCharge } from './card/reconciliation.ts';
import { findQr } from './intents/book.ts';
import { handleNotice, remindOfNotice } from './pix/settlement.ts';
import { advanceReturns } from './refunds/settlement.ts';
import { nextLookSeconds, OPEN_ALARM, type QrState } from './rules.ts';

/** Where a case stands: over, or to be looked at again. `note` and `status` are for the operator who reads the case. */
export type CaseStep =
  | { readonly done: true }
  | { readonly done: false; readonly dueInSeconds: number; readonly status: string; readonly note: string };

const DONE: CaseStep = { done: true };
/** A confirmed payment, and a bank that does not answer, are looked at again after this. */
const LOOK_SECONDS = 60;

interface QrLook extends ScopeRow {
  invoiceId: string;
  intentStatus: string;
  state: QrState;
  confirmedAt: number | null;
}

const lookAtQr = statement<QrLook>(
  'look_at_qr_of_case',
  `SELECT ${scopeColumns('c')}, c.invoice_id AS "invoiceId", p.status AS "intentStatus", c.state,
     c.confirmed_at AS "confirmedAt"
   FROM pix_charge c JOIN payment_intent p ON p.id = c.intent_id JOIN account a ON a.id = c.account_id WHERE c.id = :txid`,
);

async function lookUpQr(deps: Deps, txid: string): Promise<{ look: QrLook; scope: Scope } | null> {
  const [look] = await run(deps.pool, lookAtQr, { txid });
  return look === undefined ? null : { look, scope: scopeOf(look) };
}

/** The case `charge-reconciliation`: a charge by card whose outcome nobody told, until the acquirer tells it. */
export async function chargeReconciliationStep(deps: Deps, intentId: string): Promise<CaseStep> {
  const standing = await reconcileCharge(deps, intentId);
  if (standing.kind === 'known') return DONE;
  const { lookInSeconds: dueInSeconds } = standing;
  switch (standing.kind) {
    case 'at_acquirer':
      return { done: false, dueInSeconds, status: 'at acquirer', note: 'The acquirer has the charge in process.' };
    case 'not_found_yet':
      return {
        done: false,
        dueInSeconds,
        status: 'not found',
        note: 'The acquirer does not know the charge; it may still be on its way there. Nothing else is charged meanwhile.',
      };
    case 'acquirer_silent':
      return {
        done: false,
        dueInSeconds,
        status: 'acquirer silent',
        note: 'The acquirer does not answer; it is asked again what became of the charge. Nothing else is charged meanwhile.',
      };
  }
}

/** Whatever advances an account's clock does what falls due, and tells the cases when it is done. */
const HELD: CaseStep = {
  done: false,
  dueInSeconds: LOOK_SECONDS,
  status: 'clock advancing',
  note: 'The test clock is advanced: what falls due is done at its instant, and this is looked at again afterwards.',
};

const clockOfIntent = statement<ClockRow>(
  'read_clock_of_intent',
  `SELECT ${clockColumns('p')} FROM payment_intent p JOIN account a ON a.id = p.account_id WHERE p.id = :intentId`,
);

/** The case `refund-settlement`: sees the returns of a payment through, whatever the acquirer says first. */
export async function refundSettlementStep(deps: Deps, intentId: string): Promise<CaseStep> {
  const [clock] = await run(deps.pool, clockOfIntent, { intentId });
  if (clock !== undefined && clock.heldAt !== null) return HELD;
  const standing = await advanceReturns(deps, intentId);
  if (standing.kind === 'over') return DONE;
  const { lookInSeconds: dueInSeconds, refusals } = standing;
  const again = `The bank refused the return ${refusals} time(s); it is asked again under a new reference.`;
  switch (standing.kind) {
    case 'refused':
    case 'not_due':
      return { done: false, dueInSeconds, status: 'refused', note: again };
    case 'at_bank':
      return { done: false, dueInSeconds, status: 'at bank', note: 'The bank has the return in process.' };
    case 'bank_silent':
      return {
        done: false,
        dueInSeconds,
        status: 'bank silent',
        note: 'The bank does not answer; the return is asked again under the same reference.',
      };
  }
}

/** The case `pix-settlement`: a notice of the bank that was not handled at once, or tells of a payment not settled yet. */
export async function pixSettlementStep(deps: Deps, txid: string): Promise<CaseStep> {
  const found = await lookUpQr(deps, txid);
  if (found === null) return DONE;
  if (found.look.heldAt !== null) return HELD;
  const notice = await handleNotice(deps, found.scope, { txid });
  if (notice === null || (notice.isKnown && notice.isClosed)) return DONE;
  if (!notice.isKnown) {
    return {
      done: false,
      dueInSeconds: LOOK_SECONDS,
      status: 'bank silent',
      note: 'The bank does not answer; it is asked again what was paid.',
    };
  }
  const confirmedAt = (await lookUpQr(deps, txid))?.look.confirmedAt ?? null;
  if (confirmedAt === null) return { done: false, dueInSeconds: LOOK_SECONDS, ...waitingFor(notice) };
  const waited = deps.clock.now(found.scope) - confirmedAt;
  if (waited >= OPEN_ALARM) {
    deps.metrics.alarms.inc({ kind: 'pix_not_settled' });
    deps.logger.error({ txid, waited }, 'the bank confirmed a payment and does not settle it');
  }
  return {
    done: false,
    dueInSeconds: nextLookSeconds(waited, LOOK_SECONDS),
    status: 'confirmed',
    note: 'The bank confirmed the payment and has not settled it yet.',
  };
}

/** A confirmed payment on a held clock; answers when to ask the bank again, in seconds, null once it is settled. */
export async function settleHeld(deps: Deps, txid: string): Promise<number | null> {
  const found = await lookUpQr(deps, txid);
  if (found === null) return null;
  const notice = await handleNotice(deps, found.scope, { txid });
  return notice === null || (notice.isKnown && notice.isClosed) ? null : LOOK_SECONDS;
}

/** What a notice that is neither closed nor confirmed waits for. */
const waitingFor = ({ isReceived }: { isReceived: boolean }): { status: string; note: string } =>
  isReceived
    ? {
        status: 'charge in process',
        note: 'Money came in while a charge of the invoice is at the acquirer; it is decided when that ends.',
      }
    : { status: 'not shown', note: 'The bank says that the QR code was paid, and does not show the payment yet.' };

/** The case `pix-expiry`: a QR code that nobody may pay any more is ended at the bank. */
export async function pixExpiryStep(deps: Deps, txid: string): Promise<CaseStep> {
  const found = await lookUpQr(deps, txid);
  if (found === null) return DONE;
  const { look, scope } = found;
  const isInUse = look.intentStatus === 'pending' && (look.state === 'creating' || look.state === 'active');
  if (isInUse) return DONE;
  const answer = await askBank(deps, scope, (bank, merchant) => bank.expirePix(merchant, txid));
  if (!answer.known) {
    return {
      done: false,
      dueInSeconds: LOOK_SECONDS,
      status: 'bank silent',
      note: 'The bank does not answer; it is asked again to end the QR code.',
    };
  }
  if (answer.value === 'alreadyPaid') {
    const notice = await handleNotice(deps, scope, { txid });
    if (notice?.isKnown !== true || !notice.isReceived) await remindOfNotice(deps, scope, txid);
    if (notice?.isKnown !== true) return DONE;
  }
  await markEnded(deps, scope, { txid, invoiceId: look.invoiceId });
  return DONE;
}

/** Nobody can pay it any more, or somebody has: what came in is booked by its notice. */
async function markEnded(
  deps: Deps,
  scope: Scope,
  { txid, invoiceId }: { txid: string; invoiceId: string },
): Promise<void> {
  await deps.transaction(scope, async (tx) => {
    const [, qr] = await Promise.all([lockInvoice(tx, invoiceId), findQr(tx, txid)]);
    if (qr !== null) qr.state = 'ended';
  });
}
