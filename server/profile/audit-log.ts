import type { z } from 'zod';
import type { AuditLogEntry, AuditLogListQuery } from '../../contract/audit-log.ts';
import { type LoggedEntry, shownActor } from '../audit-log/audit-log.ts';
import { readIn, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { type Page, pageLimit, toPage, written } from '../kernel/pages.ts';
import { cursorOfNothing, readCursor } from '../unit-of-work/lists.ts';
import { type From, readForPage } from '../unit-of-work/page-rows.ts';
import type { Scope } from '../unit-of-work/tx.ts';

/** Entries of an account are one chain; what is of both modes is shown in each. */
const SHOWN = 'l.chain = :accountId AND (l.live_mode IS NULL OR l.live_mode = :liveMode)';

const findPlace = statement<{ place: number }>(
  'find_place_in_audit_log',
  `SELECT l.place FROM audit_log l WHERE ${SHOWN} AND l.id = :id`,
);

/** By their places, which are given in the order of commits: whoever reads forward skips none. */
const listEntries = (name: string, order: 'ASC' | 'DESC') =>
  statement<{ place: number; entry: string }>(
    name,
    `SELECT l.place, l.entry FROM audit_log l
     WHERE ${SHOWN} AND l.place > :above AND l.place < :below AND l.at BETWEEN :from AND :to
       AND (:action::text IS NULL OR l.action = :action) AND (:actor::text IS NULL OR l.actor = :actor)
       AND (:objectId::text IS NULL OR l.object = :objectId)
     ORDER BY l.place ${order} LIMIT :limit`,
  );

const listBackward = listEntries('list_audit_log', 'DESC');
const listForward = listEntries('list_audit_log_forward', 'ASC');

function viewEntry({ id, at, object, live_mode, actor, ...entry }: LoggedEntry, showsKeys: boolean): AuditLogEntry {
  const isHidden = !showsKeys && entry.action.startsWith('api_key.');
  return {
    id,
    object: 'audit_log_entry',
    created: at,
    actor: shownActor(actor),
    action: entry.action,
    object_id: object,
    before: isHidden ? null : entry.before,
    after: isHidden ? null : entry.after,
    from: entry.from,
    request_id: entry.request_id,
    live_mode,
  };
}

type Query = z.output<typeof AuditLogListQuery>;

/** The places that a page begins at and may go on to. */
async function boundsOf({ pool }: Pick<Deps, 'pool'>, scope: Scope, query: Query) {
  const all = { above: 0, below: Number.MAX_SAFE_INTEGER };
  const cursor = readCursor(query);
  if (cursor === null) return all;
  const [found] = await readIn(pool, scope, findPlace, { id: cursor.id });
  if (found === undefined) throw cursorOfNothing(cursor.param, cursor.id);
  return cursor.param === 'starting_after' ? { ...all, below: found.place } : { ...all, above: found.place };
}

/** Entries of the account, newest first; without `showsKeys` what they tell of API keys is left out. */
export async function listAuditLog(
  { pool }: Pick<Deps, 'pool'>,
  scope: Scope,
  { query, showsKeys }: { query: Query; showsKeys: boolean },
): Promise<Page<AuditLogEntry>> {
  const bounds = await boundsOf({ pool }, scope, query);
  const { created_gte: from = 0, created_lte: to = Number.MAX_SAFE_INTEGER } = query;
  const { action = null, actor = null, object_id: objectId = null } = query;
  const isForward = query.ending_before !== undefined;
  const read = async ({ behind, limit }: From) => {
    const further = behind === undefined ? {} : { [isForward ? 'above' : 'below']: Number(behind) };
    const values = { ...bounds, ...further, from, to, action, actor, objectId, limit };
    const rows = await readIn(pool, scope, isForward ? listForward : listBackward, values);
    return rows.map(({ place, entry }) => ({ at: String(place), ...written(viewEntry(JSON.parse(entry), showsKeys)) }));
  };
  const url = '/api/v1/audit_log';
  return toPage(await readForPage({ scope, url, limit: pageLimit(query) + 1 }, read), { query, url });
}
