import type pg from 'pg';
import { run, statement } from '../db/statement.ts';
import { type Watch, watch } from '../db/watch.ts';
import { lackedBy, type ProcessRing, tellOfRing } from './key-check.ts';

const stopped = statement('tell_ring_stopped', 'UPDATE encryption_ring SET is_stopped = true WHERE process = :process');

/** Nobody waits for a process that has ended. */
export async function tellStopped(target: pg.Pool | pg.ClientBase, { process }: ProcessRing): Promise<void> {
  await run(target, stopped, { process });
}

interface Watched {
  readonly pool: pg.Pool;
  readonly processRing: ProcessRing;
  readonly logger: { error(details: object, message: string): void };
}

/** Goes on telling the database of the ring of a process, and the log of keys in use that it lacks. */
export function watchRing({ pool, processRing, logger }: Watched): Watch {
  const { box } = processRing;
  let told = '';
  const watched = watch(async () => {
    // Before the first proof there is nothing to tell.
    if (!box.isProven) return;
    const lacked = lackedBy(box.ring, await tellOfRing(pool, processRing)).join(', ');
    if (lacked !== '' && lacked !== told)
      logger.error({ keys: lacked }, 'another process seals with keys that ENCRYPTION_KEYS of this one lacks');
    told = lacked;
  });
  return {
    async stop() {
      await watched.stop();
      if (box.isProven) await tellStopped(pool, processRing).catch(() => {});
    },
  };
}
