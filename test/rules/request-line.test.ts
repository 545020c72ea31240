import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, test } from 'vitest';
import { observeRequests } from '../../server/http/request.ts';
import { untraced } from '../../server/kernel/tracing.ts';
import { createLogger } from '../../server/logging.ts';
import { createMetrics } from '../../server/metrics.ts';

test('regression-81-each request has one line at info, without its query and its body, and a probe has none', async () => {
  const lines: string[] = [];
  const logger = createLogger({
    level: 'info',
    process: 'api',
    destination: { write: (line) => void lines.push(line) },
  });
  const app = express();
  app.use(observeRequests({ logger, metrics: createMetrics(), tracing: untraced }));
  app.post('/customers', (_request, response) => void response.sendStatus(201));
  app.get('/readyz', (_request, response) => void response.json({}));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/customers?email=maria@example.com`, {
    method: 'POST',
    body: 'Maria',
  });
  await fetch(`http://127.0.0.1:${port}/readyz`);
  server.close();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      level: 30,
      time: expect.any(Number),
      process: 'api',
      method: 'POST',
      route: 'none',
      status: 201,
      ms: expect.any(Number),
      bytes: expect.any(Number),
      requestId: answer.headers.get('Request-Id'),
      msg: 'request',
    },
  ]);
});
