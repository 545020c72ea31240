import type { DeclineReason, ErrorCode } from '../../contract/errors.ts';
import type { CardBrand } from '../../contract/payment-methods.ts';
import type { BuyerValues } from './buyer-fields.ts';
import type { PortalAsk, PortalPage } from './portal-data.ts';
import type { ReceiptLinks, ReceiptView } from './receipt-data.ts';
import type { Language, Worded } from './texts.ts';

/** How a purchase stands, as its buyer is told (docs/product/payment-page.md#standings). */
export type Standing =
  | 'buyer'
  | 'payable'
  | 'scheduled'
  | 'processing'
  | 'unknown'
  | 'confirmed'
  | 'paid'
  | 'begun'
  | 'void'
  | 'expired'
  | 'renewing'
  | 'card_needed'
  | 'billed';

/** Nothing more becomes of a purchase that stands so. */
export const isFinal = ({ standing }: { readonly standing: Standing }): boolean =>
  standing === 'paid' || standing === 'begun' || standing === 'void' || standing === 'expired';

export const isPayable = ({ standing }: { readonly standing: Standing }): boolean => standing === 'payable';

/** Whether a card is charged or stored on its page. */
export const asksForCard = ({ standing }: { readonly standing: Standing }): boolean =>
  standing === 'payable' || standing === 'renewing' || standing === 'card_needed';

/** What a buyer came for is done. */
export const isDone = ({ standing }: { readonly standing: Standing }): boolean =>
  standing === 'paid' || standing === 'begun';

export interface LineView {
  readonly description: string;
  readonly quantity: number;
  readonly unitAmount: number;
  readonly amount: number;
}

export interface DiscountView {
  readonly description: string | null;
  /** Null where an amount was agreed upon. */
  readonly percentage: number | null;
  /** What it takes off, in cents. */
  readonly amount: number;
}

/** A QR code that can be paid now. */
export interface QrView {
  readonly copyPaste: string;
  /** One path over a square of so many modules, its quiet zone included. */
  readonly drawing: { readonly size: number; readonly path: string };
  /** Whom a banking app shows as the recipient. */
  readonly recipient: string;
  readonly expiresAt: number;
  /** How long it can be paid from the reading on: the clock of a sandbox is not the browser's. Milliseconds. */
  readonly leftMs: number;
}

/** How often something is charged. */
export interface Every {
  readonly interval: 'day' | 'week' | 'month';
  readonly count: number;
}

/** What is charged again and again. */
export interface RenewalView {
  readonly every: Every;
  /** What each charge comes to once discounts that end have ended, in cents. */
  readonly amount: number;
  /** Whether a minimum term binds its buyer. */
  readonly isBound: boolean;
}

/** What a buyer can authorise by Pix Automático. */
export interface MandateView {
  /** How often it is debited. */
  readonly every: Every;
  /** The code that authorises, and pays what is to be paid; null: none was made. */
  readonly qr: QrView | null;
}

/** So many installments, and what each comes to: the first ones carry the odd cents. */
export interface InstallmentOption {
  readonly count: number;
  readonly first: number;
  readonly last: number;
}

/** The card that a suspended subscription could not be charged to, as far as it is known. */
export interface SuspensionView {
  readonly brand: CardBrand | null;
  readonly last4: string | null;
  readonly reason: DeclineReason | null;
}

/** Where a shop wants its buyer: after paying, and without. */
export interface Links {
  /** Null: the page stays. */
  readonly success: string | null;
  /** Null: there is no way back. */
  readonly back: string | null;
}

export type Method = 'pix_automatico' | 'pix' | 'card';

/** What a page shows of a purchase. Amounts are cents, instants Unix seconds. */
export interface PurchaseView {
  readonly merchant: string;
  readonly isSandbox: boolean;
  /** How the merchant can be paid; live money may have no acquirer for a method yet. */
  readonly methods: readonly Method[];
  /** Where the browser sends a card, which answers a token of it; null: to the service. */
  readonly cardUrl: string | null;
  /** A bill that is due on a day, a purchase in a shop, which ends in an hour, or what is billed again and again. */
  readonly kind: 'invoice' | 'session' | 'subscription';
  /** Null for a bill, which came by itself. */
  readonly links: Links | null;
  /** Whether a promotion code can be typed now. */
  readonly takesCode: boolean;
  /** How long it can be paid from the reading on; null: as long as it is open. Milliseconds. */
  readonly endsInMs: number | null;
  /** What is charged again; null: nothing. */
  readonly renewal: RenewalView | null;
  /** Whether a card is stored for what comes, which its buyer agrees to. */
  readonly keepsCard: boolean;
  /** Of a subscription: it is paused, and bills nothing until it is resumed. */
  readonly isPaused?: boolean;
  /** What a subscription binds its buyer to, and that it is paused; absent: nothing. */
  readonly notice?: Worded | null | undefined;
  /** Of a bill: its subscription is suspended, because this was declined. */
  readonly suspended?: SuspensionView | null | undefined;
  /** What is seen of the CPF that is known of the buyer, who need not type it again; null: none is known. */
  readonly ownDocument: string | null;
  readonly standing: Standing;
  readonly description: string | null;
  readonly lines: readonly LineView[];
  readonly subtotal: number;
  readonly discounts: readonly DiscountView[];
  readonly total: number;
  /** What is left to pay while it can be paid, else what it came to. */
  readonly amount: number;
  readonly amountRefunded: number;
  readonly dueAt: number;
  readonly isLate: boolean;
  readonly paidAt: number | null;
  readonly paidBy: { readonly method: Method; readonly installments: number } | null;
  /** Where its receipt is, once it is paid. */
  readonly receipt: string | null;
  readonly qr: QrView | null;
  /** Null: nothing can be authorised. */
  readonly mandate: MandateView | null;
  /** On which day a mandate debits it, which paying it until the evening before prevents; null: none does. */
  readonly debitedOn: number | null;
  /** Whether a QR code was made and has ended. */
  readonly hadQr: boolean;
  readonly installments: readonly InstallmentOption[];
  /** Why the buyer's last card was declined; null once something else was tried. */
  readonly declined: DeclineReason | null;
  /** Whether so many cards of buyers were declined that none is taken any more. */
  readonly cardsExhausted: boolean;
  /** How the bills to come of a subscription are paid; null: nothing was chosen yet. */
  readonly renewedBy:
    | { readonly method: 'pix' | 'pix_automatico' }
    | { readonly method: 'card'; readonly brand: CardBrand | null; readonly last4: string | null }
    | null;
  /** Whether nothing is charged today: `amount` is charged on the day of `dueAt`. */
  readonly isChargedLater?: boolean | undefined;
  /** What a card is stored for: a trial that begins with it, what comes later, or the first charge, which is made now. */
  readonly cardFor?: 'trial' | 'later' | 'now' | undefined;
  /** When the service read it, in real milliseconds: of two views the later one holds. */
  readonly readAtMs: number;
}

