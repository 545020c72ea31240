/** How much of one thing a tenant may use at once or in a time; none depends on what others do (docs/operations.md#limits). */
export interface TenantLimit {
  readonly sandbox: number;
  /** Null: live mode has no such limit. */
  readonly live: number | null;
  readonly unit: string;
  /** Whose use is counted together. */
  readonly of: string;
  /** What is counted, as operators read it. */
  readonly counts: string;
  /** What becomes of whatever is more. */
  readonly beyond: string;
}

const IN_API = 'account and mode in each API process';
const IN_ALL = 'account and mode, in all processes';

/** What a list, a large body or a page weighs among the requests in flight; any other request weighs one. */
export const HEAVY = 4;

/** How long a request waits in a queue. */
export const QUEUE_TIMEOUT_MS = 10_000;

/** Connections to PostgreSQL of an API process: for requests, for the service itself, and for its readiness. */
export const CONNECTIONS = { requests: 12, service: 4, probe: 1 } as const;

const BEYOND_INFLIGHT = `wait in a queue, at most ${QUEUE_TIMEOUT_MS / 1_000} s; then 429 \`RATE_LIMITED\` with \`Retry-After\``;

/**
 * Every limit that keeps one tenant from using up what all share, beside the rates a minute of keys and links. Operators read
 * this table in docs/operations.md, which a test holds equal to it, and in the gauges of /metrics.
 */
export const limits = {
  inflight: {
    sandbox: 32,
    live: 64,
    unit: 'requests',
    of: IN_API,
    counts:
      'requests with an API key, until they are done and their answer has left; a list, or a body of more than 32 KiB or of unknown length, counts as four',
    beyond: BEYOND_INFLIGHT,
  },
  buyers: {
    sandbox: 32,
    live: 64,
    unit: 'requests',
    of: IN_API,
    counts:
      'what buyers ask for with a link: payments and forms; a page, a receipt, or a stream until it begins counts as four',
    beyond: BEYOND_INFLIGHT,
  },
  notices: {
    sandbox: 32,
    live: 32,
    unit: 'requests',
    of: IN_API,
    counts: 'callbacks of acquirers that are being booked',
    beyond: `${BEYOND_INFLIGHT}: the acquirer repeats them, or the sweep finds them`,
  },
  queue: {
    sandbox: 128,
    live: 128,
    unit: 'requests',
    of: IN_API,
    counts: 'requests that wait in the queue of `inflight`, of `buyers` and of `notices`, each apart',
    beyond: '429 `RATE_LIMITED` with `Retry-After`, at once',
  },
  connections: {
    sandbox: 3,
    live: 3,
    unit: 'connections',
    of: IN_API,
    counts: `connections to PostgreSQL in use, of ${CONNECTIONS.requests} for all requests`,
    beyond: 'wait in turns of the accounts, at most 5 s; then 503 `SERVICE_UNAVAILABLE` with `Retry-After`',
  },
  feed_waiting: {
    sandbox: 10,
    live: 10,
    unit: 'requests',
    of: IN_API,
    counts: 'requests that wait for events at the feed; while they wait they are not in flight',
    beyond: '429 `RATE_LIMITED` with `Retry-After`',
  },
  streams: {
    sandbox: 500,
    live: 1_000,
    unit: 'streams',
    of: IN_API,
    counts: 'streams of pages that buyers have open, of 3,000 for all accounts',
    beyond: '503: the page asks every 5 s instead',
  },
  receipt_files: {
    sandbox: 20,
    live: 20,
    unit: 'files',
    of: IN_API,
    counts: 'files of receipts that are asked for; one is made at a time, in turns of the accounts',
    beyond: `503 with \`Retry-After\`, at once; those that wait do so in turn, at most ${QUEUE_TIMEOUT_MS / 1_000} s`,
  },
  exports: {
    sandbox: 2,
    live: 2,
    unit: 'exports',
    of: IN_ALL,
    counts: 'exports that are being written',
    beyond: '429 `RATE_LIMITED` with `Retry-After`',
  },
  exports_kept: {
    sandbox: 100,
    live: 100,
    unit: 'exports',
    of: IN_ALL,
    counts: 'exports that are being written, or were completed or failed within the last 24 hours',
    beyond: '429 `RATE_LIMITED` with `Retry-After`',
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
    of: IN_ALL,
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
} as const satisfies Record<string, TenantLimit>;

export type LimitName = keyof typeof limits;

/** The amount of a limit in a mode; infinite where the mode has none. */
export const limitOf = (name: LimitName, { liveMode }: { readonly liveMode: boolean }): number =>
  (liveMode ? limits[name].live : limits[name].sandbox) ?? Number.POSITIVE_INFINITY;
