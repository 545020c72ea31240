import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import type { LogHead } from '../../server/audit-log/anchor.ts';
import { auditActions } from '../../server/audit-log/audit-log.ts';
import { run, statement } from '../../server/db/statement.ts';
import { clip } from '../../server/kernel/text.ts';
import type { Timestamp } from '../../server/kernel/time.ts';
import { type AddCommands, instantOf, integerWithin, print } from './command.ts';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 1_000;
const LINE_SHOWN = 80;

const readEntries = statement<{ entry: Record<string, unknown>; chain: string; place: number; hash: string }>(
  'admin_read_audit_log',
  `SELECT l.entry::jsonb AS entry, l.chain, l.place, encode(l.hash, 'hex') AS hash FROM audit_log l
   WHERE (:account::text IS NULL OR l.account_id = :account) AND (:action::text IS NULL OR l.action = :action)
     AND (:actor::text IS NULL OR l.actor = :actor) AND (:before::text IS NULL OR l.id < :before)
     AND (:since::bigint IS NULL OR l.at >= :since) AND (:until::bigint IS NULL OR l.at <= :until)
   ORDER BY l.id DESC LIMIT :limit`,
);

const readHeads = statement<LogHead>(
  'admin_read_audit_log_heads',
  `SELECT h.chain, h.entries, encode(h.hash, 'hex') AS digest FROM audit_log_head h ORDER BY h.chain`,
);

/** Heads that were kept elsewhere and that the log does not lead to any more. */
const compareHeads = statement<LogHead>(
  'admin_compare_audit_log_heads',
  `SELECT k.chain, k.entries, k.digest FROM jsonb_to_recordset(:heads::jsonb) AS k (chain text, entries bigint, digest text)
   WHERE NOT EXISTS (SELECT FROM audit_log l WHERE l.chain = k.chain AND l.place = k.entries AND encode(l.hash, 'hex') = k.digest)`,
);

const Head = z.object({ chain: z.string(), entries: z.int(), digest: z.string() });

const STDIN = '-';

function readKept(path: string): LogHead[] {
  const lines = readFileSync(path === STDIN ? 0 : path, 'utf8')
    .split('\n')
    .filter(Boolean);
  if (lines.length === 0) throw new Error(`Nothing to compare: ${path} must hold what \`log heads\` printed`);
  return lines.map((line, at) => {
    const { data } = Head.safeParse(asJson(line));
    if (data === undefined)
      throw new Error(`Line ${at + 1} is none that \`log heads\` printed: ${clip(line, LINE_SHOWN)}`);
    return data;
  });
}

function asJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function readInstant(text: string): Timestamp {
  const instant = instantOf(text);
  if (Number.isFinite(instant)) return Math.floor(instant);
  throw new InvalidArgumentError('must be an instant in Unix seconds or such as 2027-01-31T12:00:00Z');
}

interface LogOptions {
  readonly account?: string;
  readonly action?: string;
  readonly actor?: string;
  readonly since?: Timestamp;
  readonly until?: Timestamp;
  readonly before?: string;
  readonly limit: number;
}

export const logCommands: AddCommands = (program, withDatabase) => {
  const log = program.command('log').description('who did what: the audit log');
  log
    .command('list', { isDefault: true })
    .description('list what was done, the newest first, one a line; the next page begins with --before and the last id')
    .option('--account <account>', 'of an account')
    .addOption(new Option('--action <action>', 'of a kind').choices(auditActions))
    .option('--actor <id>', 'by an operator, or an API key by its id')
    .option('--since <instant>', 'from then on, in Unix seconds or ISO 8601', readInstant)
    .option('--until <instant>', 'up to then', readInstant)
    .option('--before <id>', 'what came before an entry (log_…)')
    .option('--limit <n>', 'at most so many', integerWithin({ min: 1, max: LIMIT_MAX }), LIMIT_DEFAULT)
    .action((options: LogOptions) =>
      withDatabase(async ({ pool }) => {
        const {
          account = null,
          action = null,
          actor = null,
          since = null,
          until = null,
          before = null,
          limit,
        } = options;
        const rows = await run(pool, readEntries, { account, action, actor, since, until, before, limit });
        for (const { entry, ...placed } of rows) print({ ...inOrder(entry), ...placed });
      }),
    );
  log
    .command('heads')
    .description('list how long each chain is and the hash of its last entry, to be kept and compared elsewhere')
    .action(() => withDatabase(async ({ pool }) => (await run(pool, readHeads, {})).forEach(print)));
  log
    .command('compare <file>')
    .description(
      'hold the log to heads that were kept elsewhere, in a file or by standard input (-); prints those that it does not lead to',
    )
    .action((path: string) =>
      withDatabase(async ({ pool }) => {
        const kept = readKept(path);
        const differing = await run(pool, compareHeads, { heads: JSON.stringify(kept) });
        differing.forEach(print);
        if (differing.length > 0) throw new Error(`${differing.length} of ${kept.length} heads are not in the log`);
      }),
    );
};

/** As one reads it; it is stored with its keys in the order of letters. */
const inOrder = ({ id, at, actor, action, account, live_mode, object, ...rest }: Record<string, unknown>) => ({
  id,
  at,
  actor,
  action,
  account,
  live_mode,
  object,
  ...rest,
});
