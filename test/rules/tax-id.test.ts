import { cnpj, cpf } from 'cpf-cnpj-validator';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalizeTaxId } from '../../server/customers/tax-id.ts';

const DIGITS = '0123456789';
const ALPHANUMERICS = `${DIGITS}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** The check digits by the tax office's definition: weights 2 to `weightMax` from the right, modulo 11. */
function withCheckDigits(base: string, weightMax: number): string {
  let text = base;
  for (let round = 0; round < 2; round++) {
    const sum = [...text].reverse().reduce((total, character, i) => {
      return total + (character.charCodeAt(0) - 48) * (2 + (i % (weightMax - 1)));
    }, 0);
    text += sum % 11 < 2 ? 0 : 11 - (sum % 11);
  }
  return text;
}

const base = (length: number, alphabet: string) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length });
const validCpf = base(9, DIGITS)
  .filter((digits) => !/^(.)\1*$/.test(digits))
  .map((digits) => withCheckDigits(digits, 11));
const validCnpj = base(12, ALPHANUMERICS)
  .filter((characters) => characters !== '000000000000')
  .map((characters) => withCheckDigits(characters, 9));
const maskCpf = (value: string) => value.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4');
const maskCnpj = (value: string) => value.replace(/(..)(...)(...)(....)(..)/, '$1.$2.$3/$4-$5');

describe('a tax id', () => {
  test.each([
    ['12ABC34501DE35', 'cnpj', '12ABC34501DE35'],
    ['00000000E08G12', 'cnpj', '00000000E08G12'],
    ['00000000000191', 'cnpj', '00000000000191'],
    ['12.ABC.345/01DE-35', 'cnpj', '12ABC34501DE35'],
    ['12.abc.345/01de-35', 'cnpj', '12ABC34501DE35'],
    ['12abc34501de35', 'cnpj', '12ABC34501DE35'],
    ['12.ABC.345/01DE35', 'cnpj', '12ABC34501DE35'],
    ['529.982.247-25', 'cpf', '52998224725'],
    ['52998224725', 'cpf', '52998224725'],
    ['529 982 247 25', 'cpf', '52998224725'],
    [' 529982247-25\n', 'cpf', '52998224725'],
    ['123.456.789-09', 'cpf', '12345678909'],
    ['00000000191', 'cpf', '00000000191'],
  ])('%j is the %s %s', (input, kind, value) => {
    expect(normalizeTaxId(input)).toEqual({ kind, value });
  });

  test.each([
    ['52998224726', /check digits/],
    ['52998224735', /check digits/],
    ['12ABC34501DE36', /check digits/],
    ['12ABC34501DE25', /check digits/],
    ['00000000000000', /equal/],
    ['12ABC34501DEA5', /12 letters or digits and 2 digits/],
    ['5299822472', /10 came/],
    ['529982247255', /12 came/],
    ['12ABC34501DE355', /15 came/],
    ['A2998224725', /11 came/],
    ['', /must be a CPF or CNPJ/],
    ['   ', /must be a CPF or CNPJ/],
    ['abc529.982.247-25', /check digits/], // of the length of a CNPJ
    ['abcd529.982.247-25', /15 came/],
    ['529..982.247-25', /punctuation/],
    ['-52998224725', /punctuation/],
    ['52998224725-', /punctuation/],
    ['529_982_247_25', /punctuation/],
    ['529\n982\n247\n25', /punctuation/],
    ['５２９９８２２４７２５', /punctuation/],
    ['52998224725\u0000', /punctuation/],
    [`52998224725${' '.repeat(40)}1`, /punctuation/],
  ])('%j is refused', (input, problem) => {
    expect(normalizeTaxId(input)).toEqual({ problem: expect.stringMatching(problem) });
  });

  test.each([...DIGITS])('of the digit %s alone is no CPF', (digit) => {
    expect(normalizeTaxId(digit.repeat(11))).toEqual({ problem: 'is not a CPF: all its digits are equal' });
  });

  test('with right check digits is accepted in each of its forms', () => {
    fc.assert(
      fc.property(validCpf, (value) => {
        for (const form of [value, maskCpf(value)]) expect(normalizeTaxId(form)).toEqual({ kind: 'cpf', value });
      }),
    );
    fc.assert(
      fc.property(validCnpj, (value) => {
        for (const form of [value, maskCnpj(value), value.toLowerCase(), maskCnpj(value).toLowerCase()]) {
          expect(normalizeTaxId(form)).toEqual({ kind: 'cnpj', value });
        }
      }),
    );
  });

  test('with one changed check digit is refused', () => {
    const change = fc.record({ at: fc.constantFrom(1, 2), by: fc.integer({ min: 1, max: 9 }) });
    fc.assert(
      fc.property(fc.oneof(validCpf, validCnpj), change, (value, { at, by }) => {
        const position = value.length - at;
        const digit = (Number(value[position]) + by) % 10;
        const wrong = value.slice(0, position) + digit + value.slice(position + 1);
        expect(normalizeTaxId(wrong)).toHaveProperty('problem');
      }),
    );
  });

  test('read once stays the same when read again', () => {
    fc.assert(
      fc.property(fc.oneof(validCpf, validCnpj, fc.string({ maxLength: 20 })), (input) => {
        const reading = normalizeTaxId(input);
        if ('value' in reading) expect(normalizeTaxId(reading.value)).toEqual(reading);
      }),
    );
  });
});

describe('the library is not asked for a verdict, because it', () => {
  test('refuses a CPF with right check digits', () => {
    expect(cpf.isValid('12345678909')).toBe(false);
  });

  test('takes a CPF with rubbish around it', () => {
    expect(cpf.isValid('abc529.982.247-25')).toBe(true);
  });

  test('takes letters outside ASCII that upper-case into it', () => {
    const withS = withCheckDigits('S2ABC34501DE', 9);
    const withLongS = withS.replace('S', 'ſ');
    expect(cnpj.isValid(withLongS)).toBe(true);
    expect(normalizeTaxId(withS)).toHaveProperty('value', withS);
    expect(normalizeTaxId(withLongS)).toHaveProperty('problem');
  });
});
