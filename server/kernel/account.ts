import type { CollectionDays } from './collection-days.ts';

/** What of an account its requests, runs and cases need; each carries it in its scope. */
export interface AccountTerms extends CollectionDays {
  /** The merchant, as buyers and the acquirer are told. */
  readonly name: string;
  readonly city: string;
  /** How long a QR code can be paid of which nothing else is said. */
  readonly pixValiditySeconds: number;
}

/** What buyers see of a merchant, on pages, receipts and in mails. */
export interface AccountLook {
  readonly name: string;
  /** CPF or CNPJ without punctuation. */
  readonly taxId: string | null;
  readonly supportEmail: string | null;
  readonly supportPhone: string | null;
  /** `#rrggbb`, on which white can be read; null: ours. */
  readonly color: string | null;
  /** What tells this logo from every other that the account had; null: none. */
  readonly logoDigest: string | null;
}
