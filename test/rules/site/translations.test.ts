import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Language, languages } from '../../../server/site/served.ts';
import { ApiDocument } from '../../../site/document.ts';
import { Site } from '../../../site/site.ts';
import { paragraphsOf, translations, translator } from '../../../site/translations.ts';

/** Every paragraph of the contract that a site shows or finds, found by writing the whole site. */
function paragraphsShown(language: Language): Set<string> {
  const shown = new Set<string>();
  const site = new Site({
    language,
    document: new ApiDocument('http://127.0.0.1:3000'),
    assets: { script: '', style: '' },
    translate: (text) => {
      for (const paragraph of paragraphsOf(text)) shown.add(paragraph);
      return text;
    },
  });
  for (const path of site.paths) site.page(path);
  expect(site.findables).not.toEqual([]);
  return shown;
}

const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([one]) => one).sort();

/** Numbers without the signs that group their digits, which languages write differently; each once. */
const numbersIn = (text: string): string[] =>
  [...new Set(found(text, /\d[\d.,]*/g).map((number) => number.replaceAll(/[.,]/g, '')))].sort();

/** What a translation must have as its English text has it. */
const kept = (text: string) => ({
  code: found(text, /`[^`]+`/g),
  links: found(text, /\]\([^)]+\)/g),
  placeholders: found(text, /\{[^}]+\}|<[^>]+>/g),
  heading: found(text, /^#+ /g),
  numbers: numbersIn(text),
  isSentence: text.endsWith('.'),
});

describe.each(languages.filter((language) => translations[language] !== null))('the contract in %s', (language) => {
  const known = translations[language] ?? new Map<string, string>();
  let shown: Set<string>;

  beforeAll(() => {
    shown = paragraphsShown(language);
  });

  test('has every text that the docs show: translate what is missing in site/translations', () => {
    expect(shown.size).toBeGreaterThan(500);
    expect([...shown].filter((text) => !known.has(text))).toEqual([]);
  });

  test('has no text that the docs do not show: take out what is left over', () => {
    expect([...known.keys()].filter((text) => !shown.has(text))).toEqual([]);
  });

  test('keeps names, links, placeholders and numbers of each text', () => {
    const changed = [...known].filter(([text, translated]) => !isDeepStrictEqual(kept(translated), kept(text)));
    expect(changed).toEqual([]);
  });

  test('says nothing in English', () => {
    expect([...known].filter(([text, translated]) => text === translated)).toEqual([]);
    const english = / (?:the|of|is|which|when|with|without|null when) /;
    expect([...known.values()].filter((text) => english.test(text))).toEqual([]);
  });
});

test('a text of several paragraphs is translated one by one, and stays English where it is not known', () => {
  const translate = translator('pt');
  expect(translate('## Limits\n\nThe object\nis new.\n\nWho pays.\n')).toBe(
    '## Limites\n\nThe object is new.\n\nQuem paga.',
  );
  expect(translator('en')('Who\npays.\n')).toBe('Who\npays.\n');
});
