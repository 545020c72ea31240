import fc from 'fast-check';
import { expect, test } from 'vitest';
import { excessOf } from '../../server/http/json-text.ts';

const LEVELS_MAX = 32;
const FIELDS_MAX = 2_000;
const VALUES_MAX = 5_000;

const partsOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];
const levelsOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...partsOf(value).map(levelsOf)) : 0;
const fieldsOf = (value: unknown): number =>
  partsOf(value).reduce((sum: number, part) => sum + fieldsOf(part), Array.isArray(value) ? 0 : partsOf(value).length);
const valuesOf = (value: unknown): number => partsOf(value).reduce((sum: number, part) => sum + 1 + valuesOf(part), 0);

const excess = (text: string) => excessOf(Buffer.from(text));

/** What has meaning in JSON, where it has none. */
const texts = fc.constantFrom(
  '',
  'a',
  '"',
  '\\',
  '\\"',
  ',',
  '{',
  '}]',
  '[[',
  '{"a":[1,2]}',
  'ação',
  '😀',
  '\u0000',
  '\n',
);
const small = fc.letrec((of) => ({
  value: fc.oneof({ depthSize: 'small' }, texts, fc.integer(), fc.constant(null), of('list'), of('object')),
  list: fc.array(of('value'), { maxLength: 4 }),
  object: fc.dictionary(texts, of('value'), { maxKeys: 4 }),
})).value;

const numbered = (count: number) => Array.from({ length: count }, (_, nth) => [`k${nth}`, nth]);

test.each([
  ['entries', 'values', VALUES_MAX, valuesOf, (count: number) => Array.from({ length: count }, () => 0)],
  ['fields', 'fields', FIELDS_MAX, fieldsOf, (count: number) => [Object.fromEntries(numbered(count))]],
] as const)(
  'counts the %s of any JSON as its parsed value has them, however it is written',
  (_, excessive, most, countOf, fill) => {
    fc.assert(
      fc.property(
        fc.array(small, { maxLength: 30 }),
        fc.integer({ min: -3, max: 3 }),
        fc.constantFrom(0, 1, '\t'),
        (list, beyond, indent) => {
          const filled = [...list, ...fill(most + beyond - countOf(list))];
          const isDeep = levelsOf(filled) > LEVELS_MAX;
          const expected = isDeep ? 'levels' : beyond > 0 ? excessive : null;
          expect(excess(JSON.stringify(filled, null, indent))).toBe(expected);
        },
      ),
    );
  },
);

test.each([
  ['lists', '[', ']'],
  ['objects', '{"a":', '}'],
])('%s have so many levels and no more', (_, opening, closing) => {
  const nested = (levels: number) => `${opening.repeat(levels)}0${closing.repeat(levels)}`;
  expect(excess(nested(LEVELS_MAX))).toBeNull();
  expect(excess(nested(LEVELS_MAX + 1))).toBe('levels');
  expect(excess(`[${Array.from({ length: 50 }, () => nested(LEVELS_MAX - 1)).join()}]`)).toBeNull();
});

test('what has nothing in it has no entries', () => {
  const list = (entries: number, entry: string) => `[${Array.from({ length: entries }, () => entry).join(', ')}]`;
  for (const entry of ['{}', '[ ]', '{\n}', '""', 'null']) {
    expect(excess(list(VALUES_MAX, entry))).toBeNull();
    expect(excess(list(VALUES_MAX + 1, entry))).toBe('values');
  }
  expect(excess(list(VALUES_MAX / 2, '[0]'))).toBeNull();
  expect(excess(list(VALUES_MAX / 2 + 1, '[0]'))).toBe('values');
});

test('bytes of any kind are counted to their end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(['levels', null]).toContain(excessOf(bytes));
    }),
  );
  for (const text of ['', '"', '"\\', '{"a', '[1,', ']]]]', '\\"'.repeat(9)]) expect(excess(text)).toBeNull();
});
