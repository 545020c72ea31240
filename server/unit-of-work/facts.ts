import { isDeepStrictEqual } from 'node:util';
import type { EventType } from '../../contract/events.ts';
import { mine, statement, type Write, writeOf } from '../db/statement.ts';
import { idDay, newIdAfter } from '../kernel/ids.ts';
import type { ClockScope, Timestamp } from '../kernel/time.ts';
import type { OutboxKind } from '../waiting.ts';
import type { Recorded } from './hooks.ts';
import type { Tx } from './tx.ts';

/** What any resource shows of the objects it belongs to. */
export interface ResourceView {
  readonly id: string;
  readonly object: string;
  readonly customer?: string | null;
  readonly invoice?: string | null;
  readonly subscription?: string | null | undefined;
  readonly payment_intent?: string | null;
}

/** A fact with the exact text its deliveries will carry. */
export interface Fact extends Recorded {
  readonly id: string;
  readonly objectId: string;
  readonly related: readonly string[];
  readonly body: string;
}

/** An event as it is sent. */
export const eventText = ({ id, type, object, created, liveMode }: EventFields): string =>
  JSON.stringify({ id, object: 'event', type, created, live_mode: liveMode, data: { object } });

interface EventFields {
  readonly id: string;
  readonly type: EventType | 'webhook.test';
  readonly object: ResourceView | null;
  readonly created: Timestamp;
  readonly liveMode: boolean;
}

/** When a fact happens and whose it is; `after`: the last event of its object. */
interface FactAt {
  readonly created: Timestamp;
  readonly liveMode: boolean;
  readonly after?: string | null;
  readonly alsoOf?: readonly (string | null)[];
}

/** Freezes a resource as it stands: the event's JSON text never changes afterwards (docs/product/events.md#frozen-body). */
export function freeze(type: EventType, view: ResourceView, at: FactAt): Fact {
  const id = newIdAfter('evt', at.after ?? null);
  const related = [view.id, view.customer, view.invoice, view.subscription, view.payment_intent, ...(at.alsoOf ?? [])];
  return {
    ...{ id, type, view },
    objectId: view.id,
    related: [...new Set(related.filter((other) => typeof other === 'string'))],
    body: eventText({ id, type, object: view, ...at }),
  };
}

/** Changes an object and answers it; what changes nothing of it is no fact. */
export function answerChange<Row, Changes, View extends ResourceView>(
  tx: Tx,
  row: Row,
  {
    type,
    view,
    apply,
    changes,
  }: { type: EventType; view: (row: Row) => View; apply: (row: Row, changes: Changes) => void; changes: Changes },
): View {
  const before = view(row);
  apply(row, changes);
  const after = view(row);
  if (!isDeepStrictEqual(before, after)) tx.record(type, after);
  return tx.answer(after);
}

/** Separates related ids on their way to the database; ids never contain it. */
const SEPARATOR = ',';

const insertingFacts = (name: string, { column = '', value = '' } = {}) =>
  statement(
    name,
    `INSERT INTO event (day, id, account_id, live_mode, type, created, object_id, related, body, body_digest${column})
   SELECT f.day, f.id, :accountId, :liveMode, f.type, :created, f.object_id, string_to_array(f.related, '${SEPARATOR}'), f.body, md5(f.body)::uuid${value}
   FROM unnest(:days::date[], :ids::text[], :types::text[], :objectIds::text[], :related::text[], :bodies::text[])
     AS f(day, id, type, object_id, related, body)`,
  );

/** What a row says of the trace that it was written in: only a transaction that is traced has the statement that writes it. */
const TRACED = { column: ', traceparent', value: ', :traceparent' };

const insertFacts = insertingFacts('insert_facts');
const insertTracedFacts = insertingFacts('insert_traced_facts', TRACED);

/** Whether the endpoint `w` receives events of a type now. */
export const subscribes = (type: string): string =>
  `w.deleted_at IS NULL AND w.status <> 'disabled' AND w.event_types @> ARRAY[${type}]`;

