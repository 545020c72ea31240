import { describe, expect, test } from 'vitest';
import type { Sender } from '../../../server/events/deliveries/http/sender.ts';
import { readTarget } from '../../../server/events/deliveries/http/target-url.ts';
import { type Answer, bodies, heads, malformed, type Row } from './hostile-answers.ts';
import { type Receiver, tcpReceiver } from './receivers.ts';
import { delivered, delivery, failed, outcomeOf, senderTo, timed } from './sending.ts';

/** Long enough for whatever comes to something, on a busy machine too. */
const LIMITS = { connectTimeoutMs: 5_000, responseTimeoutMs: 5_000, bodyTimeoutMs: 3_000 };
const SLACK_MS = 5_000;

/** A receiver that answers the first thing that it hears on each connection. */
const answering = (answer: Answer): Promise<Receiver> =>
  tcpReceiver((connection, _, nth) => {
    if (nth > 1) return;
    if (typeof answer === 'function') answer(connection);
    else connection.write(answer);
  });

type Try = (url: string) => Promise<{ outcome: string; withinMs: number }>;

/** What comes of each row, all at once; of those that take longer than they may, how long. */
async function outcomesOf(rows: readonly Row[], attempt: Try): Promise<object> {
  const outcomes = rows.map(async ([name, answer]) => {
    const { url } = await answering(answer);
    const { result, tookMs } = await timed(() => attempt(url));
    return [name, tookMs < result.withinMs ? result.outcome : `${result.outcome} after ${tookMs} ms`];
  });
  return Object.fromEntries(await Promise.all(outcomes));
}

const posting =
  (sender: Sender): Try =>
  async (url) => {
    const result = await sender.post(delivery(url));
    return { outcome: outcomeOf(result), withinMs: LIMITS.responseTimeoutMs + SLACK_MS };
  };

const expectedOf = (rows: readonly Row[]): object =>
  Object.fromEntries(rows.map(([name, , outcome]) => [name, outcome]));

describe('a delivery whose answer', () => {
  test.each([
    ['comes to no head', heads],
    ['begins as none should', malformed],
    ['has a body of any kind', bodies],
  ])('%s ends in time, as the table says', async (_, rows) => {
    expect(await outcomesOf(rows, posting(senderTo(LIMITS)))).toEqual(expectedOf(rows));
  });

  test('does not come, because the receiver reads nothing, is given up', async () => {
    const receiver = await tcpReceiver(() => {}, { accepted: (connection) => void connection.pause() });
    const sent = delivery(receiver.url, { body: Buffer.alloc(32 * 1_024 * 1_024) });
    expect(await senderTo({ responseTimeoutMs: 500 }).post(sent)).toEqual(failed('timeout'));
  });

  test.each([301, 302, 303, 307, 308, 410, 429, 451, 500, 502, 503, 504])(
    'is %i is told as such, and leaves the connection',
    async (status) => {
      const receiver = await answering(`HTTP/1.1 ${status} No\r\ncontent-length: 2\r\n\r\nno`);
      const result = await senderTo().post(delivery(receiver.url));
      const kind = status < 400 ? 'redirect_refused' : 'http_status';
      expect(result).toEqual(failed(kind, { status, answer: 'no' }));
    },
  );
});

