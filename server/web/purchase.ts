import type { DeclineReason } from '../../contract/errors.ts';
import type { CheckoutInput } from '../../contract/payment-methods.ts';
import type {
  DiscountView,
  Every,
  InstallmentOption,
  LineView,
  MandateView,
  PurchaseView,
  QrView,
  Standing,
} from '../../web/page/page-data.ts';
import type { Recurrence } from '../catalog/rules.ts';
import type { BuyerForm } from '../checkout/attach.ts';
import { cents, split } from '../kernel/money.ts';
import { oneLine } from '../kernel/text.ts';
import type { Timestamp } from '../kernel/time.ts';
import { showBrCode } from '../payments/pix/image.ts';
import type { ShownConsent } from '../subscriptions/consent.ts';
import { decide, type Items } from '../subscriptions/decide.ts';
import type { SubscriptionDiscount } from '../subscriptions/discounts.ts';
import type { Scope } from '../unit-of-work/tx.ts';

/** Something that a buyer pays on a page; where it comes from is its source's affair. */
/** What a link leads to, as its source has it. */
export interface FoundPurchase {
  /** What tells it from every other purchase of its source. */
  readonly id: string;
  /** Another page that shows it instead, from the path of its own; null: none. */
  readonly leadsTo: string | null;
  /** What is charged; null while nobody is known to pay it. */
  readonly invoiceId: string | null;
  readonly merchant: string;
  readonly kind: PurchaseView['kind'];
  readonly links: PurchaseView['links'];
  /** Whether its buyer may type a promotion code now. */
  readonly takesCode: boolean;
  /** Null: it can be paid as long as it is open. */
  readonly endsAt: Timestamp | null;
  readonly renewal: PurchaseView['renewal'];
  readonly keepsCard: boolean;
  readonly isPaused?: boolean;
  readonly isChargedLater?: PurchaseView['isChargedLater'];
  readonly notice?: PurchaseView['notice'];
  readonly suspended?: PurchaseView['suspended'];
  /** Who pays, once that is known. */
  readonly customerId: string | null;
  /** Of a session: the subscription that it sells, once its buyer is known. */
  readonly subscriptionId: string | null;
  /** The account and mode that whoever holds the link acts in. */
  readonly scope: Scope;
  readonly standing: Standing;
  readonly description: string | null;
  readonly lines: readonly LineView[];
  readonly subtotal: number;
  readonly discounts: readonly DiscountView[];
  readonly total: number;
  readonly amount: number;
  readonly amountRefunded: number;
  readonly dueAt: Timestamp;
  readonly isLate: boolean;
  readonly paidAt: Timestamp | null;
  /** When it was paid, cancelled or given up. */
  readonly closedAt: Timestamp | null;
  readonly paidBy: PurchaseView['paidBy'];
  readonly receipt: PurchaseView['receipt'];
  readonly qr: { readonly copyPaste: string; readonly expiresAt: Timestamp } | null;
  /** `id`: the mandate that is pending; null: none is. */
  readonly mandate: (Omit<MandateView, 'qr'> & { readonly id: string | null; readonly qr: FoundPurchase['qr'] }) | null;
  readonly debitedOn: Timestamp | null;
  readonly hadQr: boolean;
  /** The charge that the QR code belongs to. */
  readonly intentId: string | null;
  readonly installmentsMax: number;
  readonly declined: DeclineReason | null;
  readonly cardsExhausted: boolean;
  readonly renewedBy: PurchaseView['renewedBy'];
  readonly cardFor?: PurchaseView['cardFor'];
}

/** With the ways in which its merchant can be paid. */
export interface Purchase extends FoundPurchase {
  readonly methods: PurchaseView['methods'];
  readonly cardUrl: PurchaseView['cardUrl'];
  /** The CPF of its buyer, which no browser is ever told; null: none is known, or no card is taken. */
  readonly buyerCpf: string | null;
}

/** Why a link leads to no purchase: it was not made here, or what it led to was over long ago. */
export type Missing = 'not_found' | 'gone';

export const isMissing = (found: FoundPurchase | Missing): found is Missing => typeof found === 'string';

