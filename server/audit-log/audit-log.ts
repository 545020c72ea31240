import pg from 'pg';
import type { AuditActor } from '../../contract/audit-log.ts';
import type { OperationName } from '../../contract/roles.ts';
import { beginIn, EVERYBODY } from '../db/reach.ts';
import { run, type Statement, statement, type Values, type Write, writeOf } from '../db/statement.ts';
import { canonical } from '../kernel/canonical.ts';
import { newId } from '../kernel/ids.ts';
import { realTime, type Timestamp } from '../kernel/time.ts';
import { type Shown, shown } from './redaction.ts';

/** Everything that the log tells of; a name is the object and what became of it, or what was asked of it. */
export const auditActions = [
  'account.created',
  'account.limits_changed',
  'account.updated',
  'acquirer.callback_url_shown',
  'acquirer.former_forgotten',
  'acquirer.removed',
  'acquirer.set',
  'acquirer.tested',
  'api_key.created',
  'api_key.revoked',
  'api_key.rolled',
  'api_key.updated',
  'audit_log.anchor',
  'collection_settings.updated',
  'customer.exported',
  'encryption.re_encrypted',
  'encryption.re_encryption_began',
  'event.shown',
  'mail.listed',
  'mail.released',
  'mail.suppressed',
  'mail.suppressions_listed',
  'mail.unsuppressed',
  'sandbox.reset',
  'sandbox.set',
  'staff.invited',
  'staff.joined',
  'staff.link_made',
  'staff.refund_limit_changed',
  'staff.removed',
  'staff.role_changed',
  'staff.sign_in_changed',
  'staff.sign_ins_refused',
  'staff.signed_in',
  'test_clock.advanced',
  'test_clock.reset',
  'webhook_endpoint.created',
  'webhook_endpoint.deleted',
  'webhook_endpoint.disabled',
  'webhook_endpoint.enabled',
  'webhook_endpoint.secret_rotated',
  'webhook_endpoint.updated',
] as const;

/** An operation is what a person of the dashboard asked for, where no action of its own tells of the change. */
export type AuditAction = (typeof auditActions)[number] | OperationName;

/** Who changes something, and from where. */
export interface Origin {
  readonly actor:
    | { readonly kind: 'operator' | 'staff'; readonly id: string; readonly user: string }
    | { readonly kind: 'api_key' | 'service'; readonly id: string };
  readonly host: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
  /** What a person asked for; absent: a program did, whose requests are told of by what they change. */
  readonly asked?: PersonRequest;
}

/** What a person of the dashboard asked for: the log tells of it with the first commit, unless the change says more. */
export interface PersonRequest {
  readonly operation: OperationName;
  /** The id in the path of the request. */
  readonly object: string | null;
  readonly values: Shown;
  isTold: boolean;
}

/** What nobody asked for: runs, cases and the first steps of a service. */
export const THE_SERVICE: Origin = {
  actor: { kind: 'service', id: 'service' },
  host: null,
  address: null,
  requestId: null,
};

/** Who it was, as it is told: of an operator the name is all that says who it is. */
export function shownActor(actor: Origin['actor']): AuditActor {
  const { kind, id } = actor;
  if (kind === 'staff') return { kind, id, name: actor.user };
  return { kind, id, name: kind === 'operator' ? id : null };
}

/** What was done to which object; `before` and `after` are shown without secrets and with personal data masked. */
export interface LoggedChange {
  readonly action: AuditAction;
  /** Null: a change of the whole service. */
  readonly account: string | null;
  /** Null: of both modes. */
  readonly liveMode: boolean | null;
  readonly object: string | null;
  readonly before: Shown | null;
  readonly after: Shown | null;
}

/** One after the other, each in its place of the chain. */
const append = statement(
  'append_audit_log',
  'INSERT INTO audit_log (entry) SELECT e.entry FROM unnest(:entries::text[]) WITH ORDINALITY AS e (entry, nth) ORDER BY e.nth',
);

/** An entry as it stands in the log. */
export interface LoggedEntry {
  readonly id: string;
  readonly at: Timestamp;
  readonly actor: Origin['actor'];
  readonly action: AuditAction;
  readonly account: string | null;
  readonly live_mode: boolean | null;
  readonly object: string | null;
  readonly before: Shown | null;
  readonly after: Shown | null;
  readonly from: Pick<Origin, 'host' | 'address'>;
  readonly request_id: string | null;
}

/** What is written of entries, in the transaction of their changes. */
export const logWrite = (entries: readonly string[]): Write => writeOf(append, { entries });

/** The entry of a change as it is hashed. */
export function logEntry({ actor, host, address, requestId }: Origin, change: LoggedChange): string {
  const { action, account, liveMode, object, before, after } = change;
  const entry: LoggedEntry = {
    id: newId('log'),
    at: realTime(),
    actor,
    action,
    account,
    live_mode: liveMode,
    object,
    before: shown(before),
    after: shown(after),
    from: { host, address },
    request_id: requestId,
  };
  return canonical(entry);
}

/** Of two states of an object, what differs. */
export function differences(before: Shown, after: Shown): { readonly before: Shown; readonly after: Shown } {
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => canonical(before[name]) !== canonical(after[name]),
  );
  const only = (state: Shown): Shown => Object.fromEntries(names.map((name) => [name, state[name] ?? null]));
  return { before: only(before), after: only(after) };
}

/** Whether anything is another: what has no state before or after was made or removed. */
export const differs = ({ before, after }: Pick<LoggedChange, 'before' | 'after'>): boolean =>
  before === null || after === null || canonical(before) !== canonical(after);

/** Where a change is made, and on whose behalf; without an origin the service makes it by itself. */
export interface Changer {
  readonly pool: pg.Pool | pg.ClientBase;
  readonly origin?: Origin;
}

/** A transaction that changes something and says so in the log. */
export interface LoggedTx {
  readonly pool: pg.ClientBase;
  readonly origin: Origin;
  query<Row>(prepared: Statement<Row>, values: Values): Promise<Row[]>;
  log(change: LoggedChange): Promise<void>;
}

const wasLogged = statement<{ logged: boolean }>(
  'was_change_logged',
  `SELECT coalesce(current_setting('fatura.logged', true) = 'yes', false) AS logged`,
);

/** Begins a transaction, or goes on in the one of its caller; it commits only with an entry in the log. */
export async function changeLogged<T>(
  { pool, origin = THE_SERVICE }: Changer,
  work: (tx: LoggedTx) => Promise<T>,
): Promise<T> {
  if (!(pool instanceof pg.Pool)) return work(loggedTx(pool, origin));
  const client = await pool.connect();
  let isBroken = true;
  try {
    // An operator or the service changes it: of any account.
    await client.query(beginIn(client, EVERYBODY));
    const result = await work(loggedTx(client, origin));
    const [found] = await run(client, wasLogged, {});
    if (found?.logged !== true) throw new Error('a change without an entry in the audit log is not made');
    await client.query('COMMIT');
    isBroken = false;
    return result;
  } finally {
    // What did not come to its COMMIT ends with its connection.
    client.release(isBroken);
  }
}

const loggedTx = (client: pg.ClientBase, origin: Origin): LoggedTx => ({
  pool: client,
  origin,
  query: (prepared, values) => run(client, prepared, values),
  async log(change) {
    const { statement: prepared, values } = logWrite([logEntry(origin, change)]);
    await run(client, prepared, values);
  },
});
