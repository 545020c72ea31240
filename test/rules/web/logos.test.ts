import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { logoRouter } from '../../../server/web/logos.ts';

const CROWDED = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const PLACES_OF_ONE = 4;
const WAITING_OF_ONE = 16;

type Answer = (error: null, result: { rows: object[] }) => void;

/** Logos as a database keeps them, which answers nothing of the crowded one until it is told to. */
async function serve() {
  const asked: string[] = [];
  const held: (() => void)[] = [];
  let isHeld = true;
  const query = ({ values: [digest = ''] }: { values: string[] }, _: undefined, answer: Answer): void => {
    asked.push(digest);
    const tell = () => answer(null, { rows: [{ mediaType: 'image/png', content: Buffer.from(digest) }] });
    if (digest === CROWDED && isHeld) held.push(tell);
    else tell();
  };
  // Of a pool the logos need nothing else.
  const pool = { query } as unknown as pg.Pool;
  const server = express().use('/logos', logoRouter({ pool })).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    get: (digest: string) => fetch(`http://127.0.0.1:${port}/logos/${digest}`),
    letGo(): void {
      isHeld = false;
      for (const tell of held.splice(0)) tell();
    },
  };
}

test('a crowd that asks for one logo has it read once, waits or is refused, and leaves other logos alone', async () => {
  const { asked, get, letGo } = await serve();
  const refused: Response[] = [];
  const crowd = Array.from({ length: PLACES_OF_ONE + WAITING_OF_ONE + 5 }, async () => {
    const answer = await get(CROWDED);
    if (answer.status !== 200) refused.push(answer);
    return answer.text();
  });
  await expect.poll(() => refused.length).toBe(5);
  expect(refused.map(({ status, headers }) => [status, headers.get('Retry-After')])).toEqual(Array(5).fill([503, '1']));
  const other = await get(OTHER);
  expect([other.status, other.headers.get('Content-Length'), await other.text()]).toEqual([200, '64', OTHER]);
  expect(asked).toEqual([CROWDED, OTHER]);
  letGo();
  const texts = await Promise.all(crowd);
  expect(texts.filter((text) => text === CROWDED)).toHaveLength(PLACES_OF_ONE + WAITING_OF_ONE);
});

test('a logo that was sent is read anew for whoever asks next', async () => {
  const { asked, get } = await serve();
  for (let nth = 0; nth < 2; nth += 1) expect((await get(OTHER)).status).toBe(200);
  expect(asked).toEqual([OTHER, OTHER]);
});
