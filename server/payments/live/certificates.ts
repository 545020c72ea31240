import { readScope } from '../../accounts/scope.ts';
import { acrossAccounts, run, statement } from '../../db/statement.ts';
import type { Deps } from '../../deps.ts';
import { type DueCounts, type DueRun, dueOf, runDue } from '../../jobs/due-run.ts';
import { raiseAlarm } from '../../kernel/alarms.ts';
import type { Timestamp } from '../../kernel/time.ts';
import { hook } from '../../unit-of-work/hooks.ts';
import type { Tx } from '../../unit-of-work/tx.ts';
import type { Method } from '../acquirer/port.ts';
import type { AcquirerCertificate, OfMethod } from './method.ts';
import { liveMethod } from './methods.ts';
import { WARNING_DUE_AT, warningDue } from './rules.ts';
import { DUE_ID, ofDueId, openSettings } from './store.ts';

/** A certificate with which an account calls its acquirer, and that ends soon. */
export interface EndingCertificate extends Omit<AcquirerCertificate, 'endsAt'> {
  readonly endsAt: Timestamp;
}

/** Who is told that a certificate ends. */
export const certificateEnding = hook<(tx: Tx, certificate: EndingCertificate) => Promise<void>>('certificate_ending');

interface CertificateRow {
  readonly settings: Buffer;
  readonly endsAt: Timestamp;
  readonly warned: number | null;
}

const lockCertificate = statement<CertificateRow>(
  'lock_certificate_of_acquirer',
  `SELECT l.settings, extract(epoch FROM l.certificate_ends_at)::bigint AS "endsAt", l.certificate_warned AS warned
   FROM live_acquirer l WHERE l.account_id = :accountId AND l.method = :method FOR UPDATE`,
);

const markWarned = statement(
  'mark_certificate_warned',
  'UPDATE live_acquirer SET certificate_warned = :warned WHERE account_id = :accountId AND method = :method',
);

export type CertificateOutcome = 'warned' | 'not_due';

/** Has an account told that its certificate ends, if that is due (docs/product/live-pix.md#renewing-a-certificate). */
export async function warnOfCertificate(deps: Deps, { accountId, method }: OfMethod): Promise<CertificateOutcome> {
  const scope = await readScope(deps.pool, { accountId, liveMode: true });
  return deps.transaction<CertificateOutcome>(scope, async (tx) => {
    const [row] = await tx.query(lockCertificate, { method });
    const warned = row === undefined ? null : warningDue(row, tx.now);
    if (row === undefined || warned === null) return 'not_due';
    const { settings } = openSettings(deps.secretBox, { accountId, method, settings: row.settings });
    const certificate = liveMethod(method).certificateOf(settings);
    if (certificate === null) return 'not_due';
    tx.write(markWarned, { method, warned });
    for (const tell of tx.reactionsAt(certificateEnding)) await tell(tx, { ...certificate, endsAt: row.endsAt });
    return 'warned';
  });
}

const claimEnding = dueOf(
  'claim_ending_certificates',
  `SELECT ${DUE_ID} AS id, l.account_id, true AS live_mode, ${WARNING_DUE_AT} AS wake_at FROM live_acquirer l
   WHERE l.certificate_ends_at > to_timestamp(:now)`,
);

const findEnded = acrossAccounts<OfMethod & { profile: string; endedAt: Date }>(
  'find_ended_certificates',
  `SELECT l.account_id AS "accountId", l.method, l.profile, l.certificate_ends_at AS "endedAt"
   FROM live_acquirer l WHERE l.certificate_ends_at <= to_timestamp(:now) ORDER BY l.account_id, l.method`,
);

/** Has accounts told of certificates that end, and the operator, at each run, of those that have ended. */
export async function runCertificates(
  deps: Deps,
  options: Omit<DueRun, 'mode'>,
): Promise<DueCounts & { ended: number }> {
  const perform = (id: string) => warnOfCertificate(deps, ofDueId(id));
  const counts = await runDue(deps, { ...options, mode: 'live' }, [{ claim: claimEnding, perform }]);
  const ended = await run(deps.pool, findEnded, { now: deps.clock.real() });
  for (const { accountId, endedAt, ...which } of ended) {
    const details = { account: accountId, ...which, ended_at: endedAt.toISOString() };
    const message = 'the certificate for an acquirer has ended: nothing is charged or returned with it';
    raiseAlarm(deps, 'acquirer_certificate_ended', { ...details, message });
  }
  return { ...counts, ended: ended.length };
}

const readEnds = acrossAccounts<{ account: string; method: Method; profile: string; endsAt: Timestamp }>(
  'read_ends_of_certificates',
  `SELECT l.account_id AS account, l.method, l.profile, extract(epoch FROM l.certificate_ends_at)::bigint AS "endsAt"
   FROM live_acquirer l WHERE l.certificate_ends_at IS NOT NULL`,
);

/** Measures when each certificate ends; of an acquirer that was removed nothing is shown any more. */
export async function measureCertificates({ pool, metrics }: Pick<Deps, 'pool' | 'metrics'>): Promise<void> {
  const ends = await run(pool, readEnds, {});
  metrics.certificateEnds.reset();
  for (const { endsAt, ...labels } of ends) metrics.certificateEnds.set(labels, endsAt);
}
