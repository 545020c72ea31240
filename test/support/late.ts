import type pg from 'pg';
import { withoutReplica } from '../../server/unit-of-work/late-reads.ts';
import { createWatermark } from '../../server/unit-of-work/watermark.ts';

/** Reads by statements alone, from the one database that there is. */
export const lateOf = (pool: pg.Pool, process: string) =>
  withoutReplica({
    pool,
    watermark: createWatermark(pool, { process }),
    read: () => {
      throw new Error('no entity is read here');
    },
  });
