import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { openPool } from './db/database.ts';
import { exitSaying, reasonOf } from './exit-saying.ts';
import { codeOf } from './kernel/errors.ts';
import { type KeyRing, ringOf } from './kernel/key-ring.ts';
import { KmsFault } from './sealing/kms/port.ts';
import { namesKms, openKeyRing, type RingAccess } from './sealing/managed-ring.ts';

const UNDEFINED_TABLE = '42P01';
/** PostgreSQL may come after us. */
const RETRY_MS = 1_000;

/** What the keys of the settings are read with. */
export const ringAccess = (target: pg.Pool | pg.ClientBase, { vault }: Pick<Config, 'vault'>): RingAccess => ({
  target,
  vault: vault && { ...vault, token: vault.token.reveal() },
});

interface RingOptions {
  readonly keys: string;
  readonly databaseUrl: string;
  readonly config: Pick<Config, 'vault'>;
  readonly logger: Logger;
}

/** The key ring of a process. Keys that a KMS wraps are in the database, so it waits for that; a KMS that gives no key ends the process. */
export async function ringOrExit({ keys, databaseUrl, config, logger }: RingOptions): Promise<KeyRing> {
  if (!namesKms(keys)) return ringOf(keys);
  const pool = openPool(databaseUrl, { size: 1 });
  let told: string | null = null;
  for (;;) {
    try {
      const ring = await openKeyRing(keys, ringAccess(pool, config), { makes: true });
      await pool.end();
      return ring;
    } catch (error) {
      if (error instanceof KmsFault) return exitSaying(`ENCRYPTION_KEYS cannot be read: ${error.message}`);
      const isOlder = codeOf(error) === UNDEFINED_TABLE;
      const reason = isOlder ? 'it has no tables of this version: run `npm run migrate`' : reasonOf(error);
      if (reason !== told)
        logger.warn(`the keys of the database cannot be read: ${reason}; it is tried again each second`);
      told = reason;
      await sleep(RETRY_MS);
    }
  }
}
