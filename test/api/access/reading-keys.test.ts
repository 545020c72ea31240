import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTING_LINK } from '../../../contract/kernel.ts';
import { buildOpenApi } from '../../../contract/openapi.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { byCard } from '../../support/cards.ts';
import { type Dump, dump } from '../../support/dump.ts';
import { rollKey } from '../../support/keys.ts';
import { send } from '../requests.ts';
import { exampleOf, neededQuery, type Route, type RouteId, routes } from './routes.ts';

const PUBLIC_URL = 'http://127.0.0.1:3000';

let api: TestApi;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  shop = await api.newMerchant();
  // All that the API offers happens once, so that there is something behind every route. A clock that moves stops the rest.
  const writing = routes.filter(([id, { metadata }]) => metadata.scope === 'write' && !id.startsWith('testClock.'));
  // Meanwhile the first ones ran out.
  const fresh = routes.filter(([id]) => ['invoices.create', 'checkoutSessions.create'].includes(id));
  for (const [id] of [...writing, ...fresh]) {
    await makeRoom();
    const { status, body } = await send(api, await exampleOf(id, shop, api));
    if (status >= 300) throw new Error(`${id} was refused: ${JSON.stringify(body)}`);
  }
}, 120_000);
afterAll(() => api.stop());

/** A mode has five endpoints at most. */
async function makeRoom(): Promise<void> {
  const { webhookEndpoints } = shop.fatura;
  const [oldest, ...others] = (await webhookEndpoints.list().page()).data.toReversed();
  if (oldest !== undefined && others.length >= 2) await webhookEndpoints.delete(oldest.id);
}

const reading: [RouteId, Route][] = routes.filter(([, { metadata }]) => metadata.scope === 'read');

/** The widest answer of a route: the largest page, and all that happened. */
function pathOf([name, { path, query }]: [RouteId, Route], id = ''): string {
  const known = Object.keys((query as { shape?: object } | undefined)?.shape ?? {});
  const asked = Object.entries({
    limit: name === 'search.retrieve' ? '10' : '100',
    since: '0',
    ...neededQuery(name),
  }).filter(([one]) => known.includes(one));
  return `${path.replace('/api/v1', '').replace(/:\w+/, id)}?${new URLSearchParams(asked)}`;
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) yield* textsIn(part);
}

const found = (texts: Iterable<string>, form: RegExp): Set<string> =>
  new Set([...texts].flatMap((text) => text.match(form) ?? []));

/** All that a key is answered: every route that reads, and of those with an id in the path every object that an answer names. */
async function allAnswers(key: string): Promise<Map<RouteId, unknown[]>> {
  const answers = new Map<RouteId, unknown[]>();
  const ask = async ([name, route]: [RouteId, Route], id?: string): Promise<void> => {
    const { status, body } = await send(api, { method: 'GET', path: pathOf([name, route], id), key });
    // A preview is none of what bills nothing.
    if (![200, 404, 409].includes(status)) throw new Error(`${name} was refused: ${JSON.stringify(body)}`);
    if (status === 200) answers.set(name, [...(answers.get(name) ?? []), body]);
  };
  for (const one of reading) if (one[1].metadata.idPrefix === undefined) await ask(one);
  const named = found(textsIn([...answers.values()]), /\b[a-z]+_[0-9a-z]{26}\b/g);
  for (const one of reading) {
    const { idPrefix } = one[1].metadata;
    for (const id of named) if (id.startsWith(`${idPrefix}_`)) await ask(one, id);
  }
  return answers;
}

/** The addresses of the service in all answers to a key. */
const linksIn = (answers: Map<RouteId, unknown[]>): string[] => {
  const links = found(textsIn([...answers.values()]), /https?:\/\/[^\s"'<>\\]+/g);
  return [...links].filter((link) => link.startsWith(PUBLIC_URL)).map((link) => link.replace(PUBLIC_URL, api.baseUrl));
};

const readingKey = () => rollKey(api.operator, { accountId: shop.accountId, liveMode: false, scope: 'read', hours: 1 });

const buyer = { name: 'Ana Souza', identifier: '52998224725', email: 'ana@loja.test', phone: '11987654321' };
const { card, billing_details } = byCard();

/** What the pages of the service send to themselves. */
const posts: readonly (readonly [below: string, body: object | URLSearchParams])[] = [
  ['', new URLSearchParams()],
  ['', new URLSearchParams(buyer)],
  ['/pix', {}],
  ['/buyer', buyer],
  ['/card', { installments: 1, card, billing_details }],
  ['/simulation', {}],
];

/** Does all that a page lets its visitor do. */
async function act(page: string): Promise<void> {
  for (const [below, body] of posts) {
    const isForm = body instanceof URLSearchParams;
    const answer = await fetch(page + below, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'Sec-Fetch-Site': 'same-origin',
        'Idempotency-Key': `${page}${below}`,
        ...(isForm ? {} : { 'Content-Type': 'application/json' }),
      },
      body: isForm ? body : JSON.stringify(body),
    });
    await answer.arrayBuffer();
  }
}

