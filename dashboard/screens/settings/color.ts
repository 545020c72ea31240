/** The color of buttons where the merchant has none, as pages and e-mails have it. */
export const COLOR_OF_SERVICE = '#0b5d3b';
/** White text is readable on a color of this contrast (WCAG 2, level AA); the service takes no paler one. */
const CONTRAST_MIN = 4.5;
const FORM = /^#[0-9a-f]{6}$/i;
const CHANNEL_MAX = 255;

/** How light a channel of sRGB is to the eye (WCAG 2). */
function linear(channel: number): number {
  const share = channel / CHANNEL_MAX;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** How white text stands out from a color: 1 to 21. */
export function contrastWithWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => linear(Number.parseInt(color.slice(at, at + 2), 16)));
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

/** What is wrong with a color; null: nothing. */
export type ColorFault = 'form' | 'pale' | null;

export function faultOfColor(color: string): ColorFault {
  if (!FORM.test(color)) return 'form';
  return contrastWithWhite(color) < CONTRAST_MIN ? 'pale' : null;
}

/** Black and white stand out from each other by 21, and from what lies between them by the root of it. */
const BALANCED = Math.sqrt(21);

/** Whether white text is read better on a color than black. */
export const isReadInWhite = (color: string): boolean => contrastWithWhite(color) >= BALANCED;
