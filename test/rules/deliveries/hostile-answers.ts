import type { Socket } from 'node:net';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';

/** What a receiver does once it has heard a delivery: the bytes that it answers, or anything that a connection can suffer. */
export type Answer = string | Buffer | ((connection: Socket) => void);

/** A way to answer and what the sender makes of it: the failure kind and the status, or the status of what counts as accepted. */
export type Row = readonly [name: string, answer: Answer, outcome: string];

const OK = 'HTTP/1.1 200 OK\r\n';
const KIB = 1_024;
const MIB = KIB * KIB;
const BOMB_BYTES = 16 * MIB;

const whole = (body: string | Buffer, ...headers: string[]): Buffer =>
  Buffer.concat([
    Buffer.from([`${OK}content-length: ${body.length}`, ...headers, '', ''].join('\r\n')),
    Buffer.from(body),
  ]);

/** A small body that unpacks to a large one. */
const bomb = (pack: (bytes: Buffer) => Buffer, encoding: string): Buffer =>
  whole(pack(Buffer.alloc(BOMB_BYTES)), `content-encoding: ${encoding}`);

/** Says something, and the same again for as long as it is listened to. */
const endless =
  (begin: string, again: string | Buffer) =>
  (connection: Socket): void => {
    connection.write(begin);
    const pour = (): void => {
      while (!connection.destroyed && connection.write(again));
    };
    connection.on('drain', pour);
    pour();
  };

/** Says something, and then one thing after the other, slowly. */
const dripping =
  (begin: string, drop: string) =>
  (connection: Socket): void => {
    connection.write(begin);
    const timer = setInterval(() => connection.write(drop), 25);
    connection.on('close', () => clearInterval(timer));
  };

const closing = (said: string) => (connection: Socket) => void connection.end(said);
const resetting = (said: string) => (connection: Socket) =>
  void connection.write(said, () => connection.resetAndDestroy());

