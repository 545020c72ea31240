import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalizePhone } from '../../server/customers/phone.ts';

describe('a phone number', () => {
  test.each([
    ['11912345678', '+5511912345678'],
    ['(11) 91234-5678', '+5511912345678'],
    ['11 9 1234-5678', '+5511912345678'],
    ['011 91234-5678', '+5511912345678'],
    ['0 15 11 91234-5678', '+5511912345678'],
    ['5511912345678', '+5511912345678'],
    ['+5511912345678', '+5511912345678'],
    [' +55 (11) 91234-5678 ', '+5511912345678'],
    ['(11) 2345-6789', '+551123456789'],
    ['0800 123 4567', '+558001234567'],
    ['+1 415 555 2671', '+14155552671'],
    ['+351 912 345 678', '+351912345678'],
    ['+44 20 7946 0958', '+442079460958'],
    ['+595 981 123456', '+595981123456'],
    ['00351 912 345 678', '+351912345678'],
    ['0055 11 91234-5678', '+5511912345678'],
  ])('%j is %s', (input, value) => {
    expect(normalizePhone(input)).toEqual({ value });
  });

  test.each([
    ['', /digits and punctuation/],
    ['call me', /digits and punctuation/],
    ['11 91234-5678 ext 5', /digits and punctuation/],
    ['+5511912345678;ext=3', /digits and punctuation/],
    ['tel:+5511912345678', /digits and punctuation/],
    ['１１９１２３４５６７８', /digits and punctuation/],
    ['++5511912345678', /digits and punctuation/],
    ['1'.repeat(41), /digits and punctuation/],
    ['1', /E\.164/],
    ['+', /digits and punctuation/],
    ['+999 123 456', /E\.164/],
    ['3333-4444', /area code/],
    ['91234-5678', /area code/],
    ['10 91234-5678', /area code/],
    ['20 91234-5678', /area code/],
    ['11 81234-5678', /area code/],
    ['11 912345', /area code/],
    ['+1 415 555', /country/],
    ['0015 11 91234-5678', /country/],
    ['00 11 91234-5678', /country/],
    ['+1 555 000 0000', /country/],
    ['14155552671', /area code/],
    ['351912345678', /area code/],
    ['+55', /E\.164/],
  ])('%j is refused', (input, problem) => {
    expect(normalizePhone(input)).toEqual({ problem: expect.stringMatching(problem) });
  });

  test('of a Brazilian mobile is one E.164 text, however it is written', () => {
    const areaCode = fc.constantFrom('11', '21', '31', '41', '51', '61', '71', '81', '85', '91', '99');
    fc.assert(
      fc.property(
        areaCode,
        fc.stringMatching(/^[1-9][0-9]{3}$/),
        fc.stringMatching(/^[0-9]{4}$/),
        (area, left, right) => {
          const value = `+55${area}9${left}${right}`;
          const forms = [
            value,
            value.slice(1),
            value.slice(3),
            `(${area}) 9${left}-${right}`,
            `0${area} 9${left} ${right}`,
          ];
          for (const form of forms) expect(normalizePhone(form)).toEqual({ value });
        },
      ),
    );
  });

  test('is E.164 or a problem, never a fault, for any text', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^\+?[0-9 ().\-/]{0,45}$/));
    fc.assert(
      fc.property(text, (input) => {
        const reading = normalizePhone(input);
        if ('value' in reading) {
          expect(reading.value).toMatch(/^\+[1-9][0-9]{5,14}$/);
          expect(normalizePhone(reading.value)).toEqual(reading);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
