import { maskedEmail } from '../kernel/text.ts';

/** What is shown of an object's state: plain values by their names. */
export type Shown = Readonly<Record<string, unknown>>;

const HIDDEN = '***';
/** Values that open something. */
const SECRET = /secret|token|password|hash|private|^(?:key|pem)$/i;
const EMAIL = /(?:^|_)(?:e_?mail|recipient)$/i;
/** Numbers that name a person or a company, and where it is called. */
const NUMBER = /(?:^|_)(?:tax_?id|cpf|cnpj|identifier|phone|pix_?key)$/i;
/** The path and the query of an address may be a password of its receiver. */
const ADDRESS = /(?:^|_)url$/i;
const LAST_SHOWN = 2;

/** Without secrets, and with personal data masked, whoever wrote it down; by the names of the values, at any depth. */
export function shown(state: Shown | null): Shown | null {
  if (state === null) return null;
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [name, shownValue(name, value)]));
}

function shownValue(name: string, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  // Where tokens come from (`token_url`) is no token, and what of an address may be a secret is not shown.
  if (typeof value === 'string' && ADDRESS.test(name)) return shownUrl(value);
  if (SECRET.test(name)) return HIDDEN;
  if (Array.isArray(value)) return value.map((one) => shownValue(name, one));
  if (typeof value === 'object') return shown(value as Shown); // no array and not null: an object of names
  if (typeof value !== 'string') return value;
  if (EMAIL.test(name)) return maskedEmail(value);
  return NUMBER.test(name) ? `${HIDDEN}${value.slice(-LAST_SHOWN)}` : value;
}

function shownUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return HIDDEN;
  return url.pathname === '/' && url.search === '' ? url.origin : `${url.origin}/${HIDDEN}`;
}
