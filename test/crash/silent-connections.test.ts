import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type RealTimeApi, sdkFor, startRealTimeApi } from '../support/api.ts';
import { newInvoice } from '../support/factories.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

const SILENT_CLIENTS = resolve(import.meta.dirname, '../support/silent-clients.ts');
const ATTACKERS = 6_000;
const PER_ADDRESS_MAX = 256;
/** What the sellers, the health checks and the look at the metrics hold between two requests, of another address. */
const OWN_CONNECTIONS_MAX = 16;
const HEALTH_MAX_MS = 1_000;
const HEALTH_WORST_MS = 5_000;
const TEST_MS = 120_000;

let api: RealTimeApi;
let server: ServerProcess;
beforeAll(async () => {
  api = await startRealTimeApi();
  server = await startServer(api);
});
afterAll(async () => {
  server.kill9();
  await api.stop();
});

/** Begins an attack; resolves when all of its connections were made. */
async function attackFrom(address: string): Promise<void> {
  const { port } = new URL(server.baseUrl);
  const attacker = fork(SILENT_CLIENTS, [port, address, String(ATTACKERS)]);
  onTestFinished(() => void attacker.kill());
  await new Promise<void>((done) => attacker.on('message', (opened) => opened === ATTACKERS && done()));
}

/** The times of the health checks from now on, in order of length, on a connection of its own each; to be stopped. */
function watchHealth() {
  let isOver = false;
  const times: number[] = [];
  const watched = (async () => {
    while (!isOver) {
      const began = performance.now();
      const { status } = await fetch(`${server.baseUrl}/healthz`, { headers: { Connection: 'close' } });
      times.push(status === 200 ? performance.now() - began : Number.POSITIVE_INFINITY);
      await sleep(50);
    }
    return times.toSorted((a, b) => a - b);
  })();
  return () => {
    isOver = true;
    return watched;
  };
}

/** Sells by PIX without a pause until told to stop; without repeats, so that each failure shows. */
async function seller() {
  const merchant = await api.newMerchant();
  const shop = { ...merchant, fatura: sdkFor(server.baseUrl, merchant.sandboxKey) };
  let isOver = false;
  let sales = 0;
  const selling = (async () => {
    while (!isOver) {
      const { id } = await newInvoice(shop);
      await shop.fatura.invoices.checkout(id, { payment_method_type: 'pix' });
      sales += 1;
    }
    return sales;
  })();
  return () => {
    isOver = true;
    return selling;
  };
}

async function silentNow(): Promise<number> {
  const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
  return Number(/^fatura_http_connections\{state="silent"\} (\d+)/m.exec(metrics)?.[1]);
}

test.each([
  ['the merchant comes from', '127.0.0.1'],
  ['only the attacker comes from', '127.0.0.9'],
])(
  '6,000 silent connections of the one address that %s harm no sale',
  async (_, address) => {
    const sellers = await Promise.all([seller(), seller()]);
    const stopWatching = watchHealth();
    await attackFrom(address);
    await sleep(1_000);
    expect(await silentNow()).toBeLessThanOrEqual(PER_ADDRESS_MAX + OWN_CONNECTIONS_MAX);
    await sleep(2_000);
    const sales = await Promise.all(sellers.map((stop) => stop()));
    expect(Math.min(...sales)).toBeGreaterThan(0);
    const healthTimes = await stopWatching();
    // The machine that opens 6,000 connections is the one that answers: one check may fall into the storm itself.
    expect(healthTimes.at(-2)).toBeLessThan(HEALTH_MAX_MS);
    expect(healthTimes.at(-1)).toBeLessThan(HEALTH_WORST_MS);
  },
  TEST_MS,
);

describe('what comes slowly ends in time', () => {
  const HEAD = 'POST /api/v1/products HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n';

  /** What came back to a client that sends this and then nothing, and after how many seconds the connection ended. */
  async function outcomeOf(sent: string): Promise<{ line: string; seconds: number }> {
    const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1');
    await once(socket, 'connect');
    const began = performance.now();
    socket.write(sent);
    const answer = await text(socket);
    return { line: answer.split('\r\n')[0] ?? '', seconds: (performance.now() - began) / 1_000 };
  }

  const HEADERS_SECONDS = 15;
  const BODY_SECONDS = 25;
  const SLACK_SECONDS = 1.5;

  test.concurrent.each([
    ['a connection that says nothing', () => '', '', HEADERS_SECONDS],
    ['half a head', () => 'GET / HTTP/1.1\r\nHost', 'HTTP/1.1 408 Request Timeout', HEADERS_SECONDS],
    [
      'no body',
      (key: string) => `${HEAD}Authorization: ApiKey ${key}\r\n\r\n`,
      'HTTP/1.1 408 Request Timeout',
      BODY_SECONDS,
    ],
    [
      'half a body',
      (key: string) => `${HEAD}Authorization: ApiKey ${key}\r\n\r\n{"`,
      'HTTP/1.1 408 Request Timeout',
      BODY_SECONDS,
    ],
  ])(
    '%s',
    async (_, sent, line, limit) => {
      const { sandboxKey } = await api.newMerchant();
      const outcome = await outcomeOf(sent(sandboxKey));
      expect(outcome.line).toBe(line);
      expect(outcome.seconds).toBeGreaterThan(limit - SLACK_SECONDS);
      expect(outcome.seconds).toBeLessThan(limit + SLACK_SECONDS);
    },
    TEST_MS,
  );
});
