import type { PortalCancel } from '../../contract/collection-settings.ts';
import type { PageFont } from '../../contract/forms.ts';
import type { LateFees } from '../../contract/late-fees.ts';
import type { SwitchedOccasion } from '../../contract/mails.ts';
import type { CollectionDays } from './collection-days.ts';
import type { Timestamp } from './time.ts';

/** What of an account its requests, runs and cases need; each carries it in its scope. */
export interface AccountTerms extends CollectionDays {
  /** The merchant, as buyers and the acquirer are told. */
  readonly name: string;
  readonly city: string;
  /** How long a QR code can be paid of which nothing else is said. */
  readonly pixValiditySeconds: number;
  /** Whether a subscription that ends unpaid is charged the penalty of its minimum term. */
  readonly penaltyOnUnpaid: boolean;
  /** Whether a buyer may end a subscription by themselves, in the portal. */
  readonly portalCancel: PortalCancel;
  /** What it costs to pay an invoice late that says nothing else; null: nothing. */
  readonly lateFees: LateFees | null;
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
  /** How large that logo is, in pixels. */
  readonly logoSize: { readonly width: number; readonly height: number } | null;
}

/** With what only payment pages show. */
export interface PageLook extends AccountLook {
  /** `#rrggbb`, behind the name and the amount; null: none. */
  readonly coverColor: string | null;
  /** Pixels; null: ours. */
  readonly cornerRadius: number | null;
  readonly font: PageFont | null;
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
}

/** What an account says of the letters to its buyers in a mode; what is absent has its default. */
export interface AccountMail {
  /** Who a letter comes from; null: the service. */
  readonly senderName?: string | null;
  readonly sentence?: string | null;
  readonly attachReceipt?: boolean;
  /** What buyers are not written to about. */
  readonly off?: readonly SwitchedOccasion[];
}

/** What an account tells of itself in one of its modes, as the account sees it. */
export interface AccountProfile {
  readonly id: string;
  readonly liveMode: boolean;
  readonly created: Timestamp;
  readonly name: string;
  readonly taxId?: string | null | undefined;
  readonly supportEmail?: string | null | undefined;
  readonly supportPhone?: string | null | undefined;
  readonly color?: string | null | undefined;
  /** Where its logo was fetched from. */
  readonly logoUrl?: string | null | undefined;
  readonly coverColor?: string | null | undefined;
  readonly cornerRadius?: number | null | undefined;
  readonly font?: PageFont | null | undefined;
  readonly termsUrl?: string | null | undefined;
  readonly privacyUrl?: string | null | undefined;
  readonly mailSettings: AccountMail;
}

/** Stands where a merchant has no color of its own; the pages' style has it too. */
export const COLOR_DEFAULT = '#0b5d3b';

/** How much of one payment a person gives back without a question, and what stands in the way of more. */
export interface RefundBound {
  /** Cents; null: as much as was paid. */
  readonly most: number | null;
  readonly beyond: 'FRESH_LOGIN_REQUIRED' | 'PERMISSION_DENIED';
}
