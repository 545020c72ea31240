import { request as rawRequest } from 'node:http';
import type { CreatedCheckoutSession } from '@fatura/sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bodies, buyer, cardOf, PageScene, partsOf, pathOf } from './page-scene.ts';

const scene = new PageScene();

/** Everything that a link can be asked for. */
async function askAll(path: string): Promise<[what: string, status: number][]> {
  const { baseUrl } = scene.api;
  const get = async (below: string) => [`GET ${below}`, (await fetch(baseUrl + path + below)).status] as const;
  const form = new URLSearchParams(buyer);
  return [
    [...(await get(''))],
    [...(await get('/state'))],
    [...(await get('/events'))],
    ['form', (await fetch(baseUrl + path, { method: 'POST', body: form, redirect: 'manual' })).status],
    ['button', (await fetch(baseUrl + path, { method: 'POST', redirect: 'manual' })).status],
    ...(await Promise.all(
      Object.entries(bodies).map(async ([below, body]): Promise<[string, number]> => {
        const { status } = await scene.send(`${path}/${below}`, { body });
        return [below, status];
      }),
    )),
  ];
}

/** Another text of a signature that a lenient decoder reads as the same bytes: of its last sign only four bits count. */
function sameBytes(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  const signs = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
  const others = signs.map((sign) => signature.slice(0, -1) + sign).filter((text) => text !== signature);
  const same = others.find((text) => Buffer.from(text, 'base64url').equals(bytes));
  if (same === undefined) throw new Error('every text of a signature is one of a kind');
  return same;
}

const swapCase = (text: string): string =>
  [...text].map((sign) => (sign === sign.toUpperCase() ? sign.toLowerCase() : sign.toUpperCase())).join('');

describe('a link that was not made here opens, tells and changes nothing', () => {
  const wrong: [what: string, path: (one: CreatedCheckoutSession, other: CreatedCheckoutSession) => string][] = [
    ['the signature of another session', (one, other) => `/checkout/${one.id}/${partsOf(other).signature}`],
    ['the signature of its invoice', (one) => `/checkout/${one.id}/${linkOf('payment', one.invoice).signature}`],
    ['its own on its invoice', (one) => `/pay/${one.invoice}/${partsOf(one).signature}`],
    ['its own on itself as an invoice', (one) => `/pay/${one.id}/${partsOf(one).signature}`],
    ['its own on its invoice as a session', (one) => `/checkout/${one.invoice}/${partsOf(one).signature}`],
    ['its invoice as a session', (one) => `/checkout/${one.invoice}/${linkOf('payment', one.invoice).signature}`],
    [
      'one for another card of its subscription',
      (one) => `/checkout/${one.id}/${linkOf('updatePayment', one.id).signature}`,
    ],
    ['one for an invoice of its id', (one) => `/checkout/${one.id}/${linkOf('payment', one.id).signature}`],
    ['a signature without its last sign', (one) => pathOf(one).slice(0, -1)],
    ['a signature without its first sign', (one) => `/checkout/${one.id}/${partsOf(one).signature.slice(1)}`],
    ['a signature with one more sign', (one) => `${pathOf(one)}A`],
    ['a padded signature', (one) => `${pathOf(one)}=`],
    ['a signature in other case', (one) => `/checkout/${one.id}/${swapCase(partsOf(one).signature)}`],
    ['another text of the same bytes', (one) => `/checkout/${one.id}/${sameBytes(partsOf(one).signature)}`],
    ['the id in other case', (one) => `/checkout/${one.id.toUpperCase()}/${partsOf(one).signature}`],
    ['no signature of signs', (one) => `/checkout/${one.id}/%00`],
    ['a session of nothing', () => '/checkout/cs_01kaj4w2n8e9r7t5v3x1z0q6d4/AAAA'],
  ];

  const linkOf = (kind: 'payment' | 'updatePayment', id: string | null) =>
    partsOf({ url: scene.deps.links[kind]({ id: id ?? '', liveMode: false }) });

  test.each(wrong)('%s', async (_, path) => {
    const sessions = [await scene.create(), await scene.create({ mode: 'subscription' })] as const;
    const [one, other] = sessions;
    const tried = path(one, other);
    expect([pathOf(one), pathOf(other)]).not.toContain(tried);
    const asked = await askAll(tried);
    expect(asked.filter(([, status]) => status !== 404)).toEqual([]);
    for (const session of sessions) await scene.expectUntouched(session);
  });

  test('whatever its path plays', async () => {
    const [one, other] = [await scene.create(), await scene.create()];
    const { id, signature } = partsOf(one);
    const tricks = [
      `/checkout/${id}/${signature}/`,
      `/checkout//${id}/${signature}`,
      `//checkout/${id}/${signature}`,
      `/checkout/${other.id}/../${id}/${signature}`,
      `/checkout/${other.id}%2f..%2f${id}/${signature}`,
      `/checkout/${id}%00/${signature}`,
      `/checkout/${id};${other.id}/${signature}`,
      `/checkout/${other.id}/${signature}?session=${id}`,
      `/checkout/${id}/${signature}/../../${other.id}/${signature}`,
      `/CHECKOUT/${id}/${signature}`,
      `/checkout/${id}/${signature}/STATE`,
      `/checkout/${id}/${signature}/state/`,
      `/checkout/${id}/${signature}%2fstate`,
      `/pay/../checkout/${id}/${signature}`,
    ];
    for (const path of tricks) expect([path, await statusOf(path)]).toEqual([path, 404]);
    expect(await statusOf(pathOf(one))).toBe(200);
  });

  /** Sends a path as it stands: `fetch` would tidy it up. */
  const statusOf = (path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(scene.api.baseUrl);
      rawRequest({ hostname, port, path }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });

  test('however many are tried: none of 1,000 costs the database a statement', async () => {
    const session = await scene.create();
    const { signature } = partsOf(session);
    const { pool } = scene.deps;
    const [queries, connections] = [vi.spyOn(pool, 'query'), vi.spyOn(pool, 'connect')];
    onTestFinished(() => {
      queries.mockRestore();
      connections.mockRestore();
    });
    // What wakes the worker for the session above is a text, and a process tells of its keys, reads the clock and proves a write
    // now and then; the pool connects by a callback, a transaction without one.
    const ofProcess: unknown[] = ['tell_ring', 'read_clock', 'write_proof'];
    const isOfRequest = (query: unknown) =>
      typeof query === 'object' && query !== null && !('name' in query && ofProcess.includes(query.name));
    const asked = () => ({
      statements: queries.mock.calls.filter(([query]) => isOfRequest(query)).length,
      transactions: connections.mock.calls.filter(([callback]) => callback === undefined).length,
    });
    const statuses = new Map<number, number>();
    const guess = async (nth: number): Promise<void> => {
      const guessed = Buffer.from(signature, 'base64url');
      guessed.writeUInt32BE(nth, 0);
      const path = `/checkout/${session.id}/${guessed.toString('base64url')}`;
      const { status } =
        nth % 2 === 0 ? await fetch(scene.api.baseUrl + path) : await scene.send(`${path}/card`, { body: cardOf() });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };
    for (let nth = 0; nth < 1_000; nth += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => guess(nth + index)));
    }
    expect([...statuses]).toEqual([[404, 1_000]]);
    expect(asked()).toEqual({ statements: 0, transactions: 0 });
    await scene.send(`${pathOf(session)}/pix`);
    expect(asked()).toEqual({
      statements: expect.toSatisfy((count: number) => count > 0),
      transactions: expect.toSatisfy((count: number) => count > 0),
    });
  });
});
