import { colord, extend } from 'colord';
import a11y from 'colord/plugins/a11y';
import oklch from 'colord/plugins/oklch';

extend([a11y, oklch]);

/** How two colors stand out from each other, by WCAG 2: 1 to 21. */
export const contrastOf = (one: string, other: string): number => colord(one).contrast(other);

const STEP = 0.01;

/** A color in another lightness, 0 to 1, as the eye sees it: its hue stays. */
const inLightness = (color: string, l: number): string => {
  const { c, h, a } = colord(color).toOklch();
  return colord({ l, c, h, a, ok: true }).toHex();
};

const lightnessOf = (color: string): number => colord(color).toOklch().l;

const HUE_CHROMA_MIN = 0.04;

/** Whether a color is more than a grey. */
export const hasHue = (color: string): boolean => colord(color).toOklch().c >= HUE_CHROMA_MIN;

/** A color so much darker; one that is too dark for that is as much lighter. */
export function shaded(color: string, by: number): string {
  const l = lightnessOf(color);
  return inLightness(color, l >= by ? l - by : l + by);
}

/** A color so much lighter, at most white. */
export const lighter = (color: string, by: number): string => inLightness(color, Math.min(1, lightnessOf(color) + by));

/** The nearest lightness of a color, away from that of the ground, in which it has at least this contrast to it. */
export function readableOn(color: string, { ground, contrast }: { ground: string; contrast: number }): string {
  const step = lightnessOf(ground) > 0.5 ? -STEP : STEP;
  let found = color;
  for (let l = lightnessOf(color); contrastOf(found, ground) < contrast && l >= 0 && l <= 1; l += step)
    found = inLightness(color, l);
  return found;
}
