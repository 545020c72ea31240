import { expect, test } from 'vitest';
import { emailMeant } from '../../../web/page/email-typo.ts';

test.each([
  ['ana@gmail.con', 'ana@gmail.com'],
  ['ana@gmial.com', 'ana@gmail.com'],
  ['ana@hotmial.com', 'ana@hotmail.com'],
  ['ana@hotmail.com.b', 'ana@hotmail.com.br'],
  ['ana@outlok.com', 'ana@outlook.com'],
  ['ana@yaho.com.br', 'ana@yahoo.com.br'],
  ['ana@uol.com.brr', 'ana@uol.com.br'],
])('%s was probably meant to be %s', (typed, meant) => {
  expect(emailMeant(typed)).toBe(meant);
});

test.each([
  'ana@gmail.com',
  'Ana@GMAIL.com',
  'ana@mail.com',
  'ana@loja.test',
  'ana@escola.com.br',
  'ana',
  '',
  'a@b@gmail.con',
])('of "%s" nothing is asked', (typed) => expect(emailMeant(typed)).toBeNull());
