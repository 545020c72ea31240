import type pg from 'pg';
import { type Log, Outage } from './loop.ts';

/** Channels the worker listens on. */
export const FACTS_CHANNEL = 'fatura_facts';
export const OUTBOX_CHANNEL = 'fatura_outbox';

/** Notifications a second and process are bounded by this: PostgreSQL lets only one notifying transaction commit at a time. */
const INTERVAL_MS = 20;

/** Tells the worker of new rows after commit, at most one notification for each channel in an interval; a poll stands behind it. */
export function createWaker(pool: pg.Pool): (what: { facts: boolean; outbox: boolean }) => void {
  const armed = new Set<string>();
  const notify = (channel: string): void => {
    if (armed.has(channel)) return;
    armed.add(channel);
    setTimeout(() => {
      armed.delete(channel);
      // A lost notification costs the worker one poll interval.
      pool.query(`NOTIFY ${channel}`).catch(() => {});
    }, INTERVAL_MS).unref();
  };
  return (what) => {
    if (what.facts) notify(FACTS_CHANNEL);
    if (what.outbox) notify(OUTBOX_CHANNEL);
  };
}

const RECONNECT_MS = 1_000;

/**
 * Listens for notifications on a connection of its own and opens another one when it is lost.
 *
 * Each new connection rings every bell: what was committed in between was told to nobody.
 */
export function listen(options: { pool: pg.Pool; logger: Log; bells: Readonly<Record<string, () => void>> }): {
  stop(): Promise<void>;
} {
  const { pool, logger, bells } = options;
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
      opened.on('notification', ({ channel }) => bells[channel]?.());
      for (const channel of Object.keys(bells)) await opened.query(`LISTEN ${channel}`);
      outage.end();
      for (const ring of Object.values(bells)) ring();
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
