import { X509Certificate } from 'node:crypto';
import type { Chance } from '../fakes/random.ts';
import { Books } from './books.ts';
import { type Identity, issue } from './certificates.ts';
import { randomPixKey } from './ids.ts';
import type { Merchant, MerchantCredentials } from './merchant.ts';
import type { PspProfile } from './profile.ts';
import { type Operation, operations, type Struck } from './troubles.ts';

export interface RegistryOptions {
  readonly profile: PspProfile;
  readonly chance: Chance;
  readonly clock: () => number;
  /** Signs the merchants' certificates. */
  readonly authority: Identity;
}

export interface NewMerchant {
  /** A random key where none is given. */
  readonly pixKey?: string;
  /** Of the API; all that it has where none are named. */
  readonly scopes?: readonly string[];
  /** How long its certificate is valid; negative: it ended so many days ago. */
  readonly certificateDays?: number;
}

/** How often each operation was called. */
export type Requests = Readonly<Record<Operation | 'token', number>>;

const CERTIFICATE_DAYS = 365;
const RESOURCES = ['cob', 'pix', 'webhook', 'rec', 'cobr', 'payloadlocationrec', 'webhookrec', 'webhookcobr'];
const ALL_SCOPES = RESOURCES.flatMap((name) => [`${name}.read`, `${name}.write`]);

/** The merchants of a PSP. */
export class Registry {
  readonly byFingerprint = new Map<string, Merchant>();
  private readonly byClientId = new Map<string, Merchant>();
  private readonly calls: Struck[] = [];
  private readonly options: RegistryOptions;

  constructor(options: RegistryOptions) {
    this.options = options;
  }

  async create({ pixKey, scopes, certificateDays = CERTIFICATE_DAYS }: NewMerchant): Promise<MerchantCredentials> {
    const { chance, profile, authority } = this.options;
    const clientId = `Client_Id_${chance.hex(40)}`;
    const credentials: MerchantCredentials = {
      clientId,
      clientSecret: `Client_Secret_${chance.hex(40)}`,
      ...(await issue(authority, { name: clientId, days: certificateDays })),
      pixKey: pixKey ?? randomPixKey(chance),
      // The number of an account begins with no zero: some clients leave it out.
      extras: Object.fromEntries(
        profile.credentials
          .filter(({ value }) => value !== 'clientId')
          .map(({ name }) => [name, `1${chance.digits(9)}`]),
      ),
    };
    this.add(credentials, scopes);
    return credentials;
  }

  add(credentials: MerchantCredentials, scopes: readonly string[] = ALL_SCOPES): void {
    const { profile, chance, clock } = this.options;
    const merchant: Merchant = {
      ...credentials,
      fingerprint: new X509Certificate(credentials.certificatePem).fingerprint256,
      cnpj: chance.digits(14),
      scopes,
      books: new Books({ ispb: profile.ispb, chance, clock }),
    };
    this.byFingerprint.set(merchant.fingerprint, merchant);
    this.byClientId.set(merchant.clientId, merchant);
  }

  find(clientId: string): Merchant {
    const merchant = this.byClientId.get(clientId);
    if (merchant === undefined) throw new Error(`${clientId} is no merchant of this PSP`);
    return merchant;
  }

  /** Notes a call. */
  count(call: Struck): void {
    this.calls.push(call);
  }

  /** Of one merchant, or of all. */
  requests(clientId: string | null): Requests {
    const calls = this.calls.filter(({ merchant }) => clientId === null || merchant === clientId);
    const countOf = (name: Struck['operation']) => calls.filter(({ operation }) => operation === name).length;
    const counts = [...operations, 'token' as const].map((name) => [name, countOf(name)]);
    return Object.fromEntries(counts) as Requests; // made of every name
  }
}
