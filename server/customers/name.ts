/** Characters of the longest name that a letter greets with. */
const GREETED_MAX = 60;

const OF_NAMES = /^(?=.*\p{L})[\p{L}\p{M}'’. -]+$/u;
/** A dot with a word right behind it is made a link by programs that show text, as `www` is. */
const ADDRESS = /:\/\/|\bwww\b|[\p{L}\p{M}\p{N}-]\.[\p{L}\p{M}]{2}/iu;

/** Whether a text has an address of the web in it. */
export const hasAddress = (text: string): boolean => ADDRESS.test(text);

/** Whether a text may stand in a letter as a name: it says nothing else, and leads nowhere (docs/product/mail.md#names). */
export const looksLikeName = (text: string): boolean =>
  OF_NAMES.test(text) && [...text].length <= GREETED_MAX && !hasAddress(text);
