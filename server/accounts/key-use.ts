import type pg from 'pg';
import { run, statement } from '../db/statement.ts';
import { MINUTE, realTimeMs, SECOND_MS } from '../kernel/time.ts';

/** How often what was used is written down: the last use of a key is known to about this. */
export const WRITTEN_EVERY_MS = MINUTE * SECOND_MS;

const writeUses = statement(
  'write_api_key_uses',
  `INSERT INTO api_key_use AS u (key_id, used_at)
   SELECT n.id, to_timestamp(n.ms / 1000.0) FROM unnest(:ids::text[], :ms::float8[]) AS n (id, ms) ORDER BY n.id
   ON CONFLICT (key_id) DO UPDATE SET used_at = excluded.used_at WHERE u.used_at < excluded.used_at`,
);

/** Remembers in memory when keys were used, and writes all of them at once: a request costs no write. */
export interface KeyUses {
  saw(keyId: string): void;
  write(): Promise<void>;
}

export function createKeyUses(pool: pg.Pool): KeyUses {
  let seen = new Map<string, number>();
  return {
    saw(keyId) {
      seen.set(keyId, realTimeMs());
    },
    async write() {
      if (seen.size === 0) return;
      const written = seen;
      seen = new Map();
      await run(pool, writeUses, { ids: [...written.keys()], ms: [...written.values()] }).catch((error: unknown) => {
        // What cannot be written now is written with the next; a later use of the same key counts.
        seen = new Map([...written, ...seen]);
        throw error;
      });
    },
  };
}

/** What is used while a process ends is written so often. */
const DRAINING_EVERY_MS = SECOND_MS;

/** Writes what was used each minute, and each second once the process is to end. */
export function writeRegularly(
  uses: KeyUses,
  { draining, failed }: { draining: AbortSignal; failed: (error: unknown) => void },
): void {
  const write = (): void => void uses.write().catch(failed);
  const timer = setInterval(write, WRITTEN_EVERY_MS);
  timer.unref();
  draining.addEventListener('abort', () => {
    clearInterval(timer);
    write();
    setInterval(write, DRAINING_EVERY_MS).unref();
  });
}
