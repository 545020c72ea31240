import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { phoneInWords } from '../../../server/customers/phone.ts';
import { taxIdInWords } from '../../../server/customers/tax-id.ts';
import { contrastOf } from '../../../server/profile/color.ts';
import { accountTextForms } from '../../../server/profile/rules.ts';
import {
  accentStyle,
  DARK_GROUND,
  LIGHT_GROUND,
  ON_STRONG_DARK,
  pageStyle,
  viewLook,
} from '../../../server/web/look.ts';

const theme = readFileSync('web/page/style/theme.css', 'utf8');

/** A color of the theme in light and in dark. */
function themed(name: string): string[] {
  const [, light = '', dark = ''] = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(theme) ?? [];
  return [light, dark];
}

const [lights, darks] = ['ground', 'panel', 'field'].reduce<[string[], string[]]>(
  ([light, dark], name) => {
    const [one = '', other = ''] = themed(name);
    return [
      [...light, one],
      [...dark, other],
    ];
  },
  [[], []],
);

/** The colors of an accent in light and in dark. */
function accentOf(color: string): Record<string, string>[] {
  const rules = [...(accentStyle(color) ?? '').matchAll(/:root\{([^}]*)\}/g)].map(([, rule = '']) => rule);
  return rules.map((rule) => Object.fromEntries(rule.split(';').map((pair) => pair.slice(2).split(':'))));
}

const hex = fc.integer({ min: 0, max: 0xffffff }).map((rgb) => `#${rgb.toString(16).padStart(6, '0')}`);
const allowedColor = hex.filter((color) => accountTextForms.color(color) === null);

describe('the color of a merchant', () => {
  test('is read on whatever it may stand on, in light and in dark', () => {
    const least = (color: string, grounds: string[]) => Math.min(...grounds.map((ground) => contrastOf(color, ground)));
    fc.assert(
      fc.property(allowedColor, (color) => {
        const [light = {}, dark = {}] = accentOf(color);
        expect(light.strong).toBe(color);
        for (const accent of [light, dark])
          for (const ground of [accent.strong, accent['strong-over']])
            expect(contrastOf(accent['on-strong'] ?? '', ground ?? '')).toBeGreaterThanOrEqual(4.5);
        expect(least(light.link ?? '', lights)).toBeGreaterThanOrEqual(4.5);
        expect(least(light.strong ?? '', lights)).toBeGreaterThanOrEqual(3);
        expect(least(dark.link ?? '', darks)).toBeGreaterThanOrEqual(4.5);
        expect(dark.strong).toBe(dark.link);
      }),
      { numRuns: 2_000 },
    );
  });

  test('without a hue is nearly white in dark, where a grey button would look switched off', () => {
    for (const color of ['#000000', '#1a1a1a', '#767676', '#333a40'])
      expect(contrastOf(accentOf(color)[1]?.strong ?? '', DARK_GROUND)).toBeGreaterThanOrEqual(12);
  });

  test('changes under the pointer, be it black', () => {
    for (const color of ['#000000', '#0b5d3b', '#767676'])
      for (const { strong, 'strong-over': over } of accentOf(color)) expect(over).not.toBe(strong);
  });

  test('is judged by the grounds of the theme', () => {
    expect([LIGHT_GROUND, DARK_GROUND]).toEqual([themed('ground')[0], themed('panel')[1]]);
    expect(ON_STRONG_DARK).toBe(themed('on-strong')[1]);
    expect([lights.length, darks.length, lights.includes(''), darks.includes('')]).toEqual([3, 3, false, false]);
  });

  test('is nothing but colors in the style of a page', () => {
    expect(accentStyle('#6b21a8')).toMatch(
      /^(?::root\{(?:--[a-z-]+:#[0-9a-f]{6};?){4}\}|@media \(prefers-color-scheme:dark\)\{|\})+$/,
    );
  });
});

describe('the look of a merchant', () => {
  const NOTHING = {
    taxId: null,
    supportEmail: null,
    supportPhone: null,
    color: null,
    coverColor: null,
    cornerRadius: null,
    font: null,
    termsUrl: null,
    privacyUrl: null,
    logoDigest: null,
    logoSize: null,
  };
  const NOT_SHOWN = { isCovered: false, terms: null, privacy: null };
  const look = (more: object) => viewLook({ name: 'Loja', ...NOTHING, ...more }, { logos: '../../logos' });

  test('of which nothing is told shows nothing', () => {
    expect(look({})).toEqual({ logo: null, taxId: null, email: null, phone: null, ...NOT_SHOWN });
    expect(pageStyle({ name: 'Loja', ...NOTHING })).toBeNull();
  });

  test('of a cover has a text that is read on it, whatever its color', () => {
    fc.assert(
      fc.property(hex, (coverColor) => {
        const style = pageStyle({ name: 'Loja', ...NOTHING, coverColor }) ?? '';
        const [, cover = '', text = ''] = /^:root\{--cover:(#\w{6});--on-cover:(#\w{6})\}$/.exec(style) ?? [];
        expect(cover).toBe(coverColor);
        expect(contrastOf(cover, text)).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });

  test('has corners and a face only where they are not those of the service', () => {
    const styleOf = (more: object) => pageStyle({ name: 'Loja', ...NOTHING, ...more });
    expect(styleOf({ font: 'sans' })).toBeNull();
    expect(styleOf({ cornerRadius: 0, font: 'rounded' })).toMatch(
      /^:root\{--radius:0px;--face:ui-rounded,.*sans-serif\}$/,
    );
    expect(styleOf({ color: '#6b21a8', cornerRadius: 24 })).toMatch(/--strong:#6b21a8.*:root\{--radius:24px\}$/);
  });

  test.each([
    [{ width: 120, height: 40 }, [120, 40]],
    [{ width: 400, height: 100 }, [200, 50]],
    [{ width: 512, height: 512 }, [56, 56]],
    [{ width: 2_048, height: 1 }, [200, 1]],
    [{ width: 1, height: 2_048 }, [1, 56]],
  ])('has room for a logo of %j', (logoSize, [width, height]) => {
    expect(look({ logoDigest: 'abc', logoSize }).logo).toEqual({ source: '../../logos/abc', width, height });
  });

  test.each([
    ['52998224725', 'CPF 529.982.247-25'],
    ['00000000000191', 'CNPJ 00.000.000/0001-91'],
    ['12ABC34501DE35', 'CNPJ 12.ABC.345/01DE-35'],
  ])('has %s as people read it', (value, text) => expect(taxIdInWords(value)).toBe(text));

  test.each([
    ['+5511987654321', '(11) 98765-4321'],
    ['+551132654321', '(11) 3265-4321'],
    ['+351212345678', '+351 21 234 5678'],
  ])('has %s as people dial it', (value, text) => expect(phoneInWords(value)).toBe(text));
});
