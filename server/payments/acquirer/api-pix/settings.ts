import { createPrivateKey, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { type ProfileName, profileNames, profileOf } from './profiles.ts';

/** How an account reaches its PSP. Kept sealed as a whole: nearly everything here is a secret or helps to guess one. */
export const ApiPixSettings = z.object({
  profile: z.enum(profileNames),
  clientId: z.string().min(1).max(500),
  clientSecret: z.string().min(1).max(4_000).nullable(),
  /** The client's certificate with its chain, and its key: PEM. */
  certificate: z.string(),
  key: z.string(),
  /** The Pix key (chave) that charges are paid to. */
  pixKey: z.string().min(1).max(77),
  baseUrl: z.url({ protocol: /^https$/ }).nullable(),
  tokenUrl: z.url({ protocol: /^https$/ }).nullable(),
  /** Who signs the PSP's own certificate, where that is no public authority: PEM. */
  ca: z.string().nullable(),
  /** Who signs the certificate that callbacks show; null: none is asked for. PEM. */
  callbackCa: z.string().nullable(),
  extras: z.record(z.string(), z.string().min(1).max(500)),
});

export type ApiPixSettings = z.output<typeof ApiPixSettings>;

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

const readKey = (pem: string): ReturnType<typeof createPrivateKey> | null => {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
};

/** What is wrong with settings, each problem named by the option that gives it; none: they can be used. */
export function problemsOf(settings: ApiPixSettings, now: Date): string[] {
  return [...certificateProblems(settings, now), ...profileProblems(settings), ...pixKeyProblems(settings)];
}

function certificateProblems({ certificate, key, ca, callbackCa }: ApiPixSettings, now: Date): string[] {
  const problems: string[] = [];
  const own = readCertificate(certificate);
  const privateKey = readKey(key);
  if (own === null)
    problems.push(
      '--certificate must be a PEM certificate (openssl pkcs12 -legacy -in file.p12 -out file.pem -nodes makes one of a PFX)',
    );
  if (privateKey === null) problems.push('--key must be a PEM private key without a passphrase');
  if (own !== null && privateKey !== null && !own.checkPrivateKey(privateKey))
    problems.push('--key is not the key of --certificate');
  if (own !== null && own.validToDate <= now) problems.push(`--certificate ended at ${own.validToDate.toISOString()}`);
  if (own !== null && own.validFromDate > now)
    problems.push(`--certificate begins at ${own.validFromDate.toISOString()}`);
  if (ca !== null && readCertificate(ca) === null) problems.push('--ca must be a PEM certificate');
  if (callbackCa !== null && readCertificate(callbackCa) === null)
    problems.push('--callback-ca must be a PEM certificate');
  return problems;
}

function profileProblems({ profile, clientSecret, baseUrl, tokenUrl, extras }: ApiPixSettings): string[] {
  const known = profileOf(profile);
  const names = known.extras.map(({ name }) => name);
  const unknown = Object.keys(extras).filter((name) => !names.includes(name));
  const missing = known.extras.filter(({ name, isRequired }) => isRequired && extras[name] === undefined);
  return [
    ...(known.baseUrl === null && baseUrl === null ? [`--base-url is needed for the profile ${profile}`] : []),
    ...(known.tokenUrl === null && tokenUrl === null ? [`--token-url is needed for the profile ${profile}`] : []),
    ...(known.tokenStyle !== 'form_without_secret' && clientSecret === null
      ? [`--client-secret-file is needed for the profile ${profile}`]
      : []),
    ...missing.map(({ name, meaning }) => `--extra ${name}=… is needed for the profile ${profile}: ${meaning}`),
    ...unknown.map(
      (name) =>
        `--extra ${name.slice(0, TEXT_SHOWN_MAX)} is unknown to the profile ${profile}${names.length > 0 ? `, which knows ${names.join(', ')}` : ', which takes none'}`,
    ),
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

function pixKeyProblems({ pixKey }: ApiPixSettings): string[] {
  if (PIX_KEYS.some((form) => form.test(pixKey))) return [];
  return ['--pix-key must be a CPF or CNPJ (digits alone), a telephone (+55…), an e-mail or a random key (UUID)'];
}

/** What may be shown of settings. */
export interface ShownSettings {
  readonly profile: ProfileName;
  readonly client_id: string;
  readonly pix_key: string;
  readonly base_url: string;
  readonly certificate: {
    readonly subject: string;
    readonly issuer: string;
    readonly serial: string;
    readonly not_after: string;
  };
  readonly checks_callback_certificates: boolean;
}

const ID_SHOWN = 4;

export function showSettings(settings: ApiPixSettings): ShownSettings {
  const { subject, issuer, serialNumber, validToDate } = new X509Certificate(settings.certificate);
  return {
    profile: settings.profile,
    client_id: `${settings.clientId.slice(0, ID_SHOWN)}…`,
    pix_key: settings.pixKey,
    base_url: urlsOf(settings).base,
    certificate: {
      subject: subject.replaceAll('\n', ', '),
      issuer: issuer.replaceAll('\n', ', '),
      serial: serialNumber,
      not_after: validToDate.toISOString(),
    },
    checks_callback_certificates: settings.callbackCa !== null,
  };
}
