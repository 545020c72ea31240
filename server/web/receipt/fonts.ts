import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font, type GlyphRun } from 'fontkit';

const { resolve } = createRequire(import.meta.url);

export const weights = ['regular', 'bold'] as const;
export type Weight = (typeof weights)[number];

const FILES = {
  regular: '@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf',
  bold: '@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf',
} as const satisfies Record<Weight, string>;

const files: Partial<Record<Weight, Buffer>> = {};

function fileOf(weight: Weight): Buffer {
  const file = files[weight] ?? readFileSync(resolve(FILES[weight]));
  files[weight] = file;
  return file;
}

/** Letters side by side. To shape them as scripts of other languages need it would take nine tenths of the time of a file. */
function sideBySide(font: Font, text: string): GlyphRun {
  const glyphs = font.glyphsForString(text);
  const positions = glyphs.map(({ advanceWidth }) => ({ xAdvance: advanceWidth, yAdvance: 0, xOffset: 0, yOffset: 0 }));
  const run = {
    glyphs,
    positions,
    // Whoever lays out text scales the positions first.
    get advanceWidth() {
      return positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0);
    },
  };
  return run as unknown as GlyphRun; // all that is read of it
}

/**
 * A font of a file to be made: it has the letters of Latin, Greek and Cyrillic scripts. Each file opens its own, for a font
 * remembers what its signs were used for, and the next file would say that.
 */
export function openFont(weight: Weight): Font {
  const font = create(fileOf(weight));
  if ('fonts' in font) throw new Error(`${FILES[weight]} is a collection`);
  font.layout = (text) => sideBySide(font, text);
  return font;
}

/** Stands for what the font has no letter for. */
export const NO_LETTER = '□';

const graphemes = new Intl.Segmenter('pt-BR', { granularity: 'grapheme' });
/** What joins and varies others and is never seen by itself. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;
const EVERY_UNSEEN = new RegExp(UNSEEN, 'gu');

const hasLetters = (font: Font, text: string): boolean =>
  [...text].every((letter) => font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0));

/** Text in the letters that the font has: a sign stands for each other, so that nothing is lost without a trace. */
export function inLettersOf(font: Font, text: string): string {
  if (!UNSEEN.test(text) && hasLetters(font, text)) return text;
  const shown = [...graphemes.segment(text)].map(({ segment }) => {
    const seen = segment.replaceAll(EVERY_UNSEEN, '');
    return [seen, seen.normalize('NFKC')].find((form) => hasLetters(font, form)) ?? NO_LETTER;
  });
  return shown.join('');
}
