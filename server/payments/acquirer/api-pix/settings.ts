import { createHash, createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { clip } from '../../../kernel/text.ts';
import { chargesPerSecond } from '../charges-per-second.ts';
import { type ProfileName, profileNames, profileOf } from './profiles.ts';

const HTTPS = 'must be an https:// URL without user, query or fragment';

/** What is behind a ? or a # would swallow the paths that are written after it, and a user would be shown with the URL. */
const isPlain = (url: string): boolean => {
  const { protocol, username, password, search, hash } = new URL(url);
  return protocol === 'https:' && [username, password, search, hash].every((part) => part === '');
};

const pspUrl = z.string().refine((url) => URL.canParse(url) && isPlain(url), HTTPS);
const filled = (max: number) => z.string().min(1, 'must not be empty').max(max, `must have at most ${max} characters`);

/** Types of bank accounts, in the words of the central bank. */
export const accountTypes = ['corrente', 'poupanca', 'pagamento'] as const;

/** How an account reaches its PSP. Kept sealed as a whole: nearly everything here is a secret or helps to guess one. */
export const ApiPixSettings = z.object({
  profile: z.enum(profileNames),
  clientId: filled(500),
  clientSecret: filled(4_000).nullable(),
  /** The client's certificate with its chain, and its key: PEM. */
  certificate: z.string(),
  key: z.string(),
  /** The Pix key (chave) that charges are paid to. */
  pixKey: z.string(),
  baseUrl: pspUrl.nullable(),
  tokenUrl: pspUrl.nullable(),
  /** Who signs the PSP's own certificate, where that is no public authority: PEM. */
  ca: z.string().nullable(),
  /** Who signs the certificate that callbacks show; null: none is asked for. PEM. */
  callbackCa: z.string().nullable(),
  extras: z.record(z.string(), filled(500)),
  /** The account that debits by mandate are paid into; null: there are none. */
  receiverAccount: z
    .string()
    .regex(/^\d{1,20}$/, 'must have 1 to 20 digits, its check digit among them')
    .nullable()
    .default(null),
  receiverType: z.enum(accountTypes).nullable().default(null),
  /** Without its check digit; null: the account has none. */
  receiverBranch: z
    .string()
    .regex(/^\d{1,4}$/, 'must have 1 to 4 digits')
    .nullable()
    .default(null),
  chargesPerSecond,
});

export type ApiPixSettings = z.output<typeof ApiPixSettings>;

const extrasOf = ({ extras }: ApiPixSettings): string =>
  JSON.stringify(Object.entries(extras).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** Whether two settings reach one account at one PSP as one client: the later ones see all that the former ones made. */
export const isSameClient = (one: ApiPixSettings, other: ApiPixSettings): boolean =>
  one.clientId === other.clientId && urlsOf(one).base === urlsOf(other).base && extrasOf(one) === extrasOf(other);

/** Where calls of a resource go. */
export interface PspUrls {
  readonly base: string;
  readonly token: string;
}

export function urlsOf({ profile, baseUrl, tokenUrl }: ApiPixSettings): PspUrls {
  const known = profileOf(profile);
  const base = baseUrl ?? known.baseUrl;
  const token = tokenUrl ?? known.tokenUrl;
  if (base === null || token === null) throw new Error(`the profile ${profile} has no URLs of its own`);
  return { base: base.replace(/\/+$/, ''), token };
}

const TEXT_SHOWN_MAX = 80;

const readCertificate = (pem: string): X509Certificate | null => {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
};

/** Every certificate of a PEM text: PSPs hand out an authority with those above it, in any order. Null: it is no such text. */
export function readAuthorities(pem: string): X509Certificate[] | null {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const read = blocks.map(readCertificate).filter((one) => one !== null);
  return blocks.length === 0 || read.length < blocks.length ? null : read;
}

const readKey = (pem: string): ReturnType<typeof createPrivateKey> | null => {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
};

/** What is wrong with a setting, in words that follow its name. */
interface Problem {
  readonly name: keyof ApiPixSettings;
  readonly message: string;
}

/** All that is wrong with settings; nothing: they can be used. */
export function problemsOf(settings: ApiPixSettings, now: Date): Problem[] {
  const { error } = ApiPixSettings.safeParse(settings);
  const ofForm = (error?.issues ?? []).map(({ path: [field, name], message }) => ({
    name: field as keyof ApiPixSettings, // the form has no other fields
    message: name === undefined ? message : `${String(name)} ${message}`,
  }));
  return [
    ...ofForm,
    ...certificateProblems(settings, now),
    ...profileProblems(settings),
    ...pixKeyProblems(settings),
    ...receiverProblems(settings),
  ];
}

const OF_PFX =
  'of a PFX (.p12, .pfx) openssl pkcs12 -legacy -in FILE -clcerts -nokeys -out client.pem makes the certificate, and openssl pkcs12 -legacy -in FILE -nocerts -noenc -out client.key the key';

/** A PFX as text begins with no dashes; what has a passphrase says so. */
const keyProblem = (pem: string): string =>
  /^-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(pem)
    ? 'has a passphrase: openssl pkey -in FILE -out client.key takes it off'
    : `must be a PEM private key; ${OF_PFX}`;

function certificateProblems({ certificate, key, ca, callbackCa }: ApiPixSettings, now: Date): Problem[] {
  const problems: Problem[] = [];
  const tell = (name: Problem['name'], message: string) => void problems.push({ name, message });
  const own = readCertificate(certificate);
  const privateKey = readKey(key);
  if (own === null) tell('certificate', `must be a PEM certificate; ${OF_PFX}`);
  if (privateKey === null) tell('key', keyProblem(key));
  if (own !== null && privateKey !== null && !own.checkPrivateKey(privateKey))
    tell('key', 'is not the key of the certificate');
  if (own !== null && own.validToDate <= now)
    tell('certificate', `ended at ${own.validToDate.toISOString()}: ask the PSP for a new one`);
  if (own !== null && own.validFromDate > now) tell('certificate', `begins at ${own.validFromDate.toISOString()}`);
  if (ca !== null && readAuthorities(ca) === null) tell('ca', 'must hold PEM certificates');
  if (callbackCa !== null && readAuthorities(callbackCa) === null) tell('callbackCa', 'must hold PEM certificates');
  return problems;
}

function profileProblems(settings: ApiPixSettings): Problem[] {
  const { profile, extras } = settings;
  const known = profileOf(profile);
  const names = known.extras.map(({ name }) => name);
  const knows = names.length > 0 ? `, which knows ${names.join(', ')}` : ', which takes none';
  const needed = [
    ...(known.baseUrl === null ? (['baseUrl'] as const) : []),
    ...(known.tokenUrl === null ? (['tokenUrl'] as const) : []),
    ...(known.tokenStyle === 'form_without_secret' ? [] : (['clientSecret'] as const)),
  ].filter((name) => settings[name] === null);
  const missing = known.extras.filter(({ name, isRequired }) => isRequired && extras[name] === undefined);
  const unknown = Object.keys(extras).filter((name) => !names.includes(name));
  const ofExtras = [
    ...missing.map(({ name, meaning }) => `${name}=… is needed for the profile ${profile}: ${meaning}`),
    ...unknown.map((name) => `${clip(name, TEXT_SHOWN_MAX)} is unknown to the profile ${profile}${knows}`),
  ];
  return [
    ...needed.map((name) => ({ name, message: `is needed for the profile ${profile}` })),
    ...ofExtras.map((message) => ({ name: 'extras' as const, message })),
  ];
}

/** CPF, CNPJ, telephone, e-mail or the random key (EVP). */
const PIX_KEYS = [
  /^\d{11}$/,
  /^\d{14}$/,
  /^\+55\d{10,11}$/,
  /^[^\s@]{1,64}@[^\s@]+\.[^\s@]+$/,
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
];

function pixKeyProblems({ pixKey }: ApiPixSettings): Problem[] {
  if (PIX_KEYS.some((form) => form.test(pixKey))) return [];
  const message = 'must be a CPF or CNPJ (digits alone), a telephone (+55…), an e-mail or a random key (UUID)';
  return [{ name: 'pixKey', message }];
}

function receiverProblems({ receiverAccount, receiverType, receiverBranch }: ApiPixSettings): Problem[] {
  if (receiverAccount !== null)
    return receiverType === null ? [{ name: 'receiverType', message: 'is needed with the account' }] : [];
  return receiverType === null && receiverBranch === null
    ? []
    : [{ name: 'receiverAccount', message: 'is needed with its type and branch' }];
}

/** What may be shown of settings; a fingerprint is a SHA-256. */
export interface ShownSettings {
  readonly profile: ProfileName;
  readonly client_id: string;
  readonly pix_key: string;
  readonly base_url: string;
  readonly token_url: string;
  readonly certificate: {
    readonly subject: string;
    readonly issuer: string;
    readonly serial: string;
    readonly not_after: string;
    readonly fingerprint: string;
  };
  /** Of the public half of the key (SPKI), as `openssl pkey -pubout -outform DER | openssl sha256` has it. */
  readonly public_key: string;
  /** Fingerprints of the authorities that the PSP is believed by; null: the public ones. */
  readonly ca: readonly string[] | null;
  /** Fingerprints of the authorities of certificates that callbacks show. */
  readonly callback_ca: readonly string[] | null;
  readonly checks_callback_certificates: boolean;
  /** The account that debits by mandate are paid into, by its last digits; null: there are none. */
  readonly receiver_account: string | null;
  /** How often a second runs may ask it. */
  readonly charges_per_second: number;
  /** By name: what each says may be a secret. */
  readonly extras: readonly string[];
}

const ID_SHOWN = 4;

const publicKeyOf = (key: string): string =>
  createHash('sha256')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('hex');

const authoritiesOf = (pem: string | null): readonly string[] | null =>
  pem === null ? null : (readAuthorities(pem) ?? []).map(({ fingerprint256 }) => fingerprint256);

/** Nothing that helps to call the PSP in the name of the account. */
export function showSettings(settings: ApiPixSettings): ShownSettings {
  const own = new X509Certificate(settings.certificate);
  const clientId = `${clip(settings.clientId, ID_SHOWN)}…`;
  const { base, token } = urlsOf(settings);
  return {
    profile: settings.profile,
    client_id: clientId,
    pix_key: settings.pixKey,
    base_url: base,
    token_url: token,
    certificate: {
      // Some PSPs name the client by its id there.
      subject: own.subject.replaceAll('\n', ', ').replaceAll(settings.clientId, clientId),
      issuer: own.issuer.replaceAll('\n', ', '),
      serial: own.serialNumber,
      not_after: own.validToDate.toISOString(),
      fingerprint: own.fingerprint256,
    },
    public_key: publicKeyOf(settings.key),
    ca: authoritiesOf(settings.ca),
    callback_ca: authoritiesOf(settings.callbackCa),
    checks_callback_certificates: settings.callbackCa !== null,
    receiver_account: settings.receiverAccount === null ? null : `…${settings.receiverAccount.slice(-ID_SHOWN)}`,
    charges_per_second: settings.chargesPerSecond,
    extras: Object.keys(settings.extras).toSorted(),
  };
}
