/** How much of one thing an account may use at once or in a time, apart in each mode (docs/operations.md#budgets). */
export interface Budget {
  readonly sandbox: number;
  /** Null: live mode has no such budget. */
  readonly live: number | null;
  /** The amount in both modes while other accounts ask for something too; absent: the same. */
  readonly beside?: number;
  readonly unit: string;
  /** Whose use is counted together. */
  readonly of: string;
  /** What is counted, as operators read it. */
  readonly counts: string;
  /** What becomes of whatever is more. */
  readonly beyond: string;
}

const IN_API = 'account and mode in each API process';
const restsBesideOthers = (bytes: string): string =>
  `beside others not more than ${bytes} of them a second, and a fifth of the time, in sandboxes half of either, with rests of at most a second`;

export const MIB = 1_024 * 1_024;

/** Connections to PostgreSQL of an API process: for each mode, for pages until it is known whose they are, for the service itself, and for its readiness. */
export const CONNECTIONS = { live: 20, sandbox: 16, pages: 6, service: 4, probe: 1 } as const;

/** So many connections of a mode are left to accounts that hold none. */
export const CONNECTIONS_SPARE = 4;

/**
 * Every budget that keeps one account from using up what all share. Operators read this table in docs/operations.md, which a
 * test holds equal to it, and in the gauges of /metrics; a refusal names its budget.
 */
