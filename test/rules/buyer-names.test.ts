import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasAddress, looksLikeName } from '../../server/customers/name.ts';

test.each([
  ['Maria da Silva', true],
  ["Ana d'Ávila", true],
  ['João d’Oliveira-Souza', true],
  ['Dr. J. R. Lima', true],
  ['Comércio de Pães S.A.', true],
  ['Лев Толстой', true],
  ['山田 太郎', true],
  ['محمد علي', true],
  ['नेहा शर्मा', true],
  ['Ângela Sá', true],
  ['M'.repeat(60), true],
  ['😀'.repeat(3), false],
  ['M'.repeat(61), false],
  ['Ganhou R$ 500', false],
  ['ligue 11987654321', false],
  ['Acesse evil.com', false],
  ['www evil', false],
  ['evil。com', false],
  ['a@b', false],
  ['Maria <b>', false],
  ['Maria & Filhos', false],
  ['Maria\u202eavliS', false],
  ["- .'", false],
  ['', false],
])('%j may stand in a letter: %s', (text, expected) => {
  expect(looksLikeName(text)).toBe(expected);
});

test.each([
  ['evil.com', true],
  ['Ganhe em EVIL.COM agora', true],
  ['www.evil', true],
  ['https://evil', true],
  ['bit.ly/x', true],
  ['xn--vil-6ya.com', true],
  ['évil.com', true],
  ['Dr.Silva', true],
  ['Dr. Silva', false],
  ['S.A.', false],
  ['J.R.R. Tolkien', false],
  ['Loja 3.5', false],
  ['Padaria 24 Horas & Cia. Ltda.', false],
])('%j has the address of a site in it: %s', (text, expected) => {
  expect(hasAddress(text)).toBe(expected);
});

describe('whatever the text', () => {
  const parts = fc.constantFrom(
    'a',
    'É',
    '語',
    '.',
    ' ',
    '-',
    "'",
    'www',
    'com',
    '://',
    '@',
    '1',
    '\u200b',
    '<',
    '．',
    '。',
    '/',
  );
  test('what may stand in a letter has nothing that a program makes a link of', () => {
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (chosen) => {
        const text = chosen.join('');
        if (!looksLikeName(text)) return;
        expect(text).not.toMatch(/[\p{L}\p{N}]\.[\p{L}]{2}|:\/\/|@|\bwww\.|[\p{N}\p{C}<>&/．。]/u);
      }),
    );
  });
});