/** Where purchases come from: what a link leads to, who pays it, and what of it has changed. */
export interface PurchaseSource<Found extends FoundPurchase = FoundPurchase> {
  /** What a link names, by its parts; null: the link was not made here. */
  idOf(link: Readonly<Record<string, string>>): string | null;
  /** The purchase of a link's parts. Nothing is looked up for a link that was not made here. */
  find(link: Readonly<Record<string, string>>): Promise<Found | Missing>;
  /** Does what its buyer asks for: pays it, or says how it is paid from then on. */
  pay(scope: Scope, purchase: FoundPurchase, checkout: CheckoutInput): Promise<unknown>;
  /** Takes who pays a purchase that has no buyer yet. */
  fill(scope: Scope, order: { id: string; buyer: BuyerForm; consent: ShownConsent | null }): Promise<void>;
  /** Redeems the promotion code that its buyer typed. */
  redeem?(scope: Scope, order: { id: string; text: string }): Promise<void>;
  /** For each purchase a text that is another one as soon as the purchase stands otherwise. */
  versions(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** How often something is charged, as pages are told. */
export const everyOf = ({ interval, intervalCount: count }: Recurrence): Every => ({ interval, count });

/** A link from the path of another page: relative, so that it holds behind a proxy that serves us under a path of its own. */
export const fromOtherPage = (link: string): string => `../../${link.split('/').slice(-PARTS_OF_LINK).join('/')}`;
/** The page, the id and the signature. */
const PARTS_OF_LINK = 3;

const MS_IN_SECOND = 1_000;

/** What is charged each time once discounts that end have ended; nothing else is promised of later charges. */
export function renewalOf(
  { items, discounts }: { items: Items; discounts: readonly SubscriptionDiscount[] },
  isBound: boolean,
): PurchaseView['renewal'] {
  const lasting = discounts.filter(({ cycles }) => cycles === null);
  const { total } = decide({ items, discounts: lasting, bill: 1, pending: [] });
  return { every: everyOf(items[0].price), amount: total, isBound };
}

function viewQr(qr: FoundPurchase['qr'], { merchant }: Purchase, now: Timestamp): QrView | null {
  if (qr === null) return null;
  const { drawing, recipient } = showBrCode(qr.copyPaste);
  const leftMs = Math.max(0, qr.expiresAt - now) * MS_IN_SECOND;
  return { ...qr, drawing, recipient: recipient ?? merchant, leftMs };
}

/** The installments to choose from, each with what it comes to. */
export function installmentOptions(total: number, most: number): InstallmentOption[] {
  return Array.from({ length: most }, (_, index) => {
    const parts = split(cents(total), index + 1);
    return { count: parts.length, first: parts[0] ?? 0, last: parts.at(-1) ?? 0 };
  });
}

const described = <T extends { readonly description: string | null }>(of: T): T => ({
  ...of,
  description: of.description === null ? null : oneLine(of.description),
});

/** What merchants wrote, each in its own line and in one direction. */
const shownTexts = ({ merchant, description, lines, discounts }: Purchase) => ({
  merchant: oneLine(merchant),
  description: described({ description }).description,
  lines: lines.map(described),
  discounts: discounts.map(described),
});

/** `•••.982.247-••`: who it is of knows it by that, and nobody else learns it. */
const seenOfCpf = (cpf: string): string => cpf.replace(/^\d{3}(\d{3})(\d{3})\d{2}$/, '•••.$1.$2-••');

/** The purchase as its page shows it. */
export function viewPurchase(purchase: Purchase, at: { now: Timestamp; readAtMs: number }): PurchaseView {
  const {
    id: _,
    leadsTo,
    invoiceId,
    scope,
    intentId,
    installmentsMax,
    closedAt,
    qr,
    mandate,
    endsAt,
    buyerCpf,
    customerId: _customer,
    subscriptionId: _subscription,
    ...shown
  } = purchase;
  return {
    ...shown,
    ...shownTexts(purchase),
    endsInMs: endsAt === null ? null : Math.max(0, endsAt - at.now) * MS_IN_SECOND,
    isSandbox: !scope.liveMode,
    qr: viewQr(qr, purchase, at.now),
    ownDocument: buyerCpf === null ? null : seenOfCpf(buyerCpf),
    mandate: mandate === null ? null : { every: mandate.every, qr: viewQr(mandate.qr, purchase, at.now) },
    installments: shown.standing === 'payable' ? installmentOptions(shown.amount, installmentsMax) : [],
    readAtMs: at.readAtMs,
  };
}
