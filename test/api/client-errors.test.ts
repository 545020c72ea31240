import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ErrorBody } from '../../contract/errors.ts';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

/** What the service writes to a connection on which this came, until it closes the connection. */
async function answerTo(...packets: string[]): Promise<string> {
  const socket = connect(Number(new URL(api.baseUrl).port), '127.0.0.1');
  const answer = text(socket);
  await once(socket, 'connect');
  for (const packet of packets) {
    socket.write(packet);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return answer;
}

function refusalIn(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [line, ...headers] = head.split('\r\n');
  const { error } = ErrorBody.parse(JSON.parse(body));
  expect(headers).toEqual([
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${error.request_id}`,
    'Connection: close',
  ]);
  return { line, code: error.code, param: error.param };
}

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;

test.each([
  ['URL', get(`/api/v1/customers?email=${'a'.repeat(17_000)}`)],
  ['header', get('/api/v1/customers', `X-Long: ${'a'.repeat(17_000)}\r\n`)],
])('regression-37-a %s above 16 KiB is too large, and told with the error body', async (_, request) => {
  const refusal = { line: 'HTTP/1.1 413 Payload Too Large', code: 'PAYLOAD_TOO_LARGE', param: null };
  expect(refusalIn(await answerTo(request))).toEqual(refusal);
});

const malformed = { line: 'HTTP/1.1 400 Bad Request', code: 'PARAMETER_INVALID', param: null };

test.each([
  ['a request line of nonsense', ['nonsense\r\n\r\n']],
  ['nonsense in several packets', ['non sense\r\n', 'more\r\n', 'and more\r\n\r\n']],
  ['a header without a name', [get('/healthz', ': x\r\n')]],
  ['a request line after an answer', [get('/healthz'), 'nonsense\r\n\r\n']],
])('%s is refused with one error body', async (_, packets) => {
  const answer = await answerTo(...packets);
  expect(answer.split('HTTP/1.1 400')).toHaveLength(2);
  expect(refusalIn(answer.slice(answer.indexOf('HTTP/1.1 400')))).toEqual(malformed);
});

test('a body in broken chunks is refused with one error body', async () => {
  const headers = `Authorization: ApiKey ${shop.sandboxKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n`;
  const answer = await answerTo(`POST /api/v1/products HTTP/1.1\r\nHost: a\r\n${headers}\r\n5\r\n{"pro\r\n`, 'zz\r\n');
  expect(refusalIn(answer)).toEqual(malformed);
});
