import type pg from 'pg';
import type { Logger } from 'pino';
import { Outage } from '../db/loop.ts';

const RECONNECT_MS = 1_000;

export interface Listener {
  stop(): Promise<void>;
}

/**
 * Listens for notifications on a connection of its own and opens another one when it is lost.
 *
 * Each new connection rings every bell: what was committed in between was told to nobody.
 */
export function listen(options: {
  pool: pg.Pool;
  logger: Logger;
  bells: Readonly<Record<string, () => void>>;
}): Listener {
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
