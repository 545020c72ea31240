import { once } from 'node:events';
import { request as askBy } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import type { Settings } from '../../server/deps.ts';
import { refuseUnknownRoutes } from '../../server/http/endpoints.ts';
import { handleErrors } from '../../server/http/error-handler.ts';
import { mountPublicRoutes } from '../../server/http/public.ts';
import { securityText } from '../../server/http/security-text.ts';
import { namesLoopback } from '../../server/kernel/loopback.ts';
import { MODES } from '../../server/kernel/mode.ts';
import { createLogger } from '../../server/logging.ts';
import { createMetrics } from '../../server/metrics.ts';

const TOKEN = 'a-token-that-nobody-guesses-0123456789';
const METRICS = '# the metrics\n';

const local: Settings = {
  modes: MODES,
  publicUrl: 'http://127.0.0.1:3000',
  trustProxy: 0,
  clientCertificateHeader: null,
  metricsToken: null,
  securityContact: null,
  oidc: null,
  temporalUi: null,
  chargesAtOnce: 320,
  rateLimit: { sandboxPerSecond: 25, livePerSecond: 100 },
};
const behindProxy: Settings = { ...local, publicUrl: 'https://pay.loja.test', trustProxy: 1 };

type Asked = { headers?: Record<string, string>; host?: string };

/** A service with nothing but its public routes; `asked` counts what the database would be asked. */
async function serve(settings: Settings) {
  const app = express();
  const asked = { check: 0, metrics: 0 };
  const metricsText = async () => {
    asked.metrics += 1;
    return METRICS;
  };
  const check = async () => {
    asked.check += 1;
    return { database: true, everReady: true, degraded: [] };
  };
  const readiness = { check, workerMetrics: async () => [] };
  const draining = new AbortController();
  const deps = { metrics: createMetrics(), settings, metricsText };
  mountPublicRoutes(app, deps, { readiness, draining: draining.signal });
  app.use(refuseUnknownRoutes());
  app.use(handleErrors({ settings, logger: createLogger({ level: 'silent', process: 'api' }) }));
  const server = app.listen(0, '0.0.0.0');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  const get = async (path: string, { headers = {}, host = '127.0.0.1' }: Asked = {}) => {
    const sent = askBy({ host, port, path, headers: { host: '127.0.0.1', ...headers } });
    sent.end();
    const [answer] = await once(sent, 'response');
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  };
  return { get, asked, draining };
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

test('a service of one machine shows its metrics to programs of that machine alone', async () => {
  const { get } = await serve(local);
  expect(await get('/metrics')).toMatchObject({ status: 200, body: METRICS });
  const strangers = [
    ...['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'].map((name) => ({ headers: { [name]: '127.0.0.1' } })),
    // A page of a site whose name was made to lead here.
    { headers: { host: 'attacker.test' } },
  ];
  for (const stranger of strangers)
    expect((await get('/metrics', stranger)).status, JSON.stringify(stranger)).toBe(404);
  const outside = Object.values(networkInterfaces())
    .flatMap((of) => of ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  if (outside !== undefined) expect((await get('/metrics', { host: outside.address })).status).toBe(404);
});

test('where buyers reach a service by a name of its own, nobody is taken for a neighbour', async () => {
  const { get } = await serve(behindProxy);
  const { status, body } = await get('/metrics');
  expect(status).toBe(404);
  expect(JSON.parse(body).error.code).toBe('ROUTE_NOT_FOUND');
});

test('the token shows the metrics to whoever has it, behind any proxy', async () => {
  const { get } = await serve({ ...behindProxy, metricsToken: TOKEN });
  expect(await get('/metrics', bearer(TOKEN))).toMatchObject({ status: 200, body: METRICS });
  const absent = await get('/metrics');
  expect([absent.status, absent.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  for (const wrong of [`${TOKEN}x`, TOKEN.slice(1), 'x', TOKEN.toUpperCase()]) {
    expect((await get('/metrics', bearer(wrong))).status, wrong).toBe(401);
  }
  expect((await get('/metrics', { headers: { authorization: `ApiKey ${TOKEN}` } })).status).toBe(401);
});

test('however many ask at once, the database is asked once', async () => {
  const { get, asked } = await serve(local);
  await Promise.all(Array.from({ length: 20 }, () => Promise.all([get('/metrics'), get('/readyz')])));
  // A second or a quarter of one may have begun in between.
  expect(asked.metrics).toBeLessThanOrEqual(2);
  expect(asked.check).toBeLessThanOrEqual(4);
});

test.each([
  ['http://127.0.0.1:3000', true],
  ['http://localhost', true],
  ['http://[::1]:3000', true],
  ['http://127.8.9.1', true],
  ['http://0x7f.1', true],
  ['https://localhost.attacker.test', false],
  ['https://pay.loja.test', false],
  ['http://10.0.0.1', false],
  ['http://0.0.0.0', false],
  ['http://undefined', false],
  ['', false],
])('%s names this machine: %s', (url, names) => {
  expect(namesLoopback(url)).toBe(names);
});

test('security.txt says whom to tell, until half a year from now', () => {
  const settings = { contact: 'mailto:seguranca@loja.test', publicUrl: 'https://pay.loja.test' };
  expect(securityText(settings, Date.UTC(2026, 10, 22, 13))).toBe(
    'Contact: mailto:seguranca@loja.test\nExpires: 2027-05-21T00:00:00.000Z\n' +
      'Canonical: https://pay.loja.test/.well-known/security.txt\nPreferred-Languages: pt, en\n',
  );
});

test('security.txt is there where a contact is named, and else is no route', async () => {
  const named = await serve({ ...behindProxy, securityContact: 'https://loja.test/seguranca' });
  const answer = await named.get('/.well-known/security.txt');
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(answer.body).toMatch(/^Contact: https:\/\/loja\.test\/seguranca\nExpires: /);
  const silent = await serve(behindProxy);
  expect((await silent.get('/.well-known/security.txt')).status).toBe(404);
});

test('a service that is to end is not ready, and lives', async () => {
  const { get, draining } = await serve(local);
  expect(await get('/readyz')).toMatchObject({ status: 200 });
  draining.abort();
  expect(await get('/readyz')).toMatchObject({ status: 503, body: '{"status":"draining"}' });
  expect(await get('/healthz')).toMatchObject({ status: 200 });
});
