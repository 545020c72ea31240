const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it stands in an element or in a quoted attribute of HTML. */
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** Characters that no text of XML has (XML 1.0, 2.2), half ones among them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** The same in XML. */
export const escapeXml = (text: string): string => escapeHtml(text.toWellFormed().replace(NOT_IN_XML, ''));

/** Markup that `html` made: it is not escaped once more. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

export type HtmlValue = string | number | Html | readonly Html[] | null;

const markupOf = (value: HtmlValue): string => {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return value.map(({ text }) => text).join('\n');
};

/** A template of markup: whatever is put in is text, unless it is markup of this template itself. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const text = parts.reduce((written, part, index) => {
    const value = values[index - 1];
    return written + markupOf(value === undefined ? null : value) + part;
  });
  return new Html(text);
}
