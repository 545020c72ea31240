import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newInvoice } from '../../support/factories.ts';
import { sessionBody } from '../checkout/session-scene.ts';

let api: TestApi;
let merchant: Merchant;
let draft: string;

beforeAll(async () => {
  api = await startApi();
  merchant = await api.newMerchant();
  draft = (await newInvoice(merchant, { draft: true })).id;
});
afterAll(() => api.stop());

async function ask(method: string, path: string, body?: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${api.baseUrl}/api/v1${path}`, {
    method,
    headers: { Authorization: `ApiKey ${merchant.sandboxKey}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** A number as a fraction in lowest powers of ten, of whatever length it was written in. */
function exactly(literal: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] = /^(-?)(\d+)\.?(\d*)(?:[eE](.+))?$/.exec(literal) ?? [];
  let [value, exponent] = [BigInt(whole + fraction), Number(power) - fraction.length];
  if (value === 0n) return '0';
  for (; value % 10n === 0n; exponent += 1) value /= 10n;
  return `${sign}${value}e${exponent}`;
}

type Reviver = (name: string, value: unknown, context: { source: string }) => unknown;
const exactNumbers: Reviver = (_, value, { source }) =>
  typeof value === 'number' ? `number ${exactly(source)}` : value;

/** What a JSON text says, its numbers in their exact values. */
const read = (text: string): unknown =>
  // The types of TypeScript do not know the source of a value yet.
  JSON.parse(text, exactNumbers as (name: string, value: unknown) => unknown);

const metadataIn = (text: string): unknown => (read(text) as { metadata: unknown }).metadata;
const paramsIn = (text: string): string[] =>
  (JSON.parse(text) as { error: { errors: { param: string }[] } }).error.errors.map(({ param }) => param);

const digits = fc.stringMatching(/^(0|[1-9]\d{0,24})$/);
const literals = fc.oneof(
  digits,
  fc.tuple(digits, fc.stringMatching(/^\d{1,25}$/)).map((parts) => parts.join('.')),
  fc.tuple(digits, fc.integer({ min: -420, max: 420 })).map((parts) => parts.join('e')),
  fc.tuple(digits, fc.stringMatching(/^\d{1,9}$/), fc.nat(30)).map(([a, b, c]) => `${a}.${b}E+${c}`),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value).replace('-', '')),
);
const numbers = fc.tuple(fc.constantFrom('', '-'), literals).map((parts) => parts.join(''));
const names = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'length', 'toJSON', '', '1', 'a.b', '😀'),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);

/** Texts of JSON, for no value of JavaScript says how a number was written. */
const json = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    numbers,
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    fc.constantFrom('null', 'true', 'false'),
    fc.array(tie('value'), { maxLength: 3 }).map((parts) => `[${parts.join(',')}]`),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(names, tie('value')), { selector: ([name]) => name, maxLength: 4 })
    .map((fields) => `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
}));
const metadata = fc.array(json.object, { maxLength: 3 }).map((objects) => `[${objects.join(',')}]`);

test('metadata are returned with every key and in the same values, or refused', async () => {
  let kept = 0;
  await fc.assert(
    fc.asyncProperty(metadata, async (sent) => {
      const { status, text } = await ask('PATCH', `/invoices/${draft}`, `{"invoice":{"metadata":${sent}}}`);
      if (status === 400) {
        for (const param of paramsIn(text)) expect(param).toMatch(/^invoice\.metadata\[\d+\]/);
        return;
      }
      kept += 1;
      expect(metadataIn(text)).toEqual(read(sent));
      expect(metadataIn((await ask('GET', `/invoices/${draft}`)).text)).toEqual(read(sent));
    }),
    { numRuns: 150 },
  );
  expect(kept).toBeGreaterThan(20);
});

describe('a number comes back in its value:', () => {
  const cases: [literal: string, answered: string | null][] = [
    ['1.50', '1.5'],
    ['0.1', '0.1'],
    ['-0', '0'],
    ['0e99', '0'],
    ['1e21', '1e+21'],
    ['100000000000000000000', '100000000000000000000'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740992', '9007199254740992'],
    ['5e-324', '5e-324'],
    [`1.${'0'.repeat(400)}`, '1'],
    [`1${'0'.repeat(300)}`, '1e+300'],
    ['9007199254740993', null],
    ['12345678901234567890', null],
    ['0.10000000000000000001', null],
    ['3.14159265358979323846', null],
    ['1e400', null],
    ['-1e400', null],
    ['1e-400', null],
    ['1e99999999999999999999', null],
  ];
  test.each(cases)('%s: %s', async (literal, answered) => {
    const { status, text } = await ask('PATCH', `/invoices/${draft}`, `{"invoice":{"metadata":[{"a":[${literal}]}]}}`);
    if (answered !== null) return expect([status, text]).toEqual([200, expect.stringContaining(`{"a":[${answered}]}`)]);
    return expect([status, paramsIn(text)]).toEqual([400, ['invoice.metadata[0].a[0]']]);
  });
});

test('a name that no object can keep is refused at any depth, and no other', async () => {
  const sent = '{"constructor":{"prototype":1},"a":[{"__proto__":{"b":1}}],"__proto__":null}';
  const { text } = await ask('PATCH', `/invoices/${draft}`, `{"invoice":{"metadata":[{"c":1},${sent}]}}`);
  expect(paramsIn(text)).toEqual(['invoice.metadata[1].a[0].__proto__', 'invoice.metadata[1].__proto__']);
});

test('an invoice and a session are created with what is kept, and with nothing else', async () => {
  const session = await sessionBody(merchant);
  const { customer_id, line_items } = session;
  const ways: [path: string, root: string, body: object][] = [
    ['/invoices', 'invoice', { customer_id, line_items }],
    ['/checkout/sessions', 'session', session],
  ];
  for (const [path, root, body] of ways) {
    const create = (sent: string) =>
      ask(
        'POST',
        path,
        JSON.stringify({ [root]: { ...body, metadata: 0 } }).replace('"metadata":0', `"metadata":${sent}`),
      );
    const refused = await create('[{"a":9007199254740993}]');
    expect([refused.status, paramsIn(refused.text)]).toEqual([400, [`${root}.metadata[0].a`]]);
    const created = await create('[{"b":1.50,"a":{"constructor":2}}]');
    expect([created.status, created.text]).toEqual([201, expect.stringContaining('[{"b":1.5,"a":{"constructor":2}}]')]);
  }
});

test('an amount is what was written, not what it is rounded to', async () => {
  const body =
    '{"price":{"product_id":"prod_01kaj4w2n8e9r7t5v3x1z0q6d4","type":"one_time","unit_amount":100.00000000000000001}}';
  const { status, text } = await ask('POST', '/prices', body);
  expect([status, paramsIn(text)]).toEqual([400, ['price.unit_amount']]);
});
