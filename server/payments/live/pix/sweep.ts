import { readScope } from '../../../accounts/scope.ts';
import { mine, run, statement } from '../../../db/statement.ts';
import type { Deps } from '../../../deps.ts';
import { raiseAlarm } from '../../../kernel/alarms.ts';
import { DAY, HOUR, MINUTE, realTimeMs, SECOND_MS, type Timestamp } from '../../../kernel/time.ts';
import type { Scope } from '../../../unit-of-work/tx.ts';
import { ACQUIRER_DEADLINE_MS } from '../../acquirer/ask.ts';
import type { ReceivedPix, ReceivedQuery } from '../../acquirer/port.ts';
import { PIX_REFUND_WINDOW } from '../../rules.ts';
import type { SweepOutcome } from '../method.ts';

/** A bank may list a payment a while after it happened. */
const OVERLAP = HOUR;
/** Asked for at once at most, and about at least where a shop has more payments than are listed at once. */
const WINDOW_MAX = 6 * HOUR;
const WINDOW_MIN = 5 * MINUTE;
/** Banks refuse longer periods. */
const RETURNS_WINDOW = 7 * DAY;
/** Several pages of a slow bank. */
const LISTED_WITHIN_MS = MINUTE * SECOND_MS;
/** An operator is told of an acquirer whose payments were not listed for so long. */
const NOT_SWEPT_ALARM = 6 * HOUR;

interface SweepRow {
  readonly sweptUntil: Timestamp;
  readonly returnsSweptAt: Timestamp;
}

const readSweep = statement<SweepRow>(
  'read_sweep',
  `SELECT l.swept_until AS "sweptUntil", l.returns_swept_at AS "returnsSweptAt" FROM live_acquirer l
   WHERE l.account_id = :accountId AND l.method = 'pix'`,
);

const markSwept = statement(
  'mark_swept',
  `UPDATE live_acquirer SET swept_until = greatest(swept_until, :sweptUntil), returns_swept_at = greatest(returns_swept_at, :returnsSweptAt)
   WHERE account_id = :accountId AND method = 'pix'`,
);

/** Finds what the acquirer received and nobody told us, and has the cases of those QR codes ask about it (docs/design/api-pix.md#sweep). */
export async function sweep(deps: Deps, accountId: string): Promise<SweepOutcome> {
  const [row] = await run(deps.pool, readSweep, { accountId });
  const acquirer = await deps.acquirers.live.pix(accountId);
  if (row === undefined || acquirer?.findReceived === undefined) return 'not_due';
  const scope = await readScope(deps.pool, { accountId, liveMode: true });
  const sweptUntil = await sweepPayments(deps, scope, row);
  if (sweptUntil !== null) {
    await askAboutEnded(deps, scope, { from: row.sweptUntil, to: sweptUntil });
    await run(deps.pool, markSwept, { accountId, sweptUntil, returnsSweptAt: row.returnsSweptAt });
  }
  const isReturnsDue = sweptUntil !== null && deps.clock.real() - row.returnsSweptAt >= DAY;
  if (isReturnsDue) await askAboutMandates(deps, scope);
  const returnsSweptAt = isReturnsDue ? await sweepReturns(deps, scope) : row.returnsSweptAt;
  if (returnsSweptAt !== null)
    await run(deps.pool, markSwept, { accountId, sweptUntil: row.sweptUntil, returnsSweptAt });
  const isBehind = sweptUntil === null || returnsSweptAt === null;
  if (isBehind) alarmIfOld(deps, scope, row);
  return isBehind ? 'postponed' : 'swept';
}

function alarmIfOld(deps: Deps, { accountId }: Scope, { sweptUntil, returnsSweptAt }: SweepRow): void {
  const now = deps.clock.real();
  const behind = { payments: now - sweptUntil, returns: returnsSweptAt === 0 ? 0 : now - returnsSweptAt };
  if (behind.payments < NOT_SWEPT_ALARM && behind.returns < DAY + NOT_SWEPT_ALARM) return;
  const message = 'an acquirer does not list what it received';
  raiseAlarm(deps, 'acquirer_not_swept', { account: accountId, behind, message });
}

/** `none`: the acquirer has no such list; null: it does not say now. */
async function list(
  deps: Deps,
  scope: Scope,
  query: Omit<ReceivedQuery, 'untilMs'>,
): Promise<ReceivedPix | 'none' | null> {
  const untilMs = realTimeMs() + LISTED_WITHIN_MS;
  const answer = await deps.ask(
    scope,
    'pix',
    async (acquirer, merchant) =>
      (await acquirer.findReceived?.(merchant, { ...query, untilMs })) ?? {
        known: false as const,
        why: 'refused' as const,
      },
    { deadlineMs: LISTED_WITHIN_MS + ACQUIRER_DEADLINE_MS },
  );
  if (answer.known) return answer.value;
  return answer.why === 'refused' ? 'none' : null;
}

