import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { handleErrors } from '../../server/http/error-handler.ts';
import { boundAnswers } from '../../server/http/request.ts';
import { BillingError } from '../../server/kernel/errors.ts';

const settings = {
  publicUrl: 'http://f.test',
  trustProxy: 0,
  clientCertificateHeader: null,
  metricsToken: null,
  securityContact: null,
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
  app.use(boundAnswers(refuse, 500));
  app.get('/', (request) => {
    // Of an identity nothing else is looked at here.
    Object.assign(request, { identity: { accountId: 'acct', liveMode: false } });
    throw new BillingError('RATE_LIMITED', { message: 'too many' });
  });
  app.use(refuse);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address of this form.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const statuses = await Promise.all(Array.from({ length: 25 }, async () => (await fetch(url)).status));
  expect(statuses.toSorted()).toEqual([...Array(20).fill(429), ...Array(5).fill(503)]);
  // An error after the answer would end the process, and fails the run.
  await new Promise((resolve) => setTimeout(resolve, 800));
  server.close();
});
