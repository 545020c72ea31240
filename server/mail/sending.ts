import type { MailOccasion } from '../../contract/mails.ts';
import { hangsOn } from '../db/months.ts';
import { acrossAccounts, run } from '../db/statement.ts';
import type { Deps } from '../deps.ts';
import { askingInTurn, RoundRobin } from '../jobs/round-robin.ts';
import { raiseAlarm } from '../kernel/alarms.ts';
import { isLive, type Mode } from '../kernel/mode.ts';
import { type RunShard, rowShards, WHOLE } from '../kernel/shards.ts';
import { MINUTE, SECOND_MS } from '../kernel/time.ts';
import { takeMail } from './limits.ts';
import { MAIL_CONNECTIONS, type Mailer, type MailOutcome, SEND_TIMEOUT_SECONDS } from './mailer.ts';
import { KEPT_BECAUSE, maySend, SUPPRESSED_BECAUSE, secondsToNextTry } from './rules.ts';
import { isSuppressed } from './suppression.ts';

const BATCH = 50;
/** Of one account among them. */
const SHARE = 10;
/** Longer than a batch can take; what a process that died had taken is free again after it. */
const LEASE_SECONDS = Math.max(10 * MINUTE, 2 * (BATCH / MAIL_CONNECTIONS) * SEND_TIMEOUT_SECONDS);
/** A run takes nothing new after this time: the next one comes soon. */
const RUN_MS = 50 * SECOND_MS;

/** What a run did: mails sent, given up, to be tried again, those that are not wanted any more, a sandbox's to others, and those beyond a limit. */
export type MailCounts = Record<'sent' | 'failed' | 'retried' | 'dropped' | 'kept' | 'held', number>;

/** Account by account behind `after`, the longest waiting of each first. */
const claimDue = acrossAccounts<{ id: string; accountId: string }>(
  'claim_mails',
  `WITH RECURSIVE ${askingInTurn({ table: 'mail', column: 'account_id', which: `n.live_mode = :liveMode AND n.status = 'queued'` })}, due AS (
     SELECT d.id FROM asking, LATERAL (SELECT q.id FROM mail q
       WHERE q.live_mode = :liveMode AND q.status = 'queued' AND q.account_id = asking.id AND q.next_try_at <= now()
         AND q.shard BETWEEN :firstShard::smallint AND :lastShard::smallint
       ORDER BY q.next_try_at LIMIT ${SHARE} FOR UPDATE SKIP LOCKED) d
     LIMIT ${BATCH}
   )
   UPDATE mail m SET next_try_at = now() + interval '${LEASE_SECONDS} seconds' FROM due
   WHERE m.id = due.id RETURNING m.id, m.account_id AS "accountId"`,
);

interface QueuedMail {
  id: string;
  recipient: string;
  recipientName: string;
  subject: string;
  text: string;
  html: string;
  messageId: string;
  attempts: number;
  isWanted: boolean;
  liveMode: boolean;
  accountId: string;
  /** The day that it is counted in. */
  countedOn: string | null;
  ownAddress: string;
  replyTo: string | null;
  fromName: string | null;
  isOptional: boolean;
  customerId: string | null;
  /** The invoice whose receipt goes with it. */
  receiptOf: string | null;
}

/** What asks for the payment of a bill: nobody wants it any more once that is paid. Any other mail tells what has happened. */
const OF_OPEN_BILLS: readonly MailOccasion[] = ['reminder', 'declined', 'sent', 'debit_scheduled', 'debit_failed'];

/** Whether what a mail is about still stands, by its occasion. */
const IS_WANTED = `CASE m.occasion
  WHEN 'account_changed' THEN true
  WHEN 'endpoint_failing' THEN w.failing_since IS NOT NULL AND w.status <> 'disabled' AND w.deleted_at IS NULL
  WHEN 'endpoint_disabled' THEN w.status = 'disabled' AND w.deleted_at IS NULL
  WHEN 'acquirer_certificate_ending' THEN EXISTS(
    SELECT FROM live_acquirer l WHERE l.account_id = m.account_id AND l.certificate_ends_at = m.certificate_ends_at)
  WHEN 'confirmation' THEN EXISTS(
    SELECT FROM typed_email t WHERE t.id = m.customer_id AND t.asked_at IS NOT NULL AND t.confirmed_at IS NULL)
  WHEN 'trial_ending' THEN s.status = 'trialing'
  WHEN 'renewal_ahead' THEN s.status = 'active' AND s.cancel_at IS NULL
  ELSE m.occasion <> ALL (:ofOpenBills) OR i.status = 'open' AND NOT EXISTS(SELECT FROM pix_charge c WHERE ${hangsOn('', 'c.invoice_id', 'i.id')} AND c.confirmed_at IS NOT NULL) END`;

