import { type ScopeRow, scopeColumns, scopeOf } from '../../accounts/scope.ts';
import { acrossAccounts, run } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { type CaseStep, DONE, HELD, LOOK_SECONDS } from '../../kernel/case-step.ts';
import { HOUR, MINUTE, type Timestamp } from '../../kernel/time.ts';
import type { AcquirerAnswer, MandateFinding } from '../../payments/acquirer/port.ts';
import type { Scope } from '../../unit-of-work/tx.ts';
import { type Contracted, lockSubscription } from '../rows.ts';
import type { Mandate } from './entity.ts';
import { endOurselves, followMandate } from './follow.ts';
import { mandates } from './rows.ts';

interface MandateLook extends ScopeRow {
  id: string;
  subscriptionId: string;
  status: Mandate['status'];
  created: Timestamp;
  expiresAt: Timestamp;
  place: string | null;
  bankRef: string | null;
  askedAt: Date | null;
}

const lookAtMandate = acrossAccounts<MandateLook>(
  'look_at_mandate',
  `SELECT m.id, ${scopeColumns('m')}, m.subscription_id AS "subscriptionId", m.status, m.created, m.expires_at AS "expiresAt", m.place,
     m.bank_ref AS "bankRef", m.asked_at AS "askedAt"
   FROM mandate m JOIN account a ON a.id = m.account_id WHERE m.id = :id`,
);

/** Soon after it was made its buyer is there; later a callback tells, and this finds what was lost. */
const SOON = HOUR;
const PENDING_LOOK = 10 * MINUTE;

/**
 * The case `pix-mandate`: asks the acquirer what became of a mandate, lets one lapse that nobody authorised in time, and tells
 * the acquirer of one that we ended. Any number of times.
 */
export async function pixMandateStep(deps: Deps, id: string): Promise<CaseStep> {
  const [look] = await run(deps.pool, lookAtMandate, { id });
  if (look === undefined) return DONE;
  const scope = scopeOf(look);
  if (look.status === 'failed' || look.status === 'ended') return tellEnd(deps, scope, look);
  if (look.status === 'active' && look.askedAt === null) return DONE;
  if (look.status === 'pending' && look.heldAt !== null) return HELD;
  const now = deps.clock.now(scope);
  const isHeard = await lookAtAcquirer(deps, scope, look);
  if (!isHeard) return silent;
  const [after] = await run(deps.pool, lookAtMandate, { id });
  if (after?.status !== 'pending') return DONE;
  if (now >= after.expiresAt) return lapse(deps, scope, after);
  const due = now - after.created < SOON ? LOOK_SECONDS : PENDING_LOOK;
  const dueInSeconds = Math.min(due, after.expiresAt - now);
  return { done: false, dueInSeconds, status: 'not authorised', note: 'The buyer has not authorised the mandate yet.' };
}

const silent: CaseStep = {
  done: false,
  dueInSeconds: LOOK_SECONDS,
  status: 'acquirer silent',
  note: 'The acquirer does not answer about the mandate; it is asked again.',
};

/** Books what the acquirer's books have; false: it did not answer. One that was never made there is not looked for. */
export async function lookAtAcquirer(
  deps: Deps,
  scope: Scope,
  {
    id,
    subscriptionId,
    place,
    bankRef,
    askedAt,
  }: Pick<MandateLook, 'id' | 'subscriptionId' | 'place' | 'bankRef' | 'askedAt'>,
): Promise<boolean> {
  const answer: AcquirerAnswer<MandateFinding | null> =
    place === null
      ? { known: true, value: null }
      : await deps.ask(scope, 'pix', (acquirer, merchant) => acquirer.findMandate(merchant, { place, bankRef }));
  if (!answer.known) return false;
  await change(deps, scope, { id, subscriptionId }, async (tx, contracted, mandate) => {
    // What was told of it meanwhile has asked for another look.
    if (mandate.askedAt?.getTime() === askedAt?.getTime()) mandate.askedAt = null;
    if (answer.value !== null) await followMandate(tx, contracted, { mandate, finding: answer.value });
  });
  return true;
}

type Change = (tx: Parameters<typeof followMandate>[0], contracted: Contracted, mandate: Mandate) => Promise<void>;

const change = (
  deps: Deps,
  scope: Scope,
  { id, subscriptionId }: { id: string; subscriptionId: string },
  make: Change,
): Promise<void> =>
  deps.transaction(scope, async (tx) => {
    const contracted = await lockSubscription(tx, subscriptionId);
    await make(tx, contracted, await tx.lock(mandates, id));
  });

/** Nobody authorised it in time. */
async function lapse(deps: Deps, scope: Scope, look: MandateLook): Promise<CaseStep> {
  await change(deps, scope, look, async (tx, contracted, mandate) => {
    if (mandate.status === 'pending' && mandate.expiresAt <= tx.now)
      await endOurselves(tx, contracted, { mandate, reason: 'expired' });
  });
  const [after] = await run(deps.pool, lookAtMandate, { id: look.id });
  return after === undefined || after.status === 'active' ? DONE : tellEnd(deps, scope, after);
}

/** Tells the acquirer of a mandate that we ended. */
async function tellEnd(deps: Deps, scope: Scope, look: MandateLook): Promise<CaseStep> {
  if (look.askedAt === null || look.place === null) return DONE;
  const { place } = look;
  const found = await deps.ask(scope, 'pix', (acquirer, merchant) =>
    acquirer.findMandate(merchant, { place, bankRef: look.bankRef }),
  );
  if (!found.known) return silent;
  if (found.value !== null) {
    const { bankRef } = found.value;
    const told = await deps.ask(scope, 'pix', (acquirer, merchant) => acquirer.cancelMandate(merchant, bankRef));
    if (!told.known) return silent;
  }
  await change(deps, scope, look, async (_, __, mandate) => {
    mandate.askedAt = null;
  });
  return DONE;
}

/** A pending mandate on a held clock: it lapses at its instant. Answers when to look again, in seconds, null once it is over. */
export async function lapseHeld(deps: Deps, id: string): Promise<number | null> {
  const [look] = await run(deps.pool, lookAtMandate, { id });
  if (look?.status !== 'pending') return null;
  const scope = scopeOf(look);
  if (!(await lookAtAcquirer(deps, scope, look))) return LOOK_SECONDS;
  const [after] = await run(deps.pool, lookAtMandate, { id });
  if (after?.status === 'pending') await lapse(deps, scope, after);
  return null;
}
