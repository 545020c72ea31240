import { type ScopeRow, scopeColumns, scopeOf } from '../../accounts/clock.ts';
import { run } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { HOUR, MINUTE, SECOND_MS, type Timestamp } from '../../kernel/time.ts';
import type { StepKind } from './rules.ts';

/** Where the collection of a subscription stands: over, or what is done with which of its invoices next. */
export type CollectionStanding =
  | { readonly kind: 'over'; readonly note: string }
  | {
      readonly kind: StepKind | 'wait';
      readonly invoiceId: string;
      /** Real seconds; 0: now. */
      readonly dueInSeconds: number;
      readonly status: string;
      readonly note: string;
    };

interface Look extends ScopeRow {
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

const lookStatement = statement(
  'look_at_collection',
  `SELECT ${scopeColumns('s')}, s.status, i.id AS "invoiceId", i.total, i.due_at AS "dueAt", i.charges, i.overdue_at AS "overdueAt",
     p.decline_reason AS "declineReason", i.step, i.step_at AS "stepAt", count(*) OVER () AS open
   FROM subscription s JOIN account a ON a.id = s.account_id
   LEFT JOIN invoice i ON i.subscription_id = s.id AND i.in_case AND i.status = 'open' AND i.collection <> 'awaited'
   LEFT JOIN payment_intent p ON p.id = i.payment_intent_id
   WHERE s.id = $1 ORDER BY i.step_at NULLS LAST, i.id LIMIT 1`,
);

/** Looks what the case of a subscription in trouble does next, by the database and the account's clock. */
export async function collectionStanding(deps: Deps, subscriptionId: string): Promise<CollectionStanding> {
  const [look] = await run<Look & Record<string, unknown>>(deps.pool, lookStatement, [subscriptionId]);
  if (look === undefined) return { kind: 'over', note: 'The subscription was removed.' };
  const { invoiceId, step, stepAt } = look;
  if (invoiceId === null) return { kind: 'over', note: ends[look.status] ?? 'Nothing is left to collect.' };
  const status = phaseOf(look);
  if (look.heldAt !== null)
    return {
      kind: 'wait',
      invoiceId,
      dueInSeconds: HELD_LOOK,
      status,
      note: 'The test clock does it while it is advanced.',
    };
  if (step === null || stepAt === null)
    return { kind: 'wait', invoiceId, dueInSeconds: PARKED_LOOK, status, note: 'Waits for what became of a charge.' };
  const dueInSeconds = Math.max(0, stepAt - deps.clock.now(scopeOf(look)));
  return { kind: step, invoiceId, dueInSeconds, status, note: noteOf(look, step, stepAt) };
}

const ends: Readonly<Record<string, string>> = {
  active: 'Regular again.',
  pending: 'Reactivated: it waits seven days for its payment.',
  suspended: 'Suspended, and its invoice is not collected any more.',
  inactive: 'The subscription ended.',
};

const phaseOf = ({ status, overdueAt }: Look): string => {
  if (status === 'suspended') return 'suspended';
  return overdueAt === null ? 'charge declined' : 'overdue';
};

const nexts: Readonly<Record<StepKind, string>> = {
  charge: 'the stored card is charged again',
  mark_overdue: 'the invoice is overdue',
  suspend: 'the subscription is suspended',
  cancel: 'the invoice is given up and the subscription cancelled',
  remind: 'the buyer is reminded by e-mail',
};

const instant = (at: Timestamp): string => new Date(at * SECOND_MS).toISOString();
const reais = (cents: number): string => `R$ ${(cents / 100).toFixed(2).replace('.', ',')}`;

function noteOf(look: Look, step: StepKind, stepAt: Timestamp): string {
  const { invoiceId, total, dueAt, charges, declineReason, open } = look;
  const tried = charges === 0 ? 'no charge by itself' : `${charges} charge(s) by itself`;
  const why = declineReason === null ? '' : `, last declined: ${declineReason}`;
  const others = open > 1 ? ` ${open - 1} other invoice(s) are open.` : '';
  return `${invoiceId} of ${reais(total)}, due ${instant(dueAt)}: ${tried}${why}. Next, ${instant(stepAt)}: ${nexts[step]}.${others}`;
}
