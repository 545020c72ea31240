/** How a PSP takes the client's identity at its token endpoint (OAuth2 client credentials). */
export type TokenStyle =
  /** Id and secret in an Authorization header, the grant as a form. */
  | 'basic_form'
  /** Id and secret in an Authorization header, the grant as JSON. */
  | 'basic_json'
  /** Id and secret in the form. */
  | 'form'
  /** The id alone in the form: the certificate is the secret. */
  | 'form_without_secret';

type Resource = 'cob' | 'pix' | 'webhook' | 'locrec' | 'rec' | 'cobr' | 'webhookrec' | 'webhookcobr';

/** A setting that this PSP alone needs, and where each call carries it. */
interface Extra {
  readonly name: string;
  readonly as: { readonly header: string } | { readonly query: string };
  readonly isRequired: boolean;
  readonly meaning: string;
}

/** What a PSP does in its own way. What any of them may answer is read alike for all (docs/design/api-pix.md#reading). */
export interface PspProfile {
  readonly title: string;
  /** With the version, unless the resources have versions of their own; null: an operator has to say. */
  readonly baseUrl: string | null;
  readonly tokenUrl: string | null;
  readonly tokenStyle: TokenStyle;
  /** Null: the PSP grants what the client was registered with, and is asked for nothing. */
  readonly scopes: readonly string[] | null;
  readonly paths: Readonly<Record<Resource, string>>;
  readonly extras: readonly Extra[];
  /** A header with the client's id on every call. */
  readonly clientIdHeader: string | null;
  /**
   * Whose the id of a mandate is: the PSP makes it, or the merchant does with the number of the PSP (ISPB) in it.
   * Evidence: pypix-api 0.14.0 for `merchant`, the official SDKs of Efí and the document for `bank`.
   */
  readonly mandateId: 'bank' | { readonly ispb: string };
  /** Headers of the registration of a callback, by whether callbacks come with a client certificate that is checked. */
  readonly webhookHeaders: (checksCertificates: boolean) => Readonly<Record<string, string>>;
}

/** What is asked for beside the others where mandates are used. */
const MANDATE_SCOPES = [
  'rec.write',
  'rec.read',
  'cobr.write',
  'cobr.read',
  'payloadlocationrec.write',
  'payloadlocationrec.read',
  'webhookrec.write',
  'webhookrec.read',
  'webhookcobr.write',
  'webhookcobr.read',
] as const;

const SCOPES = ['cob.write', 'cob.read', 'pix.write', 'pix.read', 'webhook.write', 'webhook.read'] as const;

const STANDARD: PspProfile = {
  title: 'API Pix as the central bank publishes it',
  baseUrl: null,
  tokenUrl: null,
  tokenStyle: 'basic_form',
  scopes: SCOPES,
  paths: {
    ...{ cob: '/cob', pix: '/pix', webhook: '/webhook' },
    ...{ locrec: '/locrec', rec: '/rec', cobr: '/cobr', webhookrec: '/webhookrec', webhookcobr: '/webhookcobr' },
  },
  mandateId: 'bank',
  extras: [],
  clientIdHeader: null,
  webhookHeaders: () => ({}),
};

/** The PSPs that are known, by the name that an operator gives (docs/product/live-pix.md#profiles). */
export const profiles = {
  standard: STANDARD,
  efi: {
    ...STANDARD,
    title: 'Efí (Gerencianet)',
    baseUrl: 'https://pix.api.efipay.com.br/v2',
    tokenUrl: 'https://pix.api.efipay.com.br/oauth/token',
    tokenStyle: 'basic_json',
    scopes: null,
    // Efí calls the URL without a certificate first and takes a refusal for proof that certificates are checked.
    webhookHeaders: (checksCertificates) => ({ 'x-skip-mtls-checking': String(!checksCertificates) }),
  },
  sicoob: {
    ...STANDARD,
    title: 'Sicoob',
    baseUrl: 'https://api.sicoob.com.br/pix/api/v2',
    tokenUrl: 'https://auth.sicoob.com.br/auth/realms/cooperado/protocol/openid-connect/token',
    tokenStyle: 'form_without_secret',
    clientIdHeader: 'client_id',
    mandateId: { ispb: '02038232' },
  },
  bb: {
    ...STANDARD,
    title: 'Banco do Brasil',
    baseUrl: 'https://api-pix.bb.com.br/pix/v2',
    tokenUrl: 'https://oauth.bb.com.br/oauth/token',
    mandateId: { ispb: '00000000' },
    extras: [
      {
        name: 'app_key',
        as: { query: 'gw-dev-app-key' },
        isRequired: true,
        meaning: 'developer_application_key of the application at developers.bb.com.br',
      },
    ],
  },
  sicredi: {
    ...STANDARD,
    title: 'Sicredi',
    baseUrl: 'https://api-pix.sicredi.com.br/api',
    tokenUrl: 'https://api-pix.sicredi.com.br/oauth/token',
    paths: {
      ...{ cob: '/v3/cob', pix: '/v2/pix', webhook: '/v2/webhook' },
      ...{ locrec: '/v1/locrec', rec: '/v1/rec', cobr: '/v1/cobr' },
      ...{ webhookrec: '/v1/webhookrec', webhookcobr: '/v1/webhookcobr' },
    },
    mandateId: { ispb: '01181521' },
  },
  inter: {
    ...STANDARD,
    title: 'Banco Inter',
    baseUrl: 'https://cdpj.partners.bancointer.com.br/pix/v2',
    tokenUrl: 'https://cdpj.partners.bancointer.com.br/oauth/v2/token',
    tokenStyle: 'form',
    extras: [
      {
        name: 'account',
        as: { header: 'x-conta-corrente' },
        isRequired: false,
        meaning: 'number of the current account, where the client has several',
      },
    ],
  },
} as const satisfies Readonly<Record<string, PspProfile>>;

export type ProfileName = keyof typeof profiles;

// The keys of a literal are exactly its declared keys; Object.keys forgets that.
export const profileNames = Object.keys(profiles) as [ProfileName, ...ProfileName[]];

export const profileOf = (name: ProfileName): PspProfile => profiles[name];

/** What a token is asked for; null: the PSP grants what the client was registered with. */
export function scopesOf({
  profile,
  receiverAccount,
}: {
  readonly profile: ProfileName;
  readonly receiverAccount: string | null;
}): readonly string[] | null {
  const { scopes } = profileOf(profile);
  return scopes === null || receiverAccount === null ? scopes : [...scopes, ...MANDATE_SCOPES];
}
