import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ChargeRate } from '../../../server/kernel/charge-rate.ts';
import { chargesPerSecond } from '../../../server/payments/acquirer/charges-per-second.ts';
import { PspHttp, slowDownSeconds } from '../../../server/payments/acquirer/http.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

function rateOf(perSecond: number) {
  let nowMs = 0;
  const rate = new ChargeRate(perSecond, () => nowMs);
  return {
    rate,
    at: (ms: number) => {
      nowMs = ms;
      return rate.perSecond;
    },
    refusedAt: (ms: number, retryAfterSeconds = 0) => {
      nowMs = ms;
      return rate.halve(retryAfterSeconds);
    },
  };
}

describe('how often runs ask an acquirer', () => {
  test('is 20 a second unless it is set, from 1 to 1000', () => {
    expect(chargesPerSecond.parse(undefined)).toBe(20);
    expect([1, 1_000].map((value) => chargesPerSecond.parse(value))).toEqual([1, 1_000]);
    for (const value of [0, 1_001, 1.5, Number.NaN, '5'])
      expect(chargesPerSecond.safeParse(value).error?.issues[0]?.message).toBe('must be a whole number from 1 to 1000');
  });

  test('is halved for a minute, and is what it was again', () => {
    const { at, refusedAt } = rateOf(20);
    expect(at(0)).toBe(20);
    expect(refusedAt(5 * SECOND)).toBe(10);
    expect(at(5 * SECOND + MINUTE - 1)).toBe(10);
    expect(at(5 * SECOND + MINUTE)).toBe(20);
  });

  test('is halved once for what was refused within a second, and again for what is refused after', () => {
    const { at, refusedAt } = rateOf(20);
    expect([0, 300, 999].map((ms) => refusedAt(ms))).toEqual([10, 10, 10]);
    expect([1_000, 2_000, 3_000, 4_000].map((ms) => refusedAt(ms))).toEqual([5, 2.5, 1.25, 1]);
    expect(refusedAt(5_000)).toBe(1);
    expect(at(5_000 + MINUTE)).toBe(20);
  });

  test('stays halved as long as a Retry-After says, and an hour at most', () => {
    const { at, refusedAt } = rateOf(20);
    refusedAt(0, 300);
    // A shorter one takes nothing back.
    refusedAt(500, 1);
    expect(at(300 * SECOND - 1)).toBe(10);
    expect(at(300 * SECOND)).toBe(20);
    refusedAt(400 * SECOND, 7 * 86_400);
    expect(at(4_000 * SECOND - 1)).toBe(10);
    expect(at(4_000 * SECOND)).toBe(20);
  });
});

describe('an acquirer says that it is asked too often', () => {
  const answers = async (status: number, headers: Record<string, string> = {}) => {
    const server = createServer((_, response) => void response.writeHead(status, headers).end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const http = new PspHttp({ own: null, ca: null });
    onTestFinished(async () => {
      await http.close();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return slowDownSeconds(await http.exchange({ method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {} }));
  };

  test.each([
    [429, {}, 0],
    [429, { 'retry-after': '90' }, 90],
    [503, { 'retry-after': '5' }, 5],
    [503, { date: 'Sun, 06 Nov 2033 08:49:37 GMT', 'retry-after': 'Sun, 06 Nov 2033 08:51:37 GMT' }, 120],
    [429, { 'retry-after': 'soon' }, 0],
    [503, {}, null],
    [200, {}, null],
  ])('by %i with %j: %s', async (status, headers, seconds) => {
    expect(await answers(status, headers)).toBe(seconds);
  });

  test('and not by its silence', () => {
    expect(slowDownSeconds({ kind: 'unanswered', why: 'timeout' })).toBeNull();
    expect(slowDownSeconds({ kind: 'not_sent', why: 'ECONNREFUSED' })).toBeNull();
  });
});
