import type pg from 'pg';
import { lackedBy, tellOfRing, type Witness } from './encryption-canary.ts';
import { run, statement } from './statement.ts';

/** Others count a process as gone after three of these. */
const TELL_EVERY_MS = 5_000;

const stopped = statement('tell_ring_stopped', 'UPDATE encryption_ring SET is_stopped = true WHERE process = :process');

/** Nobody waits for a process that has ended. */
export async function tellStopped(target: pg.Pool | pg.ClientBase, { process }: Witness): Promise<void> {
  await run(target, stopped, { process });
}

interface Watched {
  readonly pool: pg.Pool;
  readonly witness: Witness;
  readonly logger: { error(details: object, message: string): void };
}

/** Goes on telling the database of the ring of a process, and the process of what changed in the database. */
export function watchRing({ pool, witness, logger }: Watched): { stop(): Promise<void> } {
  const { box } = witness;
  let told = '';
  let last: Promise<unknown> = Promise.resolve();
  const look = async (): Promise<void> => {
    const { keysInUse, ...news } = await tellOfRing(pool, witness);
    box.learn(news);
    const lacked = lackedBy(box.ring, keysInUse).join(', ');
    if (lacked !== '' && lacked !== told)
      logger.error({ keys: lacked }, 'another process seals with keys that ENCRYPTION_KEYS of this one lacks');
    told = lacked;
  };
  const timer = setInterval(() => {
    // A database that is away shows by itself; before the first proof there is nothing to tell.
    last = box.isProven ? look().catch(() => {}) : Promise.resolve();
  }, TELL_EVERY_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await last;
      if (box.isProven) await tellStopped(pool, witness).catch(() => {});
    },
  };
}
