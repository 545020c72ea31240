/** The first characters of a text, none of them cut in half; `mark` stands where more followed. */
export function clip(text: string, most: number, mark = ''): string {
  const kept = [...text.slice(0, 2 * most + 2)].slice(0, most).join('');
  return (kept.length < text.length ? kept + mark : kept).toWellFormed();
}

/**
 * Text of others in one line that turns no text around it: marks of direction say nothing on their own, and a name in a header
 * or on a line of its own begins no other.
 */
export const oneLine = (text: string): string =>
  text
    .replace(/\p{Bidi_Control}+/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();

/** What a mail program would make a link of has a dot, an at sign, a colon or a slash: behind one that cannot be seen it does not. */
export const unlinked = (text: string): string => text.replaceAll(/[.@:/]/g, '$&\u200b');

/** An e-mail address that says whose it may be to whoever knows it, and to nobody else. */
export function maskedEmail(address: string): string {
  const at = address.lastIndexOf('@');
  const first = at > 1 ? ([...address][0] ?? '') : '';
  return `${first}***${address.slice(at)}`;
}

/** A name of the code as a column or a field of the API has it: `paidAt` is `paid_at`. */
export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
