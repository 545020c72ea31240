import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMAIL_PATTERN, STATES, seenOf, storedEmail, storedUrl } from '../../contract/forms.ts';
import { escapeXml } from '../../server/kernel/html.ts';
import { clip, oneLine } from '../../server/kernel/text.ts';
import { takenAddresses } from '../support/addresses.ts';

const part = (length: number): string => 'a'.repeat(length);

describe('an e-mail address', () => {
  test.each(takenAddresses)('%s is stored as %s', (text, stored) => {
    expect(storedEmail(text)).toBe(stored);
    expect(storedEmail(stored)).toBe(stored);
    expect(text).toMatch(new RegExp(EMAIL_PATTERN, 'u'));
  });

  test.each([
    '',
    '@example.com',
    'ana',
    'ana@localhost',
    'ana@example.c',
    'ana@example.123',
    'ana@127.0.0.1',
    '.ana@example.com',
    'ana.@example.com',
    'a..b@example.com',
    'a b@example.com',
    'a@b@example.com',
    '"ana"@example.com',
    'Ana <ana@example.com>',
    'ana@example.com, b@example.com',
    'é@example.com',
    'ana@-a.com',
    'ana@a-.com',
    'ana@exa_mple.com',
    'ana@pã/es.com',
    'ana@pã@es.com',
    `${part(65)}@example.com`,
    `a@${part(64)}.com`,
    `a@${`${part(60)}.`.repeat(4)}example.com`,
    'ana@example.com\r\nBcc: b@example.com',
  ])('%j is none', (text) => {
    expect(storedEmail(text)).toBeNull();
  });
});

test('a URL is read by its parser, and demands a host as it is written', () => {
  for (const [written, value] of [
    ['https://loja.test', 'https://loja.test'],
    ['HTTPS://Loja.test:443/a b?c={D}', 'https://loja.test/a%20b?c={D}'],
    ['https://loja.test?x', 'https://loja.test/?x'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['https://pães.test/ã', 'https://xn--pes-mla.test/%C3%A3'],
    ['https://loja.test\\@evil.test', 'https://loja.test/@evil.test'],
  ] as const) {
    expect(storedUrl(written)).toEqual({ value });
    expect(storedUrl(value)).toEqual({ value });
  }
  for (const wrong of [
    'https:evil.test',
    'https:/x',
    'http:\\\\x',
    'https:///x',
    '//x',
    'https://',
    'https://a b',
    'javascript:alert(1)',
    'https://u@x.test',
    'https://x.test:0',
  ])
    expect(storedUrl(wrong), wrong).toHaveProperty('problem');
});

test('Brazil has 27 states, the federal district among them', () => {
  expect(new Set(STATES).size).toBe(27);
});

test('a text is cut between characters, and is well-formed whatever it was', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', '\ud83d', '😀'.repeat(40)),
      fc.nat(60),
      (a, b, most) => {
        const text = `${b}${a}`;
        const clipped = clip(text, most);
        expect(clipped.isWellFormed()).toBe(true);
        expect([...clipped]).toEqual([...text.toWellFormed()].slice(0, most));
        expect(clip(text, most, '…')).toBe([...text].length > most ? `${clipped}…` : clipped);
      },
    ),
  );
});

test('what is seen of a text has nothing unseen at its ends, and is found in no long time', () => {
  expect(['\u200b', ' \u2800\u3164\n', '\u{e0001}\u202e', ''].map(seenOf)).toEqual(['', '', '', '']);
  expect(seenOf(' \u200bAna \u200d Lima\u2069 ')).toBe('Ana \u200d Lima');
  expect(seenOf(`${'\u200b '.repeat(50_000)}x${'\u200b'.repeat(50_000)}x`)).toHaveLength(50_002);
});

test('a line of others turns nothing around it', () => {
  expect(oneLine('Ana\u202e\r\nBcc:\u2028 x\u200f ')).toBe('Ana Bcc: x');
});

test('what stands in XML has no character that XML has not', () => {
  expect(escapeXml('Pães & Cia <Matriz> "a" \u0007\ufffe\ud800')).toBe(
    'Pães &amp; Cia &lt;Matriz&gt; &quot;a&quot; \ufffd',
  );
});