const insertDeliveries = statement(
  'insert_deliveries',
  `INSERT INTO delivery (day, event_id, endpoint_id, account_id, live_mode, claimable_at)
   SELECT f.day, f.id, w.id, :accountId, :liveMode, CASE WHEN :isHeld THEN 'infinity' ELSE now() END
   FROM unnest(:days::date[], :ids::text[], :types::text[]) AS f(day, id, type)
   JOIN webhook_endpoint w ON ${mine('w')} AND ${subscribes('f.type')}`,
);

/** When facts were recorded, on the account's clock, and in which part of a trace; absent or null: in none. */
interface RecordedIn {
  readonly created: Timestamp;
  readonly traceparent?: string | null;
}

/** The rows of the facts and of their deliveries to the endpoints that subscribe to them now. */
export function factWrites(
  scope: ClockScope,
  facts: readonly Fact[],
  { created, traceparent = null }: RecordedIn,
): Write[] {
  if (facts.length === 0) return [];
  const days = facts.map((fact) => idDay(fact.id));
  const ids = facts.map((fact) => fact.id);
  const types = facts.map((fact) => fact.type);
  const { accountId, liveMode, clock } = scope;
  // While the account's clock is held, whatever moves it sends them at their instant.
  const isHeld = clock.heldAt !== null;
  const common = { accountId, liveMode, days, ids, types };
  const objectIds = facts.map((fact) => fact.objectId);
  const related = facts.map((fact) => fact.related.join(SEPARATOR));
  const bodies = facts.map((fact) => fact.body);
  const rows = { ...common, created, objectIds, related, bodies };
  return [
    traceparent === null ? writeOf(insertFacts, rows) : writeOf(insertTracedFacts, { ...rows, traceparent }),
    writeOf(insertDeliveries, { ...common, isHeld }),
  ];
}

/** Work for a workflow, started by the relay after commit. Asking again while it waits merges into one. */
export interface OutboxEntry {
  readonly kind: OutboxKind;
  readonly key: string;
  /** Real seconds to wait before the relay may take it. */
  readonly afterSeconds?: number;
}

/** Asked for again while it waits, it waits once and no longer. */
export const MERGE_ASKED =
  'ON CONFLICT (kind, key) DO UPDATE SET due_at = least(outbox.due_at, excluded.due_at), version = outbox.version + 1';

const insertingOutbox = (name: string, { column = '', value = '', merged = '' } = {}) =>
  statement(
    name,
    `INSERT INTO outbox (kind, key, account_id, live_mode, due_at${column})
   SELECT o.kind, o.key, :accountId, :liveMode, now() + make_interval(secs => o.after)${value}
   FROM unnest(:kinds::text[], :keys::text[], :afters::float8[]) AS o(kind, key, after)
   ${MERGE_ASKED}${merged}`,
  );

const insertOutbox = insertingOutbox('insert_outbox');
/** Who asks last is whom the case answers. */
const insertTracedOutbox = insertingOutbox('insert_traced_outbox', {
  ...TRACED,
  merged: ', traceparent = excluded.traceparent',
});

export function outboxWrites(
  scope: { accountId: string; liveMode: boolean },
  entries: readonly OutboxEntry[],
  traceparent: string | null = null,
): Write[] {
  if (entries.length === 0) return [];
  // One row cannot be merged into twice by one statement.
  const byCase = Map.groupBy(entries, ({ kind, key }) => `${kind}/${key}`);
  const wanted = [...byCase.values()].flatMap(([first, ...more]) =>
    first === undefined
      ? []
      : [{ ...first, after: Math.min(...[first, ...more].map((entry) => entry.afterSeconds ?? 0)) }],
  );
  const rows = {
    accountId: scope.accountId,
    liveMode: scope.liveMode,
    kinds: wanted.map((entry) => entry.kind),
    keys: wanted.map((entry) => entry.key),
    afters: wanted.map((entry) => entry.after),
  };
  return [traceparent === null ? writeOf(insertOutbox, rows) : writeOf(insertTracedOutbox, { ...rows, traceparent })];
}
