import type { CardBrand } from '../../contract/payment-methods.ts';
import type { SubscriptionStatus } from '../../contract/subscriptions.ts';
import type { Every, LookView, Problem } from './page-data.ts';
import type { Worded } from './texts.ts';

/** What a buyer has just done there. */
export const portalNotices = [
  'cancel',
  'uncancel',
  'pause',
  'resume',
  'change',
  'card_preferred',
  'card_removed',
  'mandate_ended',
] as const;
export type PortalNotice = (typeof portalNotices)[number];

export interface PortalPrice {
  readonly id: string;
  readonly name: string;
  /** Cents, each time. */
  readonly amount: number;
  readonly every: Every;
}

/** How its bills are paid. */
export type PortalMethod =
  | { readonly method: 'pix' | 'pix_automatico' }
  | { readonly method: 'card'; readonly brand: CardBrand | null; readonly last4: string | null };

/** A subscription as its buyer is shown it. Amounts are cents, instants Unix seconds. */
export interface PortalSubscriptionView {
  readonly id: string;
  readonly name: string;
  readonly status: SubscriptionStatus;
  readonly amount: number;
  readonly every: Every;
  /** What is charged next by itself; null: nothing is. */
  readonly next: { readonly at: number; readonly amount: number } | null;
  readonly paidBy: PortalMethod | null;
  /** What it binds its buyer to, and that it is paused; null: nothing. */
  readonly notice: Worded | null;
  readonly endedAt: number | null;
  /** When it ends by wish. */
  readonly cancelAt: number | null;
  /** A change that waits for its day. */
  readonly changesAt: number | null;
  readonly pausesAt: number | null;
  /** What a cancellation at the period's end comes to. */
  readonly end: { readonly at: number; readonly penalty: number } | null;
  readonly mayCancel: boolean;
  readonly mayUncancel: boolean;
  readonly mayPause: boolean;
  readonly mayResume: boolean;
  readonly prices: readonly PortalPrice[];
  /** Where its open bill is paid; null: there is none. */
  readonly bill: string | null;
  /** Where another card is given; null: nowhere now. */
  readonly update: string | null;
}

export interface PortalBillView {
  readonly id: string;
  /** Null: nothing says what it is for. */
  readonly name: string | null;
  readonly amount: number;
  readonly dueAt: number;
  readonly isLate: boolean;
  readonly pay: string;
}

export interface PortalPaidView {
  readonly id: string;
  readonly name: string | null;
  readonly amount: number;
  readonly amountRefunded: number;
  readonly paidAt: number;
  readonly receipt: string;
}

export interface PortalCardView {
  readonly id: string;
  readonly brand: CardBrand | null;
  readonly last4: string | null;
  readonly expires: string;
  readonly isDefault: boolean;
  readonly isClosed: boolean;
  /** What it pays; null: a subscription that has no name here. */
  readonly pays: readonly (string | null)[];
}

export interface PortalMandateView {
  readonly id: string;
  /** Null: its subscription has no name here. */
  readonly name: string | null;
  /** Null: it is not known here. */
  readonly every: Every | null;
  readonly isActive: boolean;
}

/** Whose page it is, and where what it leads to stands from there. */
export interface PortalFrame {
  readonly merchant: string;
  readonly isSandbox: boolean;
  readonly look: LookView;
  /** The page of the customer, from the page that shows this. */
  readonly home: string;
  /** Back to the shop; null: it has told no place. */
  readonly back: string | null;
  readonly notice: PortalNotice | null;
  readonly problem: Problem | null;
}

export interface PortalOverviewView {
  readonly subscriptions: readonly PortalSubscriptionView[];
  readonly bills: readonly PortalBillView[];
  readonly paid: readonly PortalPaidView[];
  readonly hasMorePaid: boolean;
  readonly cards: readonly PortalCardView[];
  readonly mandates: readonly PortalMandateView[];
}

/** Another price, and what it comes to. */
export interface PortalChangeView {
  readonly subscription: string;
  readonly name: string;
  readonly price: PortalPrice;
  /** When it holds from. */
  readonly at: number;
  readonly isNow: boolean;
  /** What the rest of the period comes to with it, less what was charged; below 0 is a credit. */
  readonly total: number;
  readonly dueNow: number;
  readonly next: { readonly at: number; readonly amount: number };
  readonly penalty: number;
}

export type PortalContent =
  | { readonly kind: 'overview'; readonly overview: PortalOverviewView }
  | { readonly kind: 'paid'; readonly paid: readonly PortalPaidView[]; readonly after: string | null }
  | { readonly kind: 'change'; readonly change: PortalChangeView };

export interface PortalPage {
  readonly frame: PortalFrame;
  readonly content: PortalContent;
}

/** The page that asks for an address: it was not sent yet, was sent, or is none. */
export type PortalAsk = 'ask' | 'asked' | 'no_address' | 'too_often' | 'ended';
