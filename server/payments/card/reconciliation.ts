import { type ScopeRow, scopeColumns, scopeOf } from '../../accounts/scope.ts';
import { hangsOn } from '../../db/months.ts';
import { acrossAccounts, run } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { raiseAlarm } from '../../kernel/alarms.ts';
import { type CaseStep, DONE } from '../../kernel/case-step.ts';
import { MINUTE } from '../../kernel/time.ts';
import type { Scope } from '../../unit-of-work/tx.ts';
import type { AcquirerAnswer, Chargeback, ChargeFinding } from '../acquirer/port.ts';
import { bookChargebacks } from '../disputes/chargebacks.ts';
import { ACQUIRER_DEADLINE, CHARGE_MARGIN, nextChargeLook, OPEN_ALARM } from '../rules.ts';
import { type AttemptOutcome, type AttemptRef, alarmIfContradicted, applyOutcome, NEVER_CHARGED } from './attempts.ts';

interface AttemptLook extends AttemptRef, ScopeRow {
  secondsPastDeadline: number;
  unknownSeconds: number;
}

/** Everything of the acquirer's side is real time. */
const lookAtAttempt = acrossAccounts<AttemptLook>(
  'look_at_attempt',
  `SELECT c.id, c.intent_id AS "intentId", c.invoice_id AS "invoiceId", ${scopeColumns('c')},
     extract(epoch FROM now() - c.deadline_at)::float8 AS "secondsPastDeadline",
     extract(epoch FROM now() - coalesce(c.unknown_at, c.deadline_at - interval '${ACQUIRER_DEADLINE} seconds'))::float8 AS "unknownSeconds"
   FROM charge_attempt c JOIN account a ON a.id = c.account_id WHERE ${hangsOn('ca_', 'c.intent_id', ':intentId')} AND c.status = 'sent'`,
);

/**
 * The case `charge-reconciliation`: asks the acquirer what became of a charge by card whose outcome nobody told, by our
 * attempt's id, and books it once it is known; of a charge that is paid, what its holder's bank took back. Any number of times.
 */
export async function chargeReconciliationStep(deps: Deps, intentId: string): Promise<CaseStep> {
  const [look] = await run(deps.pool, lookAtAttempt, { intentId });
  if (look === undefined) return lookForChargebacks(deps, intentId);
  const scope = scopeOf(look);
  const { finding, isAbsent } = await findCharge(deps, scope, look);
  const outcome = finding.known ? proven(finding.value, isAbsent) : null;
  if (outcome !== null) {
    const record = await deps.transaction(scope, (tx) => applyOutcome(tx, look, outcome));
    alarmIfContradicted(deps, record, outcome);
    return DONE;
  }
  alarm(deps, look);
  return { done: false, dueInSeconds: nextChargeLook(look.unknownSeconds), ...shownOf(finding) };
}

const lookAtPaid = acrossAccounts<AttemptRef & ScopeRow>(
  'look_at_paid_attempt',
  `SELECT c.id, c.intent_id AS "intentId", c.invoice_id AS "invoiceId", ${scopeColumns('c')}
   FROM charge_attempt c JOIN account a ON a.id = c.account_id WHERE ${hangsOn('ca_', 'c.intent_id', ':intentId')} AND c.status = 'approved'`,
);

/** An acquirer that does not answer about a chargeback is asked again so soon: nothing waits for it. */
const CHARGEBACK_LOOK = 5 * MINUTE;

async function lookForChargebacks(deps: Deps, intentId: string): Promise<CaseStep> {
  const [charge] = await run(deps.pool, lookAtPaid, { intentId });
  if (charge === undefined) return DONE;
  const scope = scopeOf(charge);
  const answer = await deps.ask(
    scope,
    'card',
    async (acquirer, merchant) => (await acquirer.findChargebacks?.(merchant, charge.id)) ?? NO_CHARGEBACKS,
  );
  if (!answer.known) {
    const note = 'The acquirer does not answer; it is asked again whether money of the charge was taken back.';
    return { done: false, dueInSeconds: CHARGEBACK_LOOK, status: 'acquirer silent', note };
  }
  if (answer.value.length > 0) await bookChargebacks(deps, scope, { charge, chargebacks: answer.value });
  return DONE;
}

const NO_CHARGEBACKS: AcquirerAnswer<readonly Chargeback[]> = { known: true, value: [] };

interface Found {
  readonly finding: AcquirerAnswer<ChargeFinding>;
  /** Whether a charge that is not found was never made, by the proof that this acquirer gives. */
  readonly isAbsent: boolean;
}

async function findCharge(deps: Deps, scope: Scope, { id, secondsPastDeadline }: AttemptLook): Promise<Found> {
  const isPast = secondsPastDeadline > CHARGE_MARGIN;
  let isAbsent = false;
  const finding = await deps.ask(scope, 'card', async (acquirer, merchant) => {
    const { absence } = acquirer;
    const found = await acquirer.findCharge(merchant, id);
    if (!found.known || found.value.status !== 'not_found' || !isPast) return found;
    if (absence.proof === 'cancel') {
      const cancelled = await absence.cancel(merchant, id);
      isAbsent = cancelled.known && cancelled.value.status === 'not_found';
      return cancelled;
    }
    isAbsent = absence.proof === 'deadline' || secondsPastDeadline > absence.seconds;
    return found;
  });
  return { finding, isAbsent };
}

/** Unknown is never declined: "not found" proves something only when nothing can be on its way any more. */
function proven(finding: ChargeFinding, isAbsent: boolean): AttemptOutcome | null {
  if (finding.status === 'processing') return null;
  if (finding.status === 'not_found') return isAbsent ? NEVER_CHARGED : null;
  return finding;
}

function alarm(deps: Deps, { intentId, unknownSeconds }: AttemptLook): void {
  if (unknownSeconds < OPEN_ALARM) return;
  const message = 'nobody knows what became of a charge';
  raiseAlarm(deps, 'charge_outcome_unknown', { intent: intentId, unknownSeconds, message });
}

function shownOf(answer: AcquirerAnswer<ChargeFinding>): { status: string; note: string } {
  if (!answer.known) {
    const note =
      'The acquirer does not answer; it is asked again what became of the charge. Nothing else is charged meanwhile.';
    return { status: 'acquirer silent', note };
  }
  if (answer.value.status === 'processing')
    return { status: 'at acquirer', note: 'The acquirer has the charge in process.' };
  const note =
    'The acquirer does not know the charge; it may still be on its way there. Nothing else is charged meanwhile.';
  return { status: 'not found', note };
}
