import { lateKinds } from '../../contract/lines.ts';

/** One invariant as a query for its breaches: every row it finds is a finding. */
export interface Check {
  /** Kebab-case, unique: a finding ends with it. */
  readonly name: string;
  /** A SELECT that may read the tables of `PRELUDE` besides the database's own. */
  readonly sql: string;
  /** What SQL has no words for: which of the rows that it finds are breaches; absent: all are. */
  readonly isBreach?: (row: Readonly<Record<string, unknown>>) => boolean;
  /** The finding as a sentence; `{column}` stands for a column of the row. */
  readonly describe: string;
}

/** Cycles begin and end by the civil time there (docs/product/subscriptions.md#calendar). */
export const CIVIL_ZONE = 'America/Sao_Paulo';

/** SQL for the kinds of lines that ask for what it costs that a bill is late. */
export const LATE_KINDS = lateKinds.map((kind) => `'${kind}'`).join(', ');

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Characters at the head of an id's suffix that hold its 48 bits of milliseconds. */
const TIME_CHARACTERS = 10;
const BITS_PER_CHARACTER = 5;

/** SQL for the head of the suffix of ids made at an instant: ids compare with it as with the instant. */
export const suffixAt = (instant: string): string => `(
  SELECT string_agg(substr('${ALPHABET}', ((ms >> (${BITS_PER_CHARACTER} * (${TIME_CHARACTERS - 1} - place))) & 31)::integer + 1, 1), '' ORDER BY place)
  FROM (SELECT (extract(epoch FROM ${instant}) * 1000)::bigint AS ms) AS instant, generate_series(0, ${TIME_CHARACTERS - 1}) AS place)`;

/** SQL for the suffix of an id: what follows its prefix, or the whole of an id without one (a PIX txid). */
export const suffixOf = (id: string): string => `right(${id}, 26)`;

/** Made longer ago, in real time, than work may lie about: an account's clock that was moved makes nothing late. */
export const isOld = (id: string): string => `${suffixOf(id)} < (SELECT quiet FROM at)`;

/** Days an event can be queried; its partition is dropped some days later. */
const EVENT_DAYS = 30;

/**
 * What every check may read:
 * `at` – `patience` and `in_flight` in seconds, and as heads of ids the instants that patience ended at (`quiet`) and that
 * events are kept from (`kept`); `moment` – each account's instant in each mode.
 */
const PRELUDE = `WITH at AS MATERIALIZED (
    SELECT $2::integer AS patience, $3::integer AS in_flight,
      ${suffixAt(`now() - make_interval(secs => $2::integer)`)} AS quiet,
      ${suffixAt(`now() - interval '${EVENT_DAYS} days'`)} AS kept
  ), moment AS MATERIALIZED (
    SELECT a.id AS account_id, mode.live_mode,
      CASE WHEN mode.live_mode THEN $1::bigint ELSE coalesce(a.clock_held_at, $1::bigint + a.sandbox_offset_seconds) END AS now
    FROM account a CROSS JOIN (VALUES (true), (false)) AS mode (live_mode)
  )`;

/** The query of a check: its first breaches, each with the number of all. */
export const queryOf = (check: Check, max: number): string =>
  `${PRELUDE} SELECT *, count(*) OVER ()::integer AS breaches FROM (${check.sql}) AS breach LIMIT ${max}`;

/** The sentence of one breach. */
export function sentence(check: Check, row: Readonly<Record<string, unknown>>): string {
  return check.describe.replace(/\{(\w+)\}/g, (_, column: string) => {
    if (!(column in row)) throw new Error(`${check.name} describes a column that it does not select: ${column}`);
    return String(row[column] ?? 'none');
  });
}

/** Live accounts tick with real time, and sandboxes do while nobody advances the clock of their account `a`. */
export const isTicking = (row: string): string => `(${row}.live_mode OR a.clock_held_at IS NULL)`;

/** SQL for whether a case of a kind is asked for. */
export const isAskedFor = (kind: string, key: string): string =>
  `EXISTS (SELECT FROM outbox o WHERE o.kind = '${kind}' AND o.key = ${key})`;