/** Why something that the buyer asked for came to nothing. */
export interface Problem {
  readonly code: ErrorCode | 'CROSS_SITE' | 'NETWORK' | 'PLAIN_HTTP';
  readonly declineReason: DeclineReason | null;
  /** Fields of the request at fault, as `card.number`. */
  readonly fields: readonly string[];
}

/** The answer to whatever the page's script asks for; the purchase is null where it could not be read. */
export interface PageAnswer {
  readonly purchase: PurchaseView | null;
  readonly problem: Problem | null;
}

/** A card of the sandbox, and what becomes of it. */
export interface TestCard {
  readonly number: string;
  readonly outcome: Worded;
}

/** What a page shows of a merchant beside its name. */
export interface LookView {
  /** Whether a color stands behind the name and the amount. */
  readonly isCovered: boolean;
  readonly terms: string | null;
  readonly privacy: string | null;
  /** Its size is that of the room that is kept for it, in CSS pixels. */
  readonly logo: { readonly source: string; readonly width: number; readonly height: number } | null;
  /** `CNPJ 12.ABC.345/01DE-35` */
  readonly taxId: string | null;
  readonly email: string | null;
  /** To call, and to read. */
  readonly phone: { readonly number: string; readonly text: string } | null;
}

/** What the page is rendered from, in the server and once more in the browser. */
export interface PageData {
  readonly language: Language;
  readonly purchase: PurchaseView;
  readonly problem: Problem | null;
  /** What was typed into the form of the buyer before this page came; null: nothing. */
  readonly typed: BuyerValues | null;
  /** None in live mode. */
  readonly testCards: readonly TestCard[];
  readonly look: LookView;
}

/** Where a page finds its script and its style: relative, so that it holds behind a proxy that serves us under a path of its own. */
export interface Assets {
  readonly script: string;
  readonly style: string;
  /** The style of a receipt, which no other page needs. */
  readonly receiptStyle: string;
  /** Those of the page of a customer. */
  readonly portal: { readonly script: string; readonly style: string };
}

/** What a page asks whoever has its link, or says once it was answered. */
export type Asking = 'confirmable' | 'confirmed' | 'subscribed' | 'unsubscribed';

/** A page that asks whoever has its link one thing. */
export interface QuestionView {
  readonly merchant: string;
  readonly asking: Asking;
  /** Where its form goes; null: it has none. */
  readonly action: string | null;
  /** Where it leads on; null: nowhere. */
  readonly link: string | null;
}

/** What a link sells to whoever opens it, before a session is opened of it. Amounts are cents. */
export interface OfferView {
  readonly merchant: string;
  readonly isSandbox: boolean;
  /** `held`: whoever asks has as many open purchases as may be; `on_hold`: others have all that is left. */
  readonly state: 'selling' | 'on_hold' | 'held' | 'over';
  readonly lines: readonly LineView[];
  readonly total: number;
  /** How often it is charged again; null: never. */
  readonly every: Every | null;
  /** Days for which nothing is charged first; null: there are none. */
  readonly trialDays: number | null;
  readonly look: LookView;
}

/** A page that says one thing. */
export type Message = 'not_found' | 'gone' | 'no_receipt' | 'export_gone' | { readonly problem: Problem };

/** What the bundle for the server offers. */
export interface Renderer {
  /** `accent`: the rules that put the merchant's color in the place of ours; null: there are none. */
  renderPurchase(data: PageData, assets: Assets, accent: string | null): string;
  renderReceipt(
    view: ReceiptView,
    page: { readonly links: ReceiptLinks; readonly assets: Assets; readonly accent: string | null },
  ): string;
  renderOffer(
    view: OfferView,
    page: { readonly language: Language; readonly assets: Assets; readonly accent: string | null },
  ): string;
  renderQuestion(
    view: QuestionView,
    page: { readonly language: Language; readonly assets: Assets; readonly accent: string | null },
  ): string;
  /** `query`: what keeps the language of its address in those that it leads to. */
  renderPortal(
    page: PortalPage,
    shown: {
      readonly language: Language;
      readonly query: string;
      readonly assets: Assets;
      readonly accent: string | null;
    },
  ): string;
  /** `action`: where the address goes, from the page that asks. */
  renderAsk(
    about: PortalAsk,
    page: { readonly action: string; readonly language: Language; readonly assets: Assets },
  ): string;
  renderMessage(message: Message, page: { readonly language: Language; readonly assets: Assets }): string;
}
