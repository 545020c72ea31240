/** The first characters of a text, none of them cut in half; `mark` stands where more followed. */
export function clip(text: string, most: number, mark = ''): string {
  const kept = [...text.slice(0, 2 * most + 2)].slice(0, most).join('');
  return (kept.length < text.length ? kept + mark : kept).toWellFormed();
}
