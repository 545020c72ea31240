import { afterAll, beforeAll, expect, test } from 'vitest';
import { ErrorBody } from '../../contract/errors.ts';
import { type Merchant, startApi, type TestApi } from '../support/api.ts';
import { exchange } from './raw-exchange.ts';

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

const answerTo = (...packets: (string | Buffer)[]): Promise<string> => exchange(api.baseUrl, ...packets);

function refusalIn(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [line, ...headers] = head.split('\r\n');
  const { error } = ErrorBody.parse(JSON.parse(body));
  expect(headers).toEqual([
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${error.request_id}`,
    'Cache-Control: no-store',
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
  ['a method that nobody knows', ['FOO / HTTP/1.1\r\nHost: a\r\n\r\n']],
  ['another version of HTTP', ['GET / HTTP/3.0\r\nHost: a\r\n\r\n']],
  ['the first words of HTTP/2', ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']],
  ['the first bytes of TLS', [Buffer.from('16030100a501', 'hex')]],
  ['two lengths', [get('/healthz', 'Content-Length: 1\r\nContent-Length: 2\r\n')]],
  ['a length and chunks', [get('/healthz', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n')]],
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

/** The answer of the app to a request after which it closes the connection. */
async function appAnswerTo(request: string) {
  const answer = await answerTo(request);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const { error } = ErrorBody.parse(JSON.parse(body));
  expect(head).toContain(`Request-Id: ${error.request_id}`);
  expect(answer.split('HTTP/1.1')).toHaveLength(2);
  return { line: head.split('\r\n')[0], code: error.code, param: error.param };
}

const closing = (first: string, ...headers: string[]): string =>
  [first, ...headers, 'Connection: close', '', ''].join('\r\n');

test.each([
  ['no Host', closing('GET /healthz HTTP/1.1')],
  ['two Hosts', closing('GET /healthz HTTP/1.1', 'Host: a', 'Host: b')],
  ['two Hosts that are one', closing('GET /healthz HTTP/1.1', 'Host: a', 'host: a')],
  ['Hosts in one line', closing('GET /healthz HTTP/1.1', 'Host: a, b')],
  ['a Host that is a URL', closing('GET /healthz HTTP/1.1', 'Host: http://a/')],
  ['two Hosts in HTTP/1.0', closing('GET /healthz HTTP/1.0', 'Host: a', 'Host: b')],
  ['an unknown expectation', closing('GET /healthz HTTP/1.1', 'Host: a', 'Expect: nonsense')],
])('a request with %s is refused with the error body', async (_, request) => {
  expect(await appAnswerTo(request)).toEqual(malformed);
});

test.each([
  ['CONNECT', `CONNECT loja.test:443 HTTP/1.1\r\nHost: loja.test:443\r\n\r\n`],
  ['CONNECT after an answer', `${get('/healthz')}CONNECT loja.test:443 HTTP/1.1\r\nHost: a\r\n\r\n`],
])('%s leads to no route', async (_, request) => {
  const answer = await answerTo(request);
  const refusal = { line: 'HTTP/1.1 404 Not Found', code: 'ROUTE_NOT_FOUND', param: null };
  expect(refusalIn(answer.slice(answer.indexOf('HTTP/1.1 404')))).toEqual(refusal);
});

test.each([
  ['to switch to another protocol', closing('GET /nowhere HTTP/1.1', 'Host: a', 'Upgrade: h2c', 'Connection: Upgrade')],
  ['of all paths', closing('OPTIONS * HTTP/1.1', 'Host: a')],
  ['of a proxy', closing('GET http://loja.test/nowhere HTTP/1.1', 'Host: a')],
])('a request %s leads to no route', async (_, request) => {
  const refusal = { line: 'HTTP/1.1 404 Not Found', code: 'ROUTE_NOT_FOUND', param: null };
  expect(await appAnswerTo(request)).toEqual(refusal);
});

test.each([
  ['a name', closing('GET /healthz HTTP/1.1', 'Host: api_1.loja.test')],
  ['a port', closing('GET /healthz HTTP/1.1', 'Host: 127.0.0.1:3000')],
  ['an address of IPv6', closing('GET /healthz HTTP/1.1', 'Host: [2001:db8::1]:3000')],
  ['nothing', closing('GET /healthz HTTP/1.1', 'Host:')],
  ['no Host, of HTTP/1.0,', closing('GET /healthz HTTP/1.0')],
])('a request with a Host of %s is taken', async (_, request) => {
  expect(await answerTo(request)).toMatch(/^HTTP\/1\.1 200 OK/);
});

test.each([
  ['breaks off', 'zz\r\n'],
  ['has an endless extension', `1;${'x'.repeat(20_000)}\r\n`],
])('an answer given before a body that %s is the only one', async (_, chunk) => {
  const head = 'POST /nowhere HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  const answer = await answerTo(head, chunk);
  expect(answer).toMatch(/^HTTP\/1\.1 404/);
  expect(answer.split('HTTP/1.1')).toHaveLength(2);
});
