import { type ScopeRow, scopeColumns, scopeOf } from '../../accounts/scope.ts';
import { run } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Scope } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { lockInvoice } from '../../invoices/life.ts';
import { askAcquirer } from '../acquirer/ask.ts';
import { type CaseStep, DONE, HELD, LOOK_SECONDS } from '../case-step.ts';
import { findQr } from '../intents/book.ts';
import { nextLookSeconds, OPEN_ALARM, type QrState } from '../rules.ts';
import { handleNotice, remindOfNotice } from './settlement.ts';

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
  const answer = await askAcquirer(deps, scope, (bank, merchant) => bank.expirePix(merchant, txid));
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
