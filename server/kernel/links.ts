import type { Mode } from './mode.ts';

/** What a link leads to: a page for a buyer, or a file of the merchant. */
export type LinkedPage =
  | ('invoice' | 'session' | 'subscription' | 'payment_link' | 'price')
  | ('confirmation' | 'unsubscription' | 'mail' | 'export');

/** An object that a link leads to. */
export interface Linked {
  readonly id: string;
  readonly liveMode: boolean;
}

/** Makes the links of the pages for buyers. Whoever has one may do what its page offers, and no other can be guessed from it. */
export interface Links {
  /** The name of the host that they lead to. */
  readonly host: string;
  /** Where a buyer sees and pays an invoice. */
  payment(invoice: Linked): string;
  /** The receipt of a paid invoice; with `.pdf` behind it, as a file. */
  receipt(invoice: Linked): string;
  /** Where a buyer pays a checkout session. */
  checkout(session: Linked): string;
  /** What a payment link sells, to whoever opens it. */
  sale(link: Linked): string;
  /** What a price sells, to whoever opens it. */
  saleOf(price: Linked): string;
  /** Where a buyer changes how a subscription is paid. */
  updatePayment(subscription: Linked): string;
  /** Where whoever reads what is sent to the address of a customer says so. */
  confirmation(customer: Linked): string;
  /** Where a letter is read in a browser. */
  letter(mail: Linked): string;
  /** Where a buyer says that they want no letter that is not about money. */
  unsubscription(customer: Linked): string;
  /** Where a buyer sees all that the merchants have of them: by the secret of a customer, else by their address. */
  portal(secret?: string): string;
  /** Where the file of an export is fetched. */
  exportFile(exported: Linked): string;
  /** The logo of a digest, as mails show it. */
  logo(digest: string): string;
  /** The mode of what a link to a page leads to, which its signature tells; null: the link was not made here. */
  modeOf(page: LinkedPage, link: { readonly id: string; readonly signature: string }): Mode | null;
}