/** Answers that come to no head. */
export const heads: readonly Row[] = [
  ['says nothing', () => {}, 'timeout'],
  ['drips a header', dripping(`${OK}x: `, 'y'), 'timeout'],
  ['drips headers', dripping(OK, 'x: y\r\n'), 'timeout'],
  ['drips its first line', dripping('HTTP/1.1 200 ', 'O'), 'timeout'],
  ['drips announcements', dripping('', 'HTTP/1.1 103 Early Hints\r\n\r\n'), 'timeout'],
  ['closes at once', closing(''), 'connection'],
  ['resets at once', (connection) => void connection.resetAndDestroy(), 'connection'],
  ['closes amid its first line', closing('HTTP/1.1 20'), 'connection'],
  ['closes amid its headers', closing(`${OK}content-length: 2\r\nx-`), 'connection'],
  ['resets amid its headers', resetting(`${OK}x-`), 'connection'],
  ['has 10,000 headers', `${OK}${'x: y\r\n'.repeat(10_000)}\r\n`, 'connection'],
  ['has a header of 1 MB', `${OK}x: ${'y'.repeat(MIB)}\r\n\r\n`, 'connection'],
  ['has a name of 1 MB', `${OK}${'y'.repeat(MIB)}: x\r\n\r\n`, 'connection'],
  ['has headers without end', endless(OK, 'x: y\r\n'.repeat(KIB)), 'connection'],
  ['has a first line without end', endless('HTTP/1.1 200 ', 'O'.repeat(8 * KIB)), 'connection'],
  ['has spaces without end', endless('HTTP/1.1 200 OK\r\nx:', ' '.repeat(8 * KIB)), 'connection'],
  ['says Continue without end', endless('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(KIB)), 'connection'],
  ['announces without end', endless('', 'HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n'.repeat(KIB)), 'connection'],
  ['has line ends without end', endless('', '\r\n'.repeat(KIB)), 'connection'],
  ['announces three times, then answers', `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3)}${whole('ok')}`, '200'],
  ['says Continue unasked, then answers', `HTTP/1.1 100 Continue\r\n\r\n${whole('ok')}`, '200'],
  ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 'connection'],
  ['is of HTTP/0.9', closing('<p>ok</p>'), 'connection'],
  ['is of HTTP/1.0', closing('HTTP/1.0 200 OK\r\n\r\nok'), '200'],
  ['is of HTTP/2', Buffer.from('000006040000000000000400000000', 'hex'), 'connection'],
  ['is of HTTP/2 in words', 'HTTP/2.0 200 OK\r\ncontent-length: 0\r\n\r\n', '200'],
  ['is of another protocol', 'SSH-2.0-OpenSSH_9.9\r\n', 'connection'],
  ['is a request', 'POST /hook HTTP/1.1\r\nhost: x\r\n\r\n', 'connection'],
  ['is of NULs', '\0'.repeat(100), 'connection'],
];

const first = (line: string): string => `${line}\r\ncontent-length: 0\r\n\r\n`;

/** First lines and headers as no server should write them. */
export const malformed: readonly Row[] = [
  ['status of two digits', first('HTTP/1.1 20 OK'), 'connection'],
  ['status of four digits', first('HTTP/1.1 2000 OK'), 'connection'],
  ['status of letters', first('HTTP/1.1 abc OK'), 'connection'],
  ['negative status', first('HTTP/1.1 -200 OK'), 'connection'],
  ['status 000', first('HTTP/1.1 000 None'), 'connection'],
  ['status 099', first('HTTP/1.1 099 None'), 'connection'],
  ['status 600', first('HTTP/1.1 600 None'), 'http_status 600'],
  ['status 999', first('HTTP/1.1 999 None'), 'http_status 999'],
  ['no space behind the status', first('HTTP/1.1 200OK'), 'connection'],
  ['no reason', first('HTTP/1.1 200'), '200'],
  ['lower case', first('http/1.1 200 OK'), 'connection'],
  ['NUL in a header', `${OK}x: a\0b\r\ncontent-length: 0\r\n\r\n`, 'connection'],
  ['space before a colon', `${OK}content-length : 0\r\n\r\n`, 'connection'],
  ['no colon', `${OK}content-length\r\n\r\n`, 'connection'],
  ['two lengths', `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`, 'connection'],
  ['negative length', `${OK}content-length: -1\r\n\r\n`, 'connection'],
  ['length in hexadecimal', `${OK}content-length: 0x2\r\n\r\nok`, 'connection'],
  ['length beyond 64 bits', `${OK}content-length: ${'9'.repeat(30)}\r\n\r\nok`, 'connection'],
  ['length and chunks', `${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 'connection'],
];

const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

/** Answers whose head counts, whatever comes of their body. */
export const bodies: readonly Row[] = [
  ['closes amid its body', closing(`${OK}content-length: 99\r\n\r\nhalf`), '200'],
  ['resets amid its body', resetting(`${OK}content-length: 99\r\n\r\nhalf`), '200'],
  ['never ends its body', `${OK}content-length: 99\r\n\r\nhalf`, '200'],
  ['drips its body', dripping(`${OK}content-length: 9999\r\n\r\n`, '.'), '200'],
  ['pours its body', endless(`${OK}\r\n`, Buffer.alloc(MIB)), '200'],
  ['pours chunks', endless(CHUNKED, `4000\r\n${'x'.repeat(0x4000)}\r\n`), '200'],
  ['pours chunks of one byte', endless(CHUNKED, '1\r\nx\r\n'.repeat(KIB)), '200'],
  ['has more than its length', `${OK}content-length: 2\r\n\r\nok and more`, '200'],
  ['has a chunk beyond 64 bits', `${CHUNKED}${'f'.repeat(20)}\r\nok\r\n0\r\n\r\n`, '200'],
  ['has a chunk of nearly 64 bits', `${CHUNKED}${'f'.repeat(15)}\r\nok\r\n0\r\n\r\n`, '200'],
  ['has a negative chunk', `${CHUNKED}-2\r\nok\r\n0\r\n\r\n`, '200'],
  ['has chunks that are none', `${CHUNKED}ok`, '200'],
  ['has an extension of a chunk without end', endless(`${CHUNKED}2;`, 'x'.repeat(8 * KIB)), '200'],
  ['has trailers without end', endless(`${CHUNKED}0\r\n`, 'x: y\r\n'.repeat(KIB)), '200'],
  ['drips trailers', dripping(`${CHUNKED}0\r\n`, 'x: y\r\n'), '200'],
  ['is a bomb of gzip', bomb(gzipSync, 'gzip'), '200'],
  ['is a bomb of Brotli', bomb(brotliCompressSync, 'br'), '200'],
  ['is a bomb of Zstandard', bomb(zstdCompressSync, 'zstd'), '200'],
  ['is a bomb in a bomb', bomb((bytes) => gzipSync(gzipSync(bytes)), 'gzip, gzip'), '200'],
  ['says that it is gzip and is not', whole('ok', 'content-encoding: gzip'), '200'],
  ['says a thousand encodings', whole('ok', `content-encoding: ${'gzip, '.repeat(1_000)}gzip`), '200'],
  ['is refused with a body that pours', endless('HTTP/1.1 500 No\r\n\r\n', 'x'.repeat(8 * KIB)), 'http_status 500'],
  ['is gone and breaks off', closing('HTTP/1.1 410 Gone\r\ncontent-length: 99\r\n\r\nhalf'), 'http_status 410'],
  [
    'moves and breaks off',
    closing('HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 9\r\n\r\n'),
    'redirect_refused 302',
  ],
];
