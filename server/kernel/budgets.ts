/** How much of one thing an account may use at once or in a time, apart in each mode (docs/operations.md#budgets). */
export interface Budget {
  readonly sandbox: number;
  readonly live: number;
  readonly unit: string;
  /** Whose use is counted together. */
  readonly of: string;
  /** What is counted, as operators read it. */
  readonly counts: string;
  /** What becomes of whatever is more. */
  readonly beyond: string;
}

const IN_API = 'account and mode in each API process';

const MIB = 1_024 * 1_024;

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
  requests_waiting: {
    sandbox: 64,
    live: 128,
    unit: 'requests',
    of: IN_API,
    counts: 'requests that wait for `requests`',
    beyond: '429 `RATE_LIMITED` with `Retry-After`, at once',
  },
  buyers: {
    sandbox: 16,
    live: 64,
    unit: 'requests',
    of: IN_API,
    counts: 'payments and forms of buyers, who hold a link and no key, beside `requests`',
    beyond: 'wait in turn, at most 2 s; then 429 with `Retry-After`',
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
    unit: 'connections',
    of: IN_API,
    counts:
      'connections to PostgreSQL in use, of 16 for the sandbox and 20 for live; the last 4 are for accounts that hold none',
    beyond:
      'wait in turn, at most 5 s; then 503 `SERVICE_UNAVAILABLE` with `Retry-After`, to be repeated under the same key',
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
} as const satisfies Record<string, Budget>;

export type BudgetName = keyof typeof budgets;

/** The amount of a budget in a mode. */
export const amountOf = (name: BudgetName, { liveMode }: { readonly liveMode: boolean }): number =>
  liveMode ? budgets[name].live : budgets[name].sandbox;