/** Asks about what was listed of a time, in ever shorter ones where it has more than is listed; null: nothing is known. */
async function sweepTime(
  deps: Deps,
  scope: Scope,
  { from, to, withReturns }: Omit<ReceivedQuery, 'untilMs'>,
): Promise<Timestamp | null> {
  for (let end = to; ; end = from + Math.ceil((end - from) / 4)) {
    const found = await list(deps, scope, { from, to: end, withReturns });
    if (found === 'none') return end;
    if (found === null) return null;
    const isShortest = end - from <= WINDOW_MIN;
    if (!found.isWhole && !isShortest) continue;
    await askAboutUntold(deps, scope, found);
    if (!found.isWhole) {
      const told = { account: scope.accountId, from, to: end, message: 'an acquirer lists too little' };
      raiseAlarm(deps, 'acquirer_not_swept', told);
    }
    return end;
  }
}

/** Answers up to when all is asked about; null: the acquirer does not say. */
async function sweepPayments(deps: Deps, scope: Scope, { sweptUntil }: SweepRow): Promise<Timestamp | null> {
  const to = Math.min(deps.clock.real(), sweptUntil + WINDOW_MAX);
  const end = await sweepTime(deps, scope, { from: sweptUntil - OVERLAP, to, withReturns: false });
  // A busy shop has more than is listed of the overlap alone.
  return end === null || end > sweptUntil ? end : sweepTime(deps, scope, { from: sweptUntil, to, withReturns: false });
}

const askOfActive = statement<{ id: string }>(
  'ask_of_active_mandates',
  `UPDATE mandate m SET asked_at = now() WHERE m.status = 'active' AND m.asked_at IS NULL AND ${mine('m')} RETURNING m.id`,
);

/** Has the case of each active mandate ask whether it stands: its end may have been told to nobody. */
const askAboutMandates = (deps: Deps, scope: Scope): Promise<void> =>
  deps.transaction(scope, async (tx) => {
    for (const { id } of await tx.query(askOfActive, {})) tx.enqueue({ kind: 'pix-mandate', key: id });
  });

/** Answers when all returns of payments that may still be returned were asked about; null: the acquirer does not say. */
async function sweepReturns(deps: Deps, scope: Scope): Promise<Timestamp | null> {
  const startedAt = deps.clock.real();
  for (let from = startedAt - PIX_REFUND_WINDOW; from < startedAt; ) {
    const end = await sweepTime(deps, scope, {
      from,
      to: Math.min(startedAt, from + RETURNS_WINDOW),
      withReturns: true,
    });
    if (end === null) return null;
    from = end;
  }
  return startedAt;
}

const findEnded = statement<{ txid: string }>(
  'find_ended_qr_codes',
  `SELECT c.id AS txid FROM pix_charge c
   WHERE c.expires_at > :from AND c.expires_at <= :to AND c.state = 'active' AND ${mine('c')} ORDER BY c.id`,
);

/** Each QR code is asked about once as it ends, whatever its acquirer lists or tells by itself. */
const askAboutEnded = (deps: Deps, scope: Scope, time: { from: Timestamp; to: Timestamp }): Promise<void> =>
  deps.transaction(scope, async (tx) => {
    for (const { txid } of await tx.query(findEnded, time)) tx.enqueue({ kind: 'pix-settlement', key: txid });
  });

/** Payments without a receipt that is decided; returns that were made and are none of our refunds or disputes, and those that were refused and are one. */
const findUntold = statement<{ txid: string }>(
  'find_untold_of_sweep',
  `SELECT DISTINCT c.id AS txid FROM unnest(:txids::text[], :endToEndIds::text[], :returns::text[], :refusals::boolean[])
     AS told(txid, end_to_end_id, return_id, is_refused)
   JOIN pix_charge c ON c.id = told.txid
   WHERE ${mine('c')} AND CASE WHEN told.return_id = ''
     THEN NOT EXISTS (SELECT FROM pix_receipt r WHERE r.id = told.end_to_end_id AND r.txid = c.id AND r.intent_id IS NOT NULL)
     ELSE told.is_refused = (
       EXISTS (SELECT FROM refund_part p WHERE p.invoice_id = c.invoice_id AND p.reference = told.return_id
         AND CASE WHEN told.is_refused THEN p.status = 'refunded' ELSE p.status <> 'failed' END)
       OR EXISTS (SELECT FROM dispute d WHERE d.end_to_end_id = told.end_to_end_id AND d.return_id = told.return_id
         AND (d.funds = 'withdrawn' OR NOT told.is_refused))) END`,
);

/** The payment itself, among what went back of it. */
const PAYMENT = { id: '', status: 'completed' } as const;
/** Asked about in one transaction. */
const UNTOLD_MAX = 500;

async function askAboutUntold(deps: Deps, scope: Scope, { payments }: ReceivedPix): Promise<void> {
  const told = payments.flatMap(({ txid, endToEndId, returns }) =>
    [PAYMENT, ...returns.filter(({ status }) => status !== 'processing')].map(({ id, status }) => ({
      txid,
      endToEndId,
      returnId: id,
      isRefused: status === 'refused',
    })),
  );
  for (let at = 0; at < told.length; at += UNTOLD_MAX) {
    const some = told.slice(at, at + UNTOLD_MAX);
    const values = {
      txids: some.map(({ txid }) => txid),
      endToEndIds: some.map(({ endToEndId }) => endToEndId),
      returns: some.map(({ returnId }) => returnId),
      refusals: some.map(({ isRefused }) => isRefused),
    };
    await deps.transaction(scope, async (tx) => {
      for (const { txid } of await tx.query(findUntold, values)) tx.enqueue({ kind: 'pix-settlement', key: txid });
    });
  }
}
