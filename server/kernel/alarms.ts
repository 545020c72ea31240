/** A situation that needs an operator: what happened, what to do about it, and whether it waits until the next day. */
interface Alarm {
  readonly severity: 'critical' | 'warning';
  readonly happened: string;
  readonly remedy: string;
}

/** Every kind of alarm. docs/operations.md has a section of each, in the same words. */
export const alarms = {
  acquirer_certificate_ended: {
    severity: 'critical',
    happened: 'The certificate with which an account calls its acquirer has ended; counted again each hour.',
    remedy: 'Renew it. Nothing is charged or returned by that acquirer meanwhile.',
  },
  acquirer_key_refused: {
    severity: 'critical',
    happened: 'An acquirer answered 401 or 403: it does not take the key, secret or certificate of an account.',
    remedy:
      'Try it with `admin acquirer test`; ask the merchant for the present key and set it. Nothing is declined meanwhile, and nothing is charged.',
  },
  acquirer_not_swept: {
    severity: 'critical',
    happened:
      'For 6 hours a live acquirer did not list what it received, or it lists too little; counted again each 10 minutes.',
    remedy:
      '`admin acquirer test acct_… --live pix`; its log lines "did not do what it was asked" have the PSP\'s words. What its callbacks tell is booked all the same.',
  },
  billing_failed: {
    severity: 'critical',
    happened:
      'A fault stopped what was due of a subscription, invoice, session, webhook endpoint or certificate; the next run tries again, an advance of a test clock a day later.',
    remedy: 'Read the error by the id; a fault that comes each minute is a bug or a broken row.',
  },
  card_testing: {
    severity: 'critical',
    happened:
      'More than 50 cards of buyers were declined in an hour at one live account, more than half of all: stolen cards may be tested there; counted again each hour.',
    remedy:
      'Tell the merchant, who can close the links that are used. Its pages take three cards an hour from each address meanwhile; PIX goes on.',
  },
  charge_outcome_contradicted: {
    severity: 'critical',
    happened: 'The acquirer told something else than is booked.',
    remedy:
      "Compare its books with ours by the attempt's id. Money may have moved without an invoice: return it at the acquirer.",
  },
  charge_outcome_unknown: {
    severity: 'warning',
    happened: 'For a day nobody knows what became of a charge; counted again each hour.',
    remedy:
      "Ask the acquirer about the attempt's id. The case books its answer as soon as the acquirer tells it. Do not charge anew.",
  },
  chargeback_beyond_charge: {
    severity: 'warning',
    happened:
      'The bank of a card’s holder took back more of a charge than was left of it: part had been refunded or disputed before.',
    remedy: 'Object at the acquirer with the refund: what was taken beyond the charge is in no dispute of ours.',
  },
  clock_skewed: {
    severity: 'warning',
    happened:
      'The clock of a machine is more than 2 seconds ahead of that of PostgreSQL or behind it; counted again each hour.',
    remedy:
      'Have both machines take their time from the same servers (chrony, NTP). Sales go on: every instant comes from PostgreSQL. TLS and the log of that machine go by its own.',
  },
  connections_crowded: {
    severity: 'critical',
    happened:
      'There were too many connections of clients, so silent ones were ended; counted at most once a minute in each process.',
    remedy:
      'Its log line says why and names an address. `address`: that one alone had 256; shut it out, or is it your proxy, set TRUST_PROXY. `crowded`, `full`: all together had four fifths or all of 5,000; bound them at the proxy, and start another process.',
  },
  disk_full: {
    severity: 'critical',
    happened: 'The disk of PostgreSQL is full; counted again each hour by each process.',
    remedy:
      'Make room: nothing can be sold meanwhile, and `/readyz` is 503. What was answered is kept; processes go on by themselves.',
  },
  mail_failed: {
    severity: 'warning',
    happened: 'A letter was given up.',
    remedy: '`admin mail list --invoice in_…` shows why.',
  },
  mail_held: {
    severity: 'warning',
    happened: 'A letter was not sent, because a limit of the day is used up.',
    remedy:
      '`admin mail list` says which. Is it honest, `admin mail release --account acct_…` sends it another day; else talk to the merchant.',
  },
  months_missing: {
    severity: 'critical',
    happened: 'Tables of invoices and charges have no partition of the next month; counted again each hour.',
    remedy:
      'Run `npm run migrate`, which makes them: a long transaction kept `retention-run` from it for months, or it did not run. Without a partition of the month nothing is sold.',
  },
  pix_not_settled: {
    severity: 'warning',
    happened: 'The acquirer confirmed a payment a day ago and does not settle it, or does not tell what was paid.',
    remedy: 'Ask the acquirer about the txid. The invoice cannot be paid another way meanwhile.',
  },
  refund_not_settled: {
    severity: 'warning',
    happened: 'A refund part is a day old, neither made nor refused.',
    remedy: "Ask the acquirer about the part's reference.",
  },
  refused_return_made: {
    severity: 'critical',
    happened:
      'A bank made the return of a PIX that it had refused before: the refund part is `failed`, and the money is gone.',
    remedy: 'Ask the acquirer; tell the merchant, who may have asked for the money again.',
  },
  removal_failed: {
    severity: 'warning',
    happened: 'A fault stopped the removal of a customer of a sandbox that is old; the next run tries again.',
    remedy: 'Read the error by the id. Nothing of that customer is gone: a customer is removed whole or not at all.',
  },
  replica_unused: {
    severity: 'warning',
    happened:
      'For half a minute the replica of DATABASE_READ_URL did not answer, is none, or is more than 5 seconds behind; counted again each hour by each process.',
    remedy:
      'See `pg_stat_replication` on the primary and the log of the replica. The primary answers everything meanwhile: look at its load.',
  },
  schedule_silent: {
    severity: 'critical',
    happened: 'Five runs of a schedule did not come; `paused` says whether somebody paused it.',
    remedy:
      'Resume it in the Temporal UI, or leave it paused. One that is not paused has a run that does not end: the UI shows what it waits for.',
  },
  secret_unreadable: {
    severity: 'critical',
    happened: 'A signing secret cannot be opened, so its deliveries fail.',
    remedy: 'This process lacks a key of the others: give it theirs. Or somebody changed the row.',
  },
  surplus_return_refused: {
    severity: 'warning',
    happened: 'The acquirer refused to return a surplus; it is asked again, each day.',
    remedy: 'Ask the acquirer why. The money is not ours.',
  },
  unhandled_rejection: {
    severity: 'warning',
    happened: 'A fault of the code that nobody waited for.',
    remedy: 'Report the line of the log: it is a bug. The process goes on.',
  },
} as const satisfies Record<string, Alarm>;

