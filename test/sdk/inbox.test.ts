import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  EventInbox,
  type EventInboxOptions,
  InboxBusyError,
  type InboxStore,
  MemoryInboxStore,
} from '@fatura/sdk/inbox';
import { sign, toNodeHandler, type WebhookEvent } from '@fatura/sdk/webhooks';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { INBOX_CLEANING, INBOX_TABLE, postgresInbox } from '../../sdk/examples/postgres-inbox.ts';
import { createDatabase } from '../support/database.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const CREATED = 1_795_257_600;

let count = 0;
let subject = '';

beforeEach(() => {
  count += 1;
  subject = `in_${String(count).padStart(26, '0')}`;
});

/** The n-th event of the invoice of a test; the inbox looks at no more of it. */
const eventOf = (
  n: number,
  { created = CREATED, object = { object: 'invoice', id: subject } }: { created?: number; object?: object | null } = {},
): WebhookEvent =>
  ({
    id: `evt_${String(count).padStart(20, '0')}${String(n).padStart(6, '0')}`,
    object: 'event',
    type: 'invoice.paid',
    created,
    live_mode: false,
    known: true,
    data: { object },
  }) as unknown as WebhookEvent;

test('an inbox is not made without a store, or without what handles its events', () => {
  const none = {} as EventInboxOptions; // JavaScript has no types
  expect(() => new EventInbox({ ...none, store: new MemoryInboxStore() })).toThrow('onEvent must be a function');
  expect(() => new EventInbox({ ...none, onEvent: () => {} })).toThrow('store must be an InboxStore');
});

let pool: pg.Pool;
let database: Awaited<ReturnType<typeof createDatabase>>;

