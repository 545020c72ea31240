import { expect, test } from 'vitest';
import { soughtIn } from '../../server/search/rules.ts';

test.each<[string, number | null]>([
  ['99,90', 9_990],
  ['R$ 99,90', 9_990],
  ['r$99,90', 9_990],
  ['R$ 1.234,56', 123_456],
  ['1.234.567,89', 123_456_789],
  ['1234,56', 123_456],
  ['99.90', 9_990],
  ['1.234', 123_400],
  ['100', 10_000],
  ['R$ 0,01', 1],
  ['99,9', null],
  ['1.23,45', null],
  ['12.34.56', null],
  ['-99,90', null],
  ['R$', null],
  ['99,90 reais', null],
  ['maria', null],
  ['9'.repeat(20), null],
])('%s is an amount of %s cents', (text, cents) => {
  expect(soughtIn(text).amount).toBe(cents);
});

test.each<[string, string | null]>([
  ['4242', '4242'],
  ['•4242', '4242'],
  ['•••• 4242', '4242'],
  ['**** **** **** 4242', '4242'],
  ['xxxx4242', '4242'],
  ['...4242', '4242'],
  ['424', null],
  ['42424', null],
  ['1 4242', null],
  ['maria 4242', null],
])('%s are the last digits %s of a card', (text, last4) => {
  expect(soughtIn(text).last4).toBe(last4);
});

test('an e-mail address is told as it is stored, and what begins like one is none', () => {
  expect(soughtIn('Maria@Padária.com.br').email).toBe('Maria@xn--padria-rta.com.br');
  expect(soughtIn('maria@').email).toBeNull();
});

test.each([
  ['maria', true],
  ['529.982', true],
  ['52998224725', true],
  ['4242', true],
  ['99,90', false],
  ['R$ 1234', false],
])('whether %s has words of a customer: %s', (text, hasWords) => {
  expect(soughtIn(text).hasWords).toBe(hasWords);
});
