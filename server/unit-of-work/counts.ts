import type { DeclineReason } from '../../contract/errors.ts';

/** A charge as it is counted. */
export interface CountedCharge {
  readonly paymentMethodType?: 'pix' | 'card' | null | undefined;
  readonly mandateId?: string | null | undefined;
  readonly liveMode: boolean;
}

/** What transactions count once they have committed. */
export interface BusinessCounts {
  paid(charge: CountedCharge & { readonly amount: number }): void;
  declined(charge: CountedCharge, reason: DeclineReason): void;
  /** `late`: paid when its invoice did not wait for it any more. */
  qrCode(outcome: 'made' | 'paid' | 'late', of: { readonly liveMode: boolean }): void;
}
