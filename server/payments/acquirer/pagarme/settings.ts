import { z } from 'zod';
import { chargesPerSecond } from '../charges-per-second.ts';

/** Where Pagar.me is, unless an option says otherwise. */
const BASE_URL = 'https://api.pagar.me/core/v5';
const JWKS_URL = 'https://hubapi.pagar.me/.well-known/jwks.json';

/** Characters of a statement, of clients that Pagar.me settles itself (PSP). */
const DESCRIPTOR_MAX = 13;

const LOOPBACK = /^(?:127\.0\.0\.1|\[::1\]|localhost)$/;
const URL_FORM = 'must be an https:// URL without user, query or fragment; http:// on this machine alone';

const isPlain = (text: string): boolean => {
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
  return isSafe && [username, password, search, hash].every((part) => part === '');
};

const url = z.string().refine((text) => URL.canParse(text) && isPlain(text), URL_FORM);

const keyOf = (prefix: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_(?:test_)?[A-Za-z0-9]{8,64}$`), `must be a key as Pagar.me shows it: ${prefix}_…`);

/** How an account reaches Pagar.me. Kept sealed as a whole. */
export const PagarmeSettings = z.object({
  profile: z.literal('pagarme'),
  secretKey: keyOf('sk'),
  publicKey: keyOf('pk'),
  /** What a statement of the card says. */
  softDescriptor: z
    .string()
    .regex(
      /^[A-Za-z0-9 ]{1,13}$/,
      `must have 1 to ${DESCRIPTOR_MAX} characters: letters without accents, digits and spaces`,
    )
    .nullable(),
  baseUrl: url.nullable(),
  jwksUrl: url.nullable(),
  /** Whether numbers of cards may pass through this service. */
  takeCardNumbers: z.boolean(),
  chargesPerSecond,
});

export type PagarmeSettings = z.output<typeof PagarmeSettings>;

const isOfTest = (key: string): boolean => key.slice(3).startsWith('test_');

/** All that is wrong with settings, in words that follow a setting's name; nothing: they can be used. */
export function problemsOfKeys(settings: PagarmeSettings): { name: string; message: string }[] {
  const { data, error } = PagarmeSettings.safeParse(settings);
  if (data === undefined) return error.issues.map(({ path: [name], message }) => ({ name: String(name), message }));
  const areOfOne = isOfTest(data.secretKey) === isOfTest(data.publicKey);
  const message = 'must be of one environment with the secret key: one of them is of tests';
  return areOfOne ? [] : [{ name: 'publicKey', message }];
}

/** Where calls and keys are. */
export const pagarmeUrls = ({
  baseUrl,
  jwksUrl,
}: PagarmeSettings): { readonly base: string; readonly jwks: string } => ({
  base: (baseUrl ?? BASE_URL).replace(/\/+$/, ''),
  jwks: jwksUrl ?? JWKS_URL,
});

/** Whether two settings reach one merchant: a key is of one, and a new one of the same cannot be told from another's. */
export const isSameMerchant = (one: PagarmeSettings, other: PagarmeSettings): boolean =>
  one.publicKey === other.publicKey && pagarmeUrls(one).base === pagarmeUrls(other).base;

const KEY_SHOWN = 4;

/** The environment of a key and its end, by which the one who has it tells it from others. */
const shownKey = (key: string): string => `sk_${isOfTest(key) ? 'test_' : ''}…${key.slice(-KEY_SHOWN)}`;

/** Nothing that helps to call Pagar.me in the name of the account. */
export function showPagarme(settings: PagarmeSettings) {
  const { profile, secretKey, publicKey, softDescriptor, takeCardNumbers, chargesPerSecond } = settings;
  const { base, jwks } = pagarmeUrls(settings);
  return {
    profile,
    public_key: publicKey,
    secret_key: shownKey(secretKey),
    soft_descriptor: softDescriptor,
    base_url: base,
    jwks_url: jwks,
    takes_card_numbers: takeCardNumbers,
    charges_per_second: chargesPerSecond,
  };
}