beforeAll(async () => {
  database = await createDatabase();
  pool = new pg.Pool({ connectionString: database.url });
  await pool.query(INBOX_TABLE);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** A merchant's process: what it handled, what it dropped, what it is to do with an event. */
function merchant(
  store: InboxStore,
  { onEvent = () => {}, ...options }: Partial<Omit<EventInboxOptions, 'store'>> = {},
) {
  const handled: string[] = [];
  const dropped: [string, string][] = [];
  const inbox = new EventInbox({
    store,
    onDrop: (event, why) => void dropped.push([event.id, why]),
    onEvent: async (event) => {
      await onEvent(event);
      handled.push(event.id);
    },
    ...options,
  });
  return { inbox, handled, dropped };
}

const stores: [name: string, store: () => InboxStore][] = [
  ['in memory', () => new MemoryInboxStore()],
  ['in PostgreSQL', () => postgresInbox(pool)],
];

describe.each(stores)('an inbox %s', (_, newStore) => {
  test('handles an event once, however often it comes', async () => {
    const { inbox, handled, dropped } = merchant(newStore());
    const event = eventOf(1);
    for (let times = 0; times < 3; times += 1) await inbox.receive(event);
    expect(handled).toEqual([event.id]);
    expect(dropped).toEqual([
      [event.id, 'duplicate'],
      [event.id, 'duplicate'],
    ]);
  });

  test('handles no event after a later one of its object, by created and then by id', async () => {
    const { inbox, handled, dropped } = merchant(newStore());
    const [first, second, earlier] = [eventOf(1), eventOf(2), eventOf(3, { created: CREATED - 1 })];
    await inbox.receive(second);
    await inbox.receive(first);
    await inbox.receive(earlier);
    const later = eventOf(0, { created: CREATED + 1 });
    await inbox.receive(later);
    expect(handled).toEqual([second.id, later.id]);
    expect(dropped).toEqual([
      [first.id, 'stale'],
      [earlier.id, 'stale'],
    ]);
  });

  test('holds the events of another object, of another kind, to their own order', async () => {
    const { inbox, handled } = merchant(newStore());
    const later = eventOf(2);
    const refund = eventOf(1, { object: { object: 'refund', id: subject } });
    const test = eventOf(0, { object: null });
    for (const event of [later, refund, test]) await inbox.receive(event);
    expect(handled).toEqual([later.id, refund.id, test.id]);
  });

  test('handles what is stale too, once, where it is told to', async () => {
    const { inbox, handled, dropped } = merchant(newStore(), { stale: 'handle' });
    const [first, second] = [eventOf(1), eventOf(2)];
    for (const event of [second, first, first]) await inbox.receive(event);
    expect(handled).toEqual([second.id, first.id]);
    expect(dropped).toEqual([[first.id, 'duplicate']]);
  });

  test('lets one of two processes handle what comes to both at once', async () => {
    const store = newStore();
    const [one, other] = [
      merchant(store, { onEvent: () => sleep(150) }),
      merchant(store, { onEvent: () => sleep(150) }),
    ];
    const event = eventOf(1);
    await Promise.all([one.inbox.receive(event), other.inbox.receive(event), one.inbox.receive(event)]);
    expect([...one.handled, ...other.handled]).toEqual([event.id]);
    expect([...one.dropped, ...other.dropped]).toEqual([
      [event.id, 'duplicate'],
      [event.id, 'duplicate'],
    ]);
  });

  test('handles the events of an object one at a time, and those of several beside each other', async () => {
    const store = newStore();
    let under = 0;
    let most = 0;
    const onEvent = async () => {
      under += 1;
      most = Math.max(most, under);
      await sleep(100);
      under -= 1;
    };
    const shop = merchant(store, { onEvent, stale: 'handle' });
    await Promise.all([1, 2, 3].map((n) => shop.inbox.receive(eventOf(n))));
    expect([shop.handled.length, most]).toEqual([3, 1]);
    const others = [4, 5, 6].map((n) => eventOf(n, { object: { object: 'invoice', id: `${subject}${n}` } }));
    await Promise.all(others.map((event) => shop.inbox.receive(event)));
    expect([shop.handled.length, most]).toEqual([6, 3]);
  });

  test('frees an event that was not handled', async () => {
    let fault: Error | null = new Error('the ledger is closed');
    const { inbox, handled } = merchant(newStore(), {
      onEvent: () => {
        if (fault !== null) throw fault;
      },
    });
    const event = eventOf(1);
    await expect(inbox.receive(event)).rejects.toBe(fault);
    fault = null;
    await inbox.receive(event);
    expect(handled).toEqual([event.id]);
  });

  test('gives up waiting, so that the event is sent again', async () => {
    const store = newStore();
    const slow = merchant(store, { onEvent: () => new Promise(() => {}) });
    const { inbox, handled } = merchant(store, { waitSeconds: 0.2 });
    void slow.inbox.receive(eventOf(1));
    await sleep(100);
    await expect(inbox.receive(eventOf(2))).rejects.toBeInstanceOf(InboxBusyError);
    expect(handled).toEqual([]);
  });

  test('hands an event of a process that died to another, once the lease is over', async () => {
    const store = newStore();
    // It never comes to an end, as one that was killed.
    void merchant(store, { leaseSeconds: 1, onEvent: () => new Promise(() => {}) }).inbox.receive(eventOf(1));
    await sleep(100);
    const { inbox, handled } = merchant(store);
    const startedMs = performance.now();
    await inbox.receive(eventOf(1));
    expect(performance.now() - startedMs).toBeGreaterThan(700);
    expect(handled).toEqual([eventOf(1).id]);
  });

  test('a first holder that ends late takes nothing from the second', async () => {
    const store = newStore();
    const gate = Promise.withResolvers<void>();
    const late = merchant(store, { leaseSeconds: 0.2, onEvent: () => gate.promise });
    const lateEnd = late.inbox.receive(eventOf(1)).catch((error: unknown) => error);
    await sleep(300);
    const holding = Promise.withResolvers<void>();
    const second = merchant(store, { onEvent: () => holding.promise });
    const secondEnd = second.inbox.receive(eventOf(1));
    await sleep(100);
    gate.reject(new Error('too late'));
    expect(await lateEnd).toEqual(new Error('too late'));
    const third = merchant(store, { waitSeconds: 0.1 });
    await expect(third.inbox.receive(eventOf(1))).rejects.toBeInstanceOf(InboxBusyError);
    holding.resolve();
    await secondEnd;
    expect([second.handled, third.handled]).toEqual([[eventOf(1).id], []]);
  });
});

test('an event of a process that was killed is handled by another', async () => {
  const event = eventOf(1);
  const args = [database.url, JSON.stringify(event), '1'];
  const child = fork(new URL('./inbox-process.ts', import.meta.url), args, { stdio: 'inherit' });
  await once(child, 'message');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { inbox, handled } = merchant(postgresInbox(pool));
  await inbox.receive(event);
  await inbox.receive(event);
  expect(handled).toEqual([event.id]);
});

test('the table is cleaned of what nobody sends any more, and of nothing else', async () => {
  const { inbox } = merchant(postgresInbox(pool));
  await inbox.receive(eventOf(1));
  await inbox.receive(eventOf(2));
  await pool.query(`UPDATE fatura_inbox SET claimed_until = now() - interval '41 days' WHERE event = $1`, [
    eventOf(1).id,
  ]);
  await pool.query(INBOX_CLEANING);
  const { rows } = await pool.query('SELECT event FROM fatura_inbox WHERE event = ANY ($1)', [
    [eventOf(1).id, eventOf(2).id],
  ]);
  expect(rows).toEqual([{ event: eventOf(2).id }]);
});

describe('a store that throws', () => {
  const fault = new Error('the store is away');
  const away = () => Promise.reject(fault);

  test('when it is asked: nothing is handled', async () => {
    const { inbox, handled } = merchant(Object.assign(new MemoryInboxStore(), { claim: away }));
    await expect(inbox.receive(eventOf(1))).rejects.toBe(fault);
    expect(handled).toEqual([]);
  });

  test('when it is to remember: the event is sent again, and handled again once the lease is over', async () => {
    const store = Object.assign(new MemoryInboxStore(), { done: away });
    const { inbox, handled } = merchant(store, { leaseSeconds: 0.3 });
    await expect(inbox.receive(eventOf(1))).rejects.toBe(fault);
    Object.assign(store, { done: MemoryInboxStore.prototype.done });
    await inbox.receive(eventOf(1));
    await inbox.receive(eventOf(1));
    expect(handled).toEqual([eventOf(1).id, eventOf(1).id]);
  });

  test('when it is to free an event: what the merchant threw is told', async () => {
    const own = new Error('the ledger is closed');
    const store = Object.assign(new MemoryInboxStore(), { release: away });
    const { inbox } = merchant(store, { onEvent: () => Promise.reject(own) });
    await expect(inbox.receive(eventOf(1))).rejects.toBe(own);
  });
});

test('behind a handler, 2xx says that an event was handled or dropped, and nothing else does', async () => {
  let isClosed = true;
  const { inbox, handled } = merchant(new MemoryInboxStore(), {
    onEvent: () => {
      if (isClosed) throw new Error('the ledger is closed');
    },
  });
  const server = createServer(toNodeHandler({ secrets: SECRET, onEvent: inbox.receive, onError: () => {} }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  const deliver = async (event: WebhookEvent): Promise<number> => {
    const body = JSON.stringify({ ...event, known: undefined });
    const headers = await sign(body, { id: event.id, secrets: SECRET });
    return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, headers })).status;
  };
  expect(await deliver(eventOf(2))).toBe(500);
  isClosed = false;
  expect([await deliver(eventOf(2)), await deliver(eventOf(2)), await deliver(eventOf(1))]).toEqual([200, 200, 200]);
  expect(handled).toEqual([eventOf(2).id]);
});

test('the memory of a process is bounded', async () => {
  const store = new MemoryInboxStore();
  const claim = { token: 't', leaseSeconds: 1, dropsStale: true };
  for (let n = 0; n < 100_001; n += 1) {
    await store.done({ ...claim, event: `evt_${n}`, object: `in_${n}`, position: String(n) });
  }
  const judge = (n: number) => store.claim({ ...claim, event: `evt_${n}`, object: `in_${n}`, position: '' });
  expect([await judge(1), await judge(0)]).toEqual(['duplicate', 'claimed']);
});
