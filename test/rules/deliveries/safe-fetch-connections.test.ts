import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { httpReceiver, tcpReceiver } from './receivers.ts';
import { delivered, delivery, failed, opened, senderTo, timed } from './sending.ts';

describe('a kept-alive connection', () => {
  test('carries one delivery after another', async () => {
    const receiver = await httpReceiver((_, response) => response.end('ok'));
    const sender = senderTo();
    for (let i = 0; i < 20; i++) expect(await sender.post(delivery(receiver.url))).toEqual(delivered());
    expect(receiver.connections).toHaveLength(1);
  });

  test('also after a refusal whose body was short, and never if the receiver asks to close', async () => {
    const receiver = await httpReceiver((_, response) => response.writeHead(500).end('short'));
    const closing = await httpReceiver((_, response) => response.writeHead(200, { connection: 'close' }).end());
    const sender = senderTo();
    for (let i = 0; i < 3; i++) await sender.post(delivery(receiver.url));
    for (let i = 0; i < 3; i++) expect(await sender.post(delivery(closing.url))).toEqual(delivered());
    expect(receiver.connections).toHaveLength(1);
    expect(closing.connections).toHaveLength(3);
  });

  test('is one for each delivery under way', async () => {
    const receiver = await httpReceiver((_, response) => setTimeout(() => response.end(), 50));
    const sender = senderTo();
    const results = await Promise.all(Array.from({ length: 30 }, () => sender.post(delivery(receiver.url))));
    expect(results).toEqual(Array.from({ length: 30 }, () => delivered()));
    expect(receiver.connections).toHaveLength(30);
  });

  test('is closed when more are idle than the bound, the longest idle first', async () => {
    const receivers = await Promise.all([1, 2, 3].map(() => httpReceiver((_, response) => response.end())));
    const sender = senderTo({ idleMax: 2 });
    for (const receiver of receivers) await sender.post(delivery(receiver.url));
    await Promise.all(receivers.map((receiver, i) => opened(receiver, i === 0 ? 0 : 1)));
  });

  test('that the receiver closed meanwhile is replaced', async () => {
    const receiver = await httpReceiver((_, response) => response.end());
    const sender = senderTo();
    await sender.post(delivery(receiver.url));
    receiver.connections[0]?.destroy();
    await sleep(50);
    expect(await sender.post(delivery(receiver.url))).toEqual(delivered());
    expect(receiver.connections).toHaveLength(2);
  });

  const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

  test.each(['destroy', 'resetAndDestroy', 'end'] as const)(
    'that the receiver closes (%s) just as a delivery is written is tried again once, on a new one',
    async (close) => {
      const receiver = await tcpReceiver((connection, _, nth) =>
        nth === 1 ? connection.write(OK) : connection[close](),
      );
      const sender = senderTo();
      expect(await sender.post(delivery(receiver.url))).toEqual(delivered());
      expect(await sender.post(delivery(receiver.url))).toEqual(delivered());
      expect(receiver.connections).toHaveLength(2);
      expect(receiver.requests.map(({ body }) => body)).toEqual(Array(3).fill(receiver.requests[0]?.body));
    },
  );

  test('is tried again once only', async () => {
    let answers = 1;
    const receiver = await tcpReceiver((connection) => (answers-- > 0 ? connection.write(OK) : connection.destroy()));
    const sender = senderTo();
    expect(await sender.post(delivery(receiver.url))).toEqual(delivered());
    expect(await sender.post(delivery(receiver.url))).toEqual(failed('connection'));
    expect(receiver.requests).toHaveLength(3);
  });

  test('on which a byte of the answer came is not tried again', async () => {
    const receiver = await tcpReceiver((connection, _, nth) =>
      nth === 1 ? connection.write(OK) : connection.end('H'),
    );
    const sender = senderTo();
    expect(await sender.post(delivery(receiver.url))).toEqual(delivered());
    expect(await sender.post(delivery(receiver.url))).toEqual(failed('connection'));
    expect(receiver.requests).toHaveLength(2);
  });

  test('whose retry hangs still ends at the response timeout', async () => {
    const receiver = await tcpReceiver((connection, _, nth) => {
      if (receiver.connections.length > 1) return;
      if (nth === 1) connection.write(OK);
      else setTimeout(() => connection.destroy(), 700);
    });
    const sender = senderTo({ responseTimeoutMs: 1_000 });
    expect(await sender.post(delivery(receiver.url))).toEqual(delivered());
    const { result, tookMs } = await timed(() => sender.post(delivery(receiver.url)));
    expect(result).toEqual(failed('timeout'));
    expect(tookMs).toBeLessThan(1_650);
  });

  test('is not used further when an unasked answer came over it', async () => {
    const receiver = await tcpReceiver((connection) => connection.write(OK + OK.replace('200', '500')));
    const sender = senderTo();
    expect(await sender.post(delivery(receiver.url))).toEqual(delivered());
    await sleep(20);
    expect(await sender.post(delivery(receiver.url))).toEqual(delivered());
    expect(receiver.connections).toHaveLength(2);
  });
});

describe('a closed sender', () => {
  test('ends what is under way, closes what is idle and sends nothing more', async () => {
    const receiver = await httpReceiver((_, response) => setTimeout(() => response.end(), 100));
    const sender = senderTo();
    await sender.post(delivery(receiver.url));
    const underWay = [sender.post(delivery(receiver.url)), sender.post(delivery(receiver.url))];
    await sender.close();
    expect(await Promise.all(underWay)).toEqual([delivered(), delivered()]);
    await expect(sender.post(delivery(receiver.url))).rejects.toThrow('the sender is closed');
    await opened(receiver, 0);
  });
});

test("more deliveries at once than the bound are the caller's fault", async () => {
  const receiver = await httpReceiver((_, response) => setTimeout(() => response.end(), 50));
  const sender = senderTo({ inUseMax: 2 });
  const results = await Promise.allSettled([1, 2, 3].map(() => sender.post(delivery(receiver.url))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(await sender.post(delivery(receiver.url))).toEqual(delivered());
});
