import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PurchaseView } from '../../../server/web/checkout/page-data.ts';
import { createStreams } from '../../../server/web/live.ts';
import type { Purchase, PurchaseSource } from '../../../server/web/purchase.ts';

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

function scene() {
  let standing: Purchase['standing'] = 'payable';
  let looks = 0;
  // A stream reads of a purchase and of its view nothing else.
  const purchaseOf = (id: string) => ({ id, standing }) as Purchase;
  const source: PurchaseSource<Purchase> = {
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
    deps: { logger: { warn: () => {}, info: () => {} } as never },
    source,
    view: (purchase) => ({ standing: purchase.standing }) as PurchaseView,
    draining: draining.signal,
  });
  return {
    streams,
    draining,
    looks: () => looks,
    becomes: (next: Purchase['standing']) => {
      standing = next;
    },
    begin(id: string, connection: Connection = new Connection()): Connection {
      const request = { measure: () => {} } as Request;
      streams.begin(request, connection as unknown as Response, { purchase: purchaseOf(id), link: { id } });
      return connection;
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

test('a link has ten streams at most, a process 2,000, and none begins while it drains', async () => {
  const { streams, begin, draining } = scene();
  const first = Array.from({ length: 10 }, () => begin('link'));
  expect(streams.hasRoom('link')).toBe(false);
  expect(streams.hasRoom('other')).toBe(true);
  first[0]?.end();
  expect(streams.hasRoom('link')).toBe(true);
  for (let at = 0; at < 1_991; at += 1) begin(`link-${at}`);
  expect(streams.hasRoom('other')).toBe(false);
  first[1]?.end();
  expect(streams.hasRoom('other')).toBe(true);
  draining.abort();
  expect(streams.hasRoom('other')).toBe(false);
  await vi.advanceTimersByTimeAsync(2 * SECOND);
  expect(vi.getTimerCount()).toBe(0);
});
