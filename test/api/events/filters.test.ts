import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DeliveryStatus, deliveryStatuses, type EventType } from '../../../contract/events.ts';
import { openPool } from '../../../server/db/database.ts';
import { listEvents } from '../../../server/events/list.ts';
import { WALK_MAX } from '../../../server/events/lists.ts';
import { firstSuffixAt, idDay } from '../../../server/kernel/ids.ts';
import { type Clock, DAY, HOUR, REAL_CLOCK, SECOND_MS } from '../../../server/kernel/time.ts';
import { createDatabase } from '../../support/database.ts';
import { lateOf } from '../../support/late.ts';

type Query = Parameters<typeof listEvents>[2];

interface Told {
  readonly id: string;
  readonly accountId: string;
  readonly type: EventType;
  readonly created: number;
  readonly related: readonly string[];
  readonly status: DeliveryStatus;
}

const OWN = 'acct_own';
const types: readonly EventType[] = ['invoice.created', 'invoice.paid', 'price.updated'];
const NOW = Math.floor(Date.now() / SECOND_MS);
/** The account's clock was moved on twice by then: the instants of its events are ahead of the times of their ids. */
const AHEAD: readonly (readonly [agoSeconds: number, ahead: number])[] = [
  [9 * DAY, 0],
  [2 * DAY, 3 * DAY],
  [0, 5 * DAY],
];
const clock: Clock = { now: () => NOW + 5 * DAY, real: () => NOW };
const objects = Array.from({ length: 8 }, (_, nth) => `cus_${firstSuffixAt((NOW - 40 * DAY) * SECOND_MS + nth)}`);

/** The same events each time: what they are follows from their number. */
function tell(nth: number, of: number): Told {
  const dice = (sides: number, salt: number) =>
    Math.floor((((nth * 7_919 + salt * 104_729) % 10_007) / 10_007) * sides);
  // Half of them of the last days, close together; the others over what is kept, and a little beyond.
  const agoSeconds = nth % 2 === 0 ? ((of - nth) * 3 * DAY) / of : ((of - nth) * 36 * DAY) / of;
  const madeMs = (NOW - agoSeconds) * SECOND_MS;
  const ahead = AHEAD.find(([until]) => agoSeconds >= until)?.[1] ?? 0;
  return {
    id: `evt_${firstSuffixAt(madeMs).slice(0, 10)}${randomBytes(8).toString('hex')}`,
    accountId: nth % 5 === 4 ? 'acct_other' : OWN,
    type: types[dice(10, 1) < 8 ? 0 : dice(3, 2)] ?? 'invoice.paid',
    // A transaction takes its time from its instant to its ids.
    created: Math.floor(madeMs / SECOND_MS) + ahead - dice(20, 3),
    related: [objects[dice(2, 4)] ?? '', objects[2 + dice(6, 5)] ?? ''],
    status: deliveryStatuses[dice(4, 6)] ?? 'pending',
  };
}

/** More than are looked through for those of an object, so that the index of objects finds the rest. */
const EVENTS = 2 * WALK_MAX;
const all = Array.from({ length: EVENTS }, (_, nth) => tell(nth, EVENTS)).toSorted((one, other) =>
  one.id < other.id ? 1 : -1,
);

