import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COLOR_OF_SERVICE, contrastWithWhite, faultOfColor } from '../../../dashboard/screens/settings/color.ts';
import { COLOR_DEFAULT } from '../../../server/kernel/account.ts';
import { contrastOf } from '../../../server/profile/color.ts';
import { accountTextForms } from '../../../server/profile/rules.ts';

const CLOSE = 0.006;
const color = fc.integer({ min: 0, max: 0xff_ff_ff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

test('the screen shows the color that pages have without one', () => {
  expect(COLOR_OF_SERVICE).toBe(COLOR_DEFAULT);
});

test('the screen and the service see one contrast', () => {
  fc.assert(
    fc.property(color, (one) => {
      // The service cuts its figure to two places.
      expect(Math.abs(contrastWithWhite(one) - contrastOf(one, '#ffffff'))).toBeLessThan(2 * CLOSE);
    }),
  );
});

test.each([
  ['#0b5d3b', null],
  ['#0B5D3B', null],
  ['#767676', null],
  ['#777777', 'pale'],
  ['#ffffff', 'pale'],
  ['#fff', 'form'],
  ['purple', 'form'],
  ['', 'form'],
] as const)('the screen says of %j: %s', (text, fault) => {
  expect(faultOfColor(text)).toBe(fault);
  expect(accountTextForms.color(text) === null).toBe(fault === null);
});
