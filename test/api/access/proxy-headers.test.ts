import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issue, newAuthority } from '../../../dev/fake-psp/certificates.ts';
import { openSettings, readLiveAcquirer } from '../../../server/payments/live/store.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { configureLive } from '../../support/live-settings.ts';
import { type AnotherProcess, startAnother } from '../another-process.ts';
import { exchange } from '../raw-exchange.ts';

/** As an attacker, a careless proxy or a chain of them may send it: each line is a header of its own. */
type Lines = readonly string[];

let api: TestApi;
let proxied: AnotherProcess;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  proxied = await startAnother(api, { trustProxy: 1, clientCertificateHeader: 'x-client-certificate' });
  shop = await api.newMerchant();
});
afterAll(async () => {
  await proxied.stop();
  await api.stop();
});

/** The status of a request with these headers to the service behind a proxy. */
async function statusOf(lines: Lines, path: string, method = 'GET'): Promise<number> {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: loja.test', 'Connection: close', ...lines, '', ''];
  const answer = await exchange(proxied.baseUrl, head.join('\r\n'));
  return Number(answer.split(' ')[1]);
}

describe('X-Forwarded-Proto', () => {
  test.each<[Lines, number]>([
    [['X-Forwarded-Proto: https'], 200],
    [['X-Forwarded-Proto: http'], 403],
    [['X-Forwarded-Proto: https, http'], 403],
    [['X-Forwarded-Proto: http, https'], 403],
    [['X-Forwarded-Proto: https, https'], 403],
    [['X-Forwarded-Proto: https,'], 403],
    [['X-Forwarded-Proto: https', 'X-Forwarded-Proto: http'], 403],
    [['X-Forwarded-Proto: https', 'X-Forwarded-Proto: https'], 403],
    [['X-Forwarded-Proto:'], 403],
    [['X-Forwarded-Proto: wss'], 403],
    [['X-Forwarded-Protocol: https'], 403],
    [['X-Forwarded-Scheme: https'], 403],
    [['X-Forwarded-Ssl: on'], 403],
    [['Forwarded: proto=https'], 403],
  ])('%j has a live key answered %i', async (lines, status) => {
    const sent = [...lines, 'X-Forwarded-For: 203.0.113.9', `Authorization: ApiKey ${shop.liveKey}`];
    expect(await statusOf(sent, '/api/v1/products')).toBe(status);
  });
});

describe('X-Forwarded-For', () => {
  const ALLOWED = '203.0.113.7';

  test.each<[Lines, number]>([
    [[`X-Forwarded-For: ${ALLOWED}`], 200],
    [[`X-Forwarded-For: 198.51.100.1, ${ALLOWED}`], 200],
    [['X-Forwarded-For: 198.51.100.1', `X-Forwarded-For: ${ALLOWED}`], 200],
    [[`X-Forwarded-For: ${ALLOWED}, 198.51.100.1`], 403],
    [[`X-Forwarded-For: ${ALLOWED}`, 'X-Forwarded-For: 198.51.100.1'], 403],
    [['X-Forwarded-For: nonsense'], 403],
    [[`X-Real-IP: ${ALLOWED}`], 403],
    [[`Forwarded: for=${ALLOWED}`], 403],
    [[], 403],
  ])('%j has a key of one network answered %i', async (lines, status) => {
    const { sandboxKey, accountId } = await api.newMerchant();
    await api.operator.pool.query('UPDATE api_key SET networks = $2 WHERE account_id = $1', [
      accountId,
      [`${ALLOWED}/32`],
    ]);
    expect(await statusOf([...lines, `Authorization: ApiKey ${sandboxKey}`], '/api/v1/products')).toBe(status);
  });
});

test('the certificate of a callback is taken when the proxy tells of one alone', async () => {
  const { deps } = api.composition;
  const authority = await newAuthority('callbacks of a PSP');
  const { certificatePem } = await issue(authority, { name: 'callbacks.psp.test', days: 1 });
  await configureLive(api, shop.accountId, { days: 365, callbackCa: authority.certificatePem });
  const row = await readLiveAcquirer(deps.pool, { accountId: shop.accountId, method: 'pix' });
  if (row === null) throw new Error('it was configured');
  const path = `/acquirer/notices/${openSettings(deps.secretBox, row).noticeToken}`;
  const shown = `X-Client-Certificate: ${encodeURIComponent(certificatePem)}`;
  const rows: [Lines, number][] = [
    [[shown], 200],
    [[shown, shown], 403],
    [[shown, 'X-Client-Certificate: NONE'], 403],
    [['X-Client-Certificate: NONE', shown], 403],
    [[`${shown}, x`], 403],
    [['X-Client-Certificate:'], 403],
    [[], 403],
  ];
  for (const [lines, status] of rows) {
    const answered = await statusOf([...lines, 'Content-Length: 0'], path, 'POST');
    expect([lines, answered]).toEqual([lines, status]);
  }
});

test('a request with two Hosts is refused, whoever hands it on', async () => {
  expect(await statusOf(['X-Forwarded-Proto: https', 'Host: other.test'], '/healthz')).toBe(400);
});
