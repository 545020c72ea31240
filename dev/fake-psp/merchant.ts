import type { Books } from './books.ts';

/** What the PSP gives a merchant to wire its software with. */
export interface MerchantCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The certificate that the merchant's software shows, and its key. */
  readonly certificatePem: string;
  readonly keyPem: string;
  readonly pixKey: string;
  /** What else the PSP wants in each call, by the name it has there. */
  readonly extras: Readonly<Record<string, string>>;
}

/** A client of the PSP. */
export interface Merchant extends MerchantCredentials {
  /** SHA-256 of its certificate: no other one is taken from it. */
  readonly fingerprint: string;
  readonly cnpj: string;
  readonly scopes: readonly string[];
  readonly books: Books;
}