/** Looks at a link and at what its page leads to, and tells the pages. */
async function visit(link: string): Promise<string[]> {
  const answer = await fetch(link);
  const markup = answer.headers.get('Content-Type')?.startsWith('text/html') ? await answer.text() : '';
  const next = [...markup.matchAll(/(?:href|action)="([^"]+)"/g)].map(([, to = '']) => new URL(to, link));
  return [link, ...next.filter(({ origin }) => origin === api.baseUrl).map(String)];
}

/** Tables whose rows differ. */
const changed = (before: Dump, after: Dump): string[] =>
  [...before].flatMap(([table, rows]) => (JSON.stringify(rows) === JSON.stringify(after.get(table)) ? [] : [table]));

const isOurs = (part: unknown): boolean => typeof part === 'string' && part.startsWith(PUBLIC_URL);

/** The same with each field null that the contract marks, wherever it stands. */
function withoutMarked(value: unknown): unknown {
  const { schemas } = buildOpenApi().components as { schemas: Record<string, { properties?: Record<string, object> }> };
  const fields = Object.values(schemas).flatMap(({ properties = {} }) => Object.entries(properties));
  const marked = new Set(fields.flatMap(([name, schema]) => (ACTING_LINK in schema ? [name] : [])));
  const text = JSON.stringify(value, (name, part) => (marked.has(name) && isOurs(part) ? null : part));
  return JSON.parse(text);
}

test('no address in what a key that may only read is answered changes anything', async () => {
  const answers = await allAnswers(await readingKey());
  expect(reading.map(([name]) => name).filter((name) => !answers.has(name))).toEqual([]);
  const links = linksIn(answers);
  expect(links.map((link) => link.replace(/^.*\//, ''))).toContain('receipt');
  const before = await dump(api.composition.deps.pool);
  const pages = new Set((await Promise.all(links.map(visit))).flat());
  expect(pages.size).toBeGreaterThan(links.length);
  for (const page of pages) await act(page);
  expect(changed(before, await dump(api.composition.deps.pool))).toEqual([]);
}, 120_000);

/** What the audit log tells of keys is not for one that may only read. */
const withoutKeys = (answers: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answers, (_, value) =>
      String(value?.action).startsWith('api_key.') ? { ...value, before: null, after: null } : value,
    ),
  );

/** A link that stands in the text of a letter is cut. */
const withCutLinks = (answers: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answers, (_, value) =>
      value?.object === 'mail'
        ? { ...value, text: value.text?.replaceAll(/(_[0-9a-z]{26}\/)[\w-]{43}/g, '$1***') ?? null }
        : value,
    ),
  );

test('such a key is else answered what one that may write is', async () => {
  const [read, written] = [await allAnswers(await readingKey()), await allAnswers(shop.sandboxKey)];
  expect(linksIn(written).length).toBeGreaterThan(linksIn(read).length);
  expect(Object.fromEntries(read)).toEqual(withCutLinks(withoutKeys(withoutMarked(Object.fromEntries(written)))));
}, 120_000);

test('each address that it is not told does change something', async () => {
  const told = linksIn(await allAnswers(await readingKey()));
  const hidden = linksIn(await allAnswers(shop.sandboxKey)).filter((link) => !told.includes(link));
  const byKind = Object.groupBy(hidden, (link) => new URL(link).pathname.split('/')[1] ?? '');
  // In this order: whoever pays the bills pays what the sessions ask for.
  const kinds = Object.entries(byKind).toSorted();
  expect(kinds.map(([kind]) => kind)).toEqual([
    'buy',
    'checkout',
    'link',
    'mail',
    'pay',
    'subscription',
    'unsubscribe',
  ]);
  for (const [kind, links = []] of kinds) {
    const before = await dump(api.composition.deps.pool);
    // The newest are those that nothing has become of yet.
    for (const link of links.toSorted().slice(-3)) await act(link);
    // A letter does nothing, but leads to pages that do.
    if (kind === 'mail') continue;
    expect(changed(before, await dump(api.composition.deps.pool)), kind).not.toEqual([]);
  }
}, 120_000);

test('what is repeated under an Idempotency-Key is repeated to keys that may write', () => {
  const repeated = routes.filter(([, { method }]) => method !== 'GET');
  expect(repeated.filter(([, { metadata }]) => metadata.scope !== 'write')).toEqual([]);
});

test('few things are shown to keys that may do everything alone', () => {
  const shown = routes.filter(([, { method, metadata }]) => method === 'GET' && metadata.scope === 'write');
  expect(shown.map(([id]) => id)).toEqual(['customers.export', 'apiKeys.retrieve', 'apiKeys.list']);
});
