import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type ScopeRow, scopeColumns, scopeOf } from '../accounts/scope.ts';
import { tenantKey } from '../admission/tenant.ts';
import { acrossAccounts, mine, readIn, run, statement } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { type CaseStep, DONE, HELD } from '../kernel/case-step.ts';
import { BillingError } from '../kernel/errors.ts';
import { FairSemaphore } from '../kernel/fair-semaphore.ts';
import { DAY, realTimeMs, SECOND_MS } from '../kernel/time.ts';
import { places } from '../sealing/sealed-columns.ts';
import { openedRow } from '../sealing/sealed-rows.ts';
import type { Scope, Tx } from '../unit-of-work/tx.ts';
import type { Export } from './entity.ts';
import { type Part, readPart } from './read-part.ts';
import { deleteParts, exportRows, insertPart, lockPending, partId, sealedFilters } from './rows.ts';
import { viewExport } from './view.ts';

const ROWS_MAX = 1_000_000;
/** What is not written by then is given up, in real seconds. */
const WRITTEN_WITHIN = DAY;
/** A file is kept for so long. */
const KEPT = DAY;
/** A step writes for so long: an activity may take a minute. */
const SLICE_MS = 20_000;
/** Files that a process writes at once: each takes a good part of its thread. */
const AT_ONCE = 2;
const QUEUED_SECONDS = 5;

const turns = new FairSemaphore({ total: AT_ONCE, each: 1 });

const compress = promisify(gzip);

const findScope = acrossAccounts<ScopeRow>(
  'find_scope_of_export',
  `SELECT ${scopeColumns('e')} FROM export e JOIN account a ON a.id = e.account_id WHERE e.id = :id AND e.status = 'pending'`,
);

const findPending = statement<Export>(
  'find_pending_export',
  `SELECT ${exportRows.columns('e')} FROM export e WHERE ${mine('e')} AND e.id = :id AND e.status = 'pending'`,
);

const WRITING = { done: false, dueInSeconds: 0, status: 'writing' } as const;
const QUEUED: CaseStep = {
  done: false,
  dueInSeconds: QUEUED_SECONDS,
  status: 'queued',
  note: `a process writes ${AT_ONCE} files at once, and one of each account`,
};

/** The case `export-file`: writes a list into its file for a while, from where it stands (docs/design/outbox-and-cases.md#files-of-exports). */
export async function exportFileStep(deps: Deps, id: string): Promise<CaseStep> {
  const [found] = await run(deps.pool, findScope, { id });
  if (found === undefined) return DONE;
  if (found.heldAt !== null) return HELD;
  const end = turns.tryAcquire(tenantKey(found));
  if (end === null) return QUEUED;
  try {
    return await writeForAWhile(deps, scopeOf(found), id);
  } finally {
    end();
  }
}

async function writeForAWhile(deps: Deps, scope: Scope, id: string): Promise<CaseStep> {
  const endsAtMs = performance.now() + SLICE_MS;
  for (;;) {
    const [found] = await readIn(deps.pool, scope, findPending, { id });
    if (found === undefined) return DONE;
    const before = openedRow<Export, object>(sealedFilters, found, deps.secretBox);
    const part = await readPart(deps, { ...scope, reads: 'eventual' }, before).catch(whenLost);
    const content = part === null ? null : await compress(part.text);
    const tell = await deps.transaction(scope, (tx) =>
      part === null || content === null ? beginAnew(tx, id) : add(tx, { before, part, content }),
    );
    if (tell !== null) return tell;
    if (performance.now() > endsAtMs) return { ...WRITING, note: `${before.rows + (part?.rows ?? 0)} rows` };
  }
}

/** Null: the object of the last row is gone, so nobody knows where the list goes on. */
function whenLost(error: unknown): null {
  if (error instanceof BillingError && error.code === 'CURSOR_INVALID') return null;
  throw error;
}

async function beginAnew(tx: Tx, id: string): Promise<CaseStep | null> {
  const row = await lockPending(tx, id);
  if (row === null) return DONE;
  await tx.query(deleteParts, { exportId: id });
  Object.assign(row, { parts: 0, rows: 0, bytes: 0, lastId: null });
  return null;
}

interface Written {
  readonly before: Export;
  readonly part: Part;
  /** Compressed. */
  readonly content: Uint8Array;
}

/** Adds a part behind those that stand; null: more is to be added. */
async function add(tx: Tx, { before, part, content }: Written): Promise<CaseStep | null> {
  const { id } = before;
  if (tx.scope.clock.heldAt !== null) return HELD;
  const row = await lockPending(tx, id);
  if (row === null) return DONE;
  // Another process wrote meanwhile: what it left is read again.
  if (row.parts !== before.parts) return null;
  const nowMs = realTimeMs();
  if (row.rows + part.rows > ROWS_MAX || nowMs - row.askedAt.getTime() > WRITTEN_WITHIN * SECOND_MS) {
    await tx.query(deleteParts, { exportId: id });
    Object.assign(row, { status: 'failed', parts: 0, bytes: 0, removeAt: new Date(nowMs + KEPT * SECOND_MS) });
    return DONE;
  }
  const placeOfPart = partId(id, row.parts);
  const sealed = tx.secretBox.seal(content, places.exportPart(row.accountId, placeOfPart));
  tx.write(insertPart, { id: placeOfPart, exportId: id, content: sealed });
  Object.assign(row, {
    parts: row.parts + 1,
    rows: row.rows + part.rows,
    bytes: row.bytes + Buffer.byteLength(part.text),
    lastId: part.lastId,
    dueAt: new Date(nowMs),
  });
  if (!part.isLast) return null;
  complete(tx, row, nowMs);
  return DONE;
}

function complete(tx: Tx, row: Export, nowMs: number): void {
  const { now, links } = tx;
  Object.assign(row, {
    status: 'completed',
    completedAt: now,
    expiresAt: now + KEPT,
    removeAt: new Date(nowMs + KEPT * SECOND_MS),
  });
  tx.record('export.completed', viewExport(row, { links, now }));
}
