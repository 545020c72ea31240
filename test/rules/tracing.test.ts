import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { untraced } from '../../server/kernel/tracing.ts';
import { openTracing } from '../../server/open-tracing.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Loads the programs as far as they go without settings, and tells what of OpenTelemetry came along beside the interfaces, which prom-client has. */
const LOADED = (to: string): string => `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => { if (/@opentelemetry\\/(?!api\\/)/.test(url)) loaded.push(url); return next(url, context); } });
  await import('./server/compose.ts');
  await import('./server/app.ts');
  await import('./workflows/worker.ts');
  const { openTracing } = await import('./server/open-tracing.ts');
  await openTracing({ to: ${to}, service: 'test', logger: { warn() {}, info() {} } });
  console.log(loaded.length);
  process.exit(0);`;

const loadedFor = (to: string): number =>
  Number(execFileSync(process.execPath, ['--input-type=module', '-e', LOADED(to)], { cwd: ROOT, encoding: 'utf8' }));

test('without a receiver nothing of OpenTelemetry is loaded', async () => {
  expect(loadedFor('null')).toBe(0);
  expect(loadedFor(`{ endpoint: 'http://127.0.0.1:1', share: 1 }`)).toBeGreaterThan(0);
  const off = await openTracing({ to: null, service: 'test', logger: pino({ level: 'silent' }) });
  expect(off).toBe(untraced);
  const seen = await off.span({ name: 'work', begins: true }, async () => off.traceparent);
  expect(seen).toBeNull();
});

test('that the receiver is away is told once, and when it is back', async () => {
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  let status = 400;
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  for (status of [400, 200]) {
    const tracing = await openTracing({ to: { endpoint, share: 1 }, service: 'test', logger });
    for (let spans = 0; spans < 600; spans += 1) await tracing.span({ name: 'work', begins: true }, async () => {});
    await tracing.close();
  }
  server.close();
  expect(lines).toEqual(['the receiver of traces: away']);
});

test('of the traces that begin here a share is kept', async () => {
  const logger = pino({ level: 'silent' });
  const none = await openTracing({ to: { endpoint: 'http://127.0.0.1:1', share: 0 }, service: 'test', logger });
  expect(await none.span({ name: 'work', begins: true }, async () => none.traceparent)).toBeNull();
  const sent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const kept = await none.span({ name: 'work', begins: true, after: sent }, async () => none.traceparent);
  expect(kept).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$/);
});
