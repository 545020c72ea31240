import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type FakePsp, startFakePsp, type Trouble, troubleKinds } from '../../dev/fake-psp/psp.ts';
import { BareClient, newTxid } from './bare-client.ts';

let psp: FakePsp;
let client: BareClient;
/** Unix milliseconds; moved by the tests. */
let now = Date.UTC(2027, 0, 31);

beforeAll(async () => {
  psp = await startFakePsp({ seed: 11, clock: () => now });
  client = new BareClient(psp, await psp.newMerchant());
});

afterEach(() => {
  psp.troubles.clear();
});

afterAll(async () => {
  await client.close();
  await psp.close();
});

const put = (txid: string) => client.cob('PUT', txid, client.newCob());
const get = (txid: string) => client.cob('GET', txid);

async function openCob(): Promise<string> {
  const txid = newTxid();
  expect((await put(txid)).status).toBe(201);
  return txid;
}

const isThere = async (txid: string): Promise<boolean> => (await get(txid)).status === 200;

const once = (kind: Trouble['kind'], more: Partial<Trouble> = {}): void => psp.troubles.set({ kind, next: 1, ...more });

describe('on the wire', () => {
  test('a lost request was not done, a lost answer was', async () => {
    for (const [kind, done] of [
      ['request_lost', false],
      ['answer_lost', true],
    ] as const) {
      const txid = newTxid();
      once(kind, { operation: 'putCob' });
      await expect(put(txid)).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
      expect(await isThere(txid)).toBe(done);
    }
  });

  test.each([
    ['unavailable', 503, 'application/problem+json'],
    ['too_many', 429, 'application/problem+json'],
    ['html_fault', 500, 'text/html'],
  ] as const)('%s: nothing was done, unless the trouble says so', async (kind, status, type) => {
    for (const worked of [false, true]) {
      const txid = newTxid();
      once(kind, { operation: 'putCob', worked });
      const answer = await put(txid);
      expect([answer.status, answer.type]).toEqual([status, type]);
      expect(await isThere(txid)).toBe(worked);
    }
  });

  test('an answer may be empty or cut off, and the work is done', async () => {
    for (const [kind, status, isEmpty] of [
      ['empty', 204, true],
      ['truncated', 201, false],
    ] as const) {
      const txid = newTxid();
      once(kind, { operation: 'putCob' });
      const { status: sent, text, body } = await put(txid);
      expect([sent, text === '', body]).toEqual([status, isEmpty, undefined]);
      expect(await isThere(txid)).toBe(true);
    }
  });

  test('an answer may break off in its middle, or say nothing', async () => {
    const txid = newTxid();
    once('cut_off', { operation: 'putCob' });
    await expect(put(txid)).rejects.toMatchObject({ code: expect.stringMatching(/^(UND_ERR_SOCKET|ECONNRESET)$/) });
    expect(await isThere(txid)).toBe(true);
    once('nonsense', { operation: 'getCob' });
    expect(await get(txid)).toMatchObject({ status: 200, text: 'null' });
  });

  test('an answer may be slow, or never come', async () => {
    once('slow', { operation: 'getCob', milliseconds: 200 });
    const before = performance.now();
    await get(await openCob());
    expect(performance.now() - before).toBeGreaterThan(190);
    const txid = newTxid();
    once('hanging', { operation: 'putCob' });
    const waiting = new BareClient(psp, client.merchant);
    const hung = waiting.cob('PUT', txid, waiting.newCob()).then(
      () => 'answered',
      () => 'given up',
    );
    await expect.poll(() => psp.books(client.merchant).cobs.some((cob) => cob.txid === txid)).toBe(true);
    await waiting.close();
    expect(await hung).toBe('given up');
  });

  test('the work may be done after the caller has given up', async () => {
    const txid = newTxid();
    once('stalled', { operation: 'putCob', milliseconds: 1_000 });
    const hasty = new BareClient(psp, client.merchant);
    const given = hasty.cob('PUT', txid, hasty.newCob()).catch(() => 'given up');
    await expect.poll(() => psp.troubles.list()).toEqual([]);
    await hasty.close();
    expect([await given, await isThere(txid)]).toEqual(['given up', false]);
    await expect.poll(() => isThere(txid)).toBe(true);
  });
});

describe('with tokens', () => {
  test('one ends in mid-flight', async () => {
    const txid = await openCob();
    once('token_ends');
    expect((await get(txid)).status).toBe(401);
    expect((await get(txid)).status).toBe(401);
    client.useToken(null);
    expect((await get(txid)).status).toBe(200);
  });

  test('one lacks scopes', async () => {
    once('token_downscoped', { scopes: ['cob.write'] });
    client.useToken(null);
    expect((await put(newTxid())).status).toBe(403);
    client.useToken(null);
    expect((await put(newTxid())).status).toBe(201);
  });

  test('none is given for a while', async () => {
    once('too_many', { operation: 'token' });
    expect((await client.askToken()).status).toBe(429);
    expect((await client.askToken()).status).toBe(200);
  });
});

