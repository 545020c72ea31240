import { describe, expect, test } from 'vitest';
import { errorCatalog } from '../../../contract/errors.ts';
import { errorSentences } from '../../../dashboard/texts/errors.ts';
import { amountText, centsOf, maskedTaxId, phoneNumber, taxId } from '../../../dashboard/texts/numbers.ts';

/** Nobody who is signed in sees these: the dashboard has no key, and sends JSON. */
const NEVER_SHOWN = ['API_KEY_MISSING', 'API_KEY_INVALID', 'API_KEY_EXPIRED', 'UNSUPPORTED_MEDIA_TYPE'];

describe.each(['pt', 'en'] as const)('in %s', (language) => {
  test('every refusal of the API is a sentence', () => {
    const sentences = errorSentences[language];
    const codes = Object.keys(errorCatalog).filter((code) => !NEVER_SHOWN.includes(code));
    expect(codes.filter((code) => sentences[code] === undefined)).toEqual([]);
    for (const sentence of Object.values(sentences)) expect(sentence).toMatch(/^[A-ZÀ-Ü].*\.$/);
  });
});

test('both languages have the same codes', () => {
  expect(Object.keys(errorSentences.en).sort()).toEqual(Object.keys(errorSentences.pt).sort());
});

test.each([
  ['99,90', 9_990],
  ['R$ 40', 4_000],
  ['1.234,5', 123_450],
  ['1.234.567,89', 123_456_789],
  ['0,01', 1],
  ['12.50', 1_250],
  ['', null],
  ['1,234,5', null],
  ['-3', null],
  ['12,345', null],
  ['abc', null],
])('an amount written %j is %j cents', (text, cents) => {
  expect(centsOf(text)).toBe(cents);
});

test('an amount is written back as it is read', () => {
  for (const cents of [0, 1, 99, 100, 9_990, 123_456_789]) expect(centsOf(amountText(cents))).toBe(cents);
});

test('a CPF and a CNPJ are written with their points, and masked to what tells two apart', () => {
  expect(taxId('52998224725')).toBe('529.982.247-25');
  expect(maskedTaxId('52998224725')).toBe('•••.982.247-••');
  expect(taxId('12ABC34501DE35')).toBe('12.ABC.345/01DE-35');
  expect(maskedTaxId('12ABC34501DE35')).toBe('••.•••.345/01DE-35');
});

test('a phone of Brazil is written as people there write it', () => {
  expect(phoneNumber('+5511987654321')).toBe('(11) 98765-4321');
  expect(phoneNumber('+551133334444')).toBe('(11) 3333-4444');
  expect(phoneNumber('+14155550123')).toBe('+14155550123');
});
