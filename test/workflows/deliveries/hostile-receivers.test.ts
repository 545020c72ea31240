import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { SendResult } from '../../../server/events/deliveries/http/sender.ts';
import { type Answer, bodies, heads } from '../../rules/deliveries/hostile-answers.ts';
import { nameServer } from '../../rules/deliveries/name-server.ts';
import { deafPort, type Receiver, tcpReceiver } from '../../rules/deliveries/receivers.ts';
import { delivery, outcomeOf, senderTo, timed } from '../../rules/deliveries/sending.ts';
import { register } from '../support.ts';
import { DeliveryScene } from './delivery-scene.ts';

const scene = new DeliveryScene();

/** A receiver that answers whatever it hears. */
const answering = (answer: Answer): Promise<Receiver> =>
  tcpReceiver((connection) => {
    if (typeof answer === 'function') answer(connection);
    else connection.write(answer);
  });

const eachSecond =
  (begin: string, drop: string): Answer =>
  (connection) => {
    connection.write(begin);
    const timer = setInterval(() => connection.write(drop), 1_000);
    connection.on('close', () => clearInterval(timer));
  };

const OK = 'HTTP/1.1 200 OK\r\n';
const LATE_S = 3; // of a busy machine

/** What keeps a delivery waiting, what comes of it, and after how many seconds at the earliest. */
async function waitingRows(): Promise<(readonly [name: string, url: string, outcome: string, seconds: number])[]> {
  const urlOf = async (answer: Answer) => (await answering(answer)).url;
  const silentTls = await tcpReceiver(() => {}, { protocol: 'https' });
  return [
    ['a name whose server is silent', 'http://loja.test/', 'dns', 5],
    ['a connection that is not accepted', `http://127.0.0.1:${await deafPort()}/`, 'connect_timeout', 5],
    ['a handshake that is not answered', silentTls.url, 'connect_timeout', 5],
    ['no answer', await urlOf(() => {}), 'timeout', 15],
    ['a header a second', await urlOf(eachSecond(OK, 'x: y\r\n')), 'timeout', 15],
    ['a byte of a header a second', await urlOf(eachSecond(`${OK}x: `, 'y')), 'timeout', 15],
    ['an announcement a second', await urlOf(eachSecond('', 'HTTP/1.1 103 Hints\r\n\r\n')), 'timeout', 15],
    ['a byte of the body a second', await urlOf(eachSecond(`${OK}content-length: 99\r\n\r\n`, '.')), '200', 2],
    ['a body that does not come', await urlOf(`HTTP/1.1 503 Busy\r\ncontent-length: 99\r\n\r\n`), 'http_status 503', 2],
    [
      'a head at the last moment',
      await urlOf((connection) => void setTimeout(() => connection.write(`${OK}\r\n`), 14_000)),
      '200',
      15,
    ],
  ];
}

/** A test of an endpoint that never answers: what its owner is told, and how long that took. */
async function testOfNoAnswer() {
  const shop = await scene.api.newMerchant();
  const { id } = await register(shop, await scene.receiver(() => new Promise(() => {})), ['product.created']);
  return timed(() => shop.fatura.webhookEndpoints.test(id));
}

test('the real limits hold: 5 s to connect, 15 s to answer, 2 s for the body, and a test of an endpoint has no more', async () => {
  const silent = await nameServer(() => null);
  const sender = senderTo({ nameServers: [silent.address] });
  const rows = await waitingRows();
  const testing = testOfNoAnswer();
  const results = await Promise.all(rows.map(([, url]) => timed(() => sender.post(delivery(url)))));
  expect(results.map(({ result }, i) => [rows[i]?.[0], outcomeOf(result)])).toEqual(
    rows.map(([name, , outcome]) => [name, outcome]),
  );
  for (const [i, [name, , , seconds]] of rows.entries()) {
    const tookS = (results[i]?.tookMs ?? 0) / 1_000;
    expect(tookS, name).toBeGreaterThan(seconds - 0.1);
    expect(tookS, name).toBeLessThan(seconds + LATE_S);
  }
  const { result: told, tookMs } = await testing;
  expect(told).toMatchObject({ delivered: false, failure: 'timeout', status_code: null, answer: null });
  expect(tookMs).toBeLessThan((15 + LATE_S) * 1_000);
});

const MIB = 1_024 * 1_024;

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/** What is held once everything that can go has gone. */
async function heldBytes(): Promise<number> {
  for (let times = 0; times < 3; times++) {
    await new Promise((done) => setTimeout(done, 100));
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('memory', () => {
  /** Rows that come to an end by themselves. */
  const quick = [...heads, ...bodies].filter(
    ([name, , outcome]) => outcome !== 'timeout' && !/^(?:drips|never ends)|nearly/.test(name),
  );
  const ROUNDS = 20;
  const GROWTH_MAX = 12 * MIB; // answers that were kept would make more

  test('stays flat over hundreds of hostile answers', async () => {
    const receivers = await Promise.all(quick.map(([, answer]) => answering(answer)));
    const sender = senderTo({ bodyTimeoutMs: 500 });
    const round = (): Promise<SendResult[]> =>
      Promise.all(receivers.map(({ url }) => sender.post(delivery(url, { body: 'x'.repeat(10_000) }))));
    const forget = () => {
      for (const receiver of receivers) receiver.requests.length = receiver.connections.length = 0;
    };
    for (let times = 0; times < 5; times++) await round();
    forget();
    const before = await heldBytes();
    for (let times = 0; times < ROUNDS; times++) {
      const results = await round();
      expect(results.map(outcomeOf)).toEqual(quick.map(([, , outcome]) => outcome));
      forget();
    }
    const grown = (await heldBytes()) - before;
    expect(grown).toBeLessThan(GROWTH_MAX);
  });
});