describe('in the books', () => {
  test('a cob is revised or removed by itself', async () => {
    const txid = await openCob();
    once('revised');
    expect((await get(txid)).body).toMatchObject({ revisao: 1, valor: { original: '40.01' } });
    once('removed');
    expect((await get(txid)).body).toMatchObject({ status: 'REMOVIDA_PELO_PSP' });
  });

  test('a repeat is refused', async () => {
    const txid = await openCob();
    once('repeat_refused', { operation: 'putCob' });
    expect([(await put(txid)).status, (await put(txid)).status]).toEqual([400, 201]);
    const payment = psp.pay(client.merchant, txid);
    const request = () => client.pix('PUT', `/${payment}/devolucao/D1`, { valor: '1.00' });
    await request();
    once('repeat_refused', { operation: 'putReturn' });
    expect([(await request()).status, (await request()).status]).toEqual([400, 201]);
  });

  test('a paid cob has no payments for a while', async () => {
    const txid = await openCob();
    psp.pay(client.merchant, txid);
    once('paid_without_pix');
    expect((await get(txid)).body).toMatchObject({ status: 'CONCLUIDA', pix: [] });
    expect((await get(txid)).body?.pix).toHaveLength(1);
    psp.troubles.set({ kind: 'paid_without_pix', milliseconds: 150 });
    now += 149;
    expect((await get(txid)).body?.pix).toHaveLength(0);
    now += 1;
    expect((await get(txid)).body?.pix).toHaveLength(1);
  });

  test('a payment is not seen for a while, in its cob and in lists', async () => {
    const txid = await openCob();
    const payment = psp.pay(client.merchant, txid);
    const isListed = async () => {
      const { text } = await client.pix('GET', '', undefined, {
        inicio: '2020-01-01T00:00:00Z',
        fim: '2100-01-01T00:00:00Z',
      });
      return text.includes(payment);
    };
    psp.troubles.set({ kind: 'paid_unseen', next: 2 });
    const early = await get(txid);
    expect([early.body?.status, early.body?.pix, await isListed()]).toEqual(['ATIVA', undefined, false]);
    expect([(await get(txid)).body?.status, await isListed()]).toEqual(['CONCLUIDA', true]);
  });

  test('a read lags behind the write', async () => {
    const txid = await openCob();
    psp.troubles.set({ kind: 'lagging', next: 2 });
    const statuses = [(await get(txid)).status, (await get(txid)).status, (await get(txid)).status];
    expect(statuses).toEqual([404, 404, 200]);
    psp.troubles.set({ kind: 'lagging', milliseconds: 150 });
    const young = await openCob();
    now += 149;
    expect((await get(young)).status).toBe(404);
    now += 1;
    expect((await get(young)).status).toBe(200);
  });

  test('a devolução stays under processing', async () => {
    const payment = psp.pay(client.merchant, await openCob());
    once('return_stays');
    await client.pix('PUT', `/${payment}/devolucao/D1`, { valor: '1.00' });
    await client.pix('PUT', `/${payment}/devolucao/D2`, { valor: '1.00' });
    const status = async (id: string) => (await client.pix('GET', `/${payment}/devolucao/${id}`)).body?.status;
    await expect.poll(() => status('D2')).toBe('DEVOLVIDO');
    expect(await status('D1')).toBe('EM_PROCESSAMENTO');
    expect(psp.settleReturns(client.merchant)).toBe(1);
    expect(await status('D1')).toBe('DEVOLVIDO');
  });

  test('a devolução fails', async () => {
    const payment = psp.pay(client.merchant, await openCob());
    once('return_fails');
    await client.pix('PUT', `/${payment}/devolucao/D1`, { valor: '1.00' });
    await expect
      .poll(async () => (await client.pix('GET', `/${payment}/devolucao/D1`)).body)
      .toMatchObject({ status: 'NAO_REALIZADO', motivo: expect.any(String) });
  });
});

describe('a trouble', () => {
  test('strikes its merchant and its operation alone', async () => {
    const other = new BareClient(psp, await psp.newMerchant());
    psp.troubles.set({ kind: 'unavailable', merchant: other.merchant.clientId, operation: 'getCob' });
    expect((await get(newTxid())).status).toBe(404);
    expect((await other.cob('GET', newTxid())).status).toBe(503);
    expect((await other.cob('PUT', newTxid(), other.newCob())).status).toBe(201);
    psp.troubles.clear({ merchant: client.merchant.clientId });
    expect(psp.troubles.list()).toHaveLength(1);
    psp.troubles.clear({ merchant: other.merchant.clientId, kind: 'unavailable' });
    expect((await other.cob('GET', newTxid())).status).toBe(404);
    await other.close();
  });

  test('strikes a share of the calls', async () => {
    psp.troubles.set({ kind: 'unavailable', share: 0.3 });
    const answers = await Promise.all(Array.from({ length: 100 }, () => get(newTxid())));
    const struck = answers.filter(({ status }) => status === 503).length;
    expect(struck).toBeGreaterThan(15);
    expect(struck).toBeLessThan(50);
  });

  test('strikes the next so many, and shows how many are left', async () => {
    psp.troubles.set({ kind: 'unavailable', next: 3 });
    await get(newTxid());
    expect(psp.troubles.list()).toEqual([{ kind: 'unavailable', next: 2 }]);
    expect([await get(newTxid()), await get(newTxid()), await get(newTxid())].map(({ status }) => status)).toEqual([
      503, 503, 404,
    ]);
    expect(psp.troubles.list()).toEqual([]);
  });

  test('of an unknown kind or share is no trouble', () => {
    const odd = [{ kind: 'storm' }, { kind: 'slow', share: 2 }, { kind: 'slow', next: 0 }, { kind: 'slow', often: 1 }];
    for (const trouble of odd) expect(() => psp.troubles.set(trouble as Trouble)).toThrow();
    expect(Object.keys(troubleKinds)).toContain('slow');
  });
});
