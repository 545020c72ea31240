import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../dev/embedded/ports.ts';
import { type MerchantCredentials, profiles } from '../../dev/fake-psp/psp.ts';
import { BareClient, newTxid } from './bare-client.ts';

let folder: string;
let port: number;
type Child = ChildProcessByStdio<null, Readable, Readable>;

const children = new Set<Child>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fake-psp-'));
  port = await twoFreePorts();
});

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** The first of two in a row: the control listens on the second. */
async function twoFreePorts(): Promise<number> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const first = await freePort();
    const probe = createServer();
    probe.listen(first + 1, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    probe.close();
    if (isFree) return first;
  }
  throw new Error('no two ports in a row are free');
}

function run(...args: string[]): Child {
  const child = spawn(process.execPath, ['dev/fake-psp/main.ts', '--dir', folder, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  return child;
}

const START_TIMEOUT_MS = 30_000;

/** What it prints when it listens: all of it, which its last line ends. */
async function start(): Promise<{ child: Child; options: Map<string, string>; control: string }> {
  const child = run('--profile', 'bb', '--port', String(port));
  let printed = '';
  for await (const part of child.stdout) {
    printed += part;
    if (printed.includes('forgets')) break;
  }
  const [, command = ''] = /acquirer set(.*?)npm run/s.exec(printed.replaceAll('\\\n', ' ')) ?? [];
  const options = new Map(
    [...command.matchAll(/--([a-z-]+) ([^\s]+)/g)].map(([, name = '', value = '']) => [name, value]),
  );
  return { child, options, control: /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? '' };
}

async function stop(child: Child): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
  children.delete(child);
}

/** A client wired with what was printed, and with nothing else. */
function wiredBy(options: Map<string, string>): BareClient {
  const value = (name: string) => options.get(name) ?? '';
  const file = (name: string) => readFileSync(value(name), 'utf8');
  const merchant: MerchantCredentials = {
    clientId: value('client-id'),
    clientSecret: file('client-secret-file'),
    certificatePem: file('certificate'),
    keyPem: file('key'),
    pixKey: value('pix-key'),
    extras: { 'gw-dev-app-key': value('extra').replace('app_key=', '') },
  };
  return new BareClient({ profile: profiles.bb, baseUrl: value('base-url'), caPem: file('ca') }, merchant);
}

/** Asks the control; answers the status and the text. */
async function ask(control: string, method: 'GET' | 'POST', path: string, body?: object, host?: string) {
  const answer = await request(control + path, {
    method,
    headers: { 'content-type': 'application/json', ...(host === undefined ? {} : { host }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return [answer.statusCode, await answer.body.text()] as const;
}

test(
  'it prints what live mode is wired with, pays by its control and keeps certificates over a restart',
  async () => {
    const first = await start();
    expect([...first.options.keys()]).toEqual([
      ...[
        'live',
        'profile',
        'client-id',
        'client-secret-file',
        'certificate',
        'key',
        'pix-key',
        'base-url',
        'token-url',
      ],
      ...['ca', 'extra'],
    ]);
    expect(first.options.get('token-url')).toBe(`https://127.0.0.1:${port}/oauth/token`);
    for (const name of ['client-secret-file', 'certificate', 'key', 'ca']) {
      expect(statSync(first.options.get(name) ?? '').mode & 0o777).toBe(0o600);
    }
    const client = wiredBy(first.options);
    const txid = newTxid();
    expect((await client.cob('PUT', txid, client.newCob())).status).toBe(200);
    const json = ask.bind(null, first.control);
    const paid = JSON.parse((await json('POST', `/cobs/${txid}/pay`, { amount: 4100 }))[1]);
    expect((await client.cob('GET', txid)).body).toMatchObject({
      status: 'CONCLUIDA',
      pix: [{ ...paid, valor: '41.00' }],
    });
    const nature = 'MED_FRAUDE';
    expect((await json('POST', `/payments/${paid.endToEndId}/return`, { nature, amount: 100 }))[0]).toBe(200);
    expect(JSON.parse((await json('GET', '/books'))[1])).toMatchObject({
      payments: [{ txid, amount: 4100 }],
      returns: [{ nature, amount: 100 }],
    });
    const [status, page] = await json('GET', '/');
    expect([status, page.includes(txid), page.includes(nature)]).toEqual([200, true, true]);
    expect((await json('POST', '/troubles', { kind: 'unavailable', next: 1 }))[0]).toBe(204);
    expect((await client.cob('GET', txid)).status).toBe(503);
    expect(await json('POST', '/troubles', { kind: 'storm' })).toEqual([400, expect.stringContaining('kind')]);
    expect(await json('POST', `/cobs/${txid}/pay`, {})).toEqual([400, expect.stringContaining('late payer')]);
    expect((await json('POST', `/cobs/${newTxid()}/pay`, {}))[0]).toBe(404);
    const removed = newTxid();
    await client.cob('PUT', removed, client.newCob());
    expect((await json('POST', `/cobs/${removed}/remove`, {}))[0]).toBe(204);
    expect((await client.cob('GET', removed)).body).toMatchObject({ status: 'REMOVIDA_PELO_PSP' });
    for (const act of ['approve', 'reject', 'expire', 'cancel']) {
      expect((await json('POST', `/recs/RR0000000020270101abcdefghijk/${act}`, {}))[0]).toBe(404);
    }
    expect((await json('POST', `/cobrs/${newTxid()}/decide`, { outcome: 'paid' }))[0]).toBe(404);
    expect(await json('POST', '/clock', { hours: 0 })).toEqual([400, expect.stringContaining('hours')]);
    expect((await json('POST', '/clock', { hours: 1 }))[0]).toBe(204);
    expect((await json('GET', '/books', undefined, 'evil.example.com'))[0]).toBe(421);
    await client.close();
    await stop(first.child);

    const second = await start();
    expect(second.options).toEqual(first.options);
    const again = wiredBy(second.options);
    expect((await again.cob('GET', txid)).status).toBe(404);
    await again.close();
    await stop(second.child);
  },
  2 * START_TIMEOUT_MS,
);

test(
  'it refuses what it does not know, and a port that is taken',
  async () => {
    const unknown = run('--profile', 'nubank');
    expect(await text(unknown.stderr)).toContain('standard, efi, sicoob, bb, sicredi, inter');
    const taken = createServer().listen(port + 1, '127.0.0.1');
    await once(taken, 'listening');
    const late = run('--port', String(port));
    expect(await text(late.stderr)).toContain('EADDRINUSE');
    taken.close();
    const codes = [unknown, late].map(async (child) => child.exitCode ?? (await once(child, 'exit'))[0]);
    expect(await Promise.all(codes)).toEqual([1, 1]);
  },
  START_TIMEOUT_MS,
);