/** What stands in a body and what its owner is shown of it. */
const TEXTS: readonly (readonly [name: string, body: Buffer, answer: string | null])[] = [
  ['nothing', Buffer.alloc(0), null],
  ['NULs', Buffer.from('a\0b\0\0c'), 'a b c'],
  ['NULs alone', Buffer.alloc(100), null],
  ['control characters', Buffer.from(Array.from({ length: 32 }, (_, code) => code)), null],
  ['colors of a terminal', Buffer.from('\u001b[31mred\u001b[0m'), '[31mred [0m'],
  ['line ends', Buffer.from('a\r\nb\u2028c\u2029d\u0085e'), 'a b c d e'],
  ['bytes that are no UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0xc0, 0xaf, 0x62]), 'a����b'],
  ['halves of a pair', Buffer.from([0x61, 0xed, 0xa0, 0x80, 0x62]), 'a���b'],
  ['UTF-16', Buffer.from('ok', 'utf16le'), 'o k'],
  ['a mark of the byte order', Buffer.from('\ufeffok'), 'ok'],
  ['1,024 characters', Buffer.from('é'.repeat(1_024)), 'é'.repeat(1_024)],
  ['more characters', Buffer.from('€'.repeat(5_000)), '€'.repeat(1_024)],
  ['pairs beyond the cut', Buffer.from(`x${'🎉'.repeat(2_000)}`), `x${'🎉'.repeat(1_023)}`],
  ['one character too many', Buffer.from(`xx${'€'.repeat(1_023)}`), `xx${'€'.repeat(1_022)}`],
];

describe('an answer of', () => {
  test.each(TEXTS)('%s is quoted as text that a database takes', async (_, body, answer) => {
    for (const [status, ok] of [
      [200, true],
      [500, false],
    ] as const) {
      const head = Buffer.from(`HTTP/1.1 ${status} Any\r\ncontent-length: ${body.length}\r\n\r\n`);
      const receiver = await answering(Buffer.concat([head, body]));
      const result = await senderTo().post(delivery(receiver.url));
      expect(result).toMatchObject({ ok, status, answer });
      const shown = answer === null ? 'HTTP 500' : [...`HTTP 500: ${answer}`].slice(0, 500).join('');
      if (!result.ok) expect(result.detail).toBe(shown);
    }
  });
});

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
const SECOND = 'HTTP/1.1 500 Not asked\r\ncontent-length: 0\r\n\r\n';

describe('what follows an answer unasked', () => {
  const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n';

  test.each([
    ['another answer', OK + SECOND],
    ['ten of them', OK + SECOND.repeat(10)],
    ['an answer behind the last chunk', CHUNKED + SECOND],
    [
      'an answer in the body that a 204 has not',
      `HTTP/1.1 204 No\r\ncontent-length: ${SECOND.length}\r\n\r\n${SECOND}`,
    ],
    ['an announcement', `${OK}HTTP/1.1 103 Early Hints\r\n\r\n`],
    ['half an answer', `${OK}HTTP/1.1 5`],
    ['a body beyond its length', `${OK}and more`],
    ['line ends and an answer', `${OK}\r\n\r\n${SECOND}`],
  ])('%s is no answer to the next delivery', async (_, said) => {
    for (const waitMs of [0, 30]) {
      const receiver: Receiver = await tcpReceiver((connection) =>
        connection.write(receiver.connections.length === 1 ? said : OK),
      );
      const sender = senderTo();
      expect(outcomeOf(await sender.post(delivery(receiver.url)))).toMatch(/^20[04]$/);
      if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs));
      expect(await sender.post(delivery(receiver.url))).toEqual(delivered());
      expect(receiver.connections).toHaveLength(2);
    }
  });

  test('is none either when it comes a while later', async () => {
    const receiver: Receiver = await tcpReceiver((connection) => {
      connection.write(OK);
      if (receiver.connections.length === 1) setTimeout(() => connection.write(SECOND), 20);
    });
    const sender = senderTo();
    expect(await sender.post(delivery(receiver.url))).toEqual(delivered());
    await expect.poll(() => receiver.connections[0]?.destroyed).toBe(true);
    expect(await sender.post(delivery(receiver.url))).toEqual(delivered());
  });
});

describe('a download', () => {
  const getting =
    (sender: Sender): Try =>
    async (url) => {
      // An account has few of them under way at once.
      const target = readTarget(url, { accountId: url, liveMode: false });
      if ('problem' in target) throw new Error(target.problem);
      const got = await sender.get({
        target,
        accept: 'image/png',
        bytesMax: 10_000,
        timeoutMs: LIMITS.responseTimeoutMs,
      });
      return { outcome: got.ok ? 'content' : got.failure, withinMs: LIMITS.responseTimeoutMs + SLACK_MS };
    };

  test('from a server whose answer comes to no head ends as a delivery does', async () => {
    const expected = heads.map(([name, , outcome]) => [name, outcome === '200' ? 'content' : outcome]);
    expect(await outcomesOf(heads, getting(senderTo(LIMITS)))).toEqual(Object.fromEntries(expected));
  });

  test('from one whose body is of any kind has it whole and small, or not at all', async () => {
    const outcomes = await outcomesOf(bodies, getting(senderTo(LIMITS)));
    expect(outcomes).toEqual({
      'closes amid its body': 'connection',
      'resets amid its body': 'connection',
      'never ends its body': 'timeout',
      'drips its body': 'timeout',
      'pours its body': 'too_large',
      'pours chunks': 'too_large',
      'pours chunks of one byte': 'too_large',
      'has more than its length': 'content',
      'has a chunk beyond 64 bits': 'connection',
      'has a chunk of nearly 64 bits': 'timeout',
      'has a negative chunk': 'connection',
      'has chunks that are none': 'connection',
      'has an extension of a chunk without end': 'connection',
      'has trailers without end': 'connection',
      'drips trailers': 'timeout',
      'is a bomb of gzip': 'too_large',
      'is a bomb of Brotli': 'content',
      'is a bomb of Zstandard': 'content',
      'is a bomb in a bomb': 'content',
      'says that it is gzip and is not': 'content',
      'says a thousand encodings': 'content',
      'is refused with a body that pours': 'http_status',
      'is gone and breaks off': 'http_status',
      'moves and breaks off': 'redirect_refused',
    });
  });
});