const readQueued = acrossAccounts<QueuedMail>(
  'read_queued_mail',
  `SELECT m.id, m.recipient, m.recipient_name AS "recipientName", m.subject, m.body_text AS text, m.body_html AS html,
     m.message_id AS "messageId", m.attempts, m.live_mode AS "liveMode", m.account_id AS "accountId", m.counted_on AS "countedOn", a.email AS "ownAddress",
     CASE WHEN m.customer_id IS NOT NULL THEN look.support_email END AS "replyTo",
     CASE WHEN m.customer_id IS NOT NULL THEN look.mail_settings ->> 'senderName' END AS "fromName",
     m.is_optional AS "isOptional", m.customer_id AS "customerId", CASE WHEN m.attaches_receipt THEN m.invoice_id END AS "receiptOf", ${IS_WANTED} AS "isWanted"
   FROM mail m JOIN account a ON a.id = m.account_id JOIN account_look look ON look.account_id = m.account_id AND look.live_mode = m.live_mode
     LEFT JOIN invoice i ON i.id = m.invoice_id LEFT JOIN subscription s ON s.id = m.subscription_id
     LEFT JOIN webhook_endpoint w ON w.id = m.endpoint_id
   WHERE m.id = :id AND m.status = 'queued'`,
);

const dropMail = acrossAccounts(
  'drop_mail',
  `UPDATE mail SET status = 'dropped', last_error = :why WHERE id = :id AND status = 'queued'`,
);

const keepMail = acrossAccounts(
  'keep_mail',
  `UPDATE mail SET status = 'kept', last_error = :why WHERE id = :id AND status = 'queued'`,
);

const holdMail = acrossAccounts(
  'hold_mail',
  `UPDATE mail SET status = 'held', last_error = :why WHERE id = :id AND status = 'queued'`,
);

/** It is on its way even if its customer was anonymized meanwhile. */
const markSent = acrossAccounts(
  'mark_mail_sent',
  `UPDATE mail SET status = 'sent', sent_at = now(), attempts = attempts + 1, last_error = NULL WHERE id = :id`,
);

const markFailed = acrossAccounts(
  'mark_mail_failed',
  `UPDATE mail SET status = 'failed', attempts = attempts + 1, last_error = :why WHERE id = :id AND status = 'queued'`,
);

const tryAgain = acrossAccounts(
  'try_mail_again',
  `UPDATE mail SET attempts = attempts + 1, next_try_at = now() + make_interval(secs => :pause), last_error = :why
   WHERE id = :id AND status = 'queued'`,
);

/** What became of one mail; null: it is not waiting any more. */
interface Handled {
  readonly count: keyof MailCounts | null;
  /** Whether the server takes no mail at all. */
  readonly isServerAway: boolean;
}

const GONE: Handled = { count: null, isServerAway: false };
const DROPPED: Handled = { count: 'dropped', isServerAway: false };
const KEPT: Handled = { count: 'kept', isServerAway: false };
const HELD: Handled = { count: 'held', isServerAway: false };

