import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CardBrand } from '../../../contract/payment-methods.ts';
import { brandOfCard, cardDigits, cardForms } from '../../../server/payments/card/number.ts';

const DIGITS = '0123456789';

/** The digit that completes a number by the definition: every second digit from the right doubled, a sum that ends in 0. */
function withCheckDigit(base: string): string {
  const sum = [...base].reverse().reduce((total, character, i) => {
    const doubled = Number(character) * 2;
    return total + (i % 2 === 1 ? Number(character) : doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${base}${(10 - (sum % 10)) % 10}`;
}

const numberOf = (prefix: string, length: number): string => withCheckDigit(prefix.padEnd(length - 1, '7'));

const problemOf = (number: string): string | null => cardForms.card_number(number);
const problemOfCvc = (cvc: string, number: unknown): string | null => cardForms.card_cvc(cvc, { number });

/** Where each brand begins, the lengths it has and the digits of its CVC. */
const charged: Readonly<Record<CardBrand, { prefixes: readonly string[]; lengths: readonly number[]; cvc: number }>> = {
  visa: { prefixes: ['4000', '4242', '499999'], lengths: [16, 18, 19], cvc: 3 },
  mastercard: { prefixes: ['510000', '559999', '222100', '272099'], lengths: [16], cvc: 3 },
  amex: { prefixes: ['340000', '379999'], lengths: [15], cvc: 4 },
  elo: {
    prefixes: ['401178', '438935', '457631', '506699', '506778', '509000', '627780', '636368', '650031', '655058'],
    lengths: [16],
    cvc: 3,
  },
  hipercard: { prefixes: ['606282'], lengths: [16], cvc: 3 },
};
const brands = Object.entries(charged) as [CardBrand, (typeof charged)[CardBrand]][]; // the keys of the literal above
const LENGTHS = [13, 14, 15, 16, 17, 18, 19];

const validNumber = fc
  .constantFrom(...brands.flatMap(([, { prefixes, lengths }]) => prefixes.map((prefix) => ({ prefix, lengths }))))
  .chain(({ prefix, lengths }) =>
    fc.constantFrom(...lengths).chain((length) => {
      const rest = length - prefix.length - 1;
      return fc
        .string({ unit: fc.constantFrom(...DIGITS), minLength: rest, maxLength: rest })
        .map((digits) => withCheckDigit(prefix + digits));
    }),
  );

describe("a test card's number", () => {
  test.each([
    ['4242 4242 4242 4242', 'visa'],
    ['5555 5555 5555 4444', 'mastercard'],
    ['3782 822463 10005', 'amex'],
    ['5067 7667 8388 8311', 'elo'],
    ['6062 8256 2425 4001', 'hipercard'],
    ['4000 0000 0000 0002', 'visa'],
    ['4000 0000 0000 9995', 'visa'],
    ['4000 0000 0000 0069', 'visa'],
    ['4000 0000 0000 0127', 'visa'],
    ['4000 0000 0000 9979', 'visa'],
    ['4000 0000 0000 0119', 'visa'],
    ['4000 0000 0000 0341', 'visa'],
    ['4000 0000 0000 5001', 'visa'],
    ['4000 0000 0000 4087', 'visa'],
    ['4000 0000 0000 7775', 'visa'],
    ['4000 0000 0000 0226', 'visa'],
    ['4111 1111 1111 1111', 'visa'],
  ])('%s is a valid number of %s, however it is written', (number, brand) => {
    const digits = number.replaceAll(' ', '');
    for (const written of [number, digits, number.replaceAll(' ', '-'), ` ${digits}\n`, [...digits].join('-')]) {
      expect([cardDigits(written.trim()), problemOf(written)]).toEqual([digits, null]);
    }
    expect(brandOfCard(digits)).toBe(brand);
  });
});

describe.each(brands)('a number of %s', (brand, { prefixes, lengths, cvc }) => {
  test.each(prefixes)('begins with %s', (prefix) => {
    for (const length of lengths) expect(brandOfCard(numberOf(prefix, length))).toBe(brand);
  });

  test(`has ${lengths.join(' or ')} digits`, () => {
    for (const prefix of prefixes) {
      const accepted = LENGTHS.filter((length) => problemOf(numberOf(prefix, length)) === null);
      expect(accepted, prefix).toEqual(lengths);
    }
  });

  test(`has a CVC of ${cvc} digits`, () => {
    const number = numberOf(prefixes[0] ?? '', lengths[0] ?? 0);
    const accepted = ['123', '1234'].filter((code) => problemOfCvc(code, number) === null);
    expect(accepted).toEqual(['1234'.slice(0, cvc)]);
    expect(problemOfCvc(' 12345 '.slice(0, cvc + 1), ` ${number} `)).toBeNull();
  });
});

describe('a brand that is not charged', () => {
  test.each([
    ['Diners Club', '30569309025904'],
    ['Discover', '6011111111111117'],
    ['JCB', '3530111333300000'],
    ['Maestro', '6759649826438453'],
    ['Maestro of 12 digits', numberOf('5018', 12)],
    ['UnionPay', '6250941006528599'],
    ['Hiper, which is not Hipercard', numberOf('637095', 16)],
    ['Mir', '2200000000000004'],
    ['none at all', numberOf('9', 16)],
  ])('%s is none of ours, and passes here with a right check digit alone', (_, number) => {
    expect([brandOfCard(number), problemOf(number)]).toEqual([null, null]);
    const wrong = number.slice(0, -1) + ((Number(number.at(-1)) + 1) % 10);
    expect([brandOfCard(wrong), problemOf(wrong)]).toEqual([null, expect.stringMatching(/check digit/)]);
  });

  test('leaves it open whether the CVC has 3 digits or 4', () => {
    for (const number of ['6011111111111117', '', 4242424242424242, undefined, null]) {
      expect([problemOfCvc('123', number), problemOfCvc('1234', number)]).toEqual([null, null]);
    }
  });
});

describe('where ranges meet, the most exact decides', () => {
  test.each([
    ['650923', 'elo'],
    ['506698', null],
    ['506699', 'elo'],
    ['506779', null],
    ['401177', 'visa'],
    ['401178', 'elo'],
    ['606281', null],
    ['606282', 'hipercard'],
    ['606283', null],
    ['650030', null],
    ['272099', 'mastercard'],
    ['272100', null],
  ])('%s is %s', (prefix, brand) => {
    expect(brandOfCard(numberOf(prefix, 16))).toBe(brand);
  });
});

describe('a text that is no number', () => {
  test.each(['', '-------------', '4-2-4-2-4-2-4', '0 0 0 0 0 0 0', '42424242424', 'quatro-quatro-quatro'])(
    '%j is refused',
    (text) => {
      expect(problemOf(text)).toEqual(expect.any(String));
    },
  );

  test.each(['', '4', '37', '6062', 'abcd', '4abc'])(
    '%j has no brand, or that of its beginning, and never throws',
    (text) => {
      expect(['visa', 'amex', null]).toContain(brandOfCard(text));
    },
  );
});

describe('whatever the number', () => {
  test('one changed digit makes it another brand’s or wrong', () => {
    const change = fc.record({ at: fc.nat(), by: fc.integer({ min: 1, max: 9 }) });
    fc.assert(
      fc.property(validNumber, change, (number, { at, by }) => {
        expect(problemOf(number)).toBeNull();
        const position = at % number.length;
        const digit = (Number(number[position]) + by) % 10;
        const wrong = number.slice(0, position) + digit + number.slice(position + 1);
        expect(problemOf(wrong)).toEqual(expect.any(String));
      }),
    );
  });

  test('spaces and hyphens do not count', () => {
    const separators = fc.array(fc.constantFrom('', ' ', '-'), { minLength: 19, maxLength: 19 });
    fc.assert(
      fc.property(validNumber, separators, (number, between) => {
        const written = [...number].map((digit, i) => digit + between[i]).join('');
        expect([cardDigits(written), problemOf(written)]).toEqual([number, null]);
      }),
    );
  });

  test('what is said of it repeats neither the number nor the CVC', () => {
    const digits = fc.string({ unit: fc.constantFrom(...DIGITS), minLength: 12, maxLength: 19 });
    const code = fc.string({ unit: fc.constantFrom(...DIGITS), minLength: 3, maxLength: 4 });
    fc.assert(
      fc.property(digits, code, (number, cvc) => {
        const said = `${problemOf(number)} ${problemOfCvc(cvc, number)}`;
        expect(said.match(/\d{3,}/)).toBeNull();
      }),
    );
  });
});