export type AlarmKind = keyof typeof alarms;

// The keys of a literal are those of its type.
export const alarmKinds = Object.keys(alarms) as AlarmKind[];

const PAGE = 'docs/operations.md';

/** Where the documentation tells what to do. */
export const remedyAt = (kind: AlarmKind): string => `${PAGE}#${kind}`;

/** What an alarm is raised by. */
export interface AlarmTools {
  readonly metrics: { readonly alarms: { inc(labels: { kind: AlarmKind }): void } };
  readonly logger: { error(details: object, message: string): void };
}

interface AlarmDetails {
  readonly message: string;
  readonly [detail: string]: unknown;
}

/** Counts an alarm, and tells the object that it is about: its line of the log names what to do. */
export function raiseAlarm(
  { metrics, logger }: AlarmTools,
  kind: AlarmKind,
  { message, ...details }: AlarmDetails,
): void {
  metrics.alarms.inc({ kind });
  logger.error({ alarm: kind, remedy: remedyAt(kind), ...details }, message);
}

/** Raises an alarm of something that lasts: the first time, and then so seldom. */
export function alarmEvery(everyMs: number, tools: AlarmTools, kind: AlarmKind): (details: AlarmDetails) => void {
  let raisedMs = Number.NEGATIVE_INFINITY;
  return (details) => {
    if (performance.now() - raisedMs < everyMs) return;
    raisedMs = performance.now();
    raiseAlarm(tools, kind, details);
  };
}
