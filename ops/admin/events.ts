import type { Command } from 'commander';
import type { Database } from '../../server/db/database.ts';
import { run, statement } from '../../server/db/statement.ts';
import { resendEvent } from '../../server/events/resend.ts';
import { idDay } from '../../server/kernel/ids.ts';
import { print, type WithChange, type WithDatabase } from './command.ts';
import type { WithService } from './service.ts';

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

function resendCommand(events: Command, withService: WithService): void {
  events
    .command('resend <event>')
    .description('send an event again to the endpoints that subscribe to it now, three times in all')
    .option('--endpoint <endpoint>', 'to one of them alone')
    .action((id: string, { endpoint: endpointId = null }: { endpoint?: string | null }) =>
      withService(
        { operation: 'events.resend', object: { kind: 'event', id }, values: { webhook_endpoint_id: endpointId } },
        async (deps, scope) => {
          const { type } = await resendEvent(deps, scope, { id, endpointId });
          print({ event: id, type, resent: true });
        },
      ),
    );
}

export function eventCommands(
  program: Command,
  {
    withDatabase,
    withChange,
    withService,
  }: { withDatabase: WithDatabase; withChange: WithChange; withService: WithService },
): void {
  const events = program.command('event').description('stored events');
  resendCommand(events, withService);
  events
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
}