/** Reads the mail at the last moment, for what was paid or anonymized since it was claimed. */
async function handle(deps: Deps, mailer: Mailer, id: string): Promise<Handled> {
  const [mail] = await run(deps.pool, readQueued, { id, ofOpenBills: OF_OPEN_BILLS });
  if (mail === undefined) return GONE;
  if (!mail.isWanted) {
    await run(deps.pool, dropMail, { id, why: null });
    return DROPPED;
  }
  if (!maySend(mail)) {
    await run(deps.pool, keepMail, { id, why: KEPT_BECAUSE });
    return KEPT;
  }
  if (await isSuppressed(deps.pool, mail.recipient)) {
    await run(deps.pool, dropMail, { id, why: SUPPRESSED_BECAUSE });
    return DROPPED;
  }
  // Counted before it is sent: a process that dies in between has counted a mail that is sent later, and none twice.
  const usedUp = await takeMail(deps.pool, mail, { now: deps.clock.real(), countedOn: mail.countedOn });
  if (usedUp !== null) {
    await run(deps.pool, holdMail, { id, why: usedUp.why });
    const { accountId: account } = mail;
    const { limit } = usedUp;
    deps.metrics.limits.refuse(limit, mail);
    raiseAlarm(deps, 'mail_held', { mail: id, account, limit, message: 'a mail is held: a limit is used up' });
    return HELD;
  }
  const { recipientName: name } = mail;
  const to = { name: name === '' ? null : name, address: mail.recipient };
  const file = mail.receiptOf === null ? null : await deps.receiptFiles(mail.receiptOf);
  const { isOptional, customerId, liveMode } = mail;
  const unsubscribe =
    isOptional && customerId !== null ? deps.links.unsubscription({ id: customerId, liveMode }) : null;
  const outcome = await mailer.send({ ...mail, to, unsubscribe, attachments: file === null ? [] : [file] });
  return book(deps, mail, outcome);
}

async function book(deps: Deps, { id, attempts }: QueuedMail, outcome: MailOutcome): Promise<Handled> {
  if (outcome.kind === 'accepted') {
    await run(deps.pool, markSent, { id });
    return { count: 'sent', isServerAway: false };
  }
  const isServerAway = outcome.kind === 'failed' && outcome.isOfServer;
  const tries = attempts + 1;
  const pause = outcome.kind === 'failed' ? secondsToNextTry(tries) : null;
  // What the server said may name the recipient: it is kept with the mail, not in the log.
  if (pause !== null) {
    await run(deps.pool, tryAgain, { id, pause, why: outcome.why });
    deps.logger.warn({ mail: id, tries, pause }, 'a mail was not taken; it is tried again');
    return { count: 'retried', isServerAway };
  }
  await run(deps.pool, markFailed, { id, why: outcome.why });
  raiseAlarm(deps, 'mail_failed', { mail: id, tries, message: 'a mail could not be sent and is given up' });
  return { count: 'failed', isServerAway };
}

/** Does the work for each item, so many at a time; a fault of one shows when the others have ended. */
async function inHands<T>(items: readonly T[], hands: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const hand = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: hands }, hand));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

/**
 * Sends the mails of a mode that are due, with no transaction open meanwhile: at least once, a repeat under the same
 * Message-ID. Accounts take turns. `told` is called after each. Without a mail server they stay queued.
 */
export async function sendMails(
  deps: Deps,
  { mode, runShard = WHOLE, told }: { mode: Mode; runShard?: RunShard; told: () => void },
): Promise<MailCounts> {
  const counts: MailCounts = { sent: 0, failed: 0, retried: 0, dropped: 0, kept: 0, held: 0 };
  const { mailer } = deps;
  if (mailer === null) return counts;
  const endsAt = performance.now() + RUN_MS;
  const roundRobin = new RoundRobin();
  let isServerAway = false;
  while (!isServerAway && performance.now() < endsAt) {
    const due = await run(deps.pool, claimDue, {
      liveMode: isLive(mode),
      after: roundRobin.after,
      ...rowShards(runShard),
    });
    const keys = due.map(({ accountId }) => accountId);
    // What is taken is leased: a claim that finds nothing, from the first account on, is the last.
    if (!roundRobin.took(keys, BATCH) && due.length === 0) break;
    let taken = 0;
    await inHands(due, MAIL_CONNECTIONS, async ({ id }) => {
      const handled = await handle(deps, mailer, id);
      if (handled.count !== null) {
        counts[handled.count] += 1;
        deps.metrics.business.mails.inc({ mode, outcome: handled.count });
      }
      if (!handled.isServerAway) taken += 1;
      told();
    });
    // The rest of the queue would only wait for the same.
    isServerAway = due.length > 0 && taken === 0;
  }
  return counts;
}