export const budgets = {
  requests: {
    sandbox: 32,
    live: 64,
    unit: 'requests',
    of: IN_API,
    counts: 'requests with an API key that are being answered, until their answer has left',
    beyond: 'wait in turn, at most 2 s; then 429 `RATE_LIMITED` with `Retry-After`',
  },
  sandboxes: {
    sandbox: 50,
    live: null,
    unit: 'requests a second',
    of: 'all sandboxes in each API process',
    counts:
      'requests with sandbox keys and of the buyers of sandboxes that begin while live accounts ask for something too; the last half of it is for accounts that had none in the last 0.08 s',
    beyond: 'wait in turn, at most 2 s; then 429 `RATE_LIMITED` with `Retry-After`',
  },
  lists: {
    sandbox: 2,
    live: 3,
    beside: 1,
    unit: 'requests',
    of: IN_API,
    counts: `pages of lists and of the event feed among \`requests\`, each the dearest that a request can ask of the database and of the process; ${restsBesideOthers('2 MiB')}`,
    beyond: 'wait in turn, at most 2 s; then 429 `RATE_LIMITED` with `Retry-After`',
  },
  large_bodies: {
    sandbox: 2,
    live: 4,
    beside: 1,
    unit: 'requests',
    of: IN_API,
    counts: `requests whose body is larger than 32 KiB, or does not say its length, from its first byte until it is answered; ${restsBesideOthers('1 MiB')}`,
    beyond: 'wait in turn, at most 2 s; then 429 `RATE_LIMITED` with `Retry-After`',
  },
  requests_waiting: {
    sandbox: 64,
    live: 128,
    unit: 'requests',
    of: IN_API,
    counts: 'requests that wait for a place in another budget, in each of them',
    beyond: '429 `RATE_LIMITED` with `Retry-After`, at once',
  },
  buyers: {
    sandbox: 16,
    live: 64,
    unit: 'requests',
    of: IN_API,
    counts:
      'what buyers ask for, who hold a link and no key, beside `requests`: pages, receipts, payments and forms, and streams until they begin',
    beyond: 'wait in turn, at most 2 s; then 429 with `Retry-After`',
  },
  buyers_begun: {
    sandbox: 25,
    live: 100,
    unit: 'requests a second',
    of: IN_API,
    counts: 'the same that begins while other accounts ask for something too, four of them without a pause',
    beyond: 'wait in turn; 429 with `Retry-After` where that would take longer than 5 s',
  },
  notices: {
    sandbox: 16,
    live: 32,
    unit: 'requests',
    of: IN_API,
    counts: 'callbacks of acquirers that are being booked, beside `requests`',
    beyond:
      'wait in turn, at most 2 s; then 429 with `Retry-After`: the acquirer repeats them, or the sweep finds them',
  },
  connections: {
    sandbox: 12,
    live: 16,
    beside: 4,
    unit: 'connections',
    of: IN_API,
    counts:
      'connections to PostgreSQL in use, of 16 for the sandbox and 20 for live; the last 4 are for accounts that hold none',
    beyond:
      'wait in turn, at most 5 s; then 503 `SERVICE_UNAVAILABLE` with `Retry-After`, to be repeated under the same key',
  },
  handler_time: {
    sandbox: 25,
    live: 25,
    unit: 'percent',
    of: IN_API,
    counts:
      'the share of all time in handlers in the last seconds, counted only while the event loop is late: by 100 ms for sandboxes, by 250 ms for live',
    beyond:
      '429 `RATE_LIMITED` with `Retry-After`. Later than 250 ms every sandbox is refused, later than 1 s every key: 503. Buyers, callbacks and probes are not',
  },
  answer_bytes: {
    sandbox: 8 * MIB,
    live: 32 * MIB,
    unit: 'bytes',
    of: IN_API,
    counts: 'answers that were given and that their readers have not taken yet',
    beyond: '429 `RATE_LIMITED` with `Retry-After`; a reader that takes nothing for 30 s is cut off',
  },
  feed_waiting: {
    sandbox: 10,
    live: 10,
    unit: 'requests',
    of: IN_API,
    counts: 'requests that wait for news at the event feed; while they wait they count in no other budget',
    beyond: '429 `RATE_LIMITED` with `Retry-After`',
  },
  streams: {
    sandbox: 500,
    live: 1_000,
    unit: 'streams',
    of: IN_API,
    counts: 'streams of pages that buyers have open, of 1,000 for all sandboxes and 2,000 for live',
    beyond: '503: the page asks every 5 s instead',
  },
  receipt_files: {
    sandbox: 10,
    live: 20,
    unit: 'files',
    of: IN_API,
    counts:
      'files of receipts that wait to be made; one of each mode is made at a time; all of live mode together take at most a fifth of the time, those of all sandboxes a tenth',
    beyond: '503 with `Retry-After`, at once; those that wait do so in turn, at most 10 s',
  },
  cases: {
    sandbox: 20,
    live: 30,
    unit: 'cases a second',
    of: 'account and mode in each worker process',
    counts:
      'retry ladders that are handed to Temporal, apart from them all other cases, and apart from both first attempts at receivers that failed five times in a row; cases of all accounts of a mode together are 100 a second in live, 30 in sandboxes',
    beyond: 'wait in turn; an attempt whose time came meanwhile is made at once',
  },
  posts_doubtful: {
    sandbox: 15,
    live: null,
    unit: 'posts a second',
    of: 'all sandboxes in each worker process',
    counts:
      'first attempts at receivers that failed the last time, or that have accepted less than 10 deliveries, while live accounts change something too',
    beyond: 'wait in turn',
  },
  posts_unproven: {
    sandbox: 60,
    live: null,
    unit: 'posts a minute',
    of: 'account, in all processes',
    counts:
      'attempts and tests of webhooks to receivers that have accepted less than 10 deliveries, or failed five times since',
    beyond: 'wait for the next minute; a test is 429 `RATE_LIMITED` with `Retry-After`',
  },
  posts_unproven_host: {
    sandbox: 120,
    live: null,
    unit: 'posts a minute',
    of: 'host, over all accounts, in all processes',
    counts: 'the same, by the host that they go to',
    beyond: 'wait for the next minute; a test is 429 `RATE_LIMITED` with `Retry-After`',
  },
  posts_proven: {
    sandbox: 600,
    live: null,
    unit: 'posts a minute',
    of: 'account, in all processes',
    counts: 'attempts and tests of webhooks to receivers that have accepted 10 deliveries',
    beyond: 'wait for the next minute; a test is 429 `RATE_LIMITED` with `Retry-After`',
  },
  posts_proven_host: {
    sandbox: 1_200,
    live: null,
    unit: 'posts a minute',
    of: 'host, over all accounts, in all processes',
    counts: 'the same, by the host that they go to',
    beyond: 'wait for the next minute; a test is 429 `RATE_LIMITED` with `Retry-After`',
  },
  mails: {
    sandbox: 100,
    live: 10_000,
    unit: 'e-mails a day',
    of: 'account and mode, in all processes',
    counts: 'e-mails that are handed to the mail server, by the day in UTC',
    beyond: 'are `held`, with the alarm `mail_held`; `admin mail release` queues them again',
  },
  mails_to_recipient: {
    sandbox: 100,
    live: 20,
    unit: 'e-mails a day',
    of: 'account, mode and recipient, in all processes',
    counts: 'the same, by the address that they go to',
    beyond: 'are `held`, with the alarm `mail_held`; `admin mail release` queues them again',
  },
  mails_to_anyone: {
    sandbox: 200,
    live: 60,
    unit: 'e-mails a day',
    of: 'mode and recipient, over all accounts, in all processes',
    counts: 'the same, by the address that they go to',
    beyond: 'are `held`, with the alarm `mail_held`; `admin mail release` queues them again',
  },
} as const satisfies Record<string, Budget>;

export type BudgetName = keyof typeof budgets;

/** The amount of a budget in a mode. */
export const amountOf = (name: BudgetName, { liveMode }: { readonly liveMode: boolean }): number =>
  (liveMode ? budgets[name].live : budgets[name].sandbox) ?? Number.POSITIVE_INFINITY;

/** The same while other accounts ask for something too. */
export const besideOthers = (name: BudgetName, mode: { readonly liveMode: boolean }): number => {
  const { beside }: Budget = budgets[name];
  return beside ?? amountOf(name, mode);
};
