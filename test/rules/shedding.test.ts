import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { expect, test, vi } from 'vitest';
import { Shedding, shed } from '../../server/http/shedding.ts';
import { BillingError } from '../../server/kernel/errors.ts';
import { createMetrics } from '../../server/metrics.ts';

const party = (accountId: string, liveMode: boolean) => ({ accountId, liveMode });

/** What becomes of a request of each, in a process that is so late and that `loud` kept busy. */
function admitted(lateMs: number): Record<string, string> {
  const shedding = new Shedding(() => lateMs, { metrics: createMetrics() });
  shedding.count(party('loud', true), 9_000);
  shedding.count(party('loud', false), 9_000);
  shedding.count(party('quiet', true), 20);
  shedding.count(party('quiet', false), 20);
  shedding.look();
  shedding.look();
  const outcome = (of: ReturnType<typeof party>): string => {
    try {
      shedding.admit(of);
      return 'admitted';
    } catch (error) {
      return error instanceof BillingError && error.retryAfterSeconds === 1 ? error.code : String(error);
    }
  };
  return {
    'quiet live': outcome(party('quiet', true)),
    'new live': outcome(party('new', true)),
    'loud live': outcome(party('loud', true)),
    'quiet sandbox': outcome(party('quiet', false)),
    'loud sandbox': outcome(party('loud', false)),
  };
}

const all = { 'quiet live': 'admitted', 'new live': 'admitted', 'loud live': 'admitted', 'quiet sandbox': 'admitted' };

test.each([
  [0, { ...all, 'loud sandbox': 'admitted' }],
  [99, { ...all, 'loud sandbox': 'admitted' }],
  [100, { ...all, 'loud sandbox': 'RATE_LIMITED' }],
  [
    250,
    { ...all, 'loud live': 'RATE_LIMITED', 'quiet sandbox': 'SERVICE_UNAVAILABLE', 'loud sandbox': 'RATE_LIMITED' },
  ],
  [
    1_000,
    {
      'quiet live': 'SERVICE_UNAVAILABLE',
      'new live': 'SERVICE_UNAVAILABLE',
      'loud live': 'RATE_LIMITED',
      'quiet sandbox': 'SERVICE_UNAVAILABLE',
      'loud sandbox': 'RATE_LIMITED',
    },
  ],
])('a process that is late by %i ms refuses sandboxes before live, and the loud before the quiet', (late, expected) => {
  expect(admitted(late)).toEqual(expected);
});

test('a single pause of the process refuses nobody', () => {
  const lateness = [0, 5_000, 0];
  const shedding = new Shedding(() => lateness.shift() ?? 0, { metrics: createMetrics() });
  shedding.count(party('loud', false), 9_000);
  while (lateness.length > 0) {
    shedding.look();
    expect(() => shedding.admit(party('loud', false))).not.toThrow();
  }
});

test('what an account was busy with is forgotten in seconds', () => {
  let lateMs = 100;
  const shedding = new Shedding(() => lateMs, { metrics: createMetrics() });
  shedding.count(party('loud', false), 1_000);
  for (let look = 0; look < 10; look += 1) shedding.look();
  expect(() => shedding.admit(party('loud', false))).not.toThrow();
  lateMs = 0;
  shedding.look();
  expect(() => shedding.admit(party('loud', false))).not.toThrow();
});

test('what a request only waits for is no work of its account', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const shedding = new Shedding(() => 0, { metrics: createMetrics() });
  const count = vi.spyOn(shedding, 'count');
  const begin = () => {
    const parts = { request: { identity: party('quiet', true) } as Request, response: new EventEmitter() };
    shed(shedding)(parts.request, parts.response as Response, () => {});
    return parts;
  };
  const [waiting, working] = [begin(), begin()];
  vi.advanceTimersByTime(30);
  waiting.request.stepAside();
  vi.advanceTimersByTime(20_000);
  for (const { response } of [waiting, working]) response.emit('close');
  expect(count.mock.calls.map(([, ms]) => ms)).toEqual([30, 20_030]);
  vi.useRealTimers();
});
