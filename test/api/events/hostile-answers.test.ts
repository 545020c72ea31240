import { describe, expect, test } from 'vitest';
import { type Answer, bodies, heads } from '../../rules/deliveries/hostile-answers.ts';
import { type Receiver, tcpReceiver } from '../../rules/deliveries/receivers.ts';
import { DeliveryScene } from '../../workflows/deliveries/delivery-scene.ts';
import { eventually, register } from '../../workflows/support.ts';
import { refusalOf, send } from '../requests.ts';

const scene = new DeliveryScene();

const answering = (answer: () => Answer): Promise<Receiver> =>
  tcpReceiver((connection) => {
    const said = answer();
    if (typeof said === 'function') said(connection);
    else connection.write(said);
  });

const saying = (status: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Any\r\ncontent-length: ${body.length}\r\n\r\n`), body]);

/** Those that come to an end at once. */
const quick = [...heads, ...bodies].filter(
  ([name, , outcome]) => outcome !== 'timeout' && !/^(?:drips|never ends)|nearly/.test(name),
);

test('an answer of any bytes is kept as text and shown with its delivery', async () => {
  const shop = await scene.api.newMerchant();
  const rows: [body: Buffer, answer: string | null][] = [
    [Buffer.from('\0'), null],
    [Buffer.from('a\0\u0001b\u001b[2J'), 'a b [2J'],
    [Buffer.from([0x61, 0xff, 0xed, 0xa0, 0x80, 0x62]), 'a����b'],
    [Buffer.from(`x${'🎉'.repeat(2_000)}`), `x${'🎉'.repeat(1_023)}`],
    [Buffer.from(`'); DROP TABLE event; -- "\\u0000"`), `'); DROP TABLE event; -- "\\u0000"`],
  ];
  const ids: string[] = [];
  for (const [body] of rows) {
    const { url } = await answering(() => saying(500, body));
    ids.push((await shop.fatura.webhookEndpoints.create({ url, event_types: ['product.created'] })).id);
  }
  await scene.productEvent(shop);
  scene.deliver();
  for (const [i, [, answer]] of rows.entries()) {
    const attempt = await eventually('the attempt', async () => {
      const { data } = await shop.fatura.webhookEndpoints.deliveries(ids[i] ?? '').page();
      return data[0]?.ladders.data[0]?.attempts[0];
    });
    const detail = answer === null ? 'HTTP 500' : [...`HTTP 500: ${answer}`].slice(0, 500).join('');
    expect(attempt).toMatchObject({ failure: 'http_status', status_code: 500, detail, answer });
  }
});

describe('whatever a receiver does', () => {
  test('a test of the endpoint tells what it was', async () => {
    const { fatura } = await scene.api.newMerchant();
    let answer: Answer = '';
    const { url } = await answering(() => answer);
    const { id } = await fatura.webhookEndpoints.create({ url, event_types: ['product.created'] });
    const told: [string, string][] = [];
    for (const [name, hostile] of quick) {
      answer = hostile;
      const { failure, status_code } = await fatura.webhookEndpoints.test(id);
      told.push([name, [failure, status_code].filter((said) => said !== null).join(' ')]);
    }
    expect(told).toEqual(quick.map(([name, , outcome]) => [name, outcome]));
  });

  test('the account has four tests under way in a mode, and leaves room for the other mode and for others', async () => {
    const [shop, other] = [await scene.api.newMerchant(), await scene.api.newMerchant()];
    const gate = Promise.withResolvers<number>();
    const receiver = await scene.receiver(() => gate.promise);
    const [own, foreign] = await Promise.all([shop, other].map((each) => register(each, receiver, ['*'])));
    const test = (of: typeof shop, id = '') => of.fatura.webhookEndpoints.test(id);
    const under = Array.from({ length: 4 }, () => test(shop, own?.id));
    await eventually('the fourth', async () => receiver.requests === 4);
    await expect(test(shop, own?.id)).rejects.toMatchObject({
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: 1,
    });
    const { id } = await shop.live.webhookEndpoints.create({ url: 'https://loja.invalid/w', event_types: ['*'] });
    expect(await shop.live.webhookEndpoints.test(id)).toMatchObject({ delivered: false, status_code: null });
    under.push(test(other, foreign?.id));
    await eventually('that of the other', async () => receiver.requests === 5);
    gate.resolve(500);
    expect((await Promise.all(under)).map(({ status_code }) => status_code)).toEqual(Array(5).fill(500));
    expect(await test(shop, own?.id)).toMatchObject({ status_code: 500 });
  });

  test('its logo is refused in time', async () => {
    const { sandboxKey: key, fatura } = await scene.api.newMerchant();
    const told: [string, string, boolean][] = [];
    for (const [name, hostile] of quick) {
      const { url } = await answering(() => hostile);
      const answer = await send(scene.api, {
        method: 'PATCH',
        path: '/account',
        key,
        body: { account: { logo_url: url } },
      });
      const { code, message } = refusalOf(answer);
      told.push([name, code, message.length < 1_000]);
    }
    expect(told).toEqual(quick.map(([name]) => [name, 'LOGO_REFUSED', true]));
    expect((await fatura.account.retrieve()).logo_url).toBeNull();
  });
});
