import type pg from 'pg';
import { type Mode, modeOf } from '../kernel/mode.ts';
import { type Log, Outage } from './loop.ts';

/** What the worker is told of: new deliveries, and new rows of the outbox. */
const CHANNELS = ['facts', 'outbox'] as const;
type Channel = (typeof CHANNELS)[number];

/** The channel on which a worker listens for rows of a mode. */
export const channelOf = (channel: Channel, mode: Mode): string => `fatura_${channel}_${mode}`;

/** Notifications a second, channel and process are bounded by this: PostgreSQL lets only one notifying transaction commit at a time. */
const INTERVAL_MS = 20;
/** A notification has room for 8,000 bytes. */
const NAMED_MAX = 200;

/** Nobody who notifies waits for the disk: a notification that a crash forgets costs a poll interval. */
const NOTIFY = `SELECT pg_notify($1, $2) FROM (SELECT set_config('synchronous_commit', 'off', true)) AS hasty`;

/** The text of a notification; of more than fit it names none, which means all. */
const payloadOf = (accounts: ReadonlySet<string>): string => (accounts.size > NAMED_MAX ? '' : [...accounts].join(','));

/** The accounts that a notification names; null: there may be rows of any. */
export const accountsOf = (payload: string): string[] | null => (payload === '' ? null : payload.split(','));

/** Tells the worker whose rows are new after commit, at most one notification for each channel in an interval; a poll stands behind it. */
export function createWaker(
  pool: pg.Pool,
): (of: { accountId: string; liveMode: boolean }, what: Readonly<Record<Channel, boolean>>) => void {
  const armed = new Map<string, Set<string>>();
  const tell = (channel: string, accountId: string): void => {
    const named = armed.get(channel);
    if (named !== undefined) {
      named.add(accountId);
      return;
    }
    const accounts = new Set([accountId]);
    armed.set(channel, accounts);
    setTimeout(() => {
      armed.delete(channel);
      pool.query(NOTIFY, [channel, payloadOf(accounts)]).catch(() => {});
    }, INTERVAL_MS).unref();
  };
  return (of, what) => {
    for (const channel of CHANNELS) if (what[channel]) tell(channelOf(channel, modeOf(of)), of.accountId);
  };
}

const RECONNECT_MS = 1_000;

/**
 * Listens for notifications on a connection of its own and opens another one when it is lost.
 *
 * Each new connection calls every handler without a payload: what was committed in between was told to nobody.
 */
export function listen(options: {
  pool: pg.Pool;
  logger: Log;
  handlers: Readonly<Record<string, (payload: string) => void>>;
}): {
  stop(): Promise<void>;
} {
  const { pool, logger, handlers } = options;
  const outage = new Outage(logger, 'notifications of the database (polling meanwhile)');
  let stopping = false;
  let client: pg.PoolClient | null = null;
  let timer: NodeJS.Timeout | undefined;
  let opening: Promise<void> = Promise.resolve();

  const lose = (lost: pg.PoolClient | null, error?: unknown): void => {
    if (lost !== null && client !== lost) return;
    client = null;
    lost?.release(true);
    if (stopping) return;
    outage.begin(error);
    timer = setTimeout(() => {
      opening = open();
    }, RECONNECT_MS);
  };

  const open = async (): Promise<void> => {
    try {
      const opened = await pool.connect();
      client = opened;
      opened.on('error', (error) => lose(opened, error));
      opened.on('end', () => lose(opened));
      opened.on('notification', ({ channel, payload = '' }) => handlers[channel]?.(payload));
      for (const channel of Object.keys(handlers)) await opened.query(`LISTEN ${channel}`);
      outage.end();
      for (const handle of Object.values(handlers)) handle('');
    } catch (error) {
      lose(client, error);
    }
  };

  opening = open();
  return {
    async stop() {
      stopping = true;
      clearTimeout(timer);
      await opening;
      client?.release(true);
      client = null;
    },
  };
}
