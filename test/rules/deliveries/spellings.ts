import ipaddr from 'ipaddr.js';

/** What comes of a URL: an address that is judged, no URL at all, or a name that nobody can have. */
export type Verdict = 'private_address' | 'invalid_url' | 'dns';

/** A way to write an address into a URL, between its `//` and its path; `port` is what the URL asks for. */
interface Spelling {
  readonly write: (address: string, port: number) => string;
  readonly verdict: Verdict;
}

const octetsOf = (address: string): number[] => ipaddr.IPv4.parse(address).toByteArray();
const sum = (octets: readonly number[]): number => octets.reduce((total, octet) => total * 256 + octet, 0);
const octal = (number: number): string => `0${number.toString(8)}`;
const hex = (number: number): string => `0x${number.toString(16)}`;
const percent = (text: string): string =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
/** The letters and digits of a script that browsers fold into ASCII. */
const shifted = (text: string, distance: number): string =>
  text.replaceAll(/[0-9a-f]/g, (character) => String.fromCodePoint((character.codePointAt(0) ?? 0) + distance));
const fullWidth = (text: string): string => shifted(text, 0xfee0);
const mathematical = (text: string): string => shifted(text, 0x1d7ce - 0x30);

const judged = (write: (address: string) => string): Spelling => ({
  write: (address, port) => `${write(address)}:${port}`,
  verdict: 'private_address',
});
const judgedAs = (write: Spelling['write']): Spelling => ({ write, verdict: 'private_address' });
const refused = (write: Spelling['write']): Spelling => ({ write, verdict: 'invalid_url' });

const ipv4: Readonly<Record<string, Spelling>> = {
  dotted: judged((address) => address),
  decimal: judged((address) => String(sum(octetsOf(address)))),
  'octal, dotted': judged((address) => octetsOf(address).map(octal).join('.')),
  'hexadecimal, dotted': judged((address) => octetsOf(address).map(hex).join('.')),
  'one octal number': judged((address) => octal(sum(octetsOf(address)))),
  'one hexadecimal number': judged((address) => hex(sum(octetsOf(address)))),
  'in upper case': judged((address) => hex(sum(octetsOf(address))).toUpperCase()),
  'every part in another way': judged((address) => {
    const [a = 0, b = 0, c = 0, d = 0] = octetsOf(address);
    return [hex(a), octal(b), c, octal(d)].join('.');
  }),
  'in two parts': judged((address) => `${octetsOf(address)[0]}.${sum(octetsOf(address).slice(1))}`),
  'in three parts': judged((address) => {
    const [a, b, ...rest] = octetsOf(address);
    return `${a}.${b}.${sum(rest)}`;
  }),
  'padded with zeros': judged((address) =>
    octetsOf(address)
      .map((part) => part.toString(8).padStart(12, '0'))
      .join('.'),
  ),
  'with a dot behind': judged((address) => `${address}.`),
  'percent-encoded': judged(percent),
  'in full-width digits and dots': judged((address) => fullWidth(address).replaceAll('.', '。')),
  'in mathematical digits': judged(mathematical),
  'with what is not seen in it': judged((address) => [...address].join('\u00ad')),
  'with a tab and a line end in it': judged((address) => `\t${address.replace('.', '.\n\r')}`),
  'before a backslash': judgedAs((address, port) => `${address}:${port}\\@hooks.test`),
  'before a fragment': judgedAs((address, port) => `${address}:${port}#@hooks.test`),
  'at the default port': judgedAs((address) => address),
  'at a port with zeros': judgedAs((address, port) => `${address}:0000${port}`),
  'mapped into IPv6': judged((address) => `[::ffff:${address}]`),
  'translated to IPv6': judged((address) => `[64:ff9b::${address}]`),
  'behind a user': refused((address, port) => `hooks.test@${address}:${port}`),
  'behind a user and a password': refused((address, port) => `hooks.test:443@${address}:${port}`),
  'in five parts': refused((address, port) => `0.${address}:${port}`),
  'beyond 32 bits': refused((address, port) => `${sum(octetsOf(address)) + 2 ** 32}:${port}`),
  'with two dots behind': { write: (address, port) => `${address}..:${port}`, verdict: 'dns' },
  'with a space in it': refused((address, port) => `${address} .hooks.test:${port}`),
  'with a NUL in it': refused((address, port) => `${address}%00.hooks.test:${port}`),
  'in brackets': refused((address, port) => `[${address}]:${port}`),
};

const full = (address: string): string =>
  ipaddr.IPv6.parse(address)
    .parts.map((part) => part.toString(16).padStart(4, '0'))
    .join(':');
const dottedTail = (address: string): string => {
  const bytes = ipaddr.IPv6.parse(address).toByteArray();
  const head = full(address).split(':').slice(0, 6).join(':');
  return `${head}:${bytes.slice(12).join('.')}`;
};

const ipv6: Readonly<Record<string, Spelling>> = {
  compressed: judged((address) => `[${address}]`),
  'at its full length': judged((address) => `[${full(address)}]`),
  'without compression': judged((address) => `[${ipaddr.IPv6.parse(address).toNormalizedString()}]`),
  'in upper case': judged((address) => `[${full(address).toUpperCase()}]`),
  'with an IPv4 address at its end': judged((address) => `[${dottedTail(address)}]`),
  'at the default port': judgedAs((address) => `[${address}]`),
  'at a port with zeros': judgedAs((address, port) => `[${address}]:0000${port}`),
  'before a backslash': judgedAs((address, port) => `[${address}]:${port}\\@hooks.test`),
  'with a tab in it': judged((address) => `[${address.replace(':', ':\t')}]`),
  'behind a user': refused((address, port) => `hooks.test@[${address}]:${port}`),
  'with a zone': refused((address, port) => `[${address}%lo]:${port}`),
  'with an encoded zone': refused((address, port) => `[${address}%25lo]:${port}`),
  'without brackets': refused((address, port) => `${full(address)}:${port}`),
  'with a dot behind': refused((address, port) => `[${address}].:${port}`),
  'percent-encoded': refused((address, port) => `[${percent(address)}]:${port}`),
  'in full-width digits': refused((address, port) => `[${fullWidth(full(address))}]:${port}`),
  'in two pairs of brackets': refused((address, port) => `[[${address}]]:${port}`),
  'as a future address': refused((address, port) => `[v6.${address}]:${port}`),
};

/** One row of the table: an address in one of its spellings. */
export interface Spelled {
  readonly name: string;
  /** What stands between the scheme's `//` and the path. */
  readonly authority: string;
  readonly verdict: Verdict;
}

/** Every spelling of an address; those with a port lead to `port`. */
export function spellingsOf(address: string, port: number): Spelled[] {
  const spellings = Object.entries(ipaddr.IPv4.isValid(address) ? ipv4 : ipv6);
  return spellings.map(([name, { write, verdict }]) => ({
    name: `${address} ${name}`,
    authority: write(address, port),
    verdict,
  }));
}
