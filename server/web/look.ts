import type { PageFont } from '../../contract/forms.ts';
import type { LookView } from '../../web/page/page-data.ts';
import { phoneInWords } from '../customers/phone.ts';
import { taxIdInWords } from '../customers/tax-id.ts';
import type { AccountLook, PageLook } from '../kernel/account.ts';
import { contrastOf, hasHue, lighter, readableOn, shaded } from '../profile/color.ts';

/** The room for a logo; a smaller one keeps its size. CSS pixels. */
const LOGO_WIDTH_MAX = 200;
const LOGO_HEIGHT_MAX = 56;

/** A logo in its room on a page; `logos` is where that finds logos. */
export function viewLogo({ logoDigest, logoSize }: AccountLook, logos: string): LookView['logo'] {
  if (logoDigest === null || logoSize === null) return null;
  const { width, height } = logoSize;
  const scale = Math.min(1, LOGO_WIDTH_MAX / width, LOGO_HEIGHT_MAX / height);
  const scaled = (pixels: number): number => Math.max(1, Math.round(pixels * scale));
  return { source: `${logos}/${logoDigest}`, width: scaled(width), height: scaled(height) };
}

/** What a page shows of a merchant; `logos` is where it finds logos. */
export const viewLook = (look: PageLook, { logos }: { readonly logos: string }): LookView => ({
  logo: viewLogo(look, logos),
  taxId: look.taxId === null ? null : taxIdInWords(look.taxId),
  email: look.supportEmail,
  isCovered: look.coverColor !== null,
  terms: look.termsUrl,
  privacy: look.privacyUrl,
  phone: look.supportPhone === null ? null : { number: look.supportPhone, text: phoneInWords(look.supportPhone) },
});

const TEXT_CONTRAST = 4.5;
const WHITE = '#ffffff';
const BLACK = '#000000';
/** What texts in the accent stand on in `checkout/style/theme.css`: the darkest in light, the lightest in dark. */
export const LIGHT_GROUND = '#f4f6f5';
export const DARK_GROUND = '#1a211e';
/** The text of buttons in dark, which is darker than all grounds. */
export const ON_STRONG_DARK = '#06140d';
/** How much a button changes under the pointer. */
const OVER = 0.06;

interface Accent {
  readonly strong: string;
  readonly over: string;
  readonly onStrong: string;
  readonly link: string;
}

const inLight = (color: string): Accent => ({
  strong: color,
  over: shaded(color, OVER),
  onStrong: WHITE,
  link: readableOn(color, { ground: LIGHT_GROUND, contrast: TEXT_CONTRAST }),
});

/** A grey button looks as if it were switched off: in dark, black and greys become nearly white. */
const GREY_CONTRAST = 12;

/** White is read on the color, so the color is too dark for a dark page: there it gets lighter, and its text dark. */
function inDark(color: string): Accent {
  const contrast = hasHue(color) ? TEXT_CONTRAST : GREY_CONTRAST;
  const strong = readableOn(color, { ground: DARK_GROUND, contrast });
  return { strong, over: lighter(strong, OVER), onStrong: ON_STRONG_DARK, link: strong };
}

const ruleOf = ({ strong, over, onStrong, link }: Accent): string =>
  `:root{--strong:${strong};--strong-over:${over};--on-strong:${onStrong};--link:${link}}`;

/** The rules that put a merchant's color in the place of ours, if it has one; their text is in the policy of the page. */
export const accentStyle = (color: string | null): string | null =>
  color === null ? null : `${ruleOf(inLight(color))}@media (prefers-color-scheme:dark){${ruleOf(inDark(color))}}`;

/** Faces that devices have; the first is what the style of pages has by itself. */
const FACES: Readonly<Record<Exclude<PageFont, 'sans'>, string>> = {
  serif: 'Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,serif',
  rounded: 'ui-rounded,"Hiragino Maru Gothic ProN",Quicksand,Comfortaa,"Arial Rounded MT Bold",Nunito,sans-serif',
};

/** The text on a cover, which one of the two reads on whatever the cover is. */
const coverText = (cover: string): string => (contrastOf(cover, WHITE) >= contrastOf(cover, BLACK) ? WHITE : BLACK);

function coverRule({ coverColor, cornerRadius, font }: PageLook): string | null {
  const properties = [
    ...(coverColor === null ? [] : [`--cover:${coverColor}`, `--on-cover:${coverText(coverColor)}`]),
    ...(cornerRadius === null ? [] : [`--radius:${cornerRadius}px`]),
    ...(font === null || font === 'sans' ? [] : [`--face:${FACES[font]}`]),
  ];
  return properties.length === 0 ? null : `:root{${properties.join(';')}}`;
}

/** All the rules by which a merchant's payment pages look otherwise than ours, if any; their text is in the policy of the page. */
export const pageStyle = (look: PageLook): string | null =>
  [accentStyle(look.color), coverRule(look)].filter((rules) => rules !== null).join('') || null;
