import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { soughtWords, wordsOf } from '../../server/customers/words.ts';

const isFound = (customer: Parameters<typeof wordsOf>[0], query: string): boolean => {
  const words = wordsOf(customer);
  const sought = soughtWords(query);
  return sought.length > 0 && sought.every((word) => words.has(word));
};

const maria = {
  name: 'Maria Antônia de Sá Figueiredo-Conceição',
  email: 'm.antonia2027@padaria-do-bairro.com.br',
  identifier: '52998224725',
  phone: '+5511987654321',
};

test('a name has its words and their beginnings of 3 to 12 letters, without case and accents', () => {
  expect([...wordsOf({ name: 'José D’Ávila da Xu' })].sort()).toEqual(
    ['jos', 'jose', 'd', 'avi', 'avil', 'avila', 'da', 'xu'].sort(),
  );
  expect([...wordsOf({ name: 'Wanderlicleidson' })]).toEqual(
    [3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((letters) => 'wanderlicleidson'.slice(0, letters)),
  );
  expect([...wordsOf({ name: '🦜' })]).toEqual([]);
});

test('a CPF, a CNPJ and a phone number have their beginnings from six digits on', () => {
  const numbers = (customer: object): string[] => [...wordsOf({ name: '', ...customer })];
  expect(numbers({ identifier: '52998224725' })).toEqual([
    '529982',
    '5299822',
    '52998224',
    '529982247',
    '5299822472',
    '52998224725',
  ]);
  expect(numbers({ identifier: '12ABC34501DE35' }).slice(0, 2)).toEqual(['12abc3', '12abc34']);
  expect(numbers({ phone: '+552123456789' })).toEqual(['212345', '2123456', '21234567', '212345678', '2123456789']);
  expect(numbers({ phone: '+12125550123' })[0]).toBe('121255');
});

describe('a customer is found', () => {
  test.each([
    'maria',
    'MARIA',
    'Mar',
    'antonia',
    'ANTÔNIA',
    'figueiredo conceicao',
    'Conceição, Maria',
    'maria de sa f',
    'antonia2027',
    'padaria',
    'm.antonia2027@padaria-do-bairro.com.br',
    'm.antonia2027@pad',
    'maria bairro',
    '529.982',
    '529982',
    '529.982.247-25',
    '52998224725',
    '(11) 98765',
    '11 98765-4321',
    '+55 11 98765-4321',
    '+5511987654321',
    '5511987654321',
    '551198765432',
  ])('by %s', (query) => {
    expect(isFound(maria, query)).toBe(true);
  });

  test.each([
    ['12.ABC.345/01DE-35', '12ABC34501DE35'],
    ['12.abc.3', '12ABC34501DE35'],
    ['12abc345', '12ABC34501DE35'],
    ['12abc34501de35', '12ABC34501DE35'],
    ['00.000.000/0001-91', '00000000000191'],
  ])('by %s as its CNPJ', (query, identifier) => {
    expect(isFound({ name: 'Loja', identifier }, query)).toBe(true);
  });

  test('by the number of a phone whose area code is that of the country', () => {
    expect(isFound({ name: 'Ana', phone: '+5555991234567' }, '55 99123-4567')).toBe(true);
    expect(isFound({ name: 'Ana', phone: '+351912345678' }, '+351 912 345')).toBe(true);
  });

  test('by a name that is all short words', () => {
    expect(isFound({ name: 'Xu Li' }, 'xu li')).toBe(true);
    expect(isFound({ name: 'Xu Li' }, 'xu wu')).toBe(false);
  });
});

test.each(['mario', 'maria souza', 'ari', '299822', '52998', '52999', '••••', '🦜🦜🦜', 'ma', '_'])(
  'and not by %s',
  (query) => {
    expect(isFound(maria, query)).toBe(false);
  },
);

test('of many words the six longest are looked for', () => {
  expect(soughtWords('um dois tres quatro cinco dezesseis dezessete dezoito dezenove')).toEqual([
    'dezesseis',
    'dezessete',
    'dezenove',
    'dezoito',
    'quatro',
    'cinco',
  ]);
});

test('whatever a name is, each of its words finds it, and so does its beginning', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), fc.nat(), (name, at) => {
      const words = soughtWords(name);
      expect(words.every((word) => wordsOf({ name }).has(word)) || /^\+?[\d\s./()-]+$|\./.test(name)).toBe(true);
      const word = words[at % Math.max(1, words.length)] ?? '';
      const beginning = [...word].slice(0, 3).join('');
      if ([...word].length >= 3 && [...name].every((letter) => !/\d|\./.test(letter)))
        expect(wordsOf({ name }).has(beginning)).toBe(true);
    }),
  );
});
