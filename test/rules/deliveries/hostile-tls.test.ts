import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { tcpReceiver } from './receivers.ts';
import { delivery, outcomeOf, senderTo, timed, trustHooksTest } from './sending.ts';
import { early, expired, trusted, untrusted } from './tls-fixture.ts';

beforeAll(trustHooksTest);

const LIMITS = { connectTimeoutMs: 3_000, responseTimeoutMs: 6_000 };
const SLACK_MS = 5_000;

interface Listening {
  listen(port: number, host: string): unknown;
  address(): AddressInfo | string | null;
  close(): unknown;
}

async function portOf(server: Listening & NodeJS.EventEmitter): Promise<number> {
  const connections: Socket[] = [];
  server.on('connection', (connection: Socket) => {
    connections.push(connection);
    connection.on('error', () => {}); // whoever refuses a certificate hangs up
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const connection of connections) connection.destroy();
  });
  return (server.address() as AddressInfo).port; // a TCP server has one
}

const secure = (options: TlsOptions) => () => portOf(createHttpsServer(options, (_, response) => response.end('ok')));

const bare = (heard: (connection: Socket) => void) => async () => {
  const receiver = await tcpReceiver((connection, _, nth) => void (nth === 1 && heard(connection)));
  return receiver.port;
};

/** A record of a handshake that says more than it brings. */
const BEGUN = Buffer.from('1603030040020000', 'hex');

function drip(connection: Socket): void {
  connection.write(BEGUN);
  const timer = setInterval(() => connection.write('\0'), 50);
  connection.on('close', () => clearInterval(timer));
}

const OLD: TlsOptions = { ...trusted, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };

const ROWS: readonly (readonly [name: string, start: () => Promise<number>, outcome: string, detail: RegExp])[] = [
  ['is sound', secure(trusted), '200', /^$/],
  ['is reset in the handshake', bare((connection) => connection.resetAndDestroy()), 'tls', /ECONNRESET/],
  ['is closed in the handshake', bare((connection) => connection.end()), 'tls', /ECONNRESET/],
  ['is closed amid a record', bare((connection) => connection.end(BEGUN)), 'tls', /./],
  ['is silent', bare(() => {}), 'connect_timeout', /^no TLS handshake within 3000 ms$/],
  ['drips its handshake', bare(drip), 'connect_timeout', /^no TLS handshake within 3000 ms$/],
  [
    'is not spoken',
    bare((connection) => connection.end('HTTP/1.1 200 OK\r\n\r\n')),
    'tls',
    /^ERR_SSL_\w+: [a-z0-9 ]+$/,
  ],
  ['is noise', bare((connection) => connection.end(Buffer.alloc(4_096, 0xa5))), 'tls', /^ERR_SSL_/],
  ['is too old', secure(OLD), 'tls', /^(?:ERR_SSL_|ECONNRESET)/],
  ['is of nobody', secure(untrusted), 'tls', /^DEPTH_ZERO_SELF_SIGNED_CERT: the certificate is self-signed$/],
  ['has expired', secure(expired), 'tls', /^CERT_HAS_EXPIRED: the certificate has expired$/],
  ['is not valid yet', secure(early), 'tls', /^CERT_NOT_YET_VALID: the certificate is not valid yet$/],
  [
    'asks who we are',
    secure({ ...trusted, ca: trusted.cert, requestCert: true, maxVersion: 'TLSv1.2' }),
    'tls',
    /^ERR_SSL_/,
  ],
  [
    'speaks HTTP/2 alone',
    () => portOf(createSecureServer(trusted)),
    'tls',
    /^ERR_SSL_\w+: tlsv1 alert no application protocol$/,
  ],
];

test('a delivery over TLS ends in time and tells what was wrong with it', async () => {
  const sender = senderTo(LIMITS);
  const tries = ROWS.map(async ([name, start]) => {
    const port = await start();
    const { result, tookMs } = await timed(() => sender.post(delivery(`https://hooks.test:${port}/`)));
    expect(tookMs).toBeLessThan(LIMITS.responseTimeoutMs + SLACK_MS);
    return [name, outcomeOf(result), result.ok ? '' : result.detail];
  });
  expect(await Promise.all(tries)).toEqual(
    ROWS.map(([name, , outcome, detail]) => [name, outcome, expect.stringMatching(detail)]),
  );
});

test('a sound certificate of another name is refused', async () => {
  const port = await secure(trusted)();
  for (const name of ['elsewhere.test', 'www.hooks.test', 'hooks.test.evil.test', '127.0.0.1']) {
    const result = await senderTo(LIMITS).post(delivery(`https://${name}:${port}/`));
    expect(result).toMatchObject({ failure: 'tls', detail: expect.stringMatching(/^ERR_TLS_CERT_ALTNAME_INVALID: /) });
  }
});
