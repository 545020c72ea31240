import type { Database } from '../../server/db/database.ts';
import { run, statement } from '../../server/db/statement.ts';
import { idDay } from '../../server/kernel/ids.ts';
import { type AddCommands, print } from './command.ts';

const findEvent = statement<EventRow>(
  'admin_find_event',
  'SELECT account_id AS account, live_mode AS "liveMode", body FROM event WHERE day = :day AND id = :id',
);
/** A row is printed as it is. */
const findDeliveries = statement<Record<string, unknown>>(
  'admin_find_deliveries',
  `SELECT d.endpoint_id, e.url, d.ladder, d.status, d.attempts, d.next_attempt_at,
     (SELECT json_agg(json_build_object('attempt', a.attempt, 'at', a.at, 'status_code', a.status_code, 'failure', a.failure,
        'detail', a.detail, 'duration_ms', a.duration_ms) ORDER BY a.attempt)
      FROM delivery_attempt a WHERE a.day = d.day AND a.event_id = d.event_id AND a.endpoint_id = d.endpoint_id AND a.ladder = d.ladder) AS log
   FROM delivery d LEFT JOIN webhook_endpoint e ON e.id = d.endpoint_id
   WHERE d.day = :day AND d.event_id = :id ORDER BY d.endpoint_id, d.ladder`,
);

type EventRow = { account: string; liveMode: boolean; body: string };

async function findStoredEvent(pool: Database['pool'], id: string): Promise<EventRow> {
  const [row] = await run(pool, findEvent, { day: idDay(id), id });
  if (row === undefined) throw new Error(`No such event: ${id}`);
  return row;
}

export const eventCommands: AddCommands = (program, withDatabase, withChange) => {
  program
    .command('event')
    .description('stored events')
    .command('show <event>')
    .description('print an event as its deliveries carry it')
    .action((id: string) =>
      withDatabase(async ({ pool }) => {
        const { body, ...of } = await findStoredEvent(pool, id);
        // First: a body tells of a buyer, and what was printed is not taken back.
        await withChange((tx) => tx.log({ action: 'event.shown', ...of, object: id, before: null, after: null }));
        console.log(body);
      }),
    );
  program
    .command('delivery')
    .description('webhook deliveries')
    .command('list <event>')
    .description('print the deliveries of an event with their attempts, one endpoint a line')
    .action((id: string) =>
      withDatabase(async ({ pool }) => {
        await findStoredEvent(pool, id);
        const rows = await run(pool, findDeliveries, { day: idDay(id), id });
        rows.forEach(print);
      }),
    );
};
