import { setTimeout as sleep } from 'node:timers/promises';
import { type ClockRow, clockColumns, clockOf } from '../../accounts/scope.ts';
import { acrossAccounts, run } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import type { StepKind } from '../../invoices/rules.ts';
import { inReais } from '../../kernel/brazil.ts';
import { HOUR, instantText, MINUTE, type Timestamp } from '../../kernel/time.ts';
import { stepRank } from '../rules.ts';

/** Where the collection of a subscription stands: over, or what is done with which of its invoices next. */
export type CollectionStatus =
  | { readonly kind: 'over'; readonly note: string }
  | {
      readonly kind: StepKind | 'wait';
      readonly invoiceId: string;
      /** Real seconds; 0: now. */
      readonly dueInSeconds: number;
      readonly status: string;
      readonly note: string;
      /** What comes next, in a few words. */
      readonly next: string;
    };

interface CollectionLook extends ClockRow {
  status: string;
  invoiceId: string | null;
  total: number;
  dueAt: Timestamp;
  charges: number;
  overdueAt: Timestamp | null;
  declineReason: string | null;
  step: StepKind | null;
  stepAt: Timestamp | null;
  open: number;
}

/** A charge of unknown outcome comes back by a signal; this is looked at without one. */
const PARKED_LOOK = HOUR;
/** The test clock does what falls due while it is advanced, and tells when it is done. */
const HELD_LOOK = MINUTE;

const lookAtCollection = acrossAccounts<CollectionLook>(
  'look_at_collection',
  `SELECT ${clockColumns('s')}, s.status, i.id AS "invoiceId", i.total, i.due_at AS "dueAt", i.charges, i.overdue_at AS "overdueAt",
     p.decline_reason AS "declineReason", i.step, i.step_at AS "stepAt", count(*) OVER () AS open
   FROM subscription s JOIN account a ON a.id = s.account_id
   LEFT JOIN invoice i ON i.subscription_id = s.id AND i.in_case AND i.status = 'open' AND (i.collection <> 'awaited' OR i.step IS NOT NULL)
   LEFT JOIN payment_intent p ON p.id = i.payment_intent_id
   WHERE s.id = :subscriptionId ORDER BY i.step_at NULLS LAST, ${stepRank('i.step')}, i.id LIMIT 1`,
);

const consumeRequest = acrossAccounts(
  'consume_collection_request',
  `DELETE FROM outbox WHERE kind = 'collection' AND key = :subscriptionId AND due_at <= now()`,
);

const findClaimed = acrossAccounts(
  'find_claimed_collection_request',
  `SELECT FROM outbox WHERE kind = 'collection' AND key = :subscriptionId AND due_at > now() AND failures = 0`,
);

const SIGNAL_LOOK_MS = 50;
/** Far longer than a signal takes; a relay that died does not hold up the end of the case. */
const SIGNAL_LOOKS_MAX = 40;

/**
 * Looks what the case of a subscription in trouble does next, by the database and the account's clock.
 *
 * Its own steps ask for a look too: this one answers whatever was asked before it. A case that is over ends only when the
 * request that the relay has in hand has reached it, so that no signal of its own begins it anew.
 */
export async function collectionStatus(deps: Deps, subscriptionId: string): Promise<CollectionStatus> {
  await run(deps.pool, consumeRequest, { subscriptionId });
  const standing = await lookAt(deps, subscriptionId);
  for (let looks = 0; standing.kind === 'over' && looks < SIGNAL_LOOKS_MAX; looks += 1) {
    if ((await run(deps.pool, findClaimed, { subscriptionId })).length === 0) break;
    await sleep(SIGNAL_LOOK_MS);
  }
  return standing;
}

async function lookAt(deps: Deps, subscriptionId: string): Promise<CollectionStatus> {
  const [look] = await run(deps.pool, lookAtCollection, { subscriptionId });
  if (look === undefined) return { kind: 'over', note: 'The subscription was removed.' };
  const { invoiceId, step, stepAt } = look;
  if (invoiceId === null) return { kind: 'over', note: ends[look.status] ?? 'Nothing is left to collect.' };
  const status = phaseOf(look);
  const waits = (dueInSeconds: number, next: string): CollectionStatus => {
    const note = `${troubleOf(look)} It waits: ${next}.`;
    return { kind: 'wait', invoiceId, dueInSeconds, status, next, note };
  };
  if (look.heldAt !== null) return waits(HELD_LOOK, 'the test clock does what is due while it is advanced');
  if (step === null || stepAt === null) return waits(PARKED_LOOK, 'what became of a charge is being found out');
  const dueInSeconds = Math.max(0, stepAt - deps.clock.now(clockOf(look)));
  const next = nexts[step];
  const note = `${troubleOf(look)} Next, at ${instantText(stepAt)}: ${next}.`;
  return { kind: step, invoiceId, dueInSeconds, status, next, note };
}

const ends: Readonly<Record<string, string>> = {
  active: 'Regular again.',
  paused: 'Paused, and nothing of it is left to collect.',
  pending: 'Reactivated: it waits seven days for its payment.',
  suspended: 'Suspended, and its invoice is not collected any more.',
  inactive: 'The subscription ended.',
};

const phaseOf = ({ status, overdueAt }: CollectionLook): string => {
  if (status === 'suspended') return 'suspended';
  return overdueAt === null ? 'charge declined' : 'overdue';
};

const nexts: Readonly<Record<StepKind, string>> = {
  charge: 'the stored card is charged again',
  debit: 'the bank is asked about the debit by mandate, or for another day',
  mark_overdue: 'the invoice is overdue',
  suspend: 'the subscription is suspended',
  cancel: 'the invoice is given up and the subscription cancelled',
  remind: 'the buyer is reminded by e-mail',
};

/** Why there is a case: what is unpaid, and what was tried. */
function troubleOf({ invoiceId, total, dueAt, charges, declineReason, open }: CollectionLook): string {
  const tried = charges === 0 ? '' : ` after ${charges} scheduled ${charges === 1 ? 'charge' : 'charges'}`;
  const why = declineReason === null ? '' : `, the last declined for ${declineReason}`;
  const others = open === 1 ? '' : ` ${open - 1} more of its invoices are open.`;
  return `${invoiceId} of ${inReais(total)}, due at ${instantText(dueAt)}, is unpaid${tried}${why}.${others}`;
}
