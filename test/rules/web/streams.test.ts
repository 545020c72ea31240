import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limitOf } from '../../../server/admission/limits.ts';
import type { Tenant } from '../../../server/admission/tenant.ts';
import { createMetrics } from '../../../server/metrics.ts';
import { createStreams, streamSemaphores } from '../../../server/web/live.ts';
import type { Purchase, PurchaseSource } from '../../../server/web/purchase.ts';
import type { PurchaseView } from '../../../web/page/page-data.ts';

const SECOND = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What a stream needs of a connection. */
class Connection extends EventEmitter {
  readonly written: string[] = [];
  writableLength = 0;
  closed = false;
  status(): this {
    return this;
  }
  set(): this {
    return this;
  }
  write(text: string): boolean {
    this.written.push(text);
    return true;
  }
  end(): void {
    this.closed = true;
    this.emit('close');
  }
  destroy(): void {
    this.end();
  }
}

const live = (accountId: string): Tenant => ({ accountId, liveMode: true });
const sandbox = (accountId: string): Tenant => ({ accountId, liveMode: false });
const SHOP = live('acct_shop');

function scene({ semaphores = streamSemaphores() } = {}) {
  let standing: Purchase['standing'] = 'payable';
  let looks = 0;
  // A stream reads of a purchase and of its view nothing else.
  const purchaseOf = (id: string, scope: Tenant = SHOP) => ({ id, standing, scope }) as Purchase;
  const source: PurchaseSource<Purchase> = {
    idOf: ({ id = '' }) => id,
    find: async ({ id = '' }) => purchaseOf(id),
    pay: async () => {},
    fill: async () => {},
    versions: async (ids) => {
      looks += 1;
      return new Map(ids.map((id) => [id, standing]));
    },
  };
  const draining = new AbortController();
  const streams = createStreams({
    deps: { logger: { warn: () => {}, info: () => {} } as never, metrics: createMetrics() },
    source,
    view: (purchase) => ({ standing: purchase.standing }) as PurchaseView,
    draining: draining.signal,
    semaphores,
  });
  const leave = vi.fn<() => void>();
  const begin = (id: string, connection: Connection = new Connection(), of?: Tenant): Connection => {
    const request = { measure: () => {}, leave: () => leave() } as Request;
    streams.begin(request, connection as unknown as Response, { purchase: purchaseOf(id, of), link: { id } });
    return connection;
  };
  return {
    leave,
    begin,
    hasRoom: (id: string, of?: Tenant): boolean => streams.hasRoom(purchaseOf(id, of)),
    draining,
    looks: () => looks,
    becomes: (next: Purchase['standing']) => {
      standing = next;
    },
    /** Opens so many streams of an account, each at a link of its own. */
    crowd(of: Tenant, count: number): Connection[] {
      return Array.from({ length: count }, (_, nth) => begin(`${of.accountId} ${nth}`, new Connection(), of));
    },
  };
}

const purchasesIn = ({ written }: Connection) => written.filter((text) => text.includes('event: purchase')).length;

test('a comment comes every 15 seconds, and nothing else while nothing changes', async () => {
  const { begin, looks } = scene();
  const connection = begin('one');
  await vi.advanceTimersByTimeAsync(46 * SECOND);
  expect(connection.written.filter((text) => text.startsWith(':'))).toHaveLength(3);
  // Once at the beginning, and once by the first look: what was read may have changed before it was watched.
  expect(purchasesIn(connection)).toBe(2);
  expect(looks()).toBe(92);
});

test('a final standing ends all streams of its purchase, and then nobody looks any more', async () => {
  const { begin, becomes, looks } = scene();
  const connections = [begin('one'), begin('one'), begin('other')];
  const closed = connections.map((connection) => {
    const heard = vi.fn<() => void>();
    connection.on('close', heard);
    return heard;
  });
  await vi.advanceTimersByTimeAsync(2 * SECOND);
  becomes('paid');
  await vi.advanceTimersByTimeAsync(2 * SECOND);
  expect(closed.map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1]);
  const before = looks();
  await vi.advanceTimersByTimeAsync(60 * SECOND);
  expect(looks() - before).toBeLessThanOrEqual(1);
  expect(vi.getTimerCount()).toBe(0);
});

test('a stream ends after a quarter of an hour', async () => {
  const { begin } = scene();
  const closed = vi.fn<() => void>();
  begin('one').on('close', closed);
  await vi.advanceTimersByTimeAsync(899 * SECOND);
  expect(closed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2 * SECOND);
  expect(closed).toHaveBeenCalledOnce();
});

test('a browser that left before its stream began takes no place', async () => {
  const { begin } = scene();
  const gone = new Connection();
  gone.end();
  begin('one', gone);
  await vi.advanceTimersByTimeAsync(60 * SECOND);
  expect(gone.written).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a browser that reads nothing is left', async () => {
  const { begin, becomes } = scene();
  const connection = begin('one');
  await vi.advanceTimersByTimeAsync(2 * SECOND);
  const closed = vi.fn<() => void>();
  connection.on('close', closed);
  connection.writableLength = 65 * 1_024;
  becomes('processing');
  await vi.advanceTimersByTimeAsync(2 * SECOND);
  expect(closed).toHaveBeenCalledOnce();
});

test('a link has ten streams at most, and none begins while its process drains', async () => {
  const { begin, hasRoom, draining } = scene();
  const first = Array.from({ length: 10 }, () => begin('link'));
  expect(hasRoom('link')).toBe(false);
  expect(hasRoom('other')).toBe(true);
  first[0]?.end();
  expect(hasRoom('link')).toBe(true);
  draining.abort();
  expect(hasRoom('other')).toBe(false);
  await vi.advanceTimersByTimeAsync(2 * SECOND);
  expect(vi.getTimerCount()).toBe(0);
});

test('a stream leaves the requests in flight as soon as it has begun', () => {
  const { begin, leave, draining } = scene();
  begin('one');
  expect(leave).toHaveBeenCalledOnce();
  draining.abort();
});

test('a sandbox that has all streams it may have leaves those of other accounts and of its own live mode alone', () => {
  const { crowd, hasRoom, draining } = scene();
  const streams = crowd(sandbox('acct_loud'), limitOf('streams', { liveMode: false }));
  expect(hasRoom('one more', sandbox('acct_loud'))).toBe(false);
  expect(hasRoom('another', sandbox('acct_quiet'))).toBe(true);
  expect(hasRoom('its own', live('acct_loud'))).toBe(true);
  streams[0]?.end();
  expect(hasRoom('one more', sandbox('acct_loud'))).toBe(true);
  draining.abort();
});

test('streams of all kinds of pages count together', () => {
  const semaphores = streamSemaphores();
  const [bills, sessions] = [scene({ semaphores }), scene({ semaphores })];
  bills.crowd(sandbox('acct_1'), limitOf('streams', { liveMode: false }));
  expect(sessions.hasRoom('one more', sandbox('acct_1'))).toBe(false);
  for (const { draining } of [bills, sessions]) draining.abort();
});
