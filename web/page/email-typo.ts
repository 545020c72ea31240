import emailMisspelled from 'email-misspelled';

/** What most mailboxes of buyers end in, and what is so near to them that it would be taken for a slip. */
const DOMAINS = [
  'gmail.com',
  'hotmail.com',
  'outlook.com',
  'yahoo.com',
  'yahoo.com.br',
  'hotmail.com.br',
  'outlook.com.br',
  'icloud.com',
  'live.com',
  'msn.com',
  'uol.com.br',
  'bol.com.br',
  'terra.com.br',
  'globo.com',
  'globomail.com',
  'ig.com.br',
  'oi.com.br',
  'r7.com',
  'me.com',
  'mac.com',
  'aol.com',
  'mail.com',
  'email.com',
  'ymail.com',
  'gmx.com',
  'proton.me',
  'protonmail.com',
  'zoho.com',
  'yandex.com',
];

const find = emailMisspelled({ domains: DOMAINS, maxMisspelled: 2 });

/** Of a short name, two other letters make another name. */
const SHORT = 8;

/** The address that was probably meant; null: the typed one is none that is known to be mistyped. */
export function emailMeant(typed: string): string | null {
  const email = typed.trim();
  const domain = email.split('@').at(-1)?.toLowerCase() ?? '';
  if (DOMAINS.includes(domain)) return null;
  const [best] = find(email);
  if (best === undefined || (domain.length <= SHORT && best.misspelledCount > 1)) return null;
  return best.corrected;
}
