import type { Check } from './check.ts';

/** An export has the file that it says it has, and was told of once it was completed (docs/product/exports.md#the-export). */
export const exportChecks: readonly Check[] = [
  {
    name: 'export-parts',
    sql: `SELECT e.id, e.status, e.parts, e.rows, count(p.id) AS kept FROM export e LEFT JOIN export_part p ON p.export_id = e.id
      GROUP BY e.id HAVING count(p.id) <> e.parts OR (e.status = 'completed' AND (e.parts = 0 OR e.bytes = 0))`,
    describe: '{id} is {status} with {rows} rows in {parts} parts, of which {kept} are kept',
  },
  {
    name: 'export-event',
    sql: `SELECT e.id, e.status, e.completed_at, count(v.id) AS times, max(v.created) AS recorded FROM export e
      LEFT JOIN event v ON v.object_id = e.id AND v.type = 'export.completed' AND v.account_id = e.account_id AND v.live_mode = e.live_mode
      GROUP BY e.id HAVING count(v.id) <> (e.status = 'completed')::integer OR max(v.created) IS DISTINCT FROM e.completed_at`,
    describe: '{id} is {status} since {completed_at}; {times} events say so, the last of {recorded}',
  },
];
