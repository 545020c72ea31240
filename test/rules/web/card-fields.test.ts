import { describe, expect, test } from 'vitest';
import {
  brandOf,
  type CardValues,
  caretAfter,
  errorsAt,
  errorsOf,
  masked,
  NO_VALUES,
  OWN,
  requestOf,
  valuesFor,
} from '../../../web/page/card-fields.ts';
import { pt } from '../../../web/page/texts/pt.ts';

const filled: CardValues = {
  ...NO_VALUES,
  number: '4242 4242 4242 4242',
  name: ' MARIA DA SILVA ',
  expiry: '12/40',
  cvc: '123',
  document: '529.982.247-25',
};

describe('a text takes the form of its field', () => {
  test.each([
    ['number', '4242424242424242', '4242 4242 4242 4242'],
    ['number', '4242-4242.4242 4242', '4242 4242 4242 4242'],
    ['number', '378282246310005', '3782 822463 10005'],
    ['number', 'abc', ''],
    ['expiry', '1240', '12/40'],
    ['expiry', '12/2040', '12/40'],
    ['expiry', '12 / 2040', '12/40'],
    ['expiry', '1', '1'],
    ['cvc', '12a3', '123'],
    ['document', '52998224725', '529.982.247-25'],
    ['postalCode', '01304001', '01304-001'],
    ['state', 's1p', 'SP'],
    ['name', 'João d’Ávila', 'João d’Ávila'],
  ] as const)('%s: %s becomes "%s"', (field, typed, shown) => {
    expect(masked(field, typed)).toBe(shown);
  });
});

test.each([
  ['4', null],
  ['4242', 'visa'],
  ['5555 55', 'mastercard'],
  ['3782', 'amex'],
  ['6062 82', 'hipercard'],
  ['5067 7667 8388 8311', 'elo'],
  ['', null],
] as const)('the brand of "%s" is %s', (number, brand) => {
  expect(brandOf(number)).toBe(brand);
});

const words = pt.card.errors;

describe('errors are told', () => {
  test('of no document where the holder is the buyer, whom the service knows', () => {
    const own = { ...filled, document: '', ownsDocument: OWN };
    expect(errorsOf(own, words)).toEqual({});
    expect(requestOf(own, null).billing_details).toEqual({ name: filled.name.trim(), address: null });
    expect(valuesFor({ name: 'Ana', identifier: '52998224725' }, '•••.982.247-••')).toMatchObject({
      ...{ name: 'Ana', document: '', ownsDocument: OWN },
    });
  });

  test('of none in a form that is right', () => {
    expect(errorsOf(filled, words)).toEqual({});
  });

  test('of each field of an empty form, in its order', () => {
    expect(Object.keys(errorsOf(NO_VALUES, words))).toEqual(['number', 'name', 'expiry', 'cvc', 'document']);
  });

  test.each([
    ['number', '4242 4242 4242 4241'],
    ['number', '4242'],
    ['name', 'Jo'],
    ['expiry', '13/40'],
    ['expiry', '00/40'],
    ['expiry', '1/40'],
    ['cvc', '12'],
    ['cvc', '1234'],
    ['document', '529.982.247-24'],
    ['document', '111.111.111-11'],
    ['document', '11.222.333/0001-81'],
    ['postalCode', '0130'],
    ['state', 'S'],
  ] as const)('of %s: "%s"', (field, value) => {
    expect(Object.keys(errorsOf({ ...filled, [field]: value }, words))).toEqual([field]);
  });

  test('where the service found them', () => {
    const told = errorsAt(['card.number', 'card.exp_year', 'billing_details.address.postal_code', 'else.where'], words);
    expect(Object.keys(told)).toEqual(['number', 'expiry', 'postalCode']);
  });
});

describe('what is sent', () => {
  test('is what the service takes', () => {
    expect(requestOf({ ...filled, installments: '3' }, 9990)).toEqual({
      installments: 3,
      expected_total: 9990,
      card: { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' },
      billing_details: { name: 'MARIA DA SILVA', document: '52998224725', address: null },
    });
  });

  test('has an address as soon as a part of it is filled in', () => {
    expect(requestOf({ ...filled, city: 'São Paulo', state: 'SP' }, null)).toMatchObject({
      billing_details: { address: { city: 'São Paulo', state: 'SP', street: null, postal_code: null } },
    });
  });
});

test.each([
  ['4242 4242', 4, 4],
  ['4242 4242', 5, 6],
  ['4242 4242', 0, 0],
  ['12/40', 2, 2],
  ['12/40', 3, 4],
  ['12', 5, 2],
] as const)('in "%s" the caret behind %i signs stands at %i', (text, signs, at) => {
  expect(caretAfter(text, signs)).toBe(at);
});
