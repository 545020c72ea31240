import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import express from 'express';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bodyReader } from '../../server/http/body.ts';
import { handleErrors } from '../../server/http/error-handler.ts';
import { boundAnswers } from '../../server/http/request.ts';
import { BillingError } from '../../server/kernel/errors.ts';
import { MODES } from '../../server/kernel/mode.ts';

const settings = {
  modes: MODES,
  publicUrl: 'http://f.test',
  trustProxy: 0,
  clientCertificateHeader: null,
  metricsToken: null,
  securityContact: null,
  oidc: null,
  temporalUi: null,
  chargesAtOnce: 320,
  rateLimit: { sandboxPerSecond: 1, livePerSecond: 1 },
};
const refuse = handleErrors({ logger: pino({ level: 'silent' }), settings });

test('a request that takes too long is answered 503, and its late end harms nothing', async () => {
  const app = express();
  let ended = false;
  app.use(boundAnswers(refuse, 50));
  app.get('/slow', async (_request, response) => {
    await new Promise((resolve) => setTimeout(resolve, 150));
    ended = true;
    response.json({});
  });
  app.get('/quick', (_request, response) => {
    response.json({ quick: true });
  });
  app.use(refuse);
  const server = app.listen(0, '127.0.0.1');
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await once(server, 'listening');
  // A server that listens on TCP has an address of this form.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const slow = await fetch(`${url}/slow`);
  expect(slow.status).toBe(503);
  expect(await slow.json()).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } });
  await expect.poll(() => ended).toBe(true);
  expect(await (await fetch(`${url}/quick`)).json()).toEqual({ quick: true });
  // The connection of the answer that was given up on carried the next one: nothing destroyed it.
  expect(connections).toBe(1);
  server.close();
});

test('regression-163-a refusal that is told later than its request may take is the 503 that came first, and harms nothing', async () => {
  const app = express();
  const late = Promise.withResolvers<never>();
  app.use(boundAnswers(refuse, 50));
  app.get('/', () => late.promise);
  app.use(refuse);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address of this form.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect((await fetch(url)).status).toBe(503);
  late.reject(new BillingError('RATE_LIMITED', { message: 'too many' }));
  // An error after the answer would end the process, and fails the run.
  await new Promise((resolve) => setTimeout(resolve, 100));
  server.close();
});

describe('a body', () => {
  const LIMIT_MS = 200;

  /** What a service that reads bodies writes to a connection, until it closes the connection; and whether it did any work. */
  async function answerTo(talk: (socket: Socket) => void): Promise<{ text: string; tookMs: number; works: number }> {
    let works = 0;
    const app = express();
    app.use(boundAnswers(refuse, LIMIT_MS), bodyReader(1_000));
    app.use((_request, response) => {
      works += 1;
      response.json({});
    });
    const server = app.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    // It may be cut off in the middle of what it sends.
    socket.on('error', () => {});
    const began = performance.now();
    let said = '';
    socket.setEncoding('utf8').on('data', (text) => (said += text));
    talk(socket);
    await once(socket, 'close');
    return { text: said, tookMs: performance.now() - began, works };
  }

  const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

  test.each([
    ['never comes', (socket: Socket) => socket.write(`${head}Content-Length: 10\r\n\r\n`)],
    ['stops in the middle', (socket: Socket) => socket.write(`${head}Content-Length: 10\r\n\r\n{"a"`)],
    [
      'comes in chunks without an end',
      (socket: Socket) => socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`),
    ],
    [
      'drips',
      (socket: Socket) => {
        socket.write(`${head}Content-Length: 1000\r\n\r\n`);
        const drip = setInterval(() => socket.write(' '), 10);
        socket.on('close', () => clearInterval(drip));
      },
    ],
    [
      'is packed and stops in the middle',
      (socket: Socket) => {
        socket.write(`${head}Content-Encoding: gzip\r\nContent-Length: 100\r\n\r\n`);
        socket.write(gzipSync('{}').subarray(0, 12));
      },
    ],
  ])('that %s is 408, and ends the connection', async (_, talk) => {
    const { text, tookMs, works } = await answerTo(talk);
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(text).toContain('Connection: close');
    const [, body = ''] = text.split('\r\n\r\n');
    expect(JSON.parse(body)).toMatchObject({ error: { type: 'invalid_request_error', code: 'REQUEST_TIMEOUT' } });
    expect(works).toBe(0);
    expect(tookMs).toBeLessThan(LIMIT_MS + 1_000);
  });
});
