import { globSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { errorCodes } from '../../contract/errors.ts';
import { eventTypes } from '../../contract/events.ts';
import { buildOpenApi } from '../../contract/openapi.ts';
import { routes } from '../../sdk/src/generated/routes.ts';
import { answerProblems } from './answers.ts';
import { FOLDER, type Guide, groups, guides, LANGUAGES, proseOf, slugs } from './guide.ts';
import { expectationsOf } from './program.ts';
import { codeOf, sentencesOf } from './texts.ts';

const pairs = slugs.map((slug) => {
  const [english, portuguese] = LANGUAGES.map((language) =>
    guides.find((guide) => guide.slug === slug && guide.language === language),
  );
  if (english === undefined || portuguese === undefined) throw new Error(`${slug} is missing in a language`);
  return { slug, english, portuguese };
});

const WIDTH_MAX = 92;

/** Examples that nothing runs, in each language, and why. */
const NOT_RUN = [
  { slug: 'first-sale', count: 5, why: 'the start of the service and what is done at its terminals' },
  { slug: 'testing', count: 2, why: 'a receiver in another terminal; commands of the operator' },
  { slug: 'going-live', count: 1, why: 'commands of the operator' },
];

test('the index lists every guide once, in both languages, and its groups have names', () => {
  expect(new Set(slugs).size).toBe(slugs.length);
  const files = globSync(`${FOLDER}/*/*.md`).map((path) => path.replaceAll('\\', '/'));
  expect(files.toSorted()).toEqual(guides.map(({ path }) => path.replaceAll('\\', '/')).toSorted());
  for (const { title } of groups) expect(Object.keys(title).toSorted()).toEqual([...LANGUAGES].toSorted());
});

test('the examples that nothing runs are known, and few', () => {
  const notRun = guides.map(({ slug, language, blocks }) => ({
    slug,
    language,
    count: blocks.filter((block) => block.language !== 'json' && block.word !== '').length,
  }));
  expect(notRun.filter(({ count }) => count > 0)).toEqual(
    NOT_RUN.flatMap(({ slug, count }) => LANGUAGES.map((language) => ({ slug, language, count }))).toSorted(
      (one, other) => slugs.indexOf(one.slug) - slugs.indexOf(other.slug),
    ),
  );
});

test('every guide says what it prints, but for the one of what there is not', () => {
  const silent = guides.filter((guide) => expectationsOf(guide).length === 0).map(({ path }) => path);
  expect(silent).toEqual(['docs/guides/en/not-offered.md', 'docs/guides/pt/not-offered.md']);
});

test('an example is in a language that is run, or is data', () => {
  const known = ['ts ', 'sh ', 'sh by-hand'];
  const strange = guides.flatMap(({ path, blocks }) =>
    blocks
      .filter(({ language, word }) => language !== 'json' && !known.includes(`${language} ${word}`))
      .map(({ language, word }) => `${path}: ${language} ${word}`),
  );
  expect(strange).toEqual([]);
});

test('no line of an example is wider than the page, but for what it prints', () => {
  const wide = guides.flatMap(({ path, blocks }) =>
    blocks
      .flatMap(({ code }) => code.split('\n'))
      .filter((line) => line.replace(/ (?:\/\/|#) .*/, '').length > WIDTH_MAX)
      .map((line) => `${path}: ${line}`),
  );
  expect(wide).toEqual([]);
});

describe.each(pairs)('$slug', ({ english, portuguese }) => {
  test('has a title and a first paragraph', () => {
    for (const { text } of [english, portuguese]) expect(text).toMatch(/^# \S.*\n\n[^#\s|>`-].{40,}/);
  });

  test('has the same structure in both languages', () => {
    expect(shapeOf(portuguese)).toEqual(shapeOf(english));
  });

  test('has the same code in both languages, but for comments and strings', () => {
    expect(portuguese.blocks.map(codeOf)).toEqual(english.blocks.map(codeOf));
  });

  test('is really in two languages', () => {
    const shared = new Set(sentencesOf(english));
    expect(sentencesOf(portuguese).filter((sentence) => shared.has(sentence))).toEqual([]);
  });
});

/** Levels of headings, rows of tables and targets of links, in their order. */
function shapeOf(guide: Guide) {
  const prose = proseOf(guide);
  return {
    headings: [...prose.matchAll(/^(#+) /gm)].map(([, level]) => level),
    rows: [...prose.matchAll(/^\|.*\|$/gm)].map(([row]) => row.split(/(?<!\\)\|/).length),
    blocks: guide.blocks.map(({ language, word }) => `${language} ${word}`),
    // Words may change places in a sentence.
    links: [...prose.matchAll(/\]\(([^)#\s]*)[^)\s]*\)/g)].map(([, target]) => target).toSorted(),
  };
}

describe('a link leads somewhere', () => {
  const targets = guides.flatMap((guide) =>
    [...proseOf(guide).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({ path: guide.path, target })),
  );
  const named = (scheme: string) =>
    targets
      .filter(({ target }) => target.startsWith(`${scheme}:`))
      .map(({ path, target }) => [path, target.slice(scheme.length + 1)] as const);
  const unknown = (scheme: string, known: readonly string[]) =>
    named(scheme).filter(([, name]) => !known.includes(name));

  test('to an operation, an error code, an event type', () => {
    expect(unknown('ref', Object.keys(routes))).toEqual([]);
    expect(unknown('code', errorCodes)).toEqual([]);
    expect(unknown('event', eventTypes)).toEqual([]);
    for (const scheme of ['ref', 'code', 'event']) expect(named(scheme).length).toBeGreaterThan(10);
  });

  test('or is a guide beside it, or https', () => {
    const strange = targets.filter(({ target }) => !/^(ref:|code:|event:|https:\/\/|#|[a-z-]+\.md(#|$))/.test(target));
    expect(strange).toEqual([]);
  });

  test('and guides beside it are in the index', () => {
    const guidesNamed = targets.flatMap(({ target }) => /^([a-z-]+)\.md/.exec(target)?.[1] ?? []);
    expect(guidesNamed.filter((slug) => !slugs.includes(slug))).toEqual([]);
  });
});

test('JSON is JSON, and an answer has the form that the contract says', () => {
  // The document is plain JSON; its parts are looked at by path.
  const { components } = JSON.parse(JSON.stringify(buildOpenApi())) as { components: { schemas: object } };
  const json = guides.flatMap(({ path, blocks }) =>
    blocks.filter(({ language }) => language === 'json').map((block) => ({ path, ...block })),
  );
  expect(json.length).toBeGreaterThan(0);
  for (const { path, word, code } of json) {
    const value: unknown = JSON.parse(code);
    expect(word === '' ? [] : answerProblems({ ...components.schemas }, word, value), `${path}: ${word}`).toEqual([]);
  }
});
