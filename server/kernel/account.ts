import type { CollectionDays } from './collection-days.ts';

/** What of an account its requests, runs and cases need; each carries it in its scope. */
export interface AccountTerms extends CollectionDays {
  /** The merchant, as buyers and the acquirer are told. */
  readonly name: string;
  readonly city: string;
  /** How long a QR code can be paid of which nothing else is said. */
  readonly pixValiditySeconds: number;
}
