import { createHash } from 'node:crypto';
import type pg from 'pg';
import { type LimitName, limitOf } from '../admission/limits.ts';
import { acrossAccounts, run, statement } from '../db/statement.ts';
import { modeOf } from '../kernel/mode.ts';
import { DAY, type Timestamp } from '../kernel/time.ts';
import { folded } from './rules.ts';

/** A mail as its limits count it. */
export interface CountedMail {
  readonly id: string;
  readonly accountId: string;
  readonly liveMode: boolean;
  readonly recipient: string;
}

/** What was counted of a limit: its key in a day, and how many it allows. */
interface Counter {
  readonly limit: LimitName;
  readonly key: string;
  readonly amount: number;
  readonly words: string;
}

/** Of one recipient, without saying who it is. */
const hashOf = (recipient: string): string => createHash('sha256').update(folded(recipient)).digest('base64url');

const accountKey = (of: Pick<CountedMail, 'accountId' | 'liveMode'>): string => `${modeOf(of)} ${of.accountId}`;

function countersOf(mail: CountedMail): Counter[] {
  const to = hashOf(mail.recipient);
  const counter = (limit: LimitName, { key, words }: { key: string; words: string }): Counter => {
    const amount = limitOf(limit, mail);
    return { limit, key, amount, words: `${amount} e-mails a day ${words} (limit "${limit}")` };
  };
  return [
    counter('mails', { key: accountKey(mail), words: 'of the account' }),
    counter('mails_to_recipient', { key: `${accountKey(mail)} ${to}`, words: 'of the account to this recipient' }),
    counter('mails_to_anyone', { key: `${modeOf(mail)} ${to}`, words: 'of all accounts to this recipient' }),
  ];
}

/** The day of real time that limits are counted in, in UTC. */
const dayOf = (now: Timestamp): string => new Date(now * 1_000).toISOString().slice(0, 10);

/** In all counters or in none, and once a day however often the mail is tried; counters are locked in one order. */
const countMail = acrossAccounts<{ id: string }>(
  'count_mail',
  `WITH wanted AS (SELECT * FROM unnest(:keys::text[], :amounts::int[]) AS w(key, amount)),
   used_up AS (SELECT FROM wanted w JOIN mail_count c ON c.day = :day::date AND c.counted = w.key WHERE c.mails >= w.amount),
   counted AS (
     INSERT INTO mail_count AS c (day, counted, mails) SELECT :day::date, w.key, 1 FROM wanted w WHERE NOT EXISTS (SELECT FROM used_up) ORDER BY w.key
     ON CONFLICT (day, counted) DO UPDATE SET mails = c.mails + 1 WHERE c.mails < (SELECT w.amount FROM wanted w WHERE w.key = c.counted)
     RETURNING c.counted
   )
   UPDATE mail m SET counted_on = :day::date
   WHERE m.id = :id AND m.status = 'queued' AND (SELECT count(*) FROM counted) = (SELECT count(*) FROM wanted) RETURNING m.id`,
);

const findUsedUp = statement<{ key: string }>(
  'find_used_up_mail_counts',
  `SELECT c.counted AS key FROM unnest(:keys::text[], :amounts::int[]) AS w(key, amount)
   JOIN mail_count c ON c.day = :day::date AND c.counted = w.key WHERE c.mails >= w.amount`,
);

const valuesOf = (counters: readonly Counter[], now: Timestamp) => ({
  day: dayOf(now),
  keys: counters.map(({ key }) => key),
  amounts: counters.map(({ amount }) => amount),
});

/** Takes a mail of the limits of the day, in one statement; null: it was taken, else the limit that is used up, in words. */
export async function takeMail(
  pool: pg.Pool,
  mail: CountedMail,
  { now, countedOn }: { now: Timestamp; countedOn: string | null },
): Promise<{ limit: LimitName; why: string } | null> {
  if (countedOn === dayOf(now)) return null;
  const counters = countersOf(mail);
  const values = valuesOf(counters, now);
  const [taken] = await run(pool, countMail, { ...values, id: mail.id });
  if (taken !== undefined) return null;
  const usedUp = await run(pool, findUsedUp, values);
  const first = counters.find(({ key }) => usedUp.some((of) => of.key === key)) ?? counters[0];
  return { limit: first?.limit ?? 'mails', why: `used up: ${first?.words ?? 'the e-mails of the day'}` };
}

/** Seconds until the account may send e-mails again; null: it may now. */
export async function mailsSpentFor(
  pool: Pick<pg.Pool, 'query'>,
  of: Pick<CountedMail, 'accountId' | 'liveMode'>,
  now: Timestamp,
): Promise<number | null> {
  const values = { day: dayOf(now), keys: [accountKey(of)], amounts: [limitOf('mails', of)] };
  const [usedUp] = await run(pool as pg.Pool, findUsedUp, values);
  return usedUp === undefined ? null : DAY - (now % DAY);
}
