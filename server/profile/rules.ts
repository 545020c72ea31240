import { COLOR_CONTRAST_MIN, LOGO_KIB_MAX, LOGO_SIDE_MAX } from '../../contract/account.ts';
import { contrastOf } from './color.ts';

const WHITE = '#ffffff';
const FORM = /^#[0-9a-f]{6}$/i;

const formOfColor = (text: string): string | null => (FORM.test(text) ? null : 'must be a color of the form #rrggbb');

function problemOfColor(text: string): string | null {
  if (!FORM.test(text)) return formOfColor(text);
  const contrast = contrastOf(text, WHITE);
  if (contrast >= COLOR_CONTRAST_MIN) return null;
  return `must be a color on which white text has a contrast of at least ${COLOR_CONTRAST_MIN}; it has ${contrast}`;
}

/** The form of text in the account's fields that customers do not have, for the validation of requests. */
export const accountTextForms = { color: problemOfColor, cover_color: formOfColor };

/** A color that passed validation, as it is stored. */
export const storedColor = (text: string): string => text.toLowerCase();

export const LOGO_BYTES_MAX = LOGO_KIB_MAX * 1_024;

const mediaTypes = { png: 'image/png', jpeg: 'image/jpeg', webp: 'image/webp' } as const;

/** What logos can be; servers are told so. */
export const LOGO_TYPES: readonly string[] = Object.values(mediaTypes);

/** An image as its own bytes tell of it. */
export interface ImageForm {
  readonly type: string;
  readonly width: number;
  readonly height: number;
}

export interface LogoForm {
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

const isSide = (pixels: number): boolean => pixels >= 1 && pixels <= LOGO_SIDE_MAX;

/** What came instead of a logo. */
export interface NoLogo {
  readonly came: string;
}

/** An image as a logo, or what it is instead; null: its bytes tell of none. */
export function logoForm(image: ImageForm | null, declared: string | null): LogoForm | NoLogo {
  if (image === null)
    return { came: declared === null ? 'a file of no such type' : `a file of no such type, declared as ${declared}` };
  const { type, width, height } = image;
  if (!isLogoType(type)) return { came: `a file of the type ${type}` };
  if (!isSide(width) || !isSide(height)) return { came: `an image of ${width} x ${height} pixels` };
  return { mediaType: mediaTypes[type], width, height };
}

const isLogoType = (type: string): type is keyof typeof mediaTypes => Object.hasOwn(mediaTypes, type);

/** What a logo must be, for whoever is refused one. */
export const LOGO_RULE = `must lead to a PNG, JPEG or WebP of at most ${LOGO_KIB_MAX} KiB and ${LOGO_SIDE_MAX} x ${LOGO_SIDE_MAX} pixels, without a redirect`;