let database: Awaited<ReturnType<typeof createDatabase>>;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url);
  // Some days have partitions of their own, the others share one.
  for (const ago of [1, 2, 3, 8]) {
    const [from = '', to = ''] = [ago, ago - 1].map((days) =>
      new Date((NOW - days * DAY) * SECOND_MS).toISOString().slice(0, 10),
    );
    for (const table of ['event', 'event_delivery_status', 'delivery'])
      await pool.query(
        `CREATE TABLE ${table}_${from.replaceAll('-', '')} PARTITION OF ${table} FOR VALUES FROM ('${from}') TO ('${to}')`,
      );
  }
  const columns = {
    ids: all.map(({ id }) => id),
    days: all.map(({ id }) => idDay(id)),
    accounts: all.map(({ accountId }) => accountId),
    types: all.map(({ type }) => type),
    instants: all.map(({ created }) => created),
    related: all.map(({ related }) => related.join()),
    statuses: all.map(({ status }) => status),
  };
  await pool.query(
    `INSERT INTO event (day, id, account_id, live_mode, type, created, object_id, related, body, body_digest)
     SELECT f.day, f.id, f.account_id, false, f.type, f.created, 'in_1', string_to_array(f.related, ','),
       json_build_object('id', f.id), '00000000-0000-0000-0000-000000000000'
     FROM unnest($1::text[], $2::date[], $3::text[], $4::text[], $5::bigint[], $6::text[]) AS f(id, day, account_id, type, created, related)`,
    [columns.ids, columns.days, columns.accounts, columns.types, columns.instants, columns.related],
  );
  await pool.query(
    `INSERT INTO delivery (day, event_id, endpoint_id, account_id, live_mode, status, stage)
     SELECT f.day, f.id, 'we_1', f.account_id, false, f.status, 'done'
     FROM unnest($1::text[], $2::date[], $3::text[], $4::text[]) AS f(id, day, account_id, status) WHERE f.status <> 'not_sent'`,
    [columns.ids, columns.days, columns.accounts, columns.statuses],
  );
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const ask = async (query: Query): Promise<string[]> => {
  const deps = { pool, clock, late: lateOf(pool, 'test') };
  const page = await listEvents(deps, { accountId: OWN, liveMode: false, clock: REAL_CLOCK }, query);
  return page.data.map(({ id }) => id);
};

const wanted = ({
  delivery_status: status,
  type: kinds,
  related_object: related,
  created_gte: from,
  created_lte: to,
}: Query) =>
  all
    .filter(({ accountId, created }) => accountId === OWN && created >= clock.real() + 5 * DAY - 30 * DAY)
    .filter((one) => status === undefined || one.status === status)
    .filter((one) => kinds === undefined || kinds.includes(one.type))
    .filter((one) => related === undefined || one.related.includes(related))
    .filter((one) => (from === undefined || one.created >= from) && (to === undefined || one.created <= to))
    .map(({ id }) => id);

const ranges: readonly Query[] = [
  {},
  { created_gte: NOW - 2 * DAY },
  { created_lte: NOW - 9 * DAY },
  { created_gte: NOW - 9 * DAY - HOUR, created_lte: NOW + 2 * DAY },
  { created_gte: NOW + 9 * DAY },
  { created_lte: NOW - 90 * DAY },
];

const combinations: readonly Query[] = [undefined, ...deliveryStatuses].flatMap((delivery_status) =>
  [undefined, ['price.updated'], ['invoice.paid', 'invoice.created']].flatMap((type) =>
    [undefined, objects[0], objects[5]].flatMap((related_object) =>
      // A value that is undefined is a filter that was not sent.
      ranges.map((range) => ({ delivery_status, type, related_object, ...range }) as Query),
    ),
  ),
);

describe('a list of events', () => {
  test('has, by every combination of filters, what they let through and nothing else', async () => {
    for (const query of combinations)
      expect(await ask({ ...query, limit: EVENTS }), JSON.stringify(query)).toEqual(wanted(query));
    expect(combinations.filter((query) => wanted(query).length > 0).length).toBeGreaterThan(80);
  });

  test('has the same in pages, newest first and back again', async () => {
    for (const query of combinations.filter((_, nth) => nth % 7 === 0)) {
      const inAll = wanted(query);
      const seen: string[] = [];
      for (;;) {
        const last = seen.at(-1);
        const page = await ask({ ...query, limit: 100, ...(last === undefined ? {} : { starting_after: last }) });
        seen.push(...page);
        if (page.length < 100) break;
      }
      expect(seen, JSON.stringify(query)).toEqual(inAll);
      const oldest = inAll.at(-1);
      if (oldest === undefined) continue;
      const back = [oldest];
      for (;;) {
        const page = await ask({ ...query, limit: 100, ending_before: back[0] ?? '' });
        back.unshift(...page);
        if (page.length < 100) break;
      }
      expect(back, JSON.stringify(query)).toEqual(inAll);
    }
  });
});
